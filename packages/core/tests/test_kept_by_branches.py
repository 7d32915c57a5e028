"""What branches of a differentiated `cond` keep for the backward pass need not be of one type.

JAX gives residuals of different branches one place if they have the same shape and dtype.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_checks import assert_same
from _core_powers import Power, rules_of_powers  # noqa: F401
from _core_types import dense, make_lowrank
from jax import lax

from duckarray.core import BranchTypeError, NoRuleError, materialization, quaxify

pytestmark = pytest.mark.usefixtures("rules_of_powers")

X = np.array([1.0, 2.0], np.float32)
ROWS = np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.25]], np.float32)


def chosen(i, x, unit):
    """For its derivative the branches keep `x`, `x²`, and the cosine of a plain array."""
    branches = [
        lambda x: x * x * x / (unit * unit * unit),
        lambda x: x * x / (unit * unit),
        lambda x: jnp.sin(x / unit),
        lambda x: jnp.zeros(2),
    ]
    return lax.switch(i, branches, x)


def chosen_in_a_loop(i, x, unit):
    def turn(c, i):
        return c * 0.5 + x, chosen(i, c, unit)

    return lax.scan(turn, x, i + jnp.arange(3) % 4)[1]


@pytest.mark.parametrize(
    ("program", "jit"),
    [(chosen, "no jit"), (chosen, "inside"), (chosen_in_a_loop, "outside")],
)
def test_each_branch_of_a_derivative_gets_what_it_kept(program, jit):
    unit = jnp.ones(2)
    inner = jax.jit(program) if jit == "inside" else program
    gradient = quaxify(jax.grad(lambda x, i, unit: jnp.sum(inner(i, x, unit))))
    if jit == "outside":
        gradient = jax.jit(gradient)
    for i in range(4):
        got = gradient(Power(X), i, Power(unit))
        want = jax.grad(lambda x, i=i: jnp.sum(program(i, x, unit)))(X)
        if isinstance(got, Power):
            assert got.power == -1
            got = got.array
        assert_same(got, want)


@pytest.mark.parametrize("jit", [False, True])  # between the two
def test_a_derivative_of_each_row_gets_what_its_branch_kept(jit):
    wrap = jax.jit if jit else lambda f: f
    loss = lambda x, i, unit: jnp.sum(chosen(i, x, unit))
    rows = lambda x, i, unit: jax.vmap(lambda x: wrap(jax.grad(loss))(x, i, unit))(x)
    run = jax.jit(quaxify(rows))
    for i, want in enumerate([3 * ROWS**2, 2 * ROWS, np.cos(ROWS), 0 * ROWS]):
        got = run(Power(ROWS), i, Power(jnp.ones(2)))
        assert_same(got.array if isinstance(got, Power) else got, want)


def test_names_outside_do_not_hide_that_a_body_is_of_a_derivative():
    def rows(x, i, unit):
        gradient = jax.jit(jax.grad(lambda x: jnp.sum(chosen(i, x, unit))))
        return jax.vmap(gradient)(x)

    def named(*args):
        with jax.named_scope("a"), jax.named_scope("b"), jax.named_scope("c"):
            return quaxify(rows)(*args)

    got = jax.jit(named)(Power(ROWS), 0, Power(jnp.ones(2)))
    assert_same(got.array if isinstance(got, Power) else got, 3 * ROWS**2)


def by_reverse(f, x, v):
    """The product of the second derivative of `f` with `v`, by `grad` of `grad`."""
    return jax.grad(lambda x: jnp.sum(jax.grad(f)(x) * v))(x)


def by_forward(f, x, v):
    return jax.jvp(jax.grad(f), (x,), (v,))[1]


# x³, x² and sin(x) have the second derivatives 6 x, 2 and -sin(x).
SECOND = [6 * X, 2 + 0 * X, -np.sin(X), 0 * X]


@pytest.mark.parametrize("product", [by_reverse, by_forward])
def test_second_derivatives_get_what_branches_kept(product):
    def program(i, x, unit):
        return product(lambda x: jnp.sum(chosen(i, x, unit)), x, unit)

    run = jax.jit(quaxify(program))
    for i in range(4):
        got = run(i, Power(X), Power(jnp.ones(2)))
        if isinstance(got, Power):
            assert got.power == -1  # 1 / unit² times a unit
            got = got.array
        np.testing.assert_allclose(got, SECOND[i], rtol=1e-5, atol=1e-6)


@pytest.mark.long
def test_second_derivatives_of_rows_get_what_branches_kept():
    program = lambda i, x, unit: jax.vmap(
        lambda x: by_forward(lambda x: jnp.sum(chosen(i, x, unit)), x, unit)
    )(x)
    got = jax.jit(quaxify(program))(1, Power(ROWS), Power(jnp.ones(2)))
    np.testing.assert_allclose(got.array, np.full((3, 2), 2.0), rtol=1e-6)


def chosen_of_matrix(i, x, w):
    branches = [lambda x: w @ jnp.sin(x), lambda x: jnp.sin(x * x) * x, lambda x: x]
    return jnp.sum(jnp.sin(lax.switch(i, branches, x)))


@pytest.mark.long
@pytest.mark.parametrize("transform", [jax.hessian, lambda f: jax.jacrev(jax.grad(f))])
def test_second_derivatives_of_rows_and_of_any_branch_agree_where_it_may_be_dense(transform):
    w, rows = make_lowrank(), jnp.stack([ROWS[:, 0], ROWS[:, 1]])
    program = lambda x, i, w: jax.vmap(
        lambda x, i: transform(lambda x: chosen_of_matrix(i, x, w))(x)
    )(x, i)
    for i in ([0, 1], [2, 0]):
        want = program(rows, jnp.array(i), dense(w))
        assert_same(jax.jit(quaxify(program))(rows, jnp.array(i), w), want, rtol=1e-4)


def test_what_branches_kept_is_not_made_dense_where_a_value_and_an_array_meet():
    w, m = make_lowrank(), jnp.arange(9.0).reshape(3, 3)

    def loss(x, i, w):
        outer = lambda x: jnp.outer(x, x)
        branches = [lambda x: w @ jnp.sin(x), lambda x: jnp.sin(outer(x) * m).sum(0)]
        return jnp.sum(lax.switch(i, branches, x))

    x = jnp.array([1.0, -2.0, 0.5])
    with materialization("error"):
        gradient = jax.jit(quaxify(jax.grad(loss)))
        for i in range(2):
            assert_same(gradient(x, i, w), jax.grad(loss)(x, i, dense(w)))


@pytest.mark.parametrize("closed_over", [False, True])
@pytest.mark.parametrize("rows", [False, True])
def test_branches_as_they_were_written_agree_on_a_type(closed_over, rows):
    def program(i, x):
        if closed_over:
            return lax.switch(i, [lambda: x, lambda: x * x])
        return lax.switch(i, [lambda x: x, lambda x: x * x], x)

    if rows:
        program = lambda i, x, f=program: jax.vmap(lambda x: f(i, x[None])[0])(x)
    with pytest.raises(
        BranchTypeError, match=r"in branch 0 and Power.* in branch 1: .*unit would be lost[^$]*same"
    ) as caught:
        quaxify(program)(0, Power(X))
    assert (caught.value.primitive, len(caught.value.branches)) == ("cond", 2)


def test_a_result_of_a_derivative_that_is_of_no_one_type_is_refused_where_it_is_used():
    def program(i, x):
        _, back, kept = jax.vjp(lambda x: two_results(i, x), x, has_aux=True)
        return back, jnp.sin(kept)

    def two_results(i, x):
        unit = Power(jnp.ones(2))
        branches = [lambda x: (x / unit, x), lambda x: (jnp.sin(x / unit), x * x)]
        return lax.switch(i, branches, x)

    with pytest.raises(NoRuleError, match=r"unit would be lost"):
        quaxify(program)(0, Power(X))
    with pytest.raises(NoRuleError, match=r"`cond` on \(Power f32\[2\]\).*unit would be lost"):
        quaxify(lambda i, x: jax.vjp(lambda x: two_results(i, x), x, has_aux=True)[2])(0, Power(X))
