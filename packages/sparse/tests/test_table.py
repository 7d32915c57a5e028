"""A table of 112 programs: right, and sparse, dense or refused, each as said.

Operands: `a`, `b` sparse matrices, `sq` square, `t` of three axes, `d` dense like `a`, `v` and `w`
vectors as long as its rows and columns, `m` a dense matrix, `s` a scalar, `i` an integer.
"""

import functools
import inspect

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from duckarray import sparse
from duckarray.core import MaterializeError, explain, materialization, materialize, quaxify

pytestmark = pytest.mark.any_jax

S, D, R = "sparse", "dense", "refused"
SPARSE = ("a", "b", "sq", "t")

UNARY = {
    "negative": (S, lambda a: -a),
    "abs": (S, lambda a: abs(a)),
    "sqrt of abs": (S, lambda a: jnp.sqrt(abs(a))),
    "sin": (S, lambda a: jnp.sin(a)),
    "tanh": (S, lambda a: jnp.tanh(a)),
    "expm1": (S, lambda a: jnp.expm1(a)),
    "log1p": (S, lambda a: jnp.log1p(abs(a))),
    "sign": (S, lambda a: jnp.sign(a)),
    "square": (S, lambda a: jnp.square(a)),
    "power 3": (S, lambda a: a**3),
    "round": (S, lambda a: jnp.round(a)),
    "isnan": (S, lambda a: jnp.isnan(a)),
    "relu": (S, lambda a: jax.nn.relu(a)),
    "clip": (S, lambda a: jnp.clip(a, -1, 1)),
    "exp": (S, lambda a: jnp.exp(a)),
    "cos": (S, lambda a: jnp.cos(a)),
    "sigmoid": (S, lambda a: jax.nn.sigmoid(a)),
    "astype": (S, lambda a: a.astype("int32")),
    "nan_to_num": (S, lambda a: jnp.nan_to_num(a)),
}
SCALAR = {
    "times 2": (S, lambda a: 2 * a),
    "over 2": (S, lambda a: a / 2),
    "times scalar": (S, lambda a, s: a * s),
    "plus 1": (S, lambda a: a + 1),
    "plus scalar": (S, lambda a, s: a + s),
    "scalar minus": (S, lambda a, s: s - a),
    "maximum 0": (S, lambda a: jnp.maximum(a, 0)),
    "greater 0": (S, lambda a: a > 0),
    "not equal 0": (S, lambda a: a != 0),
    "2 to the power": (S, lambda a: 2.0**a),
}
BINARY = {
    "a plus b": (S, lambda a, b: a + b),
    "a times b": (S, lambda a, b: a * b),
    "a equal b": (S, lambda a, b: a == b),
    "a less b": (S, lambda a, b: a < b),
    "maximum of a and b": (S, lambda a, b: jnp.maximum(a, b)),
    "arctan2": (S, lambda a, b: jnp.arctan2(a, b + 3)),
    "a plus dense": (D, lambda a, d: a + d),
    "dense minus a": (D, lambda a, d: d - a),
    "a times dense": (S, lambda a, d: a * d),
    "a over dense": (S, lambda a, d: a / d),
    "maximum with dense": (D, lambda a, d: jnp.maximum(a, d)),
    "times a row": (S, lambda a, v: a * v[None]),
    "times a column": (S, lambda a, w: w[:, None] * a),
    "plus a row": (R, lambda a, v: a + v[None]),
    "where positive": (S, lambda a: jnp.where(a > 0, a, 0)),
    "where of two": (S, lambda a, b: jnp.where(a > b, a, b)),
    "where of dense": (S, lambda a, d: jnp.where(d > 0, a, 0)),
    "logical_and": (S, lambda a, b: (a > 0) & (b > 0)),
}
PRODUCTS = {
    "a @ v": (D, lambda a, v: a @ v),
    "w @ a": (D, lambda a, w: w @ a),
    "a.T @ w": (D, lambda a, w: a.T @ w),
    "a @ m": (D, lambda a, m: a @ m),
    "m.T @ a.T": (D, lambda a, m: m.T @ a.T),
    "a @ b.T": (S, lambda a, b: a @ b.T),
    "a.T @ b": (S, lambda a, b: a.T @ b),
    "sq @ sq": (S, lambda sq: sq @ sq),
    "matrix_power": (S, lambda sq: jnp.linalg.matrix_power(sq, 3)),
    "einsum ij,i->j": (D, lambda a, w: jnp.einsum("ij,i->j", a, w)),
    "einsum ij,i->ij": (S, lambda a, w: jnp.einsum("ij,i->ij", a, w)),
    "einsum ij,ij->": (D, lambda a, b: jnp.einsum("ij,ij->", a, b)),
    "einsum ij,kj->ik": (S, lambda a, b: jnp.einsum("ij,kj->ik", a, b)),
    "einsum kij,j->ki": (D, lambda t, v: jnp.einsum("kij,j->ki", t, v)),
    "batched product": (D, lambda t, m: jnp.einsum("kij,jl->kil", t, m)),
    "tensordot": (S, lambda t, a: jnp.tensordot(t, a, ((1, 2), (0, 1)))),
    "vdot": (D, lambda a, b: jnp.vdot(a, b)),
    "inner": (S, lambda a, b: jnp.inner(a, b)),
    "kron": (S, lambda a, b: jnp.kron(a, b)),
    "outer": (S, lambda a: jnp.outer(a, jnp.array([1.0, 2.0]))),
    "vmap of product": (D, lambda a, m: jax.vmap(lambda x: a @ x, 1, 1)(m)),
}
REDUCTIONS = {
    "sum of rows": (D, lambda a: a.sum(0)),
    "sum of t": (S, lambda t: t.sum(0)),
    "mean": (D, lambda a: a.mean(1)),
    "max": (D, lambda a: a.max()),
    "max of rows": (D, lambda a: a.max(0)),
    "prod": (D, lambda a: (a + 2).prod(1)),
    "any": (D, lambda a: (a > 1).any(1)),
    "all": (D, lambda a: (a < 9).all(0)),
    "argmax": (D, lambda a: a.argmax(1)),
    "argmin": (D, lambda a: a.argmin()),
    "var": (D, lambda a: a.var()),
    "norm": (D, lambda a: jnp.linalg.norm(a)),
    "count_nonzero": (D, lambda a: jnp.count_nonzero(a, axis=0)),
    "trace": (D, lambda sq: jnp.trace(sq)),
    "cumsum": (R, lambda a: jnp.cumsum(a, 0)),
    "sort": (R, lambda a: jnp.sort(a, 1)),
    "median": (D, lambda a: jnp.median(a)),
}
SHAPE = {
    "transpose": (S, lambda a: a.T),
    "reshape": (S, lambda a: a.reshape(3, -1)),
    "ravel": (S, lambda a: a.ravel()),
    "a[None]": (S, lambda a: a[None]),
    "broadcast_to": (S, lambda a: jnp.broadcast_to(a, (2, *a.shape))),
    "concatenate": (S, lambda a, b: jnp.concatenate([a, b])),
    "concatenate dense": (S, lambda a, d: jnp.concatenate([a, d], 1)),
    "stack": (S, lambda a, b: jnp.stack([a, b])),
    "pad": (S, lambda a: jnp.pad(a, 1)),
    "roll": (S, lambda a: jnp.roll(a, 1, 0)),
    "flip": (S, lambda a: jnp.flip(a)),
    "tril": (S, lambda a: jnp.tril(a)),
    "tile": (S, lambda a: jnp.tile(a, (2, 1))),
    "repeat": (S, lambda a: jnp.repeat(a, 2, 0)),
    "diagonal": (D, lambda sq: jnp.diagonal(sq)),
    "a[1]": (S, lambda a: a[1]),
    "a[1, 2]": (D, lambda a: a[1, 2]),
    "a[:, 2]": (S, lambda a: a[:, 2]),
    "slice": (S, lambda a: a[1:4, ::2]),
    "a[i] traced": (D, lambda a, i: a[i]),
    "a[indices, indices]": (D, lambda a: a[np.array([0, 2]), np.array([1, 3])]),
    "take": (D, lambda a, i: jnp.take(a, jnp.stack([i, i + 1]), axis=0)),
    "scan carry": (S, lambda a: lax.fori_loop(0, 3, lambda _, c: 2 * c, a)),
    "cond": (S, lambda a, b, i: lax.cond(i > 0, lambda: a, lambda: b)),
    "fft": (R, lambda a: jnp.fft.fft(a)),
    "solve": (D, lambda sq, w: jnp.linalg.solve(sq, jnp.concatenate([w, w[:1]]))),
    "inv": (D, lambda sq: jnp.linalg.inv(sq)),
}
GROUPS = {
    "unary": UNARY,
    "scalar": SCALAR,
    "binary": BINARY,
    "products": PRODUCTS,
    "reductions": REDUCTIONS,
    "shape": SHAPE,
}


def _operands():
    rng = np.random.default_rng(11)

    def numbers(*shape):
        signs = rng.choice([-1.0, 1.0], shape)
        return (signs * rng.uniform(0.5, 2, shape)).astype("float32")

    def holes(*shape):
        return numbers(*shape) * (rng.random(shape) < 0.4)

    dense = {
        "a": holes(5, 6),
        "b": holes(5, 6),
        "sq": holes(6, 6) + 4 * np.eye(6, dtype="float32"),
        "t": holes(3, 5, 6),
        "d": numbers(5, 6),
        "v": numbers(6),
        "w": numbers(5),
        "m": numbers(6, 2),
        "s": np.float32(1.5),
        "i": np.int32(2),
    }
    values = {k: sparse.from_dense(dense[k]) for k in SPARSE}
    arrays = {k: jnp.asarray(x) for k, x in dense.items()}
    return {**arrays, **values}, arrays


VALUES, ARRAYS = _operands()
# What is compiled runs once.
QUICK = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}


@functools.cache
def _results(group):
    """What all expressions of a group give, sparse arrays and dense, compiled at once."""
    kept = {n: f for n, (kind, f) in GROUPS[group].items() if kind != R}
    args = {n: list(inspect.signature(f).parameters) for n, f in kept.items()}

    def run(operands):
        return {n: f(*[operands[k] for k in args[n]]) for n, f in kept.items()}

    with materialization("error"):
        got = jax.jit(quaxify(run), compiler_options=QUICK)(VALUES)
    return got, jax.jit(run, compiler_options=QUICK)(ARRAYS)


@pytest.mark.parametrize(("group", "name"), [(g, n) for g in GROUPS for n in GROUPS[g]])
def test_an_expression_is_right_and_as_sparse_as_said(group, name):
    kind, program = GROUPS[group][name]
    if kind == R:
        given = [VALUES[n] for n in inspect.signature(program).parameters]
        refused = pytest.raises(MaterializeError, match=r"would make [^$]*materialization")
        with materialization("error"), refused:
            jax.eval_shape(quaxify(program), *given)
        return
    got, want = (results[name] for results in _results(group))
    assert (S if isinstance(got, sparse.Sparse) else D) == kind
    got = materialize(got)
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5)


def _differentiable():
    """Of all expressions that give floating-point numbers: group and name."""
    for group, expressions in GROUPS.items():
        for name, (kind, f) in expressions.items():
            given = [ARRAYS[k] for k in inspect.signature(f).parameters]
            if kind != R and jnp.issubdtype(jax.eval_shape(f, *given).dtype, jnp.inexact):
                yield group, name


DIFFERENTIABLE = list(_differentiable())


@functools.cache
def _gradients(group):
    """Of a weighted sum of what each expression gives, with respect to all sparse operands."""

    def run(operands, transform):
        out = {}
        for name in (n for g, n in DIFFERENTIABLE if g == group):
            f = GROUPS[group][name][1]
            args = list(inspect.signature(f).parameters)
            fixed = [operands[k] for k in args]

            @transform
            def loss(chosen, *, f=f, args=args, fixed=fixed):
                y = f(*[chosen.get(k, x) for k, x in zip(args, fixed, strict=True)])
                weights = np.cos(np.arange(y.size, dtype="float32")).reshape(y.shape)
                return jnp.sum(y * weights)

            out[name] = jax.grad(loss)({k: operands[k] for k in args if k in SPARSE})
        return out

    with materialization("error"):
        got = jax.jit(lambda x: run(x, quaxify), compiler_options=QUICK)(VALUES)
    return got, jax.jit(lambda x: run(x, lambda f: f), compiler_options=QUICK)(ARRAYS)


@pytest.mark.parametrize(("group", "name"), DIFFERENTIABLE)
def test_the_gradient_of_an_expression_is_that_of_the_dense_program(group, name):
    got, want = (results[name] for results in _gradients(group))
    assert got.keys() == want.keys()
    for operand, gradient in got.items():
        assert isinstance(gradient, sparse.Sparse)
        assert gradient.pattern == VALUES[operand].pattern
        at_stored = want[operand][gradient.pattern.indices]
        np.testing.assert_allclose(gradient.data, at_stored, rtol=1e-4, atol=1e-4, err_msg=operand)


def test_the_table_is_as_long_as_promised_and_mostly_kept():
    kinds = [kind for group in GROUPS.values() for kind, _ in group.values()]
    assert len(kinds) == 112
    assert sum(kind != "refused" for kind in kinds) >= 112 - 17
    assert sum(kind == "sparse" for kind in kinds) >= 60
    assert len(DIFFERENTIABLE) >= 90


def test_what_is_refused_names_the_line_and_the_way_out():
    a = sparse.eye(2000)
    assert a.size > a.dense_limit
    with pytest.raises(MaterializeError, match=r"`cumsum`[^$]*test_table\.py[^$]*materialize\(x\)"):
        quaxify(lambda x: jnp.cumsum(x, axis=0))(a)


def test_a_large_sparse_program_builds_nothing_dense():
    a = sparse.random(jax.random.key(0), (100_000, 100_000), density=1e-6)

    def program(a, x):
        y = jnp.tanh(2 * a + a.T) @ x
        return (a * x[None]) @ y + a.sum(0) + a.max(1) + (a @ a).sum(1) + jnp.exp(a)[3, 5]

    report = explain(program, a, jnp.ones(100_000))
    assert not report.materialized
    compiled = jax.jit(quaxify(program)).lower(a, jnp.ones(100_000)).compile()
    memory = compiled.memory_analysis()
    assert memory.temp_size_in_bytes < 40_000_000
