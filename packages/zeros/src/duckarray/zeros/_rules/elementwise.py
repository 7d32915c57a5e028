"""Operations on each entry: of constants, a constant, found by the primitive itself."""

from typing import Any

from jax.extend.core import Primitive
from jax.typing import ArrayLike

from duckarray.core import Value, bind, families, register
from duckarray.core.extend import densify
from duckarray.zeros._number import Number
from duckarray.zeros._value import Full

from ._constant import (
    NotFull,
    as_operand,
    constant_of,
    has_value,
    of_constants,
    same_constant,
)
from ._identity import with_identity
from ._result import abstract_result, results, same_as, varying_alike


@register(*families.elementwise_unary)
def _unary_full(x: Full, *, primitive: Primitive, **params: Any) -> Any:
    """f(c), once."""
    return of_constants(primitive, [x], params)


@register("bitcast_convert_type")
def _bitcast_full(x: Full, *, primitive: Primitive, **params: Any) -> Any:
    """The bits of c as another type, unless that takes several numbers, or gives different ones."""
    narrower = abstract_result(primitive, [x], params).ndim >= x.ndim
    return of_constants(primitive, [x], params) if narrower else NotImplemented


@register(*families.elementwise_binary)
def _binary_full_full(x: Full, y: Full, *, primitive: Primitive, **params: Any) -> Any:
    """f(c, d), once."""
    if x.number is None or y.number is None:
        out = with_identity(primitive, x, y, params)
        if out is not NotImplemented:
            return out
    return of_constants(primitive, [x, y], params)


@register(*families.elementwise_binary)
def _binary_full_any(x: Full, y: NotFull, *, primitive: Primitive, **params: Any) -> Any:
    """f(c, y): a constant if c absorbs y, y itself if c is neutral, else of the number c."""
    return _binary(primitive, x, y, params)


@register(*families.elementwise_binary)
def _binary_any_full(x: NotFull, y: Full, *, primitive: Primitive, **params: Any) -> Any:
    """f(x, d): the same from the other side."""
    return _binary(primitive, x, y, params)


def _binary(primitive: Primitive, x: Any, y: Any, params: dict[str, Any]) -> Any:
    out = with_identity(primitive, x, y, params)
    if out is NotImplemented:
        out = of_constants(primitive, [x, y], params)
    if out is not NotImplemented or primitive.name == "add_any":  # which takes equal shapes only
        return out
    full, other = (x, y) if isinstance(x, Full) else (y, x)
    if constant_of(full) is None:
        return NotImplemented
    wanted = abstract_result(primitive, [x, y], params)
    if tuple(wanted.shape) != tuple(getattr(other, "shape", ())):
        return NotImplemented
    divides = primitive.name in ("div", "rem")
    if isinstance(other, Value) and divides and full is y and has_value(y, 0):
        # Types divide by a number part by part, which is wrong for zero: all entries change.
        other = densify(other, primitive, [x, y])
        x = other
    operands: Any = [as_operand(z) if z is full else z for z in (x, y)]
    if isinstance(other, Value):
        return bind(primitive, *operands, **params)
    return primitive.bind(*varying_alike(operands), **params)


@register("clamp", "regularized_incomplete_beta")
def _ternary_full(
    x: Full | ArrayLike,
    y: Full | ArrayLike,
    z: Full | ArrayLike,
    *,
    primitive: Primitive,
    **params: Any,
) -> Any:
    """f(c, d, e), once; bounds without axes serve for all entries."""
    out = of_constants(primitive, [x, y, z], params)
    if out is not NotImplemented or primitive.name != "clamp" or isinstance(y, Full):
        return out
    if any(isinstance(b, Full) and constant_of(b) is None for b in (x, z)):
        return NotImplemented
    low, high = (as_operand(b) if isinstance(b, Full) else b for b in (x, z))
    return primitive.bind(*varying_alike([low, y, high]), **params)


@register("select_n")
def _select_n_full(
    which: Full | ArrayLike, *cases: Full | ArrayLike, primitive: Primitive, **params: Any
) -> Any:
    """A case, where the choice is a constant or all cases are; else no constant."""
    return _select(primitive, which, cases, params)


@register("select_n", precedence=1)
def _select_n_known(which: Full, *cases: object, primitive: Primitive, **params: Any) -> Any:
    """A case of any type, where the choice is a constant."""
    return _select(primitive, which, cases, params)


def _select(primitive: Primitive, which: Any, cases: Any, params: dict[str, Any]) -> Any:
    operands = [which, *cases]
    constants = list(map(constant_of, cases))
    if all(same_constant(constants[0], c) for c in constants):
        return results(primitive, operands, params, constants[0])
    choice = constant_of(which)
    if isinstance(choice, Number):
        case, constant = (parts[int(choice.item)] for parts in (cases, constants))
        if constant is not None:
            return results(primitive, operands, params, constant)
        return same_as(case, primitive, operands, params)
    return of_constants(primitive, operands, params)
