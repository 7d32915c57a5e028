"""Numbers for programs of others: taken from trees of quantities, and made quantities of again."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import duckarray.units as u
from duckarray.core import quaxify

pytestmark = pytest.mark.any_jax

Q = u.Quantity
UNITS = {"x": "m", "v": ("km/h", None)}


def test_a_tree_is_stripped_and_attached_by_a_tree_of_units():
    tree = {"x": Q(200.0, "cm"), "v": (Q(10.0, "m/s"), jnp.ones(2))}
    numbers = u.strip(tree, UNITS)
    assert (numbers["x"], numbers["v"][0]) == (2.0, 36.0)
    again = u.attach(numbers, UNITS)
    assert (again["x"].unit, again["v"][0].unit) == (u.m, u.km / u.h)
    assert again["v"][1] is numbers["v"][1] is tree["v"][1]
    assert u.attach(tree, UNITS)["x"].value == 2.0  # a quantity is converted


def test_one_unit_is_for_all_below_it():
    both = u.attach({"a": (1.0, 2.0), "b": 3.0}, {"a": "m", "b": "s"})
    assert [x.unit for x in both["a"]] == [u.m, u.m]
    assert u.strip({"a": (Q(1.0, "km"), Q(2.0, "m"))}, {"a": "m"}) == {"a": (1000.0, 2.0)}


def test_a_tree_of_units_has_to_fit():
    for change in (u.strip, u.attach):
        with pytest.raises(ValueError, match=r"another structure[^$]*tree of units like it"):
            change({"x": Q(1.0, "m")}, {"y": "m"})
    with pytest.raises(u.DimensionError, match="m is a length"):
        u.strip({"x": Q(1.0, "m")}, {"x": "s"})
    with pytest.raises(u.UnitParseError, match="metr"):
        u.attach({"x": 1.0}, {"x": "metr"})


def test_a_function_of_quantities_is_called_with_numbers():
    @u.nondimensional(t="s", y={"x": "m", "v": "m/s"}, out={"x": "m/s", "v": "m/s2"})
    def field(t, y, g, scale=2):
        assert u.unit_of(t) == u.s
        assert scale == 2
        return {"x": y["v"], "v": jnp.negative(g)}

    out = field(jnp.float32(0.0), {"x": 1.0, "v": 3.0}, Q(981.0, "cm/s2"))
    np.testing.assert_allclose([out["x"], out["v"]], [3.0, -9.81], rtol=1e-6)
    assert isinstance(out["v"], jax.Array)
    # What is a quantity is converted, inside `quaxify` too.
    run = quaxify(lambda v: field(0.0, {"x": 1.0, "v": v}, Q(981.0, "cm/s2"))["x"])
    assert run(Q(36.0, "km/h")) == 10.0


def test_a_function_may_give_plain_numbers():
    ratio = u.nondimensional(lambda x: x / Q(2.0, "m") > 1, x="km")
    assert not ratio(0.001)
    assert ratio(1.0)


def test_a_result_of_another_dimension_is_told_of_by_its_part():
    with pytest.raises(u.DimensionError, match=r"result\['a'\] is to be in m / s \(velocity\)"):
        u.nondimensional(lambda x: {"a": x}, x="m", out="m/s")(1.0)
    with pytest.raises(u.DimensionError, match="no unit"):
        u.nondimensional(lambda x: x, x="m")(1.0)
    with pytest.raises(ValueError, match="the result has another structure"):
        u.nondimensional(lambda x: x, x="m", out={"a": "m"})(1.0)


def test_parameters_and_units_are_checked_when_it_is_made():
    with pytest.raises(TypeError, match=r"no parameter[^$]*Its parameters are x"):
        u.nondimensional(lambda x: x, y="m")
    with pytest.raises(u.UnitParseError, match="metr"):
        u.nondimensional(lambda x: x, x="metr")


@pytest.mark.parametrize(("given", "got"), [(3, "int"), ("m", "str")])
def test_what_is_no_function_or_no_optimizer(given, got):
    with pytest.raises(TypeError, match=rf"`nondimensional\({given!r}\)`[^$]*`{got}`[^$]*@nondim"):
        u.nondimensional(given)
    with pytest.raises(
        TypeError, match=rf"`optim\({given!r}\)`[^$]*`{got}` without[^$]*optax\.adam"
    ):
        u.optim(given)
    with pytest.raises(TypeError, match=r"`optim\(None\)`[^$]*`NoneType` without[^$]*optax\.adam"):
        u.optim(None)


def test_a_solver_that_is_not_installed_is_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "diffrax", None)
    with pytest.raises(ImportError, match=r"needs Diffrax[^$]*duckarray-units\[diffrax\]"):
        u.diffeqsolve(None, None, 0.0, Q(1.0, "s"), None, Q(1.0, "m"))


def test_derivatives_of_what_is_attached_inside_have_its_unit():
    # d(x² m)/dx of the number x in m is 2 x, which is in m / m.
    for program in (
        lambda x: u.attach(u.strip(x, "m") ** 2, "m"),
        lambda x: u.strip(x, "m") ** 2 * u.m,
    ):
        slope = quaxify(jax.grad(program))(Q(3.0, "m"))
        assert u.unit_of(slope) == u.Unit("1")
        assert float(slope) == 6.0


def test_a_factorisation_kept_packed_has_the_unit_in_its_upper_part():
    a = np.array([[2.0, 1.0], [0.5, 3.0]], np.float32)

    def program(a):
        packed, scales = jnp.linalg.qr(a, mode="raw")
        return jnp.triu(packed.T), jax.lax.linalg.householder_product(packed.T, scales)

    r, q = quaxify(program)(Q(a, "m"))
    assert r.unit == u.m
    assert u.unit_of(q) == u.Unit("1")
    np.testing.assert_allclose(np.asarray(q) @ r.value, a, rtol=1e-5)
    np.testing.assert_allclose(np.asarray(q).T @ np.asarray(q), np.eye(2), atol=1e-6)
