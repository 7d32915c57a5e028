"""Arrays of any one number: making them, what they are made of, exact arithmetic."""

import copy
import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from duckarray.core import known_constant, materialize, quaxify
from duckarray.zeros import Full, Ones, Zeros, full_like, is_zero, ones_like, zeros_like

X = np.array([1.0, 2.0, 3.0], "float32")
both = pytest.mark.parametrize("transform", [lambda f: f, jax.jit], ids=["eager", "jit"])
NUMBERS = [2.5, -0.0, np.inf, -np.inf, np.nan, 1e30]


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(2.5, "float32"), (3, "int8"), (True, "bool"), (1 + 2j, "complex64"), (0.1, "bfloat16")],
    ids=str,
)
@pytest.mark.parametrize("shape", [(), (0,), (2, 3)], ids=str)
def test_a_full_stands_for_an_array_of_one_number(value, dtype, shape):
    x = Full(value, shape, dtype)
    assert (x.shape, x.dtype) == (shape, jnp.dtype(dtype))
    np.testing.assert_array_equal(materialize(x), np.full(shape, value).astype(dtype))
    assert known_constant(x) == np.asarray(value).astype(dtype).item()


def test_ones_are_ones():
    x = Ones((2, 3), jnp.int8)
    np.testing.assert_array_equal(materialize(x), np.ones((2, 3), "int8"))
    assert repr(x) == "Ones((2, 3), int8)"
    assert Ones(2).dtype == jnp.ones(2).dtype


@pytest.mark.parametrize("value", NUMBERS)
def test_the_number_is_kept_bit_by_bit(value):
    dense = np.asarray(materialize(Full(value, 3)))
    np.testing.assert_array_equal(dense, np.full(3, value, "float32"))
    np.testing.assert_array_equal(np.signbit(dense), np.signbit(np.full(3, value)))


def test_the_dtype_is_by_default_that_of_the_number():
    assert Full(2, 3).dtype == jnp.result_type(2)
    assert Full(np.float16(2), 3).dtype == np.float16
    assert Full(jnp.int8(2), 3).dtype == np.int8
    assert not Full(2.0, 3).aval().weak_type
    assert Full(2.0, 3, weak_type=True).aval().weak_type


def test_a_traced_number_is_a_leaf():
    x = Full(jnp.float32(2.0), (2, 3))
    assert [leaf.shape for leaf in jax.tree.leaves(x)] == [(2, 3, 0), ()]
    assert known_constant(x) is None
    np.testing.assert_array_equal(materialize(x), np.full((2, 3), 2.0))
    np.testing.assert_array_equal(jax.jit(lambda v: materialize(Full(v, 2)))(3.0), [3.0, 3.0])


def test_a_known_number_is_part_of_the_structure():
    structure = jax.tree.structure
    assert structure(Full(2.0, 3)) == structure(Full(2.0, 4))
    assert structure(Full(2.0, 3)) != structure(Full(3.0, 3))
    assert structure(Full(np.nan, 3)) == structure(Full(np.nan, 3))
    assert structure(Full(0.0, 3)) != structure(Full(-0.0, 3))
    assert len({structure(Full(v, 3)) for v in (2.0, 3.0, 2.0)}) == 2


def test_the_value_is_a_number_or_an_array_without_axes():
    assert Full(2.5, 3).value == 2.5
    assert Zeros(3, bool).value is False
    assert Full(jnp.float32(2.5), 3).value.shape == ()


def test_constants_like_an_array_a_scalar_and_a_value():
    for x in (jnp.ones((2, 3), jnp.int8), np.ones(2, "float16"), 1.5, Zeros((2, 3), bool)):
        aval = jax.typeof(materialize(x))
        for like in (zeros_like(x), ones_like(x), full_like(x, 1)):
            assert like.aval().str_short() == aval.str_short()
            assert like.aval().weak_type == aval.weak_type
    other = ones_like(1.5, jnp.int8)
    assert (other.dtype, other.aval().weak_type) == (jnp.int8, False)


def test_zeros_of_either_sign_are_zeros():
    for x in (Full(0.0, 3), Full(-0.0, 3), -Zeros(3), Full(0, 3), Full(False, 3)):
        assert is_zero(x)
    assert not is_zero(Ones(3))
    assert not is_zero(Full(jnp.float32(0.0), 3))


def test_repr_says_the_number():
    assert repr(Full(2.5, (2,))) == "Full(2.5, (2,), float32)"
    assert repr(Full(jnp.float32(2.5), (2,))) == "Full(traced, (2,), float32)"
    assert repr(-Zeros(2)) == "-Zeros((2,), float32)"


def test_constants_can_be_copied_and_pickled():
    for x in (Full(2.5, (2, 3)), Full(jnp.float32(2.5), 3)):
        for again in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
            np.testing.assert_array_equal(materialize(again), materialize(x))
            assert jax.tree.structure(again) == jax.tree.structure(x)


UNARY = [jnp.negative, jnp.sqrt, jnp.exp, jnp.isnan, jnp.reciprocal, jnp.floor]
BINARY = [jnp.add, jnp.multiply, jnp.divide, jnp.maximum, jnp.power, jnp.arctan2, jnp.less]


@pytest.mark.parametrize("value", NUMBERS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_operations_on_one_number_are_exact(value):
    x = Full(value, 2)
    dense = np.full(2, value, "float32")
    for function in UNARY:
        out = quaxify(function)(x)
        assert isinstance(out, Full)
        _assert_identical(materialize(out), getattr(np, function.__name__)(dense))
    for function in BINARY:
        for other in NUMBERS:
            out = quaxify(function)(x, Full(other, 2))
            assert isinstance(out, Full)
            want = getattr(np, function.__name__)(dense, np.full(2, other, "float32"))
            _assert_identical(materialize(out), want)


def _assert_identical(got, want):
    np.testing.assert_allclose(got, want, rtol=3e-7)
    real = ~np.isnan(want)
    np.testing.assert_array_equal(np.signbit(got)[real], np.signbit(want)[real])


def test_integers_wrap():
    x = Full(100, 3, jnp.int8)
    assert quaxify(jnp.add)(x, x).value == np.int8(-56)
    assert quaxify(lambda x: lax.reduce_sum_p.bind(x, axes=(0,), **_more()))(x).value == 44
    assert quaxify(lambda x: lax.reduce_prod_p.bind(x, axes=(0,), **_more()))(x).value == (
        np.int64(100) ** 3
    ).astype("int8")


def _more():
    equation = jax.make_jaxpr(jnp.sum)(jnp.zeros(1)).eqns[-1]
    return {k: v for k, v in equation.params.items() if k != "axes"}


@pytest.mark.parametrize("value", [2.5, jnp.float32(2.5)], ids=["known", "traced"])
def test_programs_on_a_constant(value):
    x, dense = Full(value, (3, 4)), np.full((3, 4), 2.5)
    programs = {
        "sum": (lambda x: x.sum(0), dense.sum(0)),
        "mean": (lambda x: x.mean(), dense.mean()),
        "prod": (lambda x: x.prod(1), dense.prod(1)),
        "max": (lambda x: x.max(1), dense.max(1)),
        "argmax": (lambda x: x.argmax(1), dense.argmax(1)),
        "softmax": (jax.nn.softmax, np.full((3, 4), 0.25)),
        "transpose": (lambda x: 2 * x.T + 1, 2 * dense.T + 1),
        "scalar": (lambda x: x - jnp.float32(3.0), dense - 3),
        "matmul": (lambda x: (x @ x.T).astype(jnp.float32), dense @ dense.T),
        "where": (lambda x: jnp.where(x > 2, x, -x), dense),
        "top_k": (lambda x: lax.top_k(x, 2)[0], dense[:, :2]),
        "pool": (
            lambda x: lax.reduce_window(x, 0.0, lax.add, (2, 2), (1, 1), "VALID"),
            np.full((2, 3), 10.0),
        ),
    }
    outs = jax.jit(quaxify(lambda x: {k: program(x) for k, (program, _) in programs.items()}))(x)
    for name, (_, want) in programs.items():
        symbolic = isinstance(outs[name], Full)
        assert symbolic or (known_constant(x) is None and name in ("where", "matmul"))
        np.testing.assert_allclose(materialize(outs[name]), want, rtol=1e-6, err_msg=name)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("value", [2.0, -1.5, jnp.float32(3.0)], ids=str)
def test_running_results_in_closed_form(value, reverse):
    x = Full(value, (2, 4))
    dense = np.full((2, 4), np.float64(value))

    def along(scan):
        return scan(dense[:, ::-1], axis=1)[:, ::-1] if reverse else scan(dense, axis=1)

    def program(x):
        options = {"axis": 1, "reverse": reverse}
        return (
            lax.cumsum(x, **options),
            lax.cumprod(x, **options),
            lax.cummax(x, **options),
            lax.cumlogsumexp(x, **options),
        )

    got = materialize(quaxify(program)(x))
    wants = np.cumsum, np.cumprod, np.maximum.accumulate, np.logaddexp.accumulate
    for out, want in zip(got, wants, strict=True):
        np.testing.assert_allclose(out, along(want), rtol=1e-6)


def test_sums_of_many_halves_do_not_overflow_on_the_way():
    x = Full(0.25, 100_000, jnp.float16)
    assert quaxify(jnp.sum)(x).value == np.float16(25_000)
    assert quaxify(jnp.mean)(Full(jnp.float16(0.25), 100_000)).value == 0.25


@both
def test_a_number_times_an_array_is_computed_without_its_array(transform):
    with_ = transform(quaxify(lambda c, x: (c * x, x / c, c - x, jnp.maximum(x, c))))
    for value in (2.0, jnp.float32(2.0)):
        got = with_(Full(value, 3), X)
        for out, want in zip(got, (2 * X, X / 2, 2 - X, np.maximum(X, 2)), strict=True):
            np.testing.assert_allclose(out, want)


@both
def test_branches_with_different_numbers_give_a_number(transform):
    run = transform(quaxify(lambda p, a, b: lax.cond(p, lambda: a, lambda: b)))
    for p in (True, False):
        out = run(p, Zeros(3), Ones(3))
        assert isinstance(out, Full)
        np.testing.assert_array_equal(materialize(out), np.full(3, 0.0 if p else 1.0))
    assert is_zero(run(True, Zeros(3), -Zeros(3)))


@both
def test_a_number_that_changes_from_turn_to_turn_stays_a_number(transform):
    run = transform(quaxify(lambda c: lax.fori_loop(0, 5, lambda i, c: 2 * c + 1, c)))
    out = run(Zeros(3))
    assert isinstance(out, Full)
    np.testing.assert_array_equal(materialize(out), np.full(3, 31.0))


def test_a_loop_stacks_numbers_that_differ():
    def program(c):
        return lax.scan(lambda c, _: (c + 1, c), c, None, length=4)

    last, all_ = quaxify(program)(Ones(3))
    np.testing.assert_array_equal(materialize(last), np.full(3, 5.0))
    np.testing.assert_array_equal(materialize(all_), np.outer([1, 2, 3, 4], np.ones(3)))
    doubled = quaxify(lambda x: (2 * x).sum(axis=1))(all_)
    np.testing.assert_array_equal(materialize(doubled), [6, 12, 18, 24])


def test_scanning_and_mapping_over_a_constant():
    x = Ones((4, 3))
    last, ys = quaxify(lambda x, c: lax.scan(lambda c, row: (c + row, row), c, x))(x, X)
    np.testing.assert_array_equal(last, X + 4)
    assert isinstance(ys, Ones)
    out = jax.vmap(quaxify(lambda c, y: c + y))(x, jnp.zeros((4, 3)))
    np.testing.assert_array_equal(out, np.ones((4, 3)))
    traced = Full(jnp.float32(2.0), 3)
    out = jax.vmap(quaxify(lambda c, y: (c * y, c + 1)), in_axes=(None, 0))(traced, jnp.ones(4))
    np.testing.assert_array_equal(materialize(out[0]), np.full((4, 3), 2.0))
    np.testing.assert_array_equal(materialize(out[1]), np.full((4, 3), 3.0))


def test_the_gradient_of_a_traced_number_is_the_sum_over_the_entries():
    loss = jax.grad(quaxify(lambda c, x: jnp.sum(c * x + c)))
    got = loss(Full(jnp.float32(2.0), 3), X)
    np.testing.assert_allclose(got.value, X.sum() + 3)
    inside = quaxify(jax.grad(lambda c, x: jnp.sum(jnp.exp(c) * x)))(Ones(3), X)
    np.testing.assert_allclose(inside, np.e * X, rtol=1e-6)


@pytest.mark.parametrize(("x", "y"), [(0, 0), (0, 3), (7, 0), (-7, 2), (-7, -2)])
def test_quotients_of_integers_are_those_of_jax(x, y):
    dense = jnp.full((), x, jnp.int32)
    for other in (y, jnp.int32(y)):
        got = [Full(x, (), jnp.int32) // other, Full(x, (), jnp.int32) % other]
        np.testing.assert_array_equal(materialize(got), [dense // y, dense % y])


def test_a_quotient_by_an_ordinary_number_does_not_hide_that_by_zero():
    z = Zeros((), jnp.int32)
    got = [materialize(z // n) for n in (0, 2, 0, 3, 0)]
    np.testing.assert_array_equal(got, [-1, 0, -1, 0, -1])
    run = jax.jit(quaxify(lambda z, n: (z // n, z % n)))
    for n in (0, 2):
        want = jnp.zeros((), jnp.int32) // n, jnp.zeros((), jnp.int32) % n
        np.testing.assert_array_equal(materialize(run(z, n)), want)


@pytest.mark.parametrize("value", [1, True, jnp.int8(1)], ids=str)
def test_python_scalars_and_weak_types_promote_as_in_jax(value):
    x, dense = Full(value, 2), jnp.full(2, value, jnp.result_type(value))
    for program in (lambda x: 1 + x, lambda x: x * 2.5, lambda x: x + np.float16(1)):
        with jax.numpy_dtype_promotion("standard"):
            out = jax.typeof(materialize(quaxify(program)(x)))
            want = jax.typeof(program(dense))
        assert (out.dtype, out.weak_type) == (want.dtype, want.weak_type)


def test_half_precision_is_computed_with_in_single_though_promotion_is_strict():
    x = Full(0.3, (4, 200), jnp.bfloat16)
    half = float(jnp.bfloat16(0.3))
    product = quaxify(jnp.matmul)(x, jnp.ones((200, 1), jnp.bfloat16))
    sums = materialize(quaxify(lambda x: lax.cumlogsumexp(x, axis=1))(x))
    assert product.dtype == sums.dtype == jnp.bfloat16
    np.testing.assert_allclose(product.astype("float32"), np.full((4, 1), 200 * half), rtol=4e-3)
    want = half + np.log(np.arange(1, 201))
    np.testing.assert_allclose(sums[0].astype("float32"), want, rtol=4e-3)


@pytest.mark.parametrize("value", [0.0, -0.0])
def test_products_and_quotients_with_numbers_have_the_sign_of_zero(value):
    dense = np.full(2, value, "float32")
    for program in (
        lambda x: x * 2.0,
        lambda x: -2 * x,
        lambda x: x * -0.0,
        lambda x: x / -2.0,
        lambda x: x + x,
    ):
        for run in (quaxify(program), jax.jit(quaxify(program)), quaxify(jax.checkpoint(program))):
            out = run(Full(value, 2))
            assert isinstance(out, Full)
            _assert_identical(materialize(out), program(dense))
