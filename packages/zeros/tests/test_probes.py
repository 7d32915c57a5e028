"""The table of probes: expressions of zeros, whether each stays symbolic, and its value.

`SYMBOLIC` give a constant, `OPERAND` the other operand itself, `DENSE` an array that is computed.
Each is a function of `z`, zeros, `x` and `y`, arrays of numbers, `i`, a position, and `n`, integer
zeros.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from duckarray.core import materialize, quaxify, value_of
from duckarray.zeros import Full, Zeros

_MASK = jnp.arange(16).reshape(4, 4) % 2 == 0


def _turn(body):
    return lambda z, x, y, i, n: lax.fori_loop(0, 3, lambda _, c: body(c, x), z)


def _scan(z, x, y, i, n):
    return lax.scan(lambda c, row: (c * row[0], row * 2), z[0], z)


SYMBOLIC = {
    # of each entry
    "neg": lambda z, x, y, i, n: -z,
    "abs": lambda z, x, y, i, n: jnp.abs(z),
    "sign": lambda z, x, y, i, n: jnp.sign(z),
    "floor": lambda z, x, y, i, n: jnp.floor(z),
    "round": lambda z, x, y, i, n: jnp.round(z),
    "sqrt": lambda z, x, y, i, n: jnp.sqrt(z),
    "square": lambda z, x, y, i, n: jnp.square(z),
    "cbrt": lambda z, x, y, i, n: jnp.cbrt(z),
    "sin": lambda z, x, y, i, n: jnp.sin(z),
    "cos": lambda z, x, y, i, n: jnp.cos(z),
    "tan": lambda z, x, y, i, n: jnp.tan(z),
    "arcsin": lambda z, x, y, i, n: jnp.arcsin(z),
    "arccos": lambda z, x, y, i, n: jnp.arccos(z),
    "arctan2_zeros": lambda z, x, y, i, n: jnp.arctan2(z, z),
    "tanh": lambda z, x, y, i, n: jnp.tanh(z),
    "cosh": lambda z, x, y, i, n: jnp.cosh(z),
    "exp": lambda z, x, y, i, n: jnp.exp(z),
    "expm1": lambda z, x, y, i, n: jnp.expm1(z),
    "log": lambda z, x, y, i, n: jnp.log(z),
    "log1p": lambda z, x, y, i, n: jnp.log1p(z),
    "logistic": lambda z, x, y, i, n: jax.nn.sigmoid(z),
    "erf": lambda z, x, y, i, n: jax.scipy.special.erf(z),
    "lgamma": lambda z, x, y, i, n: lax.lgamma(z),
    "rsqrt": lambda z, x, y, i, n: lax.rsqrt(z),
    "reciprocal": lambda z, x, y, i, n: jnp.reciprocal(z),
    "is_finite": lambda z, x, y, i, n: jnp.isfinite(z),
    "logical_not": lambda z, x, y, i, n: jnp.logical_not(z),
    "invert": lambda z, x, y, i, n: ~n,
    "population_count": lambda z, x, y, i, n: lax.population_count(n),
    "power_0": lambda z, x, y, i, n: z**0,
    "power_2": lambda z, x, y, i, n: z**2,
    "astype": lambda z, x, y, i, n: z.astype(jnp.bfloat16),
    "astype_int": lambda z, x, y, i, n: z.astype(jnp.int8),
    "bitcast": lambda z, x, y, i, n: lax.bitcast_convert_type(z, jnp.int32),
    "real": lambda z, x, y, i, n: jnp.real(z),
    "imag": lambda z, x, y, i, n: lax.imag(lax.complex(z, z)),
    "complex": lambda z, x, y, i, n: lax.complex(z, z),
    "clip": lambda z, x, y, i, n: jnp.clip(z, 1.0, 2.0),
    "equal": lambda z, x, y, i, n: z == z,
    "less_scalar": lambda z, x, y, i, n: z < 1,
    "add_scalar": lambda z, x, y, i, n: z + 1,
    "radd_traced_scalar": lambda z, x, y, i, n: x[0, 0] + z,
    "maximum_scalar": lambda z, x, y, i, n: jnp.maximum(z, 3.0),
    "floor_divide": lambda z, x, y, i, n: n // 2,
    "remainder": lambda z, x, y, i, n: n % 3,
    "shift_left": lambda z, x, y, i, n: n << 2,
    "nan_to_num": lambda z, x, y, i, n: jnp.nan_to_num(z),
    # absorbing
    "multiply": lambda z, x, y, i, n: z * x,
    "rmultiply": lambda z, x, y, i, n: x * z,
    "divide": lambda z, x, y, i, n: z / y,
    "bitwise_and": lambda z, x, y, i, n: n & x.astype(jnp.int32),
    "matmul": lambda z, x, y, i, n: z @ x,
    "rmatmul": lambda z, x, y, i, n: x @ z,
    "einsum": lambda z, x, y, i, n: jnp.einsum("ij,kj->ik", z, x),
    "outer": lambda z, x, y, i, n: jnp.outer(z[0], x[0]),
    "vdot": lambda z, x, y, i, n: jnp.vdot(z, x),
    "tensordot": lambda z, x, y, i, n: jnp.tensordot(z, x, 2),
    "kron": lambda z, x, y, i, n: jnp.kron(z, x),
    "convolve": lambda z, x, y, i, n: jnp.convolve(z[0], x[0]),
    "ragged_dot": lambda z, x, y, i, n: lax.ragged_dot(z, jnp.stack([x, y]), jnp.array([1, 3])),
    "fft": lambda z, x, y, i, n: jnp.fft.fft(z),
    "rfft": lambda z, x, y, i, n: jnp.fft.rfft(z),
    "triangular_solve": lambda z, x, y, i, n: jax.scipy.linalg.solve_triangular(y, z),
    "tridiagonal_solve": lambda z, x, y, i, n: lax.linalg.tridiagonal_solve(
        jnp.zeros(4), y[0], jnp.zeros(4), z
    ),
    "scatter_mul": lambda z, x, y, i, n: z.at[i].mul(x[0]),
    # shapes
    "reshape": lambda z, x, y, i, n: z.reshape(2, 8),
    "ravel": lambda z, x, y, i, n: z.ravel(),
    "transpose": lambda z, x, y, i, n: z.T,
    "expand_dims": lambda z, x, y, i, n: z[:, None],
    "squeeze": lambda z, x, y, i, n: jnp.squeeze(z[:1]),
    "broadcast_to": lambda z, x, y, i, n: jnp.broadcast_to(z, (2, 4, 4)),
    "flip": lambda z, x, y, i, n: jnp.flip(z),
    "roll": lambda z, x, y, i, n: jnp.roll(z, 1),
    "tile": lambda z, x, y, i, n: jnp.tile(z, (2, 1)),
    "repeat": lambda z, x, y, i, n: jnp.repeat(z, 2, axis=0),
    "slice": lambda z, x, y, i, n: z[1:3],
    "index_traced": lambda z, x, y, i, n: z[i],
    "dynamic_slice": lambda z, x, y, i, n: lax.dynamic_slice(z, (i, i), (2, 2)),
    "take": lambda z, x, y, i, n: jnp.take(z, jnp.array([0, 2]), axis=0, mode="clip"),
    "diagonal": lambda z, x, y, i, n: jnp.diagonal(z),
    "concatenate": lambda z, x, y, i, n: jnp.concatenate([z, z]),
    "stack": lambda z, x, y, i, n: jnp.stack([z, z]),
    "split": lambda z, x, y, i, n: jnp.split(z, 2)[1],
    "pad": lambda z, x, y, i, n: jnp.pad(z, 1),
    "where": lambda z, x, y, i, n: jnp.where(_MASK, z, z),
    "tril": lambda z, x, y, i, n: jnp.tril(z),
    "set_zeros": lambda z, x, y, i, n: z.at[i].set(z[0]),
    "dynamic_update_slice": lambda z, x, y, i, n: lax.dynamic_update_slice(z, z[:2], (i, i)),
    "sort": lambda z, x, y, i, n: jnp.sort(z),
    "top_k": lambda z, x, y, i, n: lax.top_k(z, 2)[0],
    "copy": lambda z, x, y, i, n: jnp.copy(z),
    # reductions and scans
    "sum": lambda z, x, y, i, n: z.sum(),
    "sum_axis": lambda z, x, y, i, n: z.sum(axis=0),
    "mean": lambda z, x, y, i, n: z.mean(),
    "var": lambda z, x, y, i, n: z.var(axis=1),
    "std": lambda z, x, y, i, n: z.std(axis=1),
    "prod": lambda z, x, y, i, n: jnp.prod(z, axis=1),
    "max": lambda z, x, y, i, n: z.max(),
    "argmin": lambda z, x, y, i, n: jnp.argmin(z, axis=0),
    "any": lambda z, x, y, i, n: jnp.any(z),
    "all": lambda z, x, y, i, n: jnp.all(z),
    "trace": lambda z, x, y, i, n: jnp.trace(z),
    "norm": lambda z, x, y, i, n: jnp.linalg.norm(z),
    "cumsum": lambda z, x, y, i, n: jnp.cumsum(z, axis=0),
    "cumprod": lambda z, x, y, i, n: jnp.cumprod(z, axis=0),
    "cummax": lambda z, x, y, i, n: lax.cummax(z),
    "logsumexp": lambda z, x, y, i, n: jax.nn.logsumexp(z, axis=1),
    "max_pool": lambda z, x, y, i, n: lax.reduce_window(
        z, -jnp.inf, lax.max, (2, 2), (1, 1), "SAME"
    ),
    "avg_pool": lambda z, x, y, i, n: lax.reduce_window(z, 0.0, lax.add, (2, 2), (1, 1), "VALID"),
    # functions of libraries
    "relu": lambda z, x, y, i, n: jax.nn.relu(z),
    "gelu": lambda z, x, y, i, n: jax.nn.gelu(z),
    "silu": lambda z, x, y, i, n: jax.nn.silu(z),
    "softmax": lambda z, x, y, i, n: jax.nn.softmax(z),
    "log_softmax": lambda z, x, y, i, n: jax.nn.log_softmax(z),
    "standardize": lambda z, x, y, i, n: jax.nn.standardize(z),
    # control flow and transformations
    "fori_loop": _turn(lambda c, x: c @ x),
    "fori_loop_sin": _turn(lambda c, x: jnp.sin(c) * x),
    "scan": lambda *args: _scan(*args)[0],
    "scan_ys": lambda *args: _scan(*args)[1],
    "while_loop": lambda z, x, y, i, n: lax.while_loop(
        lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * x), (i, z)
    )[1],
    "cond": lambda z, x, y, i, n: lax.cond(i > 0, lambda z, x: z * x, lambda z, x: z, z, x),
    "checkpoint": lambda z, x, y, i, n: jax.checkpoint(lambda z, x: jnp.tanh(z) * x)(z, x),
    "vmap": lambda z, x, y, i, n: jax.vmap(jnp.multiply)(z, x),
    "jvp_tangent": lambda z, x, y, i, n: jax.jvp(lambda x: jnp.sin(x) @ y, (x,), (z,))[1],
    "pull_back": lambda z, x, y, i, n: jax.vjp(lambda x: jnp.sin(x) @ y, x)[1](z)[0],
}

OPERAND = {
    "add": lambda z, x, y, i, n: z + x,
    "radd": lambda z, x, y, i, n: x + z,
    "subtract": lambda z, x, y, i, n: x - z,
    "multiply_ones": lambda z, x, y, i, n: x * jnp.exp(z),
    "divide_ones": lambda z, x, y, i, n: x / jnp.exp(z),
    "maximum_infinity": lambda z, x, y, i, n: lax.max(x, jnp.log(z)),
    "add_product": lambda z, x, y, i, n: y @ z + x,
    "add_at": lambda z, x, y, i, n: x.at[i].add(z[0]),
    "where_known": lambda z, x, y, i, n: lax.select_n(z == 1, x, y),
    "update_all": lambda z, x, y, i, n: lax.dynamic_update_slice(z, x, (i, i)),
}

DENSE = {
    "arctan2": lambda z, x, y, i, n: jnp.arctan2(z, x),
    "greater": lambda z, x, y, i, n: z > x,
    "maximum": lambda z, x, y, i, n: jnp.maximum(z, x),
    "rdivide": lambda z, x, y, i, n: x / z,
    "integer_quotient": lambda z, x, y, i, n: n // x.astype(jnp.int32),
    "where_other": lambda z, x, y, i, n: jnp.where(_MASK, z, x),
    "concatenate_other": lambda z, x, y, i, n: jnp.concatenate([z, x]),
    "cumsum_ones": lambda z, x, y, i, n: jnp.cumsum(jnp.exp(z), axis=0),
    "cumlogsumexp": lambda z, x, y, i, n: lax.cumlogsumexp(z),
    "argsort": lambda z, x, y, i, n: jnp.argsort(z),
    "std_of_all": lambda z, x, y, i, n: z.std(),
    "qr": lambda z, x, y, i, n: jnp.linalg.qr(z + jnp.eye(4))[1],
}

PROBES = {**SYMBOLIC, **OPERAND, **DENSE}
WANTED = {
    **dict.fromkeys(SYMBOLIC, "symbolic"),
    **dict.fromkeys(OPERAND, "operand"),
    **dict.fromkeys(DENSE, "dense"),
}
_QUICKLY = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}


def _outcome(probe, *args):
    try:
        out = probe(*args)
    except Exception as error:
        return f"{type(error).__name__}: {error}", jnp.nan
    if isinstance(value_of(out), Full):
        return "symbolic", out
    return ("operand" if any(out is x for x in args[1:3]) else "dense"), out


def arguments():
    """Zeros, two arrays, a position and integer zeros."""
    rng = np.random.default_rng(0)
    x = (rng.uniform(1, 2, (4, 4)) * np.array([1, -1, 1, -1])).astype("float32")
    y = (np.triu(rng.uniform(1, 2, (4, 4))) + 0.01).astype("float32")
    return Zeros((4, 4)), x, y, np.int32(1), Zeros((4, 4), jnp.int32)


def outcomes(args):
    """By the name of a probe its outcome, and its value."""
    found = {}

    def program(*args):
        outs = {}
        for name, probe in PROBES.items():
            found[name], outs[name] = _outcome(probe, *args)
        return outs

    values = jax.jit(quaxify(program), compiler_options=_QUICKLY)(*args)
    return found, materialize(values)


@pytest.fixture(scope="module")
def results():
    """By the name of a probe: its outcome, its value, and the value without symbolic zeros."""
    args = arguments()

    def dense(*args):
        return {name: probe(*args) for name, probe in PROBES.items()}

    found, got = outcomes(args)
    want = jax.jit(dense, compiler_options=_QUICKLY)(*materialize(args))
    return {name: (found[name], got[name], want[name]) for name in PROBES}


@pytest.mark.parametrize("name", PROBES)
def test_an_expression_of_zeros(results, name):
    outcome, got, want = results[name]
    assert outcome == WANTED[name]
    assert (got.shape, got.dtype, got.weak_type) == (want.shape, want.dtype, want.weak_type)
    np.testing.assert_allclose(got.astype(complex), want.astype(complex), rtol=2e-5, atol=1e-6)


def test_a_hundred_and_five_expressions_are_constant_or_the_operand_and_stay_so(results):
    kept = [name for name, (outcome, _, _) in results.items() if outcome in ("symbolic", "operand")]
    assert len(kept) >= 105
