"""`Dimension`: what kind of quantity it is, whatever unit it is measured in."""

from fractions import Fraction
from typing import Any, ClassVar

Exponents = tuple[Fraction, ...]

BASE_NAMES = (
    "length",
    "mass",
    "time",
    "current",
    "temperature",
    "amount",
    "luminous intensity",
    "angle",
)

# The first name of each is how it is printed. Exponents are those of the names above, in order.
_NAMED = """
1 dimensionless number = 0 0 0 0 0 0 0 0
solid_angle = 0 0 0 0 0 0 0 2
area = 2
volume = 3
wavenumber = -1
curvature = -1
frequency rate = 0 0 -1
angular_velocity angular_frequency = 0 0 -1 0 0 0 0 1
angular_acceleration = 0 0 -2 0 0 0 0 1
velocity speed = 1 0 -1
acceleration = 1 0 -2
jerk = 1 0 -3
density mass_density = -3 1
momentum impulse = 1 1 -1
angular_momentum action = 2 1 -1
moment_of_inertia = 2 1
force = 1 1 -2
energy work torque heat = 2 1 -2
power = 2 1 -3
pressure stress energy_density = -1 1 -2
dynamic_viscosity = -1 1 -1
kinematic_viscosity diffusivity = 2 0 -1
surface_tension stiffness = 0 1 -2
volumetric_flow_rate = 3 0 -1
mass_flow_rate = 0 1 -1
charge = 0 0 1 1
voltage electric_potential = 2 1 -3 -1
electric_field = 1 1 -3 -1
resistance = 2 1 -3 -2
conductance = -2 -1 3 2
capacitance = -2 -1 4 2
inductance = 2 1 -2 -2
magnetic_flux = 2 1 -2 -1
magnetic_field magnetic_flux_density = 0 1 -2 -1
entropy heat_capacity = 2 1 -2 0 -1
specific_heat_capacity = 2 0 -2 0 -1
specific_energy = 2 0 -2
thermal_conductivity = 1 1 -3 0 -1
temperature_gradient = -1 0 0 0 1
concentration = -3 0 0 0 0 1
molar_mass = 0 1 0 0 0 -1
molar_energy = 2 1 -2 0 0 -1
catalytic_activity = 0 0 -1 0 0 1
luminous_flux = 0 0 0 0 0 0 1 2
illuminance = -2 0 0 0 0 0 1 2
irradiance = 0 1 -3
"""


class Dimension(str):
    """A product of powers of the base dimensions; a `str` that names it.

    Equal dimensions are one object. It is compared with texts by its name, so
    `x.dimension == "velocity"` is as good as a comparison with another dimension.

    Attributes:
        exponents: of length, mass, time, current, temperature, amount, luminous intensity, angle.

    Example:
        >>> import duckarray.units as u
        >>> u.Unit("km/h").dimension
        'velocity'
        >>> u.Unit("kg m3").dimension
        'length**3 mass'
    """

    __slots__ = ("exponents", "physical")

    exponents: Exponents
    physical: "Dimension"
    """The same without angle, which compatibility leaves out."""

    _all: ClassVar[dict[Exponents, "Dimension"]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return dimension_of, (self.exponents,)


def dimension_of(exponents: Exponents) -> Dimension:
    """The one object for these exponents."""
    found = Dimension._all.get(exponents)
    if found is None:
        found = Dimension(_names.get(exponents) or _text(exponents))
        found.exponents = exponents
        Dimension._all[exponents] = found
        physical = (*exponents[:-1], _ZERO)
        found.physical = found if physical == exponents else dimension_of(physical)
    return found


def named_dimension(name: str) -> Dimension | None:
    """The dimension of this name (`velocity`, `angular velocity`), or None."""
    exponents = _exponents.get(name.strip().replace(" ", "_"))
    return None if exponents is None else dimension_of(exponents)


def dimension_names() -> list[str]:
    """Every name that `named_dimension` knows."""
    return list(_exponents)


def _text(exponents: Exponents) -> str:
    def factor(name: str, exponent: Fraction) -> str:
        if exponent == 1:
            return name
        return f"{name}**{exponent}" if exponent.denominator == 1 else f"{name}**({exponent})"

    names = [name.replace(" ", "_") for name in BASE_NAMES]
    pairs = list(zip(names, exponents, strict=True))
    top = [factor(n, e) for n, e in pairs if e > 0]
    bottom = [factor(n, -e) for n, e in pairs if e < 0]
    text = " ".join(top) or "1"
    if not bottom:
        return text
    below = bottom[0] if len(bottom) == 1 else f"({' '.join(bottom)})"
    return f"{text} / {below}"


_ZERO = Fraction(0)
_exponents: dict[str, Exponents] = {}
_names: dict[Exponents, str] = {}


def _fill() -> None:
    for i, name in enumerate(BASE_NAMES):
        unit = tuple(Fraction(int(i == j)) for j in range(len(BASE_NAMES)))
        _names[unit] = name
        _exponents[name.replace(" ", "_")] = unit
    for line in _NAMED.strip().splitlines():
        names, _, numbers = line.partition(" = ")
        given = [Fraction(n) for n in numbers.split()]
        exponents = tuple(given + [_ZERO] * (len(BASE_NAMES) - len(given)))
        _names.setdefault(exponents, names.split()[0].replace("_", " "))
        _exponents.update(dict.fromkeys(names.split(), exponents))


_fill()
NUMBER = dimension_of((_ZERO,) * len(BASE_NAMES))
ANGLE = dimension_of((*(_ZERO,) * (len(BASE_NAMES) - 1), Fraction(1)))
