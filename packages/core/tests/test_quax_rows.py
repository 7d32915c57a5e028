"""What raised or was wrong in Quax 0.4.6, one small program each, against dense JAX."""

import functools

import equinox as eqx
import equinox.internal as eqxi
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_checks import assert_same, gradients_agree
from _core_types import Box, Doubled, LowRank, Opaque, Pair, Zero, dense, matrix, numbers
from jax import lax
from jax.custom_batching import custom_vmap
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from jax.typing import ArrayLike

from duckarray.core import (
    AmbiguousRuleError,
    ArrayValue,
    NoRuleError,
    RuleOutputError,
    bind,
    quaxify,
    register,
    value_of,
)

pytestmark = pytest.mark.any_jax

X = jnp.array([1.0, 2.0, 3.0])


def zero(*shape):
    return Zero(jnp.zeros((*shape, 0)))


def doubled(x=X):
    return Doubled(jnp.asarray(x))


def pair(x=X):
    return Pair(jnp.asarray(x), 2 * jnp.asarray(x))


def low_rank(seed=0):
    return LowRank(matrix(seed), *map(jnp.asarray, numbers(seed, (3, 1), (1, 3))))


def fori(body, init, n=3):
    return lax.fori_loop(0, n, lambda i, c: body(c), init)


def iterate(body, init, n=3):
    return lax.scan(lambda c, _: (body(c), c), init, None, length=n)


def while_(body, init):
    step = lambda s: (s[0] + 1, body(s[1]))
    return lax.while_loop(lambda s: s[0] < 3, step, (0, init))[1]


def swap(c, _):
    return (c[1], c[0]), c[0]


# Programs of values in which the type of a carry, or of what a scan takes or gives, changes.
LOOPS = {
    "W1 while, one leaf to dense": (lambda x: while_(lambda c: c + 1, x), doubled()),
    "W1 fori, one leaf to dense": (lambda x: fori(lambda c: c + 1, x), doubled()),
    "W2 scan, one leaf to dense": (lambda x: iterate(lambda c: c + 1, x), doubled()),
    "W3 scan, dense to one leaf": (
        lambda x: iterate(lambda c: lax.cond(c[0] > 9, lambda: c, lambda: c * -1 + x), X),
        doubled(),
    ),
    "W4 scan, zero to dense": (lambda x: iterate(lambda c: c + X, x), zero(3)),
    "W4 fori, zero to dense": (lambda x: fori(lambda c: c + X, x), zero(3)),
    "W4 while, zero to dense": (lambda x: while_(lambda c: c + X, x), zero(3)),
    "W5 scan, dense to two leaves": (
        lambda x: lax.scan(lambda c, _: (x, c), X, None, length=2),
        pair(),
    ),
    "while, dense to two leaves": (lambda x: while_(lambda c: x, X), pair()),
    "scan, two leaves to dense": (lambda x: iterate(lambda c: c * 2, x), pair()),
    "scan, two slots exchanged": (
        lambda x: lax.scan(swap, (x, X), None, length=3),
        pair(),
    ),
    "W6 scan, zero as an output": (
        lambda x: lax.scan(lambda c, _: (c, x), 0, None, length=2),
        zero(3),
    ),
    "scan over zeros": (lambda x: lax.scan(lambda c, x: (c + x, x), X, x), zero(4, 3)),
    "scan over a value": (lambda x: lax.scan(lambda c, x: (c + x, x * 2), X, x), pair(matrix())),
}

# Branches, and everything that carries a program or a rule of its own.
PROGRAMS = {
    "cond, value and dense": (lambda x: lax.cond(X[0] > 0, lambda: x, lambda: X), doubled()),
    "cond, zero and dense": (lambda x: lax.cond(X[0] < 0, lambda: x, lambda: X), zero(3)),
    "cond, zero and pair": (lambda x: lax.cond(X[0] > 0, lambda: x, lambda: x + X), zero(3)),
    "cond, values in containers": (
        lambda x: lax.cond(X[0] > 0, lambda: {"a": x}, lambda: {"a": X}),
        pair(),
    ),
    "switch, three types": (
        lambda x: lax.switch(2, [lambda: x, lambda: X, lambda: x * 2]),
        doubled(),
    ),
    "composite": (
        lambda x: lax.composite(lambda y: jnp.sin(y) * 2, "test.sin2")(x),
        doubled(),
    ),
    "custom_gradient": (
        lambda x: jax.custom_gradient(lambda y: (jnp.sin(y), lambda g: g * 3))(x),
        doubled(),
    ),
    "error_if": (lambda x: eqx.error_if(x, jnp.sum(x) < 0, "negative"), doubled()),
    "checkpointed while loop of Equinox": (
        lambda x: eqxi.while_loop(
            lambda c: c[0] < 5, lambda c: c * 1.5, x, max_steps=8, kind="checkpointed"
        ),
        doubled(),
    ),
    "a plain array computed beside a value": (
        lambda x: x * 2 if jnp.sum(X) > 0 else x * 3,
        doubled(),
    ),
    "compress with a mask beside a value": (lambda x: jnp.compress(X > 1, X) + x[:2], doubled()),
    "nonzero beside a value": (lambda x: X[jnp.nonzero(X > 1)[0]] + x[0], doubled()),
    "arange of a value": (lambda n: jnp.arange(n.sum()), doubled(np.array([1, 1], np.int32))),
}


@pytest.mark.parametrize("name", [*LOOPS, *PROGRAMS])
def test_agrees_with_the_dense_program(name):
    program, x = {**LOOPS, **PROGRAMS}[name]
    assert_same(quaxify(program)(x), program(dense(x)))


@pytest.mark.parametrize("make", [doubled, pair, lambda: zero(3)], ids=["one", "two", "zero"])
def test_gradient_through_cond(make):
    gradients_agree(
        lambda x, p: lax.cond(p, lambda y: jnp.sin(y).sum(), lambda y: (y * y).sum(), x),
        make(),
        jnp.bool(True),
    )


def test_w7_outer_vmap_and_scan_of_a_value_without_data():
    got = jax.vmap(quaxify(lambda x, y: x + y))(zero(4, 3), jnp.ones((4, 3)))
    np.testing.assert_array_equal(got, np.ones((4, 3)))
    _, got = lax.scan(lambda c, x: (c, quaxify(jnp.sum)(x)), 0, zero(4, 3))
    np.testing.assert_array_equal(got, np.zeros(4))


@pytest.mark.parametrize(
    "wrong", [lambda x: x.array[:1], lambda x: x.array.astype(jnp.int32)], ids=["shape", "dtype"]
)
def test_w8_the_result_of_a_rule_is_checked(wrong, own_rules):
    @register("neg")
    def _neg_wrong(x: Opaque, **params):
        return wrong(x)

    with pytest.raises(RuleOutputError, match="_neg_wrong"):
        quaxify(jnp.negative)(Opaque(X))


def test_w9_a_rule_registered_late_is_seen(own_rules):
    @jax.jit
    def inner(x):
        return jnp.sin(x)

    x = Opaque(X)
    with pytest.raises(NoRuleError):
        quaxify(inner)(x)

    @register("sin")
    def _sin_opaque(x: Opaque, **params):
        return Opaque(jnp.sin(x.array))

    np.testing.assert_allclose(quaxify(inner)(x).array, np.sin(X), rtol=1e-6)


def test_w10_donation_inside_is_kept():
    x = Box(jnp.arange(3.0))
    quaxify(jax.jit(lambda x: 2.0 * x, donate_argnums=0))(x)
    assert x.array.is_deleted()


def test_w11_shardings_inside_are_kept():
    where = NamedSharding(Mesh(jax.devices(), "i"), P("i"))
    f = jax.jit(lambda x, y: (y * 2, x), out_shardings=(where, None))
    got, _ = quaxify(f)(doubled(), jnp.arange(4.0))
    assert got.sharding.is_equivalent_to(where, 1)


def test_w12_weak_types_are_kept():
    y = jnp.ones((), jnp.bfloat16)
    got = quaxify(jnp.multiply)(Box(jnp.asarray(2.0)), y)
    assert got.dtype == jnp.bfloat16


@pytest.mark.parametrize("policy", [None, jax.checkpoint_policies.nothing_saveable])
def test_a_rule_fires_inside_checkpoint(policy):
    f = jax.checkpoint(lambda x: 2.0 * x + x, policy=policy)
    got = quaxify(f)(Box(X, "s"))
    assert got.tag == "s"
    np.testing.assert_allclose(got.array, 3 * X)


@jax.custom_vjp
def tripled(x, k):
    return 3.0 * x


tripled.defvjp(lambda x, k: (3.0 * x, x), lambda r, g: (7.0 * g, None))


def test_custom_vjp_keeps_its_rule_and_the_type():
    assert quaxify(tripled)(Box(X, "s"), 1.0).tag == "s"
    got = quaxify(jax.grad(lambda x: tripled(x, 1.0).sum()))(doubled())
    np.testing.assert_allclose(got, np.full(3, 7.0))
    got = jax.grad(lambda x: quaxify(tripled)(x, 1.0).array.sum())(Box(X))
    np.testing.assert_allclose(got.array, np.full(3, 7.0))


def test_filter_custom_vjp_of_equinox():
    @eqx.filter_custom_vjp
    def f(x, n):
        return x * n

    f.def_fwd(lambda perturbed, x, n: (x * n, None))
    f.def_bwd(lambda r, g, perturbed, x, n: 5.0 * g)
    got = quaxify(jax.grad(lambda x: f(x, 2).sum()))(doubled())
    np.testing.assert_allclose(got, np.full(3, 5.0))


def test_a_rule_fires_inside_custom_vmap():
    @custom_vmap
    def f(x):
        return 2.0 * x

    @f.def_vmap
    def _(size, batched, x):
        return 3.0 * x, True

    assert quaxify(f)(Box(X, "s")).tag == "s"
    np.testing.assert_allclose(dense(quaxify(jax.vmap(f))(doubled())), 6 * X)


def test_shard_map_with_a_value_about():
    mesh = Mesh(jax.devices(), "i")
    over = functools.partial(jax.shard_map, mesh=mesh, in_specs=P("i"), out_specs=P("i"))
    y = jnp.arange(4.0)
    got = quaxify(lambda x: over(jnp.sin)(y) + jnp.sum(x))(doubled())
    np.testing.assert_allclose(got, np.sin(y) + 12, rtol=1e-6)
    got = quaxify(over(lambda x: value_of(x * x).tag == "ss" and x * x))(Box(y, "s"))
    np.testing.assert_allclose(got, y * y)  # outputs are dense


def test_a_rule_fires_inside_a_linear_solve(own_rules):
    products = []

    @register("dot_general")
    def _dot_general_low_rank(x: LowRank, y: jax.Array, **params):
        products.append(params["dimension_numbers"])
        return bind("dot_general", dense(x), y, **params)

    w = low_rank()
    spd = lambda w: lambda v: w.T @ (w @ v) + v
    solve = lambda matvec, b: jnp.linalg.solve(jax.jacfwd(matvec)(b), b)
    got = quaxify(lambda w, b: lax.custom_linear_solve(spd(w), b, solve, symmetric=True))(w, X)
    m = dense(w)
    np.testing.assert_allclose(got, np.linalg.solve(m.T @ m + np.eye(3), X), rtol=1e-3)
    assert products


def test_custom_root_of_a_function_of_a_value():
    f = lambda x: lambda y: y - x
    solve = lambda f, y: y - f(y)
    tangent = lambda g, y: y / g(jnp.ones_like(y))
    root = lambda x: lax.custom_root(f(x), jnp.zeros(3), solve, tangent)
    np.testing.assert_allclose(quaxify(root)(doubled()), 2 * X)
    got = quaxify(jax.grad(lambda x: root(x).sum()))(doubled())
    np.testing.assert_allclose(got, np.ones(3))


def test_a_value_is_printed(capfd):
    quaxify(lambda x: jax.debug.print("x = {x}", x=x))(doubled())
    jax.effects_barrier()
    assert "x = [2. 4. 6.]" in capfd.readouterr().out


def test_a_callback_that_refuses_names_itself():
    f = lambda x: jax.pure_callback(np.sin, jax.ShapeDtypeStruct((3,), jnp.float32), x)
    with pytest.raises(NoRuleError, match="pure_callback"):
        quaxify(f)(Opaque(X))


def test_references_as_arguments_and_closed_over():
    ref = jax.new_ref(jnp.zeros(3))

    def add(r, x):
        r[...] += x + X
        return x

    quaxify(add)(ref, doubled())
    quaxify(lambda x: add(ref, x))(doubled())
    np.testing.assert_allclose(ref[...], 6 * X)


def test_device_put_and_sharding_constraints_act_on_the_leaves():
    where = NamedSharding(Mesh(jax.devices()[:1], "i"), P("i"))
    for f in (
        lambda x: jax.device_put(x, where),
        lambda x: lax.with_sharding_constraint(x, where),
        lax.optimization_barrier,
    ):
        assert quaxify(f)(Opaque(X, "t")).tag == "t"


def test_values_that_nobody_passed_in_take_part():
    v = Box(X, "s")

    def default(x, y=v):
        return x * y

    assert quaxify(lambda x: x * v)(v).tag == "ss"
    assert quaxify(default)(v).tag == "ss"
    assert quaxify(functools.partial(default, y=v))(v).tag == "ss"
    assert quaxify(lambda x: x * Box(X, "a"))(v).tag == "as"


def test_what_a_program_sees_can_be_asked_for_its_value():
    assert quaxify(lambda x: value_of(x).tag)(Box(X, "s")) == "s"


def test_an_error_outside_says_to_use_quaxify():
    with pytest.raises(TypeError, match="quaxify"):
        jnp.sin(Opaque(X))


def test_a_rule_computes_on_a_value_in_a_value():
    got = quaxify(lambda x: -x)(Box(Box(X, "in"), "out"))
    assert (got.tag, got.array.tag) == ("out", "in")
    np.testing.assert_allclose(got.array.array, -X)


def test_not_implemented_and_none_from_a_rule(own_rules):
    @register("sin", "cos")
    def _trigonometric_doubled(x: Doubled, *, primitive, **params):
        return NotImplemented if primitive is lax.sin_p else None

    np.testing.assert_allclose(quaxify(jnp.sin)(doubled()), np.sin(2 * X), rtol=1e-6)
    with pytest.raises(RuleOutputError, match="_trigonometric_doubled"):
        quaxify(jnp.cos)(doubled())


def test_a_commutative_rule_serves_both_orders(own_rules):
    @register("atan2", commutative=True)
    def _mixed(x: Box, y: ArrayLike, **params):
        return Box(x.array + y, x.tag)

    for f in (lambda x: lax.atan2(x, X), lambda x: lax.atan2(X, x)):
        np.testing.assert_allclose(quaxify(f)(Box(X)).array, 2 * X)


def test_a_refusal_names_the_operation_and_an_ambiguity_its_candidates(own_rules):
    with pytest.raises(NoRuleError, match=r"`sin` on \(Opaque f32\[3\]\)"):
        quaxify(jnp.sin)(Opaque(X))

    @register("max")
    def _max_doubled_any(x: Doubled, y: ArrayValue | ArrayLike, **params):
        return X

    @register("max")
    def _max_any_pair(x: ArrayValue | ArrayLike, y: Pair, **params):
        return X

    with pytest.raises(AmbiguousRuleError, match=r"(?s)_max_doubled_any.*_max_any_pair"):
        quaxify(jnp.maximum)(doubled(), pair())
