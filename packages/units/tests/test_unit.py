"""Units: their text, their algebra, and their sizes against published ones."""

import copy
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
import scipy.constants

import duckarray.units as u
from duckarray.units._registry import unit_names

pytestmark = pytest.mark.any_jax

# The SI Brochure (9th edition, 2019), table 4: each unit with a name of its own.
SI = {
    "rad": "rad",
    "sr": "rad2",
    "Hz": "s^-1",
    "N": "kg m s^-2",
    "Pa": "kg m^-1 s^-2",
    "J": "kg m^2 s^-2",
    "W": "kg m^2 s^-3",
    "C": "A s",
    "V": "kg m^2 s^-3 A^-1",
    "F": "kg^-1 m^-2 s^4 A^2",
    "Ω": "kg m^2 s^-3 A^-2",
    "S": "kg^-1 m^-2 s^3 A^2",
    "Wb": "kg m^2 s^-2 A^-1",
    "T": "kg s^-2 A^-1",
    "H": "kg m^2 s^-2 A^-2",
    "lm": "cd sr",
    "lx": "cd sr m^-2",
    "Bq": "s^-1",
    "Gy": "m^2 s^-2",
    "Sv": "m^2 s^-2",
    "kat": "mol s^-1",
}

# The same, table 8, and NIST SP 811 (2008), appendix B.8: exact factors to the SI.
EXACT = {
    "min": (60, "s"),
    "h": (3600, "s"),
    "d": (86400, "s"),
    "au": (149597870700, "m"),
    "ha": (10**4, "m2"),
    "L": (Fraction(1, 1000), "m3"),
    "t": (1000, "kg"),
    "eV": (Fraction("1.602176634e-19"), "J"),
    "in": (Fraction("0.0254"), "m"),
    "ft": (Fraction("0.3048"), "m"),
    "yd": (Fraction("0.9144"), "m"),
    "mi": (Fraction("1609.344"), "m"),
    "nmi": (1852, "m"),
    "acre": (Fraction("4046.8564224"), "m2"),
    "lb": (Fraction("0.45359237"), "kg"),
    "oz": (Fraction("0.028349523125"), "kg"),
    "lbf": (Fraction("4.4482216152605"), "N"),
    "kgf": (Fraction("9.80665"), "N"),
    "atm": (101325, "Pa"),
    "bar": (10**5, "Pa"),
    "cal": (Fraction("4.184"), "J"),
    "erg": (Fraction("1e-7"), "J"),
    "dyn": (Fraction("1e-5"), "N"),
    "G": (Fraction("1e-4"), "T"),
    "Ci": (Fraction("3.7e10"), "Bq"),
    "barn": (Fraction("1e-28"), "m2"),
    "gal": (Fraction("0.003785411784"), "m3"),
    "kn": (Fraction(1852, 3600), "m/s"),
    "P": (Fraction("0.1"), "Pa s"),
    "St": (Fraction("1e-4"), "m2/s"),
}

# Of `scipy.constants`, which are not ours.
SCIPY = {
    "inch": "in",
    "foot": "ft",
    "mile": "mi",
    "light_year": "ly",
    "parsec": "pc",
    "psi": "psi",
    "torr": "torr",
    "pound": "lb",
    "grain": "gr",
    "stone": "st",
    "short_ton": "ton",
    "long_ton": "long_ton",
    "carat": "ct",
    "troy_ounce": "oz_t",
    "atomic_mass": "Da",
    "degree": "deg",
    "arcmin": "arcmin",
    "arcsec": "arcsec",
    "Julian_year": "yr",
    "Btu": "Btu",
    "hp": "hp",
    "acre": "acre",
    "gallon": "gal",
    "gallon_imp": "imp_gal",
    "fluid_ounce": "fl_oz",
    "barrel": "bbl",
    "mph": "mph",
    "knot": "kn",
    "slug": "slug",
    "degree_Fahrenheit": "delta_degF",
    "lbf": "lbf",
    "kgf": "kgf",
    "eV": "eV",
    "calorie": "cal",
    "angstrom": "Å",
    "astronomical_unit": "au",
}


@pytest.mark.parametrize("name", SI)
def test_a_named_unit_is_what_the_si_brochure_says(name):
    assert u.Unit(name) == u.Unit(SI[name])
    assert u.Unit(name).scale == u.Unit("m").scale


@pytest.mark.parametrize("name", EXACT)
def test_a_conversion_to_the_si_is_exact(name):
    factor, si = EXACT[name]
    scale, base = u.Unit(name).scale, u.Unit(si).scale
    assert u.Unit(name).dimension is u.Unit(si).dimension
    assert (scale.root, scale.pi) == (1, 0)
    assert scale.ratio == factor * base.ratio


@pytest.mark.parametrize("constant", SCIPY)
def test_a_unit_is_as_large_as_in_scipy(constant):
    expected = getattr(scipy.constants, constant)
    assert math.isclose(float(u.Unit(SCIPY[constant]).scale), expected, rel_tol=1e-12)


def test_prefixes_are_powers_of_ten():
    text = """quecto ronto yocto zepto atto femto pico nano micro milli centi deci
    deca hecto kilo mega giga tera peta exa zetta yotta ronna quetta"""
    names = text.split()
    powers = [-30, -27, -24, -21, -18, -15, -12, -9, -6, -3, -2, -1]
    powers += [1, 2, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30]
    for name, power in zip(names, powers, strict=True):
        assert u.Unit(f"{name}metre").scale.ratio == Fraction(10) ** power


def test_scipy_units_of_measured_constants_can_be_read():
    for name, (_, text, _) in scipy.constants.physical_constants.items():
        first = u.Unit(text.replace("_90", ""))
        assert u.Unit(str(first)) == first, name


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("kg m^2 / s^2", "J"),
        ("kg*m**2/s**2", "J"),
        ("kg·m²/s²", "J"),
        ("kg m2 s-2", "J"),
        ("J/(mol K)", "J mol^-1 K^-1"),
        ("m^0.5", "m^(1/2)"),
        ("\u00b5s", "us"),
        ("\u03bcs", "microsecond"),
        ("km/h", "kilometers / hour"),
        ("m/s/s", "m s^-2"),
        ("km^0.5 km^0.5", "1000 m"),
        ("rad s⁻¹", "rad/s"),
        ("1/s", "Hz"),
        ("", "1"),
        ("%", "1/100"),
        ("1e3 m", "km"),
        ("220 yd", "660 ft"),
        ("\u2126", "ohm"),
        ("°C", "degC"),
        ("2 pi rad", "rev"),
        ("(m/s)^2", "m2/s2"),
    ],
)
def test_two_texts_are_one_unit(text, same):
    assert u.Unit(text) == u.Unit(same)
    assert hash(u.Unit(text)) == hash(u.Unit(same))
    assert u.Unit(str(u.Unit(text))) is u.Unit(text)


def test_equal_units_hash_alike_whatever_they_are_called():
    assert {u.J: 1}[u.N * u.m] == 1
    assert u.J != u.W
    assert str(u.N * u.m) == "N m"
    assert u.Unit("degC") != u.Unit("K")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("metr", "Did you mean 'metre'"),
        ("Km", "'km'"),
        ("m/s K", "ambiguous"),
        ("m^", "exponent"),
        ("m^x", "exponent"),
        ("(m", "bracket"),
        ("m)", "not expected"),
        ("m $", "has '\\$' in it"),
        ("/s", "stands where"),
        ("0 m", "not positive"),
        ("m -s", "not expected"),
    ],
)
def test_what_is_no_unit_is_refused(text, part):
    with pytest.raises(u.UnitParseError, match=part):
        u.Unit(text)


def test_an_attribute_that_is_no_unit_is_refused_with_a_suggestion():
    with pytest.raises(AttributeError, match="Did you mean 'metre'"):
        u.metr  # noqa: B018
    with pytest.raises(TypeError, match="got a `float`"):
        u.Unit(2.0)


def test_a_unit_is_one_object_and_survives_pickling():
    for text in ("km/h", "degC", "m^(1/3)", "deg", "dB", "2 pi rad", "delta_degF"):
        unit = u.Unit(text)
        assert pickle.loads(pickle.dumps(unit)) is unit
        assert copy.deepcopy(unit) is unit
    with pytest.raises(AttributeError, match="do not change"):
        u.m.scale = 2


def test_a_defined_unit_is_known_within_its_block_and_in_pickles():
    with u.define("furlong = 220 yd") as furlong:
        assert u.Unit("furlong/fortnight").dimension == "velocity"
        data = pickle.dumps(furlong)
    with pytest.raises(u.UnitParseError, match="none called 'furlong'"):
        u.Unit("furlong")
    assert pickle.loads(data) == u.Unit("220 yd")
    with pytest.raises(u.UnitParseError, match="is a unit already"):
        u.define("km = 2 m")
    with pytest.raises(u.UnitParseError, match="not a definition"):
        u.define("furlong")


def test_every_name_is_one_unit_and_reads_back():
    for name in unit_names():
        unit = u.Unit(name)
        assert unit.terms[0][1] == 1 if unit.terms else name == "dimensionless"
        assert u.Unit(str(unit)) == unit


def test_dimensions_have_names():
    assert u.Unit("km/h").dimension == "velocity"
    assert u.Unit("W").dimension == "power"
    assert u.Unit("kg m3").dimension == "length**3 mass"
    assert u.dimension("length / time") is u.Unit("m/s").dimension
    assert pickle.loads(pickle.dumps(u.m.dimension)) is u.m.dimension
    with pytest.raises(u.UnitParseError, match="Did you mean 'velocity'"):
        u.dimension("velocty")


def test_units_are_displayed_plainly_with_superscripts_and_as_latex():
    unit = u.Unit("kg m2 / s2")
    assert f"{unit}" == "kg m2 / s2"
    assert f"{unit:P}" == "kg·m²/s²"
    assert f"{unit:L}" == r"\frac{\mathrm{kg} \, \mathrm{m}^{2}}{\mathrm{s}^{2}}"
    assert str(u.Unit("J/(kg K)")) == "J / (kg K)"
    with pytest.raises(ValueError, match="no such format"):
        format(unit, "Q")


def test_scales_are_exact_beyond_floats():
    assert np.isclose(float(u.Unit("Mpc3").scale), 3.0856775814913673e22**3, rtol=1e-14)
    assert u.Unit("km^(1/3)") ** 3 == u.km
    assert (u.deg ** Fraction(1, 2)) ** 2 == u.deg


def test_units_are_compatible_if_their_dimensions_are_the_same_up_to_angles():
    assert u.Unit("km/h").is_compatible_with("m/s")
    assert u.Unit("rad/s").is_compatible_with(u.Unit("Hz"))
    assert not u.Unit("km").is_compatible_with("s")


def test_definitions_and_names_of_constants_are_text():
    with pytest.raises(TypeError, match=r"`define\(3\)`[^$]*got a `int`[^$]*furlong"):
        u.define(3)
    with pytest.raises(TypeError, match=r"`constant\(None\)`[^$]*`NoneType`[^$]*speed of light"):
        u.constant(None)


def test_what_is_offered_are_words_that_can_be_written():
    names = dir(u)
    assert {"inch", "inches", "foot", "feet", "gauss", "metres", "celsius"} <= set(names)
    assert not {"in", "inchs", "foots", "feets", "gausss", "degree_Celsiuss"} & set(names)
    assert all(u.Unit(name) for name in ("inch", "inches", "foot", "feet", "gauss", "kilogauss"))
    with pytest.raises(u.UnitParseError):
        u.Unit("inchs")
