"""Four planets, by Diffrax, in units: half a year from the nearest to the farthest point.

The published nearest and farthest distances give the speed at the start. From there Newton's law
says where a planet is after half of its published period, and how fast: the farthest distance and
the least speed, which are published too. A forgotten factor between km, Gm and days is an error
before anything runs.
"""

from pathlib import Path

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
import picture

import duckarray.units as u
from duckarray.core import quaxify
from duckarray.units import Quantity

# The planetary fact sheets of NASA: nearest and farthest distance in 10^6 km, period in days, least
# speed in km/s. The Sun's gravitational parameter is from the same source.
PLANETS = {
    "Mercury": (46.000, 69.818, 87.969, 38.86),
    "Venus": (107.480, 108.941, 224.701, 34.78),
    "Earth": (147.095, 152.100, 365.256, 29.29),
    "Mars": (206.650, 249.261, 686.980, 21.97),
}
SUN = Quantity(132712e6, "km3/s2")


def start_speed(nearest, farthest, gm):
    """The speed at the nearest point, by the conservation of energy and angular momentum."""
    return jnp.sqrt(2 * gm * (1 / nearest - 1 / (nearest + farthest)))


def acceleration(r, gm):
    """Newton's law of gravitation."""
    return -gm * r / jnp.linalg.norm(r) ** 3


def field(t, state, gm):
    """How place and velocity change."""
    r, v = state
    return v, acceleration(r, gm)


@jax.jit
def fly(nearest, farthest, times):
    """Places and velocities at some times, starting at the nearest point."""
    v = quaxify(start_speed)(nearest, farthest, SUN)
    across, up = jnp.array([1.0, 0.0]), jnp.array([0.0, 1.0])
    out = u.diffeqsolve(
        diffrax.ODETerm(field),
        diffrax.Dopri8(),
        times[0],
        times[-1],
        times[1] - times[0],
        (nearest * across, v * up),
        args=SUN,
        units=("Gm", "Gm/day"),
        ts=times,
        stepsize_controller=diffrax.PIDController(rtol=1e-8, atol=1e-8),
    )
    return out.ys


def main(file: Path = Path("orbits.svg")) -> None:
    """Prints the table and draws the orbits."""
    lines = {}
    print(f"{'':10}{'farthest, 10^6 km':>22}{'least speed, km/s':>22}")
    print(f"{'':10}{'computed':>12}{'published':>10}{'computed':>12}{'published':>10}")
    for name, (near, far, period, least) in PLANETS.items():
        half = Quantity(np.linspace(0.0, period / 2, 25), "day")
        r, v = fly(Quantity(near, "Gm"), Quantity(far, "Gm"), half)
        distance = quaxify(jnp.linalg.norm)(r[-1]).to("km").value / 1e6
        speed = quaxify(jnp.linalg.norm)(v[-1]).to("km/s").value
        print(f"{name:10}{distance:12.2f}{far:10.2f}{speed:12.2f}{least:10.2f}")
        np.testing.assert_allclose([distance, speed], [far, least], rtol=1e-3)
        x, y = np.asarray(u.strip(r, "Gm")).T
        lines[name] = np.concatenate([x, x[::-1]]), np.concatenate([y, -y[::-1]])
    try:
        jax.eval_shape(fly, Quantity(near, "Gm"), Quantity(far, "Gm"), Quantity(half.value, "m"))
    except u.DimensionError as error:
        print(f"\nMetres for days, before anything runs: {str(error).splitlines()[0]}")
    else:
        raise AssertionError("metres went for days")
    picture.curves(file, "Orbits of the four inner planets, in Gm (10^6 km)", lines, equal=True)


if __name__ == "__main__":
    with jax.enable_x64(True):
        main()
