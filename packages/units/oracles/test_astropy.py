"""The same calls by `astropy.units` on NumPy: numbers in SI units and dimensions, or a refusal."""

import itertools
from fractions import Fraction

import astropy.units
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import duckarray.units as u
from duckarray.core import quaxify

jax.config.update("jax_enable_x64", True)

UNITS = ["m", "km", "s", "m2", "", "%", "rad", "deg"]
X = np.array([0.7, 0.2, 0.9, 0.4])
Y = np.array([0.3, 0.5, 0.1, 0.8])

UNARY = """abs negative positive sign square sqrt cbrt reciprocal exp exp2 expm1 log log2 log10 log1p
sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arctanh deg2rad rad2deg isfinite isnan isinf
signbit spacing floor ceil rint trunc sum mean std var median max min ptp argmax argmin argsort sort
cumsum prod nansum nanmean nanmax diff ediff1d flip roll2 real imag conj angle unique fft.fft
fft.rfft fft.fftshift nan_to_num isreal any all count_nonzero""".split()
BINARY = """add subtract multiply divide true_divide floor_divide remainder fmod power2 maximum minimum
fmax fmin hypot arctan2 equal not_equal less less_equal greater greater_equal copysign nextafter
logaddexp heaviside dot outer kron convolve correlate interp3 where concatenate stack append
searchsorted isclose allclose cross3 vdot inner trapezoid""".split()
PAIRS = [("m", "m"), ("m", "km"), ("km", "m"), ("m", "s"), ("m", ""), ("", "m"), ("%", ""), ("rad", "deg")]  # fmt: skip

# What is done otherwise on purpose, and why.
POLICY = {
    "a plain number is an angle in radians here, and degrees or radians for the conversions": (
        "sin cos tan sinh cosh tanh deg2rad rad2deg"
    ),
    "an angle is a number here, so many radians": (
        "exp exp2 expm1 log log2 log10 log1p arcsin arccos arctan arcsinh arctanh logaddexp"
        " heaviside"
    ),
    "a number said in per cent is rounded as the number it is": "ceil rint",
    "a product of a known count of lengths has a unit": "prod",
    "whether a quantity is zero does not depend on its unit": "any all",
    "the imaginary part of a real array is known to be zero, which has any unit": "imag",
    "what looks at bits is refused": "spacing",
}


def call(np_like, name, *xs):
    special = {
        "roll2": lambda x: np_like.roll(x, 2),
        "power2": lambda x, y: x**2 * y,
        "where": lambda x, y: np_like.where(np.array([True, False, True, False]), x, y),
        "concatenate": lambda x, y: np_like.concatenate([x, y]),
        "stack": lambda x, y: np_like.stack([x, y]),
        "interp3": lambda x, y: np_like.multiply(x, y),
        "cross3": lambda x, y: np_like.cross(x[:3], y[:3]),
        "searchsorted": lambda x, y: np_like.searchsorted(np_like.sort(x), y),
        "trapezoid": lambda x, y: np_like.trapezoid(x, y),
    }
    function = special.get(name) or getattr(
        np_like.fft if name.startswith("fft.") else np_like, name.removeprefix("fft.")
    )
    return function(*xs)


def by_astropy(name, units):
    xs = [v * astropy.units.Unit(t) for v, t in zip((X, Y), units, strict=False)]
    try:
        out = call(np, name, *xs)
    except Exception as error:  # that of another package
        return f"refuses: {type(error).__name__}"
    if not isinstance(out, astropy.units.Quantity):
        return np.asarray(out), ()
    bases = [getattr(astropy.units, s) for s in ("m", "kg", "s", "A", "K", "mol", "cd", "rad")]
    whole = out.unit.decompose(bases=bases)
    powers = {b.name: Fraction(p).limit_denominator(100) for b, p in zip(whole.bases, whole.powers, strict=True)}  # fmt: skip
    powers.pop("rad", None)
    return out.value * whole.scale, tuple(sorted(powers.items()))


def by_us(name, units):
    xs = [u.Quantity(v, t) for v, t in zip((X, Y), units, strict=False)]
    try:
        out = quaxify(lambda *xs: call(jnp, name, *xs))(*xs)
    except (TypeError, ValueError) as error:
        return f"refuses: {type(error).__name__}"
    if not isinstance(out, u.Quantity):
        return np.asarray(out), ()
    names = ("m", "kg", "s", "A", "K", "mol", "cd")
    powers = {n: e for n, e in zip(names, out.unit.dimension.exponents, strict=False) if e}
    return np.asarray(out.value) * float(out.unit.scale), tuple(sorted(powers.items()))


CALLS = [(f, (t,)) for f, t in itertools.product(UNARY, UNITS)]
CALLS += [(f, pair) for f, pair in itertools.product(BINARY, PAIRS)]


def same(one, other):
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str) and isinstance(other, str)
    numbers = one[0].shape == other[0].shape and np.allclose(one[0], other[0], rtol=1e-9)
    return numbers and one[1] == other[1]


def test_there_are_at_least_400_calls():
    assert len(CALLS) >= 400


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_a_function_gives_what_astropy_gives(name):
    allowed = {f for names in POLICY.values() for f in names.split()}
    for function, units in CALLS:
        if function != name:
            continue
        theirs, ours = by_astropy(name, units), by_us(name, units)
        if not same(theirs, ours):
            assert name in allowed, f"{name} of {units}: {theirs} by astropy, {ours} by us"
