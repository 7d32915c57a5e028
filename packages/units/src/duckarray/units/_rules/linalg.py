"""Factorisations and solves: what has the unit of the matrix, and what has none."""

from collections.abc import Sequence
from typing import Any

from jax.extend.core import Primitive

from duckarray.core import bind, register
from duckarray.units._unit import ONE, Unit, quotient, square_root
from duckarray.units._value import Quantity, make

from ._common import align, bare, for_several, linear, unit_of_operand


def _labelled(outs: Any, units: Sequence[Unit | None]) -> Any:
    """Results with their units; None for one that has none."""
    if not isinstance(outs, list | tuple):
        return outs if units[0] is None else make(outs, units[0])
    pairs = zip(outs, units, strict=True)
    return [y if unit is None else make(y, unit) for y, unit in pairs]


@register("cholesky")
def _cholesky_quantity(x: Quantity, **params: Any) -> Any:
    """A = L Lᵀ: L is in the square root of the unit."""
    unit = square_root(linear(x, "cholesky"))
    return make(bind("cholesky", x.value, **params), unit)


@for_several("cholesky_update")
def _cholesky_update(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """Rᵀ R + w wᵀ: both are in one unit."""
    (r, w), unit = align(primitive, values)
    return _labelled(bind(primitive, r, w, **params), (unit, unit))


@for_several("triangular_solve")
def _triangular_solve(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """A X = B: X is in the unit of B by that of A.

    With ones on the diagonal, A is the part of an LU factorisation that has no unit.
    """
    a, b = values
    unit_a = ONE if params["unit_diagonal"] else unit_of_operand(a)
    out = bind(primitive, bare(a), bare(b), **params)
    return make(out, quotient(unit_of_operand(b), unit_a))


@for_several("tridiagonal_solve")
def _tridiagonal_solve(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """The diagonals are in one unit."""
    *diagonals, b = values
    if any(isinstance(d, Quantity) for d in diagonals):
        diagonals, unit = align(primitive, diagonals)
    else:
        unit = ONE
    out = bind(primitive, *diagonals, bare(b), **params)
    return make(out, quotient(unit_of_operand(b), unit))


@for_several("lu")
def _lu(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """P A = L U: U is in the unit; L, packed below the same diagonal, is plain numbers."""
    (x,) = values
    lu, *permutations = bind(primitive, x.value, **params)
    return [make(lu, linear(x, primitive)), *permutations]


@for_several("eigh")
def _eigh(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """A V = V diag(w): w is in the unit of A."""
    (x,) = values
    vectors, w = bind(primitive, x.value, **params)
    return [vectors, make(w, linear(x, primitive))]


@for_several("eig", "svd", "schur")
def _spectrum_first(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """Eigenvalues, singular values, or the triangular factor, and plain orthogonal matrices."""
    (x,) = values
    first, *vectors = bind(primitive, x.value, **params)
    return [make(first, linear(x, primitive)), *vectors]


@for_several("qr")
def _qr(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """A = Q R: R is in the unit."""
    (x,) = values
    q, r, *pivots = bind(primitive, x.value, **params)
    return [q, make(r, linear(x, primitive)), *pivots]
