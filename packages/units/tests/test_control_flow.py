# ruff: noqa: PT018
"""Loops and branches: one unit for a carry and for all branches, errors that name the leaf."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import duckarray.units as u
from duckarray.core import BranchTypeError, CarryTypeError, quaxify

Q = u.Quantity
M = Q(jnp.array([1.0, 2.0, 3.0]), "m")


@pytest.fixture(params=["eager", "jit"])
def run(request):
    return quaxify if request.param == "eager" else lambda f: jax.jit(quaxify(f))


def test_scan_converts_to_the_unit_of_the_carry(run):
    total, doubled = run(lambda c, x: lax.scan(lambda c, a: (c + a, a * 2), c, x))(Q(0.0, "km"), M)
    assert (total.unit, doubled.unit) == (u.km, u.m)
    np.testing.assert_allclose(total.value, 0.006, rtol=1e-6)
    np.testing.assert_allclose(doubled.value, [2.0, 4.0, 6.0])


def test_a_body_that_gives_another_unit_is_converted(run):
    out, _ = run(lambda c, x: lax.scan(lambda c, a: (a, None), c, x))(Q(0.0, "cm"), M)
    assert out.unit is u.cm
    assert out.value == 300.0


def test_a_carry_that_changes_its_dimension_is_named(run):
    def program(c, x):
        return lax.scan(lambda c, a: ({"pos": c["pos"] * a}, None), c, x)

    with pytest.raises(
        CarryTypeError, match=r"carry\['pos'\] enters as .*'m'\) and leaves as .*'m2'"
    ):
        run(program)({"pos": Q(1.0, "m")}, M)


def test_while_and_fori(run):
    def program(x, limit):
        return lax.while_loop(lambda c: c < limit, lambda c: c * 2, x)

    out = run(program)(Q(1.0, "m"), Q(0.01, "km"))
    assert out.unit is u.m
    assert out.value == 16.0
    out = run(lambda x, v: lax.fori_loop(0, 3, lambda i, c: c + v, x))(Q(0.0, "m"), Q(1.0, "km"))
    assert out.unit is u.m
    assert out.value == 3000.0
    with pytest.raises(CarryTypeError, match=r"leaves as .*'m2'"):
        run(lambda x: lax.fori_loop(0, 3, lambda i, c: c * c, x))(Q(1.0, "m"))


def test_branches_are_brought_to_one_unit(run):
    def program(p, x, y):
        return lax.cond(p, lambda x, y: x, lambda x, y: y, x, y)

    for p, expected in ((True, 1.0), (False, 5000.0)):
        out = run(program)(p, Q(1.0, "m"), Q(5.0, "km"))
        np.testing.assert_allclose(out.to("m").value, expected)


def test_branches_of_different_dimensions_are_refused(run):
    def program(p, x):
        return lax.cond(p, lambda x: {"a": x * x}, lambda x: {"a": x}, x)

    part = r"result\['a'\] is .*'m'\) in branch 0 and .*'m2'\) in branch 1[^$]*Convert it inside"
    with pytest.raises(BranchTypeError, match=part):
        run(program)(True, M)
    both = r"lost, m \(length\)[\s\S]* and [\s\S]*lost, m2 \(area\)"
    with pytest.raises(BranchTypeError, match=both):
        run(program)(True, M)
    with pytest.raises(BranchTypeError, match=r"'m'\) in branch 0 and a dense array in branch 1"):
        run(lambda p, x: lax.switch(p, [lambda x: x, lambda x: jnp.ones(3)], x))(0, M)


def test_gradients_of_branches_have_their_units(run):
    def branches(x):
        return jnp.sum(lax.cond(x[0] > Q(0.0, "m"), lambda y: y * 2, lambda y: y * 3, x) ** 2)

    slope = run(jax.grad(branches))(M)
    assert slope.unit == u.m
    np.testing.assert_allclose(slope.value, 8 * np.array([1.0, 2.0, 3.0]))


def test_vmap_map_and_associative_scan_keep_units(run):
    out = run(jax.vmap(lambda x: x * x))(M)
    assert out.unit == u.m**2
    np.testing.assert_allclose(out.value, [1.0, 4.0, 9.0])
    out = run(lambda x: lax.map(lambda a: a + Q(1.0, "km"), x))(M)
    np.testing.assert_allclose(out.to("m").value, [1001.0, 1002.0, 1003.0])
    out = run(lambda x: lax.associative_scan(jnp.add, x))(M)
    assert out.unit == u.m
    np.testing.assert_allclose(out.value, [1.0, 3.0, 6.0])


def test_a_unit_is_a_part_of_the_tree_so_jit_compiles_once_for_each():
    traced = []

    @jax.jit
    def twice(x):
        traced.append(x.unit)
        return x * 2

    for unit in ("m", "m", "km", "m"):
        assert twice(Q(1.0, unit)).unit == u.Unit(unit)
    assert len(traced) == 2


def test_constants_of_the_program_take_part(run):
    scale = Q(2.0, "m")
    out = run(lambda x: x + scale)(M)
    np.testing.assert_allclose(out.value, [3.0, 4.0, 5.0])
    assert run(lambda x: u.to(x, "km"))(M).unit is u.km
    assert run(lambda x: jnp.sin(u.strip(x, "m")))(M).dtype == jnp.float32
    assert quaxify(u.unit_of)(M) is u.m


def test_units_are_asked_for_and_taken_away_behind_other_transformations():
    seen = []

    def program(x):
        seen.append(u.unit_of(x))
        return jnp.sum(u.strip(x, "km") ** 2)

    slope = quaxify(jax.grad(program))(M)
    assert seen == [u.m] and slope.unit.dimension == "wavenumber"
    np.testing.assert_allclose(slope.to("1/km").value, [0.002, 0.004, 0.006], rtol=1e-6)
    assert quaxify(jax.vmap(lambda x: u.to(x, "cm")))(M).unit is u.cm
    with pytest.raises(u.UnitError, match=r"not known here"):
        quaxify(jax.jit(u.unit_of))(M)


def test_the_gradient_of_a_loop_has_its_unit():
    def loss(k, c, x):
        return jnp.sum(lax.scan(lambda c, a: (c + k * a, c), c, x)[1] ** 2)

    slope = u.grad(loss)(Q(2.0, "s"), Q(0.0, "m s"), M)
    # c_0 = 0, c_1 = k, c_2 = 3 k, in metres: the loss is 10 k² m²
    assert slope.unit == u.Unit("m2 s")
    assert slope.value == 40.0


def test_a_gradient_inside_through_a_loop_has_its_unit():
    # x² (1 + 2.25 + 4 + 6.25) in m², over 1 m²: the derivative is 27 x per metre.
    def loss(x):
        def turn(c, _):
            return c + x * 0.5, c * c

        last, squares = lax.scan(turn, x, None, length=3)
        return (jnp.sum(squares) + jnp.sum(last * last)) / Q(1.0, "m2")

    got = quaxify(jax.grad(loss))(Q(jnp.array([1.0, 2.0]), "m"))
    assert got.unit == u.Unit("1 / m")
    np.testing.assert_allclose(got.value, [27.0, 54.0], rtol=1e-6)
