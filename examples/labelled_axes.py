"""A plot by Matplotlib: quantities bring the labels of axes, and are converted to their units."""

from pathlib import Path

import jax.numpy as jnp
import matplotlib as mpl
import matplotlib.pyplot as plt

import duckarray.units as u

mpl.rcParams["svg.hashsalt"] = "duckarray"  # the same file each time


def main(file: Path = Path("labelled_axes.svg")) -> None:
    """Braking from 50 km/h at 8 m/s2, in km/h; and, in m/s and minutes, a car that does not."""
    t = u.Quantity(jnp.linspace(0.0, 1.7, 50), "s")
    speed = u.Quantity(50.0, "km/h") - u.Quantity(8.0, "m/s2") * t

    figure, axes = plt.subplots(figsize=(4.8, 2.6), layout="constrained")
    axes.plot(t, speed, label="braking")
    minutes = u.Quantity(jnp.array([0.0, 0.02833]), "min")
    axes.plot(minutes, u.Quantity(jnp.full(2, 13.889), "m/s"), "--", label="not braking")
    axes.legend()
    figure.savefig(file, metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    main()
