"""A Gaussian process on carbon dioxide in the air, whose covariance is a Toeplitz matrix.

Years are equally spaced, so the covariance of any stationary kernel is Toeplitz, a sum of Toeplitz
matrices is one, and `jnp.linalg.solve` and `slogdet` take the algorithms for it. The likelihood
below does not know. Years until 2013 are fitted; the ten years after are predicted.
"""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
import picture

from duckarray.core import materialization, quaxify
from duckarray.structured import Toeplitz

# Annual means at Mauna Loa from 1959 on, in parts per million (NOAA, Global Monitoring Laboratory).
_MEANS = """
315.98 316.91 317.64 318.45 318.99 319.62 320.04 321.37 322.18 323.05 324.62 325.68 326.32
327.46 329.68 330.19 331.13 332.03 333.84 335.41 336.84 338.76 340.12 341.48 343.15 344.87
346.35 347.61 349.31 351.69 353.20 354.45 355.70 356.54 357.21 358.96 360.97 362.74 363.88
366.84 368.54 369.71 371.32 373.45 375.98 377.70 379.98 382.09 384.02 385.83 387.64 390.10
391.85 394.06 396.74 398.81 401.01 404.41 406.76 408.72 411.65 414.21 416.41 418.53 421.08
"""
PPM = np.array(_MEANS.split(), float)
KNOWN = 55
YEARS = 1959 + np.arange(len(PPM))


def trend(years):
    """A parabola, in decades since 1986."""
    t = (years - 1986) / 10
    return jnp.stack([jnp.ones_like(t), t, t**2], axis=-1)


def kernel(distance, log_size, log_length):
    """Rises and falls of some size that last some years."""
    return jnp.exp(2 * log_size - 0.5 * (distance * jnp.exp(-log_length)) ** 2)


def covariance(n, params):
    """Of n successive years: a smooth part, and noise of each year."""
    noise = jnp.zeros(n).at[0].set(jnp.exp(2 * params["noise"]))
    column = kernel(jnp.arange(n), params["size"], params["length"])
    return Toeplitz(column + noise, column + noise)


def negative_log_likelihood(k, residual):
    """That of a normal distribution: written for any matrix."""
    _, log_determinant = jnp.linalg.slogdet(k)
    return 0.5 * (residual @ jnp.linalg.solve(k, residual) + log_determinant)


def loss(params, years, y):
    """How unlikely the years are."""
    residual = y - trend(years) @ params["trend"]
    return quaxify(negative_log_likelihood)(covariance(len(y), params), residual)


def predict(params, years, y, ahead):
    """Mean and deviation of the years ahead, given those before."""
    k = covariance(len(y), params)
    cross = kernel(ahead[:, None] - years, params["size"], params["length"])
    residual = y - trend(years) @ params["trend"]
    solved = quaxify(jnp.linalg.solve)(k, jnp.column_stack([residual, cross.T]))
    mean = trend(ahead) @ params["trend"] + cross @ solved[:, 0]
    explained = jnp.sum(cross * solved[:, 1:].T, axis=1)
    return mean, jnp.sqrt(jnp.exp(2 * params["size"]) + jnp.exp(2 * params["noise"]) - explained)


def main(file: Path = Path("co2.svg"), steps: int = 300) -> None:
    """Fits, predicts, prints the table and draws."""
    years, y = jnp.asarray(YEARS[:KNOWN], float), jnp.asarray(PPM[:KNOWN])
    params = {
        "trend": jnp.linalg.lstsq(trend(years), y)[0],
        "size": jnp.zeros(()),
        "length": jnp.ones(()),
        "noise": jnp.full((), -1.0),
    }
    optimizer = optax.adam(0.02)

    @jax.jit
    def fit(params):
        def step(carry, _):
            params, state = carry
            value, slope = jax.value_and_grad(loss)(params, years, y)
            updates, state = optimizer.update(slope, state)
            return (optax.apply_updates(params, updates), state), value

        (params, _), losses = jax.lax.scan(step, (params, optimizer.init(params)), length=steps)
        return params, losses

    with materialization("error"):  # no 55 by 55 matrix is ever built
        fitted, losses = fit(params)
        ahead = jnp.asarray(YEARS[KNOWN:], float)
        mean, deviation = jax.jit(predict)(fitted, years, y, ahead)
    print(f"negative log-likelihood: {losses[0]:.1f}, fitted {losses[-1]:.1f}")
    print(
        f"smooth part of {jnp.exp(fitted['size']):.2f} ppm, {jnp.exp(fitted['length']):.1f} years"
    )
    for year, m, d, truth in zip(ahead, mean, deviation, PPM[KNOWN:], strict=True):
        print(f"{year:.0f}  {m:7.2f} ± {2 * d:.2f}  measured {truth:.2f}")
    error = np.abs(np.asarray(mean) - PPM[KNOWN:])
    assert losses[-1] < losses[0] - 1
    assert error.max() < 0.015 * PPM[-1]
    lines = {"measured*": (YEARS, PPM), "predicted": (ahead, mean)}
    band = np.asarray(ahead), np.asarray(mean - 2 * deviation), np.asarray(mean + 2 * deviation)
    picture.curves(file, "Carbon dioxide at Mauna Loa, ppm; fitted until 2013", lines, band)


if __name__ == "__main__":
    with jax.enable_x64(True):
        main()
