# ruff: noqa: PT018
"""What operations give: numbers as NumPy's, and the unit that physics says."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import duckarray.units as u
from duckarray.core import quaxify

Q = u.Quantity
M = np.array([1.0, 2.0, 4.0], np.float32)
SPD = np.array([[4.0, 1.0], [1.0, 3.0]], np.float32)
A = np.array([[2.0, 1.0], [0.5, 3.0]], np.float32)
B = np.array([1.0, 2.0], np.float32)


def q(value, unit):
    return Q(jnp.asarray(value), unit)


# (name, program, operands, the numbers by NumPy, the unit; None for a plain array)
CALLS = [
    ("add", lambda x, y: x + y, (q(M, "m"), q(M, "km")), M + 1000 * M, "m"),
    ("sub", lambda x, y: x - y, (q(M, "km"), q(M, "m")), M - M / 1000, "km"),
    ("mul", lambda x, y: x * y, (q(M, "m"), q(M, "s")), M * M, "m s"),
    ("div", lambda x, y: x / y, (q(M, "m"), q(2 * M, "s")), M / (2 * M), "m/s"),
    ("ratio", lambda x, y: x / y, (q(M, "km"), q(M, "m")), np.ones(3), "km/m"),
    ("rdiv", lambda x: 1 / x, (q(M, "s"),), 1 / M, "Hz"),
    ("pow", lambda x: x**3, (q(M, "m"),), M**3, "m3"),
    ("root", lambda x: x**0.5, (q(M, "m2"),), np.sqrt(M), "m"),
    ("negative power", lambda x: x**-1.5, (q(M, "m2"),), M**-1.5, "m^-3"),
    ("third", lambda x: x ** (1 / 3), (q(M, "L"),), np.cbrt(M), "L^(1/3)"),
    ("sqrt", jnp.sqrt, (q(M, "J"),), np.sqrt(M), "J^0.5"),
    ("cbrt", jnp.cbrt, (q(M, "m3"),), np.cbrt(M), "m"),
    ("square", jnp.square, (q(M, "m"),), M**2, "m2"),
    ("rsqrt", lax.rsqrt, (q(M, "m2"),), 1 / np.sqrt(M), "1/m"),
    ("reciprocal", jnp.reciprocal, (q(M, "s"),), 1 / M, "1/s"),
    ("hypot", jnp.hypot, (q(M, "m"), q(M, "m")), np.hypot(M, M), "m"),
    ("abs", lambda x: abs(-x), (q(M, "m"),), M, "m"),
    ("sign", jnp.sign, (q(-M, "m"),), -np.ones(3), None),
    ("mod", lambda x, y: x % y, (q(M, "m"), q([300.0], "cm")), M % 3, "m"),
    ("mod of negatives", lambda x, y: x % y, (q(-M, "m"), q([3.0], "m")), -M % 3, "m"),
    ("fmod", jnp.fmod, (q(-M, "m"), q([3.0], "m")), np.fmod(-M, 3), "m"),
    ("floor divide", lambda x, y: x // y, (q(M, "m"), q([1.5], "m")), M // 1.5, "1"),
    ("sum", jnp.sum, (q(M, "m"),), 7.0, "m"),
    ("mean", jnp.mean, (q(M, "m"),), M.mean(), "m"),
    ("var", jnp.var, (q(M, "m"),), M.var(), "m2"),
    ("std", jnp.std, (q(M, "m"),), M.std(), "m"),
    ("median", jnp.median, (q(M, "m"),), 2.0, "m"),
    ("ptp", jnp.ptp, (q(M, "m"),), 3.0, "m"),
    ("max", jnp.max, (q(M, "m"),), 4.0, "m"),
    ("argmax", jnp.argmax, (q(M, "m"),), 2, None),
    ("prod", jnp.prod, (q(M, "m"),), 8.0, "m3"),
    ("cumsum", jnp.cumsum, (q(M, "m"),), np.cumsum(M), "m"),
    ("diff", jnp.diff, (q(M, "m"),), np.diff(M), "m"),
    ("sort", jnp.sort, (q(-M, "m"),), np.sort(-M), "m"),
    ("argsort", jnp.argsort, (q(-M, "m"),), np.argsort(-M), None),
    ("top_k", lambda x: lax.top_k(x, 2)[0], (q(M, "m"),), [4.0, 2.0], "m"),
    ("floor", jnp.floor, (q(M + 0.5, "m"),), M, "m"),
    ("maximum", jnp.maximum, (q(M, "m"), q([0.002], "km")), np.maximum(M, 2), "m"),
    ("maximum of 0", lambda x: jnp.maximum(x, 0), (q(-M, "m"),), np.zeros(3), "m"),
    ("minimum of inf", lambda x: jnp.minimum(x, jnp.inf), (q(M, "m"),), M, "m"),
    ("clip", lambda x, a: jnp.clip(x, a, None), (q(M, "m"), q(2.0, "m")), M.clip(2), "m"),
    ("relu", jax.nn.relu, (q(-M, "m"),), np.zeros(3), "m"),
    ("plus 0", lambda x: x + 0, (q(M, "m"),), M, "m"),
    ("0 plus", lambda x: 0.0 + x, (q(M, "m"),), M, "m"),
    ("plus zeros", lambda x: x + jnp.zeros_like(x), (q(M, "m"),), M, "m"),
    ("where 0", lambda x: jnp.where(x > 0, 0, x), (q(M, "m"),), np.zeros(3), "m"),
    ("nan_to_num", jnp.nan_to_num, (q(M, "m"),), M, "m"),
    ("at set 0", lambda x: x.at[0].set(0), (q(M, "m"),), [0, 2, 4], "m"),
    ("at set", lambda x, y: x.at[0].set(y), (q(M, "m"), q(1.0, "km")), [1000, 2, 4], "m"),
    ("at add", lambda x, y: x.at[1].add(y), (q(M, "m"), q(1.0, "km")), [1, 1002, 4], "m"),
    ("at mul", lambda x: x.at[1].mul(3.0), (q(M, "m"),), [1, 6, 4], "m"),
    ("into zeros", lambda x: jnp.zeros(3).at[:2].set(x[:2]), (q(M, "m"),), [1, 2, 0], "m"),
    ("take", lambda x: x[jnp.array([2, 0])], (q(M, "m"),), [4, 1], "m"),
    (
        "concatenate",
        lambda x, y: jnp.concatenate([x, y]),
        (q(M, "m"), q(B, "km")),
        [1, 2, 4, 1000, 2000],
        "m",
    ),
    ("stack", lambda x, y: jnp.stack([x, y]), (q(B, "m"), q(B, "cm")), [B, B / 100], "m"),
    ("pad", lambda x: jnp.pad(x, 1), (q(B, "m"),), [0, 1, 2, 0], "m"),
    ("roll", lambda x: jnp.roll(x, 1), (q(M, "m"),), np.roll(M, 1), "m"),
    ("exp", jnp.exp, (q([100.0], "%"),), [np.e], None),
    ("log", jnp.log, (q([1.0], "km/m"),), [np.log(1000)], None),
    ("softmax", jax.nn.softmax, (q(M, "1"),), np.exp(M) / np.exp(M).sum(), None),
    ("tanh", jnp.tanh, (q([1.0], "km/m"),), [1.0], None),
    ("sin", jnp.sin, (q([90.0, 30.0], "deg"),), [1.0, 0.5], None),
    ("cos", jnp.cos, (q([0.5], "rev"),), [-1.0], None),
    ("tan", jnp.tan, (q([np.pi / 4], "rad"),), [1.0], None),
    ("arctan2", jnp.arctan2, (q([1.0], "m"), q([100.0], "cm")), [np.pi / 4], None),
    ("deg2rad", jnp.deg2rad, (q([180.0], "deg"),), [np.pi], "rad"),
    ("rad2deg", jnp.rad2deg, (q([np.pi], "rad"),), [180.0], "deg"),
    ("percent", lambda x: x + 1.0, (q([50.0], "%"),), [150.0], "%"),
    ("isclose", jnp.isclose, (q(M, "km"), q(1000 * M, "m")), [True] * 3, None),
    (
        "isclose, equal_nan",
        lambda x, y: jnp.isclose(x, y, equal_nan=True),
        (q([1.0, np.nan], "km"), q([1000.0, np.nan], "m")),
        [True, True],
        None,
    ),
    ("allclose", jnp.allclose, (q(M, "m"), q(M, "m")), True, None),
    ("isfinite", jnp.isfinite, (q(M, "m"),), [True] * 3, None),
    ("any", jnp.any, (q(M, "m"),), True, None),
    ("trapezoid", jnp.trapezoid, (q(M, "m/s"), q(M, "s")), np.trapezoid(M, M), "m"),
    ("cross", jnp.cross, (q(M, "m"), q(M[::-1].copy(), "N")), np.cross(M, M[::-1]), "N m"),
    ("fft", lambda x: jnp.fft.ifft(jnp.fft.fft(x)).real, (q(M, "m"),), M, "m"),
    ("rfft", lambda x: jnp.fft.rfft(x).real, (q(M, "m"),), np.fft.rfft(M).real, "m"),
    ("fftfreq", lambda d: jnp.fft.fftfreq(4, d), (q(0.5, "s"),), np.fft.fftfreq(4, 0.5), "1/s"),
    ("convolve", jnp.convolve, (q(M, "m"), q(B, "s")), np.convolve(M, B), "m s"),
    ("einsum", lambda a, b: jnp.einsum("ij,j->i", a, b), (q(A, "N/m"), q(B, "m")), A @ B, "N"),
    ("solve", jnp.linalg.solve, (q(A, "N/m"), q(B, "N")), np.linalg.solve(A, B), "m"),
    ("inv", jnp.linalg.inv, (q(A, "m"),), np.linalg.inv(A), "1/m"),
    ("pinv", jnp.linalg.pinv, (q(A, "m"),), np.linalg.pinv(A), "1/m"),
    ("det", jnp.linalg.det, (q(A, "m"),), np.linalg.det(A), "m2"),
    ("det 4", jnp.linalg.det, (q(np.diag([1.0, 2, 3, 4]), "m"),), 24.0, "m4"),
    ("slogdet", lambda x: jnp.linalg.slogdet(x)[1], (q(A, "1"),), np.linalg.slogdet(A)[1], None),
    ("cholesky", jnp.linalg.cholesky, (q(SPD, "m2"),), np.linalg.cholesky(SPD), "m"),
    ("eigvalsh", jnp.linalg.eigvalsh, (q(SPD, "m2"),), np.linalg.eigvalsh(SPD), "m2"),
    (
        "eigh vectors",
        lambda x: abs(jnp.linalg.eigh(x)[1]),
        (q(SPD, "m2"),),
        abs(np.linalg.eigh(SPD)[1]),
        None,
    ),
    ("svd", lambda x: jnp.linalg.svd(x)[1], (q(A, "m"),), np.linalg.svd(A)[1], "m"),
    ("qr", lambda x: abs(jnp.linalg.qr(x)[1]), (q(A, "m"),), abs(np.linalg.qr(A)[1]), "m"),
    (
        "lstsq",
        lambda a, b: jnp.linalg.lstsq(a, b)[0],
        (q(A, "m"), q(B, "kg")),
        np.linalg.lstsq(A, B)[0],
        "kg/m",
    ),
    ("norm", jnp.linalg.norm, (q(M, "m"),), np.linalg.norm(M), "m"),
    ("cond", jnp.linalg.cond, (q(A, "m"),), np.linalg.cond(A), "1"),
    ("trace", jnp.trace, (q(A, "m"),), 5.0, "m"),
    ("polyval", lambda x: 2.0 * x**2 / x, (q(M, "m"),), 2 * M, "m"),
    ("complex", lax.complex, (q(M, "m"), q(M, "m")), M + 1j * M, "m"),
    (
        "segment sum",
        lambda x: jax.ops.segment_sum(x, jnp.array([0, 0, 1])),
        (q(M, "m"),),
        [3.0, 4.0],
        "m",
    ),
    (
        "angle ignored",
        lambda w, r, v: w * r + v,
        (q([2.0], "rad/s"), q([3.0], "m"), q([1.0], "m/s")),
        [7.0],
        "m/s",
    ),
    (
        "int",
        lambda x, y: x + y,
        (q(np.array([1, 2]), "m"), q(np.array([1, 2]), "km")),
        [1001, 2002],
        "m",
    ),
    (
        "bfloat",
        lambda x, y: x + y,
        (q(jnp.ones(1, jnp.bfloat16), "m"), q(jnp.ones(1, jnp.bfloat16), "m")),
        [2.0],
        "m",
    ),
]


@pytest.mark.parametrize(
    ("program", "operands", "numbers", "unit"), [c[1:] for c in CALLS], ids=[c[0] for c in CALLS]
)
def test_a_call_gives_the_numbers_of_numpy_in_the_right_unit(program, operands, numbers, unit):
    out = quaxify(program)(*operands)
    assert u.is_quantity(out) is (unit is not None)
    assert u.unit_of(out) == u.Unit(unit or "1")
    got = out.value if unit is not None else out
    if operands[0].dtype.name in ("bfloat16", "float32", "int32") and unit in ("m", "m/s"):
        assert got.dtype in (operands[0].dtype, jnp.complex64)
    np.testing.assert_allclose(np.asarray(got, complex), np.asarray(numbers), rtol=2e-5, atol=2e-6)


# (name, program, operands, the error, part of the text)
REFUSED = [
    (
        "add",
        lambda x, y: x + y,
        ("m", "s"),
        u.DimensionError,
        "m a length|m is a length|s is a time",
    ),
    ("raw", lambda x, y: x + 1.0, ("m", "s"), u.DimensionError, r'u\.Quantity\(x, "m"\)'),
    ("compare", lambda x, y: x < y, ("m", "s"), u.DimensionError, "lt"),
    ("equal", lambda x, y: x == y, ("m", "s"), u.DimensionError, "eq"),
    ("raw equal", lambda x, y: x == 1.0, ("m", "s"), u.DimensionError, "eq"),
    ("where", lambda x, y: jnp.where(x > 0, x, 1.0), ("m", "s"), u.DimensionError, "select_n"),
    ("at set", lambda x, y: x.at[0].set(1.0), ("m", "s"), u.DimensionError, "scatter"),
    ("at apply", lambda x, y: x.at[0].apply(jnp.cos), ("m", "s"), u.UnitError, "scatter"),
    ("concatenate", lambda x, y: jnp.concatenate([x, y]), ("m", "s"), u.DimensionError, "concat"),
    ("clip", lambda x, y: jnp.clip(x, 1.0, 2.0), ("m", "s"), u.DimensionError, "m"),
    ("exp", lambda x, y: jnp.exp(x), ("m", "s"), u.DimensionError, "plain number"),
    ("log", lambda x, y: jnp.log(x), ("m", "s"), u.DimensionError, r'u\.strip\(x, "m"\)'),
    ("sin", lambda x, y: jnp.sin(x), ("m", "s"), u.DimensionError, "sin"),
    ("power", lambda x, y: x ** jnp.asarray(B), ("m", "s"), u.UnknownExponentError, "Python"),
    ("power of", lambda x, y: 2.0**x, ("m", "s"), u.DimensionError, "pow"),
    ("cumprod", lambda x, y: jnp.cumprod(x), ("m", "s"), u.UnknownExponentError, "cumprod"),
    (
        "slogdet",
        lambda x, y: jnp.linalg.slogdet(jnp.outer(x, x)),
        ("m", "s"),
        u.DimensionError,
        "slogdet",
    ),
    ("atan2", lambda x, y: jnp.arctan2(x, y), ("m", "s"), u.DimensionError, "atan2"),
    ("hertz", lambda x, y: x + y, ("Hz", "rad/s"), u.DimensionError, "cycles"),
    ("isclose", lambda x, y: jnp.isclose(x, x, atol=0.5), ("m", "s"), u.DimensionError, "length"),
    ("bits", lambda x, y: lax.bitcast_convert_type(x, jnp.int32), ("m", "s"), u.UnitError, "bits"),
]


@pytest.mark.parametrize(
    ("program", "units", "error", "part"), [c[1:] for c in REFUSED], ids=[c[0] for c in REFUSED]
)
def test_what_has_no_meaning_is_refused_and_said_where(program, units, error, part):
    x, y = (q(B, unit) for unit in units)
    with pytest.raises(error, match=part):
        quaxify(program)(x, y)
    with pytest.raises(error):
        jax.jit(quaxify(program))(x, y)


def test_a_message_names_operation_units_dimensions_shapes_and_line():
    with pytest.raises(u.DimensionError) as caught:
        quaxify(lambda x, t: x + t)(q(M, "m"), Q(1.0, "s"))
    text = "\n".join([str(caught.value), *caught.value.__notes__])
    for part in ("`add`", "(3,)", "m ", "length", "s is a time", "test_rules.py"):
        assert part in text or part.strip("`") in text
    assert caught.value.units[0] in (u.m, u.s)
    assert "2." not in str(caught.value)


@pytest.mark.parametrize(
    ("unit", "said"), [("m", "is a length"), ("m/s2", "is an acceleration"), ("J", "is an energy")]
)
def test_a_message_has_the_article_of_the_dimension(unit, said):
    with pytest.raises(u.DimensionError, match=said):
        Q(1.0, unit).to("kg")


def test_conversions_that_do_not_fit_the_dtype_raise():
    with pytest.raises(u.UnitRangeError, match="float32 cannot hold"):
        Q(jnp.float32(1.0), "Mpc3").to("cm3")
    with pytest.raises(u.UnitRangeError, match="cannot hold"):
        jax.jit(lambda x: x.to("Mpc3"))(Q(jnp.float32(1.0), "cm3"))
    with pytest.raises(u.UnitRangeError, match=r"x\.astype\(float\)"):
        Q(jnp.array([1]), "km") + Q(jnp.array([1]), "m")
    np.testing.assert_allclose(Q(jnp.array([1500]), "m").to("km").value, [1.5])


def test_frequencies_and_angular_frequencies_are_never_converted():
    for source, target in (("Hz", "rad/s"), ("rad/s", "Hz"), ("1/s", "rpm")):
        with pytest.raises(u.DimensionError, match=r"2 \* jnp\.pi \* u\.rad"):
            Q(1.0, source).to(target)
    np.testing.assert_allclose(Q(60.0, "rpm").to("rad/s").value, 2 * np.pi, rtol=1e-6)
    np.testing.assert_allclose((Q(50.0, "Hz") * u.rev).to("rad/s").value, 100 * np.pi, rtol=1e-6)


def test_only_a_plain_number_is_a_python_number():
    assert float(Q(50.0, "%")) == 0.5
    assert np.asarray(Q([1.0], "km/m")).tolist() == [1000.0]
    for convert in (float, np.asarray, bool, int):
        with pytest.raises(u.DimensionError, match=r'u\.strip\(x, "m"\)'):
            convert(Q(1.0, "m"))
    with pytest.raises(TypeError, match="quaxify"):
        jnp.sin(Q(1.0, "m"))
    assert float(jnp.exp(Q(0.0, "1"))) == 1.0


def test_what_is_no_array_is_refused():
    for value in ("1 m", None, {"a": 1}):
        with pytest.raises(TypeError, match="takes an array or a number"):
            Q(value, "m")
    with pytest.raises(u.DimensionError):
        Q(Q(1.0, "s"), "m")
    assert Q(Q(1.0, "km"), "m").value == 1000.0


def test_display_has_no_numbers_in_repr_and_all_in_str():
    x = Q([1.0, 2.0], "km/h")
    assert repr(x) == "Quantity(f32[2], 'km / h')"
    assert str(x) == "[1. 2.] km / h"
    assert f"{Q(1.5, 'm/s'):.2f}" == "1.50 m / s"
    assert f"{Q(1.5, 'm/s2'):.1fP}" == "1.5 m/s²"
    assert f"{Q(2.0, 'm'):.0fL}" == r"2 \, \mathrm{m}"
    assert "Quantity" in repr(jax.tree.structure(x))


def test_units_multiply_numbers_arrays_and_quantities():
    for x in (3.0 * u.m, u.m * 3.0, Q(3.0, "km") * u.m / u.km, np.float32(3.0) * u.m):
        assert x.dimension == "length" and x.value == 3.0
    assert (jnp.ones(3) * u.s).shape == (3,)
    assert (np.ones(3) * u.s).unit is u.s
    assert (1.0 / u.s).unit == u.Hz and (6.0 * u.m / (2.0 * u.s)).value == 3.0
    inside = quaxify(lambda x: x * u.s)(Q(2.0, "m"))
    assert inside.unit == u.m * u.s
