import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_checks import agrees, assert_same, gradients_agree
from _core_types import Box, Doubled, Length, LowRank, Quantized, Zero, dense, make_lowrank, matrix
from jax import lax

from duckarray.core import MaterializeError, materialization, quaxify

X = jnp.array([-1.0, 0.5, 2.0])


@jax.custom_jvp
def tripled_sine(x):
    """A sine whose derivative is said to be three times what it is."""
    return jnp.sin(x)


tripled_sine.defjvp(
    lambda primals, tangents: (tripled_sine(primals[0]), 3 * jnp.cos(primals[0]) * tangents[0])
)


@jax.custom_jvp
def product(x, y):
    return x * y


product.defjvps(lambda t, out, x, y: 5 * t * y, lambda t, out, x, y: 7 * t * x)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0, 2))
def applied(f, x, n):
    return f(x) * n


applied.defjvp(lambda f, n, primals, tangents: (applied(f, primals[0], n), n * 2.0 * tangents[0]))


@jax.custom_jvp
def first_of_two(x, y):
    return x * 1.0


def _first_of_two_jvp(primals, tangents):
    t, s = tangents
    x, y = primals
    zero = type(s) is jax.custom_derivatives.SymbolicZero
    factor = 11.0 if zero else 13.0
    t = jnp.zeros(x.shape) if type(t) is jax.custom_derivatives.SymbolicZero else t
    return first_of_two(x, y), factor * t


first_of_two.defjvp(_first_of_two_jvp, symbolic_zeros=True)

PROGRAMS = {
    "plain": tripled_sine,
    "twice": lambda x: tripled_sine(tripled_sine(x)),
    "defjvps": lambda x: product(x, x),
    "one dense operand": lambda x: product(x, jnp.full((3, 3), 2.0)),
    "nondiff": lambda x: applied(jnp.sin, x, 2.0),
    "symbolic zeros": lambda x: first_of_two(x, jnp.ones((3, 3))),
    "in jit": lambda x: jax.jit(tripled_sine)(x),
    "in vmap": lambda x: jax.vmap(tripled_sine)(x),
    "in scan": lambda x: lax.scan(lambda c, _: (tripled_sine(c), c.sum()), x, None, length=2),
    "in remat": lambda x: jax.checkpoint(lambda x: tripled_sine(x) * 2.0)(x),
    "in cond": lambda x: lax.cond(x.sum() > 0, tripled_sine, tripled_sine, x),
    "relu": jax.nn.relu,
    "logsumexp": lambda x: jax.nn.logsumexp(x, axis=0),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_function_gives_its_value(name, value):
    assert_same(quaxify(PROGRAMS[name])(value), PROGRAMS[name](dense(value)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_rule_is_the_derivative_outside_and_inside(name):
    gradients_agree(PROGRAMS[name], Doubled(matrix()))


@pytest.mark.parametrize("name", ["plain", "defjvps", "nondiff", "symbolic zeros", "in scan"])
def test_the_rule_is_the_derivative_for_each_type(name, value):
    gradients_agree(PROGRAMS[name], value)


@pytest.mark.parametrize("name", ["plain", "defjvps", "symbolic zeros"])
def test_forward_mode_outside_pushes_the_tangents_of_the_leaves(name):
    x, t = make_lowrank(), make_lowrank(seed=3)
    program = PROGRAMS[name]
    got = jax.jvp(lambda v: dense(quaxify(program)(v)), (x,), (t,))
    assert_same(got, jax.jvp(lambda v: program(dense(v)), (x,), (t,)))


@pytest.mark.parametrize("name", ["plain", "defjvps", "relu"])
def test_forward_mode_inside_agrees(name, value):
    program = PROGRAMS[name]
    agrees(lambda x: jax.jvp(program, (x,), (jnp.ones((3, 3)),)), value)


def test_the_tangent_may_be_a_value():
    x, t = jnp.ones((3, 3)), Doubled(matrix())
    agrees(lambda x, t: jax.jvp(tripled_sine, (x,), (t,))[1], x, t)


def test_a_quantity_keeps_its_type_through_relu():
    with materialization("error"):
        got = quaxify(jax.nn.relu)(Box(X, "s"))
    assert isinstance(got, Box)
    assert got.tag == "s"
    np.testing.assert_allclose(got.array, [0.0, 0.5, 2.0])


@pytest.mark.parametrize("jitted", [False, True])
def test_a_quantity_keeps_its_type_where_its_relu_is_differentiated(jitted):
    types = []

    def loss(x):
        out = quaxify(jax.nn.relu)(x)
        types.append(type(out))
        return jnp.sum(dense(out) ** 2)

    gradient = jax.grad(loss)
    got = (jax.jit(gradient) if jitted else gradient)(Box(X, "s"))
    assert set(types) == {Box}
    np.testing.assert_allclose(got.array, [0.0, 1.0, 4.0])


def test_a_type_that_is_not_linear_is_made_dense_where_it_is_differentiated():
    def loss(x):
        out = quaxify(jax.nn.relu)(x)
        return jnp.sum(dense(out) ** 2)

    got = jax.grad(loss)(Doubled(X))
    np.testing.assert_allclose(got.half, [0.0, 4.0, 16.0])


def test_a_static_scale_is_seen_by_the_rule():
    gradients_agree(tripled_sine, Length(X, 10.0))


def test_integer_leaves_have_no_tangent():
    gradients_agree(tripled_sine, Quantized(jnp.array([1, -2], jnp.int8), jnp.float32(0.5)))


def test_a_value_that_is_closed_over_by_the_function():
    w = make_lowrank()

    def program(x, w):
        @jax.custom_jvp
        def f(x):
            return jnp.matmul(w, x)

        f.defjvp(lambda primals, tangents: (f(primals[0]), 2.0 * jnp.matmul(w, tangents[0])))
        return f(x)

    want = jax.grad(lambda x: jnp.sum(program(x, dense(w))))(X)
    assert_same(quaxify(jax.grad(lambda x: jnp.sum(program(x, w))))(X), want)
    assert_same(quaxify(lambda w, x: jax.grad(lambda x: jnp.sum(program(x, w)))(x))(w, X), want)
    assert_same(jax.grad(lambda x: jnp.sum(quaxify(program)(x, w)))(X), want)


def test_second_derivatives_use_the_rule_twice():
    def program(x):
        return jax.grad(lambda x: jnp.sum(tripled_sine(x) ** 2))(x)

    agrees(program, Doubled(X))
    gradients_agree(program, Doubled(X))


def test_a_rule_that_calls_its_own_function_ends():
    @jax.custom_jvp
    def f(x):
        return x * x

    f.defjvp(lambda p, t: (f(p[0]), 2 * p[0] * t[0] + 0.0 * f(p[0])))
    gradients_agree(f, Box(X))
    agrees(lambda x: jax.jvp(f, (x,), (x,)), Box(X))


def test_several_outputs_keep_what_they_are():
    @jax.custom_jvp
    def both(x):
        return {"neg": -x, "sin": jnp.sin(x)}

    both.defjvp(lambda p, t: (both(p[0]), {"neg": -2 * t[0], "sin": 3 * t[0]}))
    got = quaxify(both)(Box(X))
    assert isinstance(got["neg"], Box)
    gradients_agree(both, Box(X))
    gradients_agree(both, Doubled(X))


def test_keyword_and_tree_arguments_pass():
    @jax.custom_jvp
    def f(tree):
        return tree["a"] @ tree["b"]

    f.defjvp(lambda p, t: (f(*p), 4.0 * (t[0]["a"] @ p[0]["b"])))
    gradients_agree(lambda w: f({"a": w, "b": X}), make_lowrank())


def test_vmap_outside_maps_the_leaves():
    xs = Doubled(jnp.arange(6.0).reshape(2, 3))
    got = jax.vmap(quaxify(tripled_sine))(xs)
    assert_same(got, jnp.sin(dense(xs)))
    got = jax.vmap(jax.grad(lambda x: quaxify(tripled_sine)(x).sum()))(xs)
    np.testing.assert_allclose(got.half, 6 * np.cos(dense(xs)), rtol=1e-5)


def test_zeros_take_the_rule_too():
    agrees(tripled_sine, Zero(jnp.zeros((3, 0))))


def test_lowrank_in_and_out_of_a_custom_function_is_trained_as_a_whole():
    w = LowRank(
        *(
            jnp.asarray(x)
            for x in (np.eye(3, dtype="f"), np.ones((3, 1), "f"), np.ones((1, 3), "f"))
        )
    )
    gradients_agree(lambda w, x: product(w @ x, x), w, X)


@jax.custom_jvp
def unchanged(x):
    return x, 2.0 * x.sum()


unchanged.defjvp(lambda p, t: ((p[0], 2.0 * p[0].sum()), (t[0], 3.0 * t[0].sum())))


@jax.custom_jvp
def unchanged_but_for_the_tangent(x):
    return x


unchanged_but_for_the_tangent.defjvp(lambda p, t: (p[0], 2.0 * t[0]))


def test_an_operand_returned_as_it_is_keeps_its_type(any_value):
    same, _ = quaxify(unchanged)(any_value)
    assert type(same) is type(any_value)
    gradients_agree(unchanged, any_value)


@pytest.mark.parametrize("transform", [lambda f: f, jax.jit, jax.checkpoint])
def test_an_operand_returned_as_it_is_is_not_made_dense(transform):
    f = jax.custom_jvp(lambda x: x)
    f.defjvp(lambda p, t: (p[0], t[0]))
    w = make_lowrank()

    def loss(w):
        with materialization("error"):
            same = transform(quaxify(f))(w)
        return jnp.sum(jnp.sin(dense(same)))

    got = jax.grad(loss)(w)
    assert_same(jax.tree.leaves(got), jax.tree.leaves(jax.grad(lambda w: loss_of(w))(w)))


def loss_of(w):
    return jnp.sum(jnp.sin(dense(w)))


def test_an_operand_with_another_tangent_is_made_dense():
    w = make_lowrank()
    out, tangent = jax.jvp(quaxify(unchanged_but_for_the_tangent), (w,), (w,))
    assert_same(out, dense(w))
    assert_same(tangent, 2 * jax.jvp(dense, (w,), (w,))[1])
    gradients_agree(unchanged_but_for_the_tangent, w)


def test_a_symbolic_zero_is_the_tangent_of_an_operand_returned_as_it_is():
    f = jax.custom_jvp(lambda x: x)
    zero = lambda x: jax.custom_derivatives.SymbolicZero(jax.typeof(x).to_tangent_aval())
    f.defjvp(lambda p, t: (p[0], zero(p[0])), symbolic_zeros=True)
    w = make_lowrank()
    got = jax.grad(lambda w: loss_of(quaxify(f)(w)) + jnp.sum(w.w))(w)
    assert_same(got.w, jnp.ones((3, 3)))
    assert_same(got.a, jnp.zeros((3, 2)))


def test_a_rule_that_only_then_gives_another_tangent_is_told_so():
    f = jax.custom_jvp(lambda x: x)

    @f.defjvp
    def rule(primals, tangents):
        if not isinstance(tangents[0], jax.core.Tracer) or seen:
            return primals[0], 2.0 * tangents[0]
        seen.append(1)
        raise RuntimeError("not yet")

    seen = []
    with pytest.raises(TypeError, match=r"(?s)returns its argument LowRank.*`materialize\(x\)`"):
        jax.grad(lambda w: loss_of(quaxify(f)(w)))(make_lowrank())


def test_what_a_rule_asks_of_a_tangent_obeys_the_policy():
    w = make_lowrank()
    with (
        materialization("error"),
        pytest.raises(MaterializeError, match=r"`mul` on .*Tangent f32\[3,3\].* dense"),
    ):
        jax.grad(lambda w: loss_of(quaxify(unchanged_but_for_the_tangent)(w)))(w)


def test_a_value_made_of_what_is_differentiated_is_not_made_dense():
    w = make_lowrank()
    x = jnp.array([1.0, -2.0, 0.5])

    def loss(a):
        return jnp.sum(jnp.sin(jnp.matmul(LowRank(w.w, a, w.b), x)))

    want = jax.grad(lambda a: jnp.sum(jnp.sin((w.w + a @ w.b) @ x)))(w.a)
    for run in (quaxify(jax.grad(loss)), jax.jit(quaxify(jax.grad(loss)))):
        assert_same(run(w.a), want)
