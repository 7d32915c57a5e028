"""Noisy handwritten digits, smoothed by a partial differential equation with a sparse matrix.

The image is a temperature: heat flows between neighbours, the less the more they differ, so that
edges stay. One implicit step solves `(1 + t L) u = noisy`, where `L` is the Laplacian of a graph of
pixels, sparse. How long, and what counts as an edge, is learned through the solve by gradients.
"""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import picture
from sklearn.datasets import load_digits

from duckarray import sparse
from duckarray.core import materialization

SIZE = 48


def page():
    """Digits of scikit-learn side by side, and the same with noise."""
    digits = load_digits().images[: (SIZE // 8) ** 2] / 16
    clean = np.block([list(row) for row in digits.reshape(SIZE // 8, -1, 8, 8)])
    noise = np.random.default_rng(0).normal(scale=0.2, size=clean.shape)
    return jnp.asarray(clean, jnp.float32), jnp.asarray(clean + noise, jnp.float32)


def differences():
    """From pixels to differences of neighbours, along both axes: a matrix of -1 and 1."""
    step = sparse.diags([-1.0, 1.0], [0, 1], (SIZE - 1, SIZE))
    eye = sparse.eye(SIZE)
    return sparse.vstack([sparse.kron(step, eye), sparse.kron(eye, step)])


def smooth(params, noisy, d):
    """One implicit step of the heat equation on the image."""
    u = noisy.ravel()
    conduction = jnp.exp(params["time"]) / (1 + (d @ u / jnp.exp(params["edge"])) ** 2)
    laplacian = d.T @ (conduction[:, None] * d)
    return sparse.solve(sparse.eye(u.size) + laplacian, u).reshape(noisy.shape)


def loss(params, noisy, clean, d):
    """The mean squared error."""
    return jnp.mean((smooth(params, noisy, d) - clean) ** 2)


def decibels(error):
    """How far above the error the brightest pixel is."""
    return -10 * np.log10(float(error))


def main(file: Path = Path("noisy_digits.svg"), steps: int = 15) -> None:
    """Learns, prints the table, and draws."""
    clean, noisy = page()
    d = differences()
    print(f"{d!r}".splitlines()[0])
    params = {"time": jnp.zeros(()), "edge": jnp.log(0.3)}
    value_and_grad = jax.jit(jax.value_and_grad(loss))
    # A derivative through the solve, once by central differences.
    above, below = (dict(params, time=params["time"] + h) for h in (0.1, -0.1))
    finite = (
        value_and_grad(above, noisy, clean, d)[0] - value_and_grad(below, noisy, clean, d)[0]
    ) / 0.2
    slope = value_and_grad(params, noisy, clean, d)[1]["time"]
    print(f"derivative by time {slope:.2e}, by differences {finite:.2e}")
    np.testing.assert_allclose(slope, finite, rtol=0.05)
    with materialization("error"):  # 2304 by 2304, dense: 21 MB
        for _ in range(steps):
            error, slope = value_and_grad(params, noisy, clean, d)
            params = jax.tree.map(lambda p, g: p - 20 * g, params, slope)
    error, _ = value_and_grad(params, noisy, clean, d)
    smoothed = jax.jit(smooth)(params, noisy, d)
    rows = {
        "noisy": jnp.mean((noisy - clean) ** 2),
        "one time for all": loss({"time": params["time"], "edge": 9.0}, noisy, clean, d),
        "smoothed, edges kept": error,
    }
    for name, each in rows.items():
        print(f"{name:24}{decibels(each):6.2f} dB")
    print(f"time {jnp.exp(params['time']):.2f}, edges from {jnp.exp(params['edge']):.2f}")
    images = {"noisy": noisy, "smoothed": smoothed, "without noise": clean}
    picture.images(file, "Smoothed by one implicit step", images)
    assert decibels(error) > decibels(rows["noisy"]) + 1
    assert error <= rows["one time for all"]


if __name__ == "__main__":
    main()
