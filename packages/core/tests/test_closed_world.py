"""Every primitive of JAX is in a family or in the table: a new one is met by a decision."""

import json
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.extend.core import Primitive

from duckarray.core import families
from duckarray.core._dispatch import handler_of

NAMES = [name for name, members in vars(families).items() if type(members) is tuple]
NEGATIVE = jnp.array([-0.75, -0.25, 0.25, 0.5])
POSITIVE = jnp.array([1.25, 2.0, 2.5, 3.75])
OTHER = [0, 0, 3, 2]  # places to take entries from: some repeated, some exchanged
TRANSCENDENTAL = (
    "acos acosh asin asinh atan atanh cbrt cos cosh exp exp2 expm1 log log1p log2 logistic rsqrt"
    " sin sinh sqrt tan tanh"
)
REDUCTIONS = "reduce_sum reduce_prod reduce_max reduce_min"
CUMULATIVE = "cumsum cumprod cummax cummin cumlogsumexp"
# What a primitive cannot do without, for operands that are vectors of floats.
PARAMS = {
    "integer_pow": {"y": 3},
    "conj": {"input_dtype": np.dtype("complex64")},
    "convert_element_type": {"new_dtype": np.dtype("int32"), "weak_type": False, "sharding": None},
    "reduce_precision": {"exponent_bits": 8, "mantissa_bits": 4},
    "round": {"rounding_method": lax.RoundingMethod.TO_NEAREST_EVEN},
    **{name: {"accuracy": None} for name in TRANSCENDENTAL.split()},
    "broadcast_in_dim": {"shape": (2, 4), "broadcast_dimensions": (1,), "sharding": None},
    "reshape": {"new_sizes": (2, 2), "dimensions": None, "sharding": None},
    "squeeze": {"dimensions": ()},
    "transpose": {"permutation": (0,)},
    "rev": {"dimensions": (0,)},
    "slice": {"start_indices": (1,), "limit_indices": (3,), "strides": None},
    "tile": {"reps": (2,)},
    **{name: {"axes": (0,), "out_sharding": None} for name in REDUCTIONS.split()},
    **{name: {"axis": 0, "reverse": False} for name in CUMULATIVE.split()},
    "reduce_window_sum": {
        "window_dimensions": (2,),
        "window_strides": (1,),
        "padding": ((0, 0),),
        "base_dilation": (1,),
        "window_dilation": (1,),
    },
}
INTEGERS = ("clz", "not", "population_count")
COMPLEX = ("real", "imag", "conj")
INTEGER_PAIRS = "and or xor shift_left shift_right_arithmetic shift_right_logical mulhi"
# These need a mesh, a mapped axis, a complex operand or a list of coefficients.
ELSEWHERE = "polynomial psum pbroadcast ppermute all_gather all_to_all reduce_scatter fft"
DOMAIN_ABOVE_ONE = {"acosh"}
DOMAIN_POSITIVE = {"digamma", "lgamma", "log", "log2", "rsqrt", "sqrt", "reciprocal"}


@pytest.fixture(scope="module")
def primitives():
    script = Path(__file__).with_name("_core_primitives.py")
    out = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=240
    )
    assert out.returncode == 0, out.stderr
    return json.loads(out.stdout.splitlines()[-1])


def name_of(member):
    return member.name if isinstance(member, Primitive) else member


def exported(family):
    """The members of a family that are objects, and can be called here."""
    members = [p for p in getattr(families, family) if isinstance(p, Primitive)]
    return [pytest.param(p, id=p.name) for p in members if p.name not in ELSEWHERE.split()]


def call(primitive, *operands):
    params = dict(PARAMS.get(primitive.name, {}))
    while True:  # of the parameters above, an older version may lack some
        try:
            return np.asarray(primitive.bind(*operands, **params))
        except TypeError as error:
            unknown = [name for name in ("out_sharding", "accuracy") if name in str(error)]
            if not unknown or unknown[0] not in params:
                raise
            del params[unknown[0]]


def operand(primitive):
    if primitive.name in INTEGERS:
        return jnp.arange(1, 5, dtype=jnp.int32)
    if primitive.name in COMPLEX:
        return lax.complex(NEGATIVE, POSITIVE)
    if primitive.name in DOMAIN_ABOVE_ONE | DOMAIN_POSITIVE:
        return POSITIVE
    return NEGATIVE


def test_many_primitives_are_found(primitives):
    names = {p["name"] for p in primitives}
    assert len(names) > 300
    assert {"add", "scan", "pallas_call", "name", "unvmap_any"} <= names


def test_every_primitive_is_in_a_family_or_in_the_table(primitives):
    known = {name_of(m) for family in NAMES for m in getattr(families, family)}
    unknown = {
        p["name"]
        for p in primitives
        if not p["families"] and p["treatment"] is None and p["name"] not in known
    }
    assert unknown - {"duckarray_lift"} == set()


def test_what_is_said_to_be_reinterpreted_or_leafwise_has_a_handler(primitives):
    without = {
        p["name"]
        for p in primitives
        if p["treatment"] in ("reinterpret", "leafwise") and not (p["handler"] or p["process"])
    }
    assert without == set()


def test_a_primitive_that_is_made_dense_has_no_handler(primitives):
    handled = {p["name"] for p in primitives if p["handler"]}
    other = {p["name"] for p in primitives if p["treatment"] in ("materialize", "never")}
    assert handled & other == set()


@pytest.mark.parametrize("family", NAMES)
def test_a_family_has_members_each_once(family):
    names = [name_of(m) for m in getattr(families, family)]
    assert names
    assert len(set(getattr(families, family))) == len(names)


def test_leafwise_primitives_have_handlers():
    for primitive in families.leafwise:
        assert handler_of(primitive) is not None


def test_binary_families_nest():
    assert set(families.comparisons) < set(families.elementwise_binary)
    assert set(families.commutative) < set(families.elementwise_binary)


@pytest.mark.parametrize("primitive", exported("elementwise_unary"))
def test_an_entry_of_a_unary_result_depends_on_the_entry_at_its_place(primitive):
    x = operand(primitive)
    whole = call(primitive, x)
    assert whole.shape == x.shape
    other = call(primitive, jnp.asarray(np.asarray(x)[OTHER]))
    np.testing.assert_array_equal(other, whole[OTHER])


@pytest.mark.parametrize("primitive", exported("elementwise_binary"))
def test_an_entry_of_a_binary_result_depends_on_the_two_at_its_place(primitive):
    x, y = pair(primitive)
    whole = call(primitive, x, y)
    assert whole.shape == x.shape
    assert (whole.dtype == bool) is (primitive in families.comparisons)
    other = call(primitive, *(jnp.asarray(np.asarray(z)[OTHER]) for z in (x, y)))
    np.testing.assert_array_equal(other, whole[OTHER])


def pair(primitive):
    if primitive.name in INTEGER_PAIRS.split():
        return jnp.array([1, 2, 3, 12], jnp.int32), jnp.array([3, 1, 2, 5], jnp.int32)
    if primitive.name == "polygamma":
        return jnp.array([1.0, 2.0, 1.0, 2.0]), POSITIVE
    return POSITIVE, jnp.array([2.5, 1.25, 2.0, 3.75])


@pytest.mark.parametrize("primitive", exported("commutative"))
def test_a_commutative_primitive_gives_the_same_with_its_operands_exchanged(primitive):
    x, y = pair(primitive)
    np.testing.assert_array_equal(call(primitive, x, y), call(primitive, y, x))


@pytest.mark.parametrize("name", ["sub", "div", "pow", "rem", "atan2", "nextafter", "lt", "ge"])
def test_what_is_not_commutative_is_not_said_to_be(name):
    assert name not in map(name_of, families.commutative)


@pytest.mark.parametrize("primitive", exported("linear"))
def test_a_linear_primitive_maps_a_combination_to_the_combination(primitive):
    x, y = operand(primitive), operand(primitive)[::-1]
    run = lambda z: call(primitive, z)
    if primitive.name == "convert_element_type":
        run = lambda z: np.asarray(lax.convert_element_type(z, jnp.bfloat16), np.float32)
    got, want = run(x + x - y), 2 * run(x) - run(y)
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", REDUCTIONS.split())
def test_a_reduction_loses_its_axes(name):
    (primitive,) = [p for p in families.reductions if name_of(p) == name]
    function = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min}[name[7:]]
    np.testing.assert_allclose(call(primitive, POSITIVE), function(np.asarray(POSITIVE)), rtol=1e-6)


@pytest.mark.parametrize("primitive", exported("cumulative"))
def test_a_running_result_depends_on_what_came_before(primitive):
    whole = call(primitive, POSITIVE)
    assert whole.shape == POSITIVE.shape
    np.testing.assert_allclose(whole[:2], call(primitive, POSITIVE[:2]), rtol=1e-6)


MOVES = ["broadcast_in_dim", "reshape", "squeeze", "transpose", "rev", "slice"]


@pytest.mark.parametrize("name", MOVES)
def test_a_shape_primitive_makes_no_new_entries(name):
    (primitive,) = [p for p in families.shape if name_of(p) == name]
    out = call(primitive, NEGATIVE)
    assert set(out.ravel().tolist()) <= set(np.asarray(NEGATIVE).tolist())


def test_a_type_gets_a_family_from_one_registration():
    text = jax.make_jaxpr(lambda x: jnp.tanh(jnp.sin(x)))(NEGATIVE)
    met = {e.primitive for e in text.eqns}
    assert met <= set(families.elementwise_unary)
