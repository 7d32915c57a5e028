"""Linear systems: factorised on the host by SuperLU, or solved iteratively by lineax."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from duckarray.core import ArrayValue, materialize, quaxify
from duckarray.core.extend import densify

from . import _superlu
from ._dynamic import DynamicPattern
from ._fill import Constant, is_zero
from ._pattern import Pattern
from ._structure import absorb
from ._value import Sparse, unchecked

_NOT_SPARSE = """`{name}(a)` takes a `Sparse` matrix, but got {got}.
Make one of it: `sparse.from_dense(a)`, or use `jnp.linalg` for a dense one."""

_NOT_SQUARE = """`{name}(a)` takes a square matrix of fill zero, but got {got}.
{advice}"""

_MISSING = """`{function}` needs lineax, which is not installed.
Install it: `pip install "duckarray-sparse[lineax]"`."""

_RHS = """`solve` of a matrix of shape {a} and a right-hand side of shape {b}.
Pass a vector `({n},)`, or one for each column of a matrix `({n}, k)`."""


class Factor:
    """The LU factors of a sparse matrix, made once and used for many right-hand sides.

    They live on the host, in a table of the most recent ones, and are found there by a hash of the
    numbers of the matrix: solving with the same matrix again, or with its transpose in a gradient,
    factorises nothing. Made by `factor`.

    Args:
        data: the stored entries of the matrix, `[nnz]`.
        pattern: their places in it, `[n, n]`.

    Raises:
        ValueError: by `solve`, if the right-hand side does not have `n` rows.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.sparse import diags, factor
        >>> f = factor(diags([[-1.0], [2.0], [-1.0]], [-1, 0, 1], (3, 3)))
        >>> [round(float(x), 5) for x in f.solve(jnp.array([1.0, 0.0, 1.0]))]
        [1.0, 1.0, 1.0]
        >>> round(float(jnp.exp(f.logdet())), 4)  # the determinant
        4.0
    """

    def __init__(self, data: Any, pattern: Pattern) -> None:
        self.data, self.pattern = data, pattern
        self.token = jax.pure_callback(
            functools.partial(_superlu.factorise, pattern),
            jax.ShapeDtypeStruct((*data.shape[:-1], 2), jnp.uint32),
            lax.stop_gradient(data),
            vmap_method="sequential",
        )

    def solve(self, b: Any) -> Any:
        """`x` such that `a @ x = b`; differentiable with respect to both.

        Args:
            b: a vector `[n]`, or columns `[n, k]`.

        Raises:
            ValueError: if `b` has another number of rows than the matrix.
        """
        b = materialize(b) if isinstance(b, ArrayValue) else jnp.asarray(b)
        n = self.pattern.shape[0]
        if b.ndim not in (1, 2) or b.shape[0] != n:
            raise ValueError(_RHS.format(a=self.pattern.shape, b=b.shape, n=n))
        dtype = jnp.result_type(self.data.dtype, b.dtype)
        if dtype.kind == "c" and self.data.dtype.kind != "c":  # the factors serve both parts
            both = self.solve(jnp.stack([b.real, b.imag], -1).reshape(n, -1))
            return lax.complex(both[:, ::2], both[:, 1::2]).reshape(b.shape)
        if dtype != self.data.dtype:  # more digits are asked for than these factors have
            return Factor(self.data.astype(dtype), self.pattern).solve(b)
        data, b = self.data, b.astype(dtype)
        a = unchecked(data, self.pattern, Constant.of(0, dtype))
        fixed = lax.stop_gradient(data)
        solve = functools.partial(_call, self.pattern, self.token, fixed, False)
        transposed = functools.partial(_call, self.pattern, self.token, fixed, True)
        out = lax.custom_linear_solve(
            lambda x: quaxify(jnp.matmul)(a, x),
            b,
            lambda _, x: solve(x),
            lambda _, x: transposed(x),
        )
        return out

    def logdet(self) -> Any:
        """The logarithm of the absolute value of the determinant.

        Its derivative needs the entries of the inverse at the stored places, which cost a solve
        for each column; its second derivative all of the inverse, which is made dense, as the
        materialization policy permits.
        """
        return self.slogdet()[1]

    def slogdet(self) -> tuple[Any, Any]:
        """The sign of the determinant, and the logarithm of its absolute value."""
        sign, value = _slogdet(self.pattern, self.data)
        return lax.stop_gradient(sign), value


jax.tree_util.register_pytree_node(
    Factor,
    lambda f: ((f.data, f.token), f.pattern),
    lambda pattern, children: _restored(pattern, *children),
)


def _restored(pattern: Pattern, data: Any, token: Any) -> Factor:
    self = object.__new__(Factor)
    self.data, self.token, self.pattern = data, token, pattern
    return self


def factor(a: Sparse) -> Factor:
    """Factorises a square sparse matrix by SuperLU, on the host.

    Works under `jit`, `grad` and `vmap`, through callbacks; in single and double precision, real
    and complex. A singular matrix gives solutions of NaN, as others of JAX do.

    Raises:
        TypeError: if `a` is no `Sparse` array.
        ValueError: if it is not square, or its fill is not zero.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.sparse import eye, factor
        >>> f = factor(2 * eye(2))
        >>> jax.vmap(f.solve)(jnp.array([[2.0, 4.0], [6.0, 8.0]]))
        Array([[1., 2.],
               [3., 4.]], dtype=float32)
    """
    a = _square(a, "factor")
    with jax.numpy_dtype_promotion("standard"):  # ours: of half precision there are no factors
        dtype = jnp.promote_types(a.dtype, jnp.float32)
    return Factor(a.data.astype(dtype), a.pattern)


def solve(a: Sparse, b: Any, *, solver: Any = None) -> Any:
    """`x` such that `a @ x = b`.

    Args:
        a: a square sparse matrix, `[n, n]`.
        b: a vector `[n]`, or columns `[n, k]`.
        solver: an iterative solver of lineax, such as `lineax.GMRES(rtol=1e-5, atol=1e-5)`; lineax
            has to be installed. By default the matrix is factorised.

    Raises:
        TypeError: if `a` is no `Sparse` array.
        ValueError: if shapes do not fit together.
        ImportError: if a solver is given and lineax is not installed.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.sparse import eye, solve
        >>> solve(2 * eye(2), jnp.array([2.0, 4.0]))
        Array([1., 2.], dtype=float32)
    """
    if solver is None:
        return factor(a).solve(b)
    a = _square(a, "solve")
    b = jnp.asarray(b)
    if b.ndim not in (1, 2) or b.shape[0] != a.shape[0]:
        raise ValueError(_RHS.format(a=a.shape, b=b.shape, n=a.shape[0]))
    lineax = _lineax("solve(a, b, solver=...)")
    operator = as_linear_operator(a, positive=isinstance(solver, lineax.CG))

    def one(column: Any) -> Any:
        return lineax.linear_solve(operator, column, solver).value

    return one(b) if b.ndim == 1 else jax.vmap(one, in_axes=1, out_axes=1)(b)


def as_linear_operator(a: Sparse, *, positive: bool = False) -> Any:
    """A sparse matrix as an operator of lineax, whose products stay sparse.

    Args:
        a: a matrix, `[m, n]`.
        positive: whether to tag it positive semidefinite, which is not checked.

    Raises:
        ImportError: if lineax is not installed.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.sparse import as_linear_operator, eye
        >>> as_linear_operator(eye(2)).mv(jnp.array([1.0, 2.0]))
        Array([1., 2.], dtype=float32)
    """
    lineax = _lineax("as_linear_operator")
    a = absorb(a)
    struct = jax.ShapeDtypeStruct((a.shape[1],), a.dtype)
    tags = [lineax.positive_semidefinite_tag] if positive else []
    return lineax.FunctionLinearOperator(lambda x: quaxify(jnp.matmul)(a, x), struct, tags)


def _lineax(function: str) -> Any:
    try:
        import lineax  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError as error:
        raise ImportError(_MISSING.format(function=function)) from error
    return lineax


def _square(a: Any, name: str) -> Sparse:
    if not isinstance(a, Sparse):
        raise TypeError(_NOT_SPARSE.format(name=name, got=f"a `{type(a).__name__}`"))
    advice = "Add rows or columns, or solve `a.T @ a` for least squares."
    if isinstance(a.pattern, DynamicPattern) or not is_zero(a.fill_constant):
        advice = "Make it one with a `Pattern`: `sparse.from_dense(a.to_dense())`."
    elif a.ndim == 2 and a.shape[0] == a.shape[1]:
        return absorb(a)
    raise ValueError(_NOT_SQUARE.format(name=name, got=repr(a).split("\n")[0], advice=advice))


def _call(pattern: Pattern, token: Any, data: Any, transposed: bool, b: Any) -> Any:
    return jax.pure_callback(
        functools.partial(_superlu.solve, pattern, transposed),
        jax.ShapeDtypeStruct(b.shape, b.dtype),
        token,
        data,
        b,
        vmap_method="expand_dims",
    )


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _slogdet(pattern: Pattern, data: Any) -> Any:
    real = jnp.zeros((), data.dtype).real.dtype
    return jax.pure_callback(
        functools.partial(_superlu.slogdet, pattern),
        (jax.ShapeDtypeStruct((), data.dtype), jax.ShapeDtypeStruct((), real)),
        data,
        vmap_method="sequential",
    )


@_slogdet.defjvp
def _slogdet_jvp(pattern: Pattern, primals: Any, tangents: Any) -> Any:
    """`d log |det a| = Re trace(a⁻¹ da)`, of which the stored places of `da` count."""
    (data,), (tangent,) = primals, tangents
    sign, value = _slogdet(pattern, data)
    inverse = _inverse_entries(pattern, data)
    return (sign, value), (jnp.zeros_like(sign), jnp.sum(inverse * tangent).real)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _inverse_entries(pattern: Pattern, data: Any) -> Any:
    return jax.pure_callback(
        functools.partial(_superlu.inverse_entries, pattern),
        jax.ShapeDtypeStruct(data.shape, data.dtype),
        data,
        vmap_method="sequential",
    )


@_inverse_entries.defjvp
def _inverse_entries_jvp(pattern: Pattern, primals: Any, tangents: Any) -> Any:
    """`d a⁻¹ = -a⁻¹ da a⁻¹`, which has a use for all of the inverse: it is made dense."""
    (data,), (tangent,) = primals, tangents
    zero = Constant.of(0, data.dtype)
    dense = densify(unchecked(data, pattern, zero), "second derivative of a determinant")
    inverse = jnp.linalg.inv(dense)
    rows, cols = pattern.indices
    change = inverse @ quaxify(jnp.matmul)(unchecked(tangent, pattern, zero), inverse)
    return _inverse_entries(pattern, data), -change[cols, rows]
