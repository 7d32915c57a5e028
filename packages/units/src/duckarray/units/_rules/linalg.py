"""Factorisations and solves: what has the unit of the matrix, and what has none."""

from collections.abc import Sequence
from typing import Any

import jax
from jax import lax
from jax.extend.core import Primitive, jaxpr_as_fun

from duckarray.core import bind, quaxify, register
from duckarray.core.extend import densify
from duckarray.units._convert import convert
from duckarray.units._unit import ONE, Unit, inverse, quotient, square_root
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


@for_several("geqrf", "geqp3")
def _packed_qr(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """A = Q R: R is in the unit; the reflections packed below it are plain numbers."""
    x, *places = values
    packed, *others = bind(primitive, bare(x), *map(bare, places), **params)
    return [make(packed, linear(x, primitive)), *others]


@for_several("householder_product")
def _reflections(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """Q of packed reflections is plain numbers, whatever R is in."""
    return bind(primitive, *map(bare, values), **params)


@for_several("ormqr")
def _times_reflections(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """Q C is in the unit of C."""
    out = bind(primitive, *map(bare, values), **params)
    c = values[-1]
    return make(out, linear(c, primitive)) if isinstance(c, Quantity) else out


@for_several("custom_linear_solve")
def _linear_solve(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
    """Each of the four functions runs on quantities; what is solved for, on their numbers.

    The unit of the solution is that which `solve` gives. Cotangents are so much per unit.
    """
    jaxprs, counts = params["jaxprs"], params["const_lengths"]
    consts, start = {}, 0
    for name, count in zip(counts._fields, counts, strict=True):
        consts[name] = list(values[start : start + count])
        start += count
    # Numbers that are stored otherwise are made dense, as core does with right-hand sides.
    dense = [densify(bare(x), primitive, values) for x in values[start:]]
    right = [
        make(x, y.unit) if isinstance(y, Quantity) else x
        for x, y in zip(dense, values[start:], strict=True)
    ]

    def run(name: str, arguments: Sequence[Any]) -> list[Any]:
        out = quaxify(jaxpr_as_fun(getattr(jaxprs, name)))(*consts[name], *arguments)
        return list(out)

    units_right = list(map(unit_of_operand, right))
    examples = jax.eval_shape(lambda b: run("solve", b), list(right))
    units = list(map(unit_of_operand, examples))

    def numbers(xs: Sequence[Any], targets: Sequence[Unit]) -> list[Any]:
        pairs = zip(xs, targets, strict=True)
        dense = [(densify(bare(x), primitive), unit_of_operand(x), t) for x, t in pairs]
        return [convert(x, unit, t, "linear_solve") for x, unit, t in dense]

    def labelled(xs: Sequence[Any], targets: Sequence[Unit]) -> list[Any]:
        return [make(x, t) if t is not ONE else x for x, t in zip(xs, targets, strict=True)]

    def matvec(x: Sequence[Any]) -> list[Any]:
        return numbers(run("matvec", labelled(x, units)), units_right)

    def solve(_: Any, b: Sequence[Any]) -> list[Any]:
        return numbers(run("solve", labelled(b, units_right)), units)

    def transposed(_: Any, b: Sequence[Any]) -> list[Any]:
        per_unit = labelled(b, list(map(inverse, units)))
        return numbers(run("transpose_solve", per_unit), list(map(inverse, units_right)))

    out = lax.custom_linear_solve(
        matvec,
        dense,
        solve,
        None if jaxprs.transpose_solve is None else transposed,
        symmetric=jaxprs.transpose_solve is not None and jaxprs.transpose_solve is jaxprs.solve,
    )
    return labelled(out, units)
