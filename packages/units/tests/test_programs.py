# ruff: noqa: PT018
"""Whole calls whose parts mean something together, and quantities inside other values."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import duckarray.units as u
from duckarray.core import quaxify

pytestmark = pytest.mark.any_jax

Q = u.Quantity


@pytest.mark.parametrize("name", ["floor", "ceil", "round", "rint", "trunc"])
def test_a_number_is_rounded_whatever_unit_it_is_said_in(name):
    x = Q([150.0, 50.0, -50.0], "%")
    got = quaxify(getattr(jnp, name))(x)
    np.testing.assert_array_equal(np.asarray(got), getattr(np, name)([1.5, 0.5, -0.5]))
    assert quaxify(getattr(jnp, name))(Q(1.4, "cm")).unit is u.cm


def test_whole_quotients_are_those_of_the_quantities():
    assert float(Q(5000.0, "mm") // Q(2.0, "m")) == 2.0
    quotient, rest = divmod(Q(700.0, "cm"), Q(2.0, "m"))
    assert float(quotient) == 3 and rest.to("m").value == 1.0


def test_functions_of_numbers_take_them_in_any_unit():
    numbers = np.array([0.0, 0.5, -1.25], np.float32)
    for function in (jnp.sinc, jnp.exp, jax.nn.sigmoid, jnp.arctan, jax.nn.gelu, jnp.expm1):
        got = quaxify(function)(Q(100 * numbers, "%"))
        np.testing.assert_allclose(np.asarray(got), function(numbers), rtol=1e-5, atol=1e-6)


def test_plain_angles_are_in_the_unit_that_the_function_says():
    assert quaxify(jnp.deg2rad)(Q(180.0, "deg")).unit == u.rad
    for function, degrees in ((jnp.deg2rad, 180.0), (jnp.radians, 90.0)):
        got = quaxify(function)(Q(degrees, "1"))
        np.testing.assert_allclose(got.to("rad").value, np.deg2rad(degrees), rtol=1e-6)
    np.testing.assert_allclose(quaxify(jnp.rad2deg)(Q(np.pi, "1")).to("deg").value, 180, rtol=1e-6)
    with pytest.raises(u.DimensionError, match="deg2rad"):
        quaxify(jnp.deg2rad)(Q(1.0, "m"))


def test_the_sign_bit_needs_no_unit():
    np.testing.assert_array_equal(quaxify(jnp.signbit)(Q([-0.0, 1.0], "m")), [True, False])


def test_what_fills_places_out_of_bounds_is_a_number_or_fits_any_unit():
    x, far = Q([1.0, 2.0], "%"), jnp.array([0, 7])
    np.testing.assert_allclose(x.at[far].get(mode="fill", fill_value=7).to("1").value, [0.01, 7])
    length = Q([1.0, 2.0], "m")
    assert length.at[far].get(mode="fill", fill_value=0).value.tolist() == [1.0, 0.0]
    assert np.isnan(length.at[far].get(mode="fill").value[1])
    with pytest.raises(u.DimensionError):
        length.at[far].get(mode="fill", fill_value=7)


# Programs of one matrix, each homogeneous in its entries.
PROGRAMS = {
    "average": lambda x: jnp.average(x, axis=0),
    "gradient": lambda x: jnp.gradient(x, axis=0),
    "trapezoid": lambda x: jnp.trapezoid(x, axis=0),
    "convolve": lambda x: jnp.convolve(x[0], x[1]),
    "cov": lambda x: jnp.cov(x),
    "corrcoef": lambda x: jnp.corrcoef(x),
    "quantile": lambda x: jnp.quantile(x, 0.3),
    "percentile": lambda x: jnp.percentile(x, 30),
    "nanmean": jnp.nanmean,
    "nansum": jnp.nansum,
    "pinv": jnp.linalg.pinv,
    "matrix_power": lambda x: jnp.linalg.matrix_power(x, 3),
    "kron": lambda x: jnp.kron(x, x),
    "cross": lambda x: jnp.cross(x[:3, 0], x[:3, 1]),
    "vdot": lambda x: jnp.vdot(x, x),
    "outer": lambda x: jnp.outer(x[0], x[1]),
    "ratio": lambda x: jax.nn.softmax(x / x.max()),
    "searchsorted": lambda x: jnp.searchsorted(jnp.sort(x[1]), x[0]),
    "digitize": lambda x: jnp.digitize(x[0], jnp.sort(x[1])),
    "rank": jnp.linalg.matrix_rank,
    "unwrapped": lambda x: jnp.where(x > x.mean(), x, 0),
    "fft2": jnp.fft.fft2,
    "lstsq": lambda x: jnp.linalg.lstsq(x, x[0] * x[1])[0],
    "multi_dot": lambda x: jnp.linalg.multi_dot([x, x, x[0]]),
    "segments": lambda x: jax.ops.segment_sum(x, jnp.array([0, 1, 0, 1]), 2),
    "segment_max": lambda x: jax.ops.segment_max(x, jnp.array([0, 1, 0, 1]), 2),
    "clip": lambda x: jnp.clip(x, x.min() / 2, x.max() / 2),
    "select": lambda x: jnp.select([x > x.mean(), x > 0], [x, -x], 0 * x.min()),
    "piecewise": lambda x: jnp.piecewise(x, [x > x.mean()], [lambda y: 2 * y, lambda y: -y]),
    "vmapped": jax.vmap(lambda r: r / jnp.linalg.norm(r), in_axes=1, out_axes=1),
    "hessian": lambda x: jax.hessian(lambda r: (r**3).sum())(x[0]),
    "jacfwd": lambda x: jax.jacfwd(lambda r: r * r.sum())(x[0]),
    "checkpointed": jax.grad(jax.checkpoint(lambda x: (x * x * x.mean()).sum())),
    "permuted": lambda x: jax.random.permutation(jax.random.key(0), x),
    "empty": lambda x: jnp.concatenate([x[:0], x]).sum(0),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_unit_of_the_input_changes_nothing(name):
    numbers = np.random.default_rng(0).normal(size=(4, 4)).astype(np.float32)
    program = PROGRAMS[name]
    want = np.asarray(program(jnp.asarray(numbers)))
    metres = quaxify(program)(Q(numbers, "m"))
    inches = quaxify(program)(Q(numbers / np.float32(0.0254), "in"))
    assert u.unit_of(metres).dimension is u.unit_of(inches).dimension
    unit = u.unit_of(metres)
    tolerance = {"rtol": 2e-4, "atol": 2e-4 * max(1.0, float(np.abs(want).max(initial=0)))}
    np.testing.assert_allclose(np.asarray(u.strip(metres, unit)), want, **tolerance)
    np.testing.assert_allclose(np.asarray(u.strip(inches, unit)), want, **tolerance)


def test_names_of_axes_stay_around_quantities():
    named = pytest.importorskip("duckarray.named")
    x = named.NamedArray(jnp.arange(6.0).reshape(2, 3), "a b")
    for made in (Q(x, "km"), x * u.km, u.km * x):
        assert made.dims == ("a", "b") and made.array.unit is u.km
        assert u.unit_of(made) is u.km and u.is_quantity(made)
        assert u.to(made, "m").array.value[0, 1] == 1000.0
        assert u.strip(made, "m").dims == ("a", "b")
        assert (made * u.s).array.unit == u.Unit("km s")
    seen = []
    quaxify(jax.vmap(lambda r: seen.append(u.unit_of(r)) or u.to(r, "m")))(Q(x, "km"))
    assert seen == [u.km]


def test_the_least_positive_number_stands_for_what_is_just_not_zero():
    tiny = jnp.finfo(jnp.float32).tiny
    got = quaxify(lambda x: jnp.where(x == 0, tiny, x))(Q([0.0, 2.0], "m"))
    assert got.unit is u.m
    np.testing.assert_array_equal(got.value, [tiny, 2.0])
    with pytest.raises(u.DimensionError) as error:
        quaxify(lambda x: jnp.where(x == 0, 2 * tiny, x))(Q([0.0, 2.0], "m"))
    assert "test_programs.py" in error.value.__notes__[0]


def test_the_step_function_takes_any_unit():
    got = quaxify(jnp.heaviside)(Q([-1.0, 0.0, 3.0], "m"), 0.5)
    np.testing.assert_array_equal(got, [0.0, 0.5, 1.0])


def test_units_add_nothing_to_the_compiled_program():
    def program(x, gradient):
        energy = lambda x: jnp.sum(jax.nn.relu(x) ** 3 / (x + 1e-3 * x))
        return x - jnp.linalg.norm(gradient) / gradient.sum() * jax.grad(energy)(x)

    def without(x, y):
        return u.strip(quaxify(program)(x, y), "m")

    x = jnp.arange(1.0, 4.0)
    plain = jax.jit(program).lower(x, x).as_text()
    with_units = jax.jit(without).lower(Q(x, "m"), Q(x, "N")).as_text()
    named = re.compile(r"module @\S+|@\w+|%arg\d+ loc.*|loc\(.*")
    assert named.sub("", with_units) == named.sub("", plain)
