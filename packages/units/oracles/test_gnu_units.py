"""Each unit of the table by GNU units, the Debian package `units`."""

import shutil
import subprocess

import pytest

import duckarray.units as u
from duckarray.units._registry import unit_names

pytestmark = pytest.mark.skipif(shutil.which("units") is None, reason="GNU units is not installed")

# Names that mean something else there, or nothing.
SPELLED = {
    "Ω": "ohm", "°": "degree", "deg": "degree", "rev": "revolution", "Cal": "1000 cal_th",
    "cal": "cal_th", "calorie": "calorie_th", "ct": "carat", "kn": "knot", "nmi": "nauticalmile",
    "fl_oz": "floz", "imp_gal": "brgallon", "imp_pt": "brpint", "oz_t": "troyounce",
    "ton": "uston", "long_ton": "brton", "Btu": "btu_IT", "BTU": "btu_IT", "tTNT": "1e9 cal_th",
    "yr": "julianyear", "a": "julianyear", "year": "julianyear", "u": "dalton", "L": "liter",
    "hr": "hour", "d": "day", "wk": "week", "st": "stone", "Da": "dalton", "au": "au",
    "gon": "gon", "P": "poise", "St": "stokes", "G": "gauss", "t": "tonne", "Gal": "galileo",
    "kgf": "kilogram force", "g_n": "gravity", "Eh": "hartree", "Å": "angstrom", "ppt": "1e-12",
    "mmHg": "mmHg", "inHg": "inHg", "are": "are", "therm": "100000 btu_IT", "pt": "pint",
    "ly": "lightyear", "degR": "degR", "ppb": "1e-9", "%": "percent", "h": "hour", "C": "coulomb",
    "M": "mol/liter", "R": "roentgen", "rd": "rad_dose", "bbl": "barrel", "PS": "75 kgf m/s",
}  # fmt: skip

# Measured again since the release, or not the same thing under one name.
OTHERS = {
    "Da u": "measured: CODATA 2022",
    "Eh": "measured: CODATA 2022",
    "rad sr deg ° gon rev arcmin arcsec mas uas rpm": "angles are numbers there",
    "lm lx": "steradians are numbers there",
    "dB dBm dBW dex mag degC °C degF °F delta_degC delta_degF": "scales with functions there",
    "rd cycle kip ksi kph Mx Oe barn Torr torr Wh Ah PS ‰ pct": "not known there by a short name",
    "therm Btu BTU": "several of one name",
}


def symbols():
    skipped = {name for names in OTHERS for name in names.split()}
    found = {str(u.Unit(name)) for name in unit_names()} - {"1", "pi", "dimensionless"}
    return sorted(found - skipped)


@pytest.mark.parametrize("symbol", symbols())
def test_a_unit_is_as_large_as_there(symbol):
    unit = u.Unit(symbol)
    names = ("m", "kg", "s", "A", "K", "mol", "cd")
    powers = zip(names, unit.dimension.exponents, strict=False)
    base = " ".join(f"{n}^{e}" for n, e in powers if e) or "1"
    command = ["units", "-t", "-o", "%.15g", SPELLED.get(symbol, symbol), base]
    answer = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    assert float(answer.splitlines()[0]) == pytest.approx(float(unit.scale), rel=1e-9), answer
