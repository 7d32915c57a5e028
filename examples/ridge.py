"""Symbolic zeros in a derivative rule of one's own: ridge regression on measured patients.

The derivative of `x = solve(A, b)` is `solve(A, db - dA x)`. Where only `b` depends on what is
differentiated, `dA` is zero, and a rule that is told so leaves its product out; where only `A`
does, the other half. JAX says so to a rule declared with `symbolic_zeros`; `duckarray.zeros`
extends that to programs: their results may have no cotangent at all.
"""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import picture
from sklearn.datasets import load_diabetes

from duckarray import zeros

SEEN = []


@jax.custom_jvp
def solve(a, b):
    """The solution of a linear system, with its derivative written by hand."""
    return jnp.linalg.solve(a, b)


def _solve_jvp(primals, tangents):
    (a, b), (da, db) = primals, tangents
    x = solve(a, b)
    SEEN.append([name for name, d in (("dA", da), ("db", db)) if not zeros.is_zero(d)])
    right = jnp.zeros_like(x) if zeros.is_zero(db) else db
    if not zeros.is_zero(da):
        right = right - da @ x
    return x, solve(a, right)


solve.defjvp(_solve_jvp, symbolic_zeros=True)


def weights(penalty, targets, patients):
    """Those of ridge regression."""
    n = patients.shape[1]
    return solve(patients.T @ patients + jnp.exp(penalty) * jnp.eye(n), patients.T @ targets)


def errors(penalty, known, other):
    """The mean squared error on the patients that are fitted, and on others."""
    w = weights(penalty, known[1], known[0])
    return {
        name: jnp.mean((x @ w - y) ** 2)
        for name, (x, y) in {"fitted": known, "other": other}.items()
    }


def main(file: Path = Path("ridge.svg"), steps: int = 40) -> None:
    """Chooses the penalty by its derivative, prints what the rule was told, and draws."""
    data = load_diabetes()
    x, y = jnp.asarray(data.data, "float32"), jnp.asarray(data.target / 100, "float32")
    y = y - y[:60].mean()
    known, other = (x[:60], y[:60]), (x[60:], y[60:])

    penalty = jnp.float32(-6.0)
    jax.grad(lambda p: weights(p, known[1], known[0]).sum())(penalty)
    jax.jvp(lambda t: weights(penalty, t, known[0]), (known[1],), (known[1],))
    print(f"by the penalty, the rule is told of {SEEN[0]}; by the targets, of {SEEN[-1]}")
    assert (SEEN[0], SEEN[-1]) == (["dA"], ["db"])

    @jax.jit
    def step(p):
        """One of the two results has a cotangent; the other one is not even computed backwards."""
        out, pull_back = zeros.vjp(lambda p: errors(p, known, other), p)
        (slope,) = pull_back({"fitted": None, "other": jnp.float32(1.0)})
        return p - 20 * slope, out

    path = []
    for _ in range(steps):
        after, out = step(penalty)
        path.append((float(penalty), float(out["fitted"]), float(out["other"])))
        penalty = after
    for name, (p, fitted, others) in {"start": path[0], "end": path[-1]}.items():
        print(f"{name:6} penalty e^{p:5.2f}  error {fitted:.3f}, on others {others:.3f}")
    h = 1e-2
    above, below = (errors(-2 + d, known, other)["other"] for d in (h, -h))
    finite = (above - below) / (2 * h)
    slope = jax.grad(lambda p: errors(p, known, other)["other"])(-2.0)
    print(f"derivative {slope:.4f}, by differences {finite:.4f}")
    np.testing.assert_allclose(slope, finite, rtol=0.05)
    assert path[-1][2] < path[0][2]
    p, fitted, others = np.transpose(path)
    lines = {"fitted patients": (p, fitted), "other patients": (p, others)}
    picture.curves(file, "Squared error by the logarithm of the penalty", lines)


if __name__ == "__main__":
    main()
