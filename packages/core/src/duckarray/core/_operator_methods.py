"""The operators of an `ArrayValue`, which are those of a `jax.Array`."""

import operator
from typing import TYPE_CHECKING, Any

from ._engine import engine


class ArrayOperators:
    """Operators of arrays."""

    def __add__(self, other: Any) -> Any:
        return engine.binary(operator.add, self, other)

    def __radd__(self, other: Any) -> Any:
        return engine.binary(operator.add, other, self)

    def __sub__(self, other: Any) -> Any:
        return engine.binary(operator.sub, self, other)

    def __rsub__(self, other: Any) -> Any:
        return engine.binary(operator.sub, other, self)

    def __mul__(self, other: Any) -> Any:
        return engine.binary(operator.mul, self, other)

    def __rmul__(self, other: Any) -> Any:
        return engine.binary(operator.mul, other, self)

    def __truediv__(self, other: Any) -> Any:
        return engine.binary(operator.truediv, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return engine.binary(operator.truediv, other, self)

    def __floordiv__(self, other: Any) -> Any:
        return engine.binary(operator.floordiv, self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return engine.binary(operator.floordiv, other, self)

    def __mod__(self, other: Any) -> Any:
        return engine.binary(operator.mod, self, other)

    def __rmod__(self, other: Any) -> Any:
        return engine.binary(operator.mod, other, self)

    def __divmod__(self, other: Any) -> Any:
        return engine.binary(divmod, self, other)

    def __rdivmod__(self, other: Any) -> Any:
        return engine.binary(divmod, other, self)

    def __pow__(self, other: Any) -> Any:
        return engine.binary(operator.pow, self, other)

    def __rpow__(self, other: Any) -> Any:
        return engine.binary(operator.pow, other, self)

    def __matmul__(self, other: Any) -> Any:
        return engine.binary(operator.matmul, self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return engine.binary(operator.matmul, other, self)

    def __and__(self, other: Any) -> Any:
        return engine.binary(operator.and_, self, other)

    def __rand__(self, other: Any) -> Any:
        return engine.binary(operator.and_, other, self)

    def __or__(self, other: Any) -> Any:
        return engine.binary(operator.or_, self, other)

    def __ror__(self, other: Any) -> Any:
        return engine.binary(operator.or_, other, self)

    def __xor__(self, other: Any) -> Any:
        return engine.binary(operator.xor, self, other)

    def __rxor__(self, other: Any) -> Any:
        return engine.binary(operator.xor, other, self)

    def __lshift__(self, other: Any) -> Any:
        return engine.binary(operator.lshift, self, other)

    def __rlshift__(self, other: Any) -> Any:
        return engine.binary(operator.lshift, other, self)

    def __rshift__(self, other: Any) -> Any:
        return engine.binary(operator.rshift, self, other)

    def __rrshift__(self, other: Any) -> Any:
        return engine.binary(operator.rshift, other, self)

    def __lt__(self, other: Any) -> Any:
        return engine.binary(operator.lt, self, other)

    def __le__(self, other: Any) -> Any:
        return engine.binary(operator.le, self, other)

    def __gt__(self, other: Any) -> Any:
        return engine.binary(operator.gt, self, other)

    def __ge__(self, other: Any) -> Any:
        return engine.binary(operator.ge, self, other)

    def __eq__(self, other: object) -> Any:
        return engine.binary(operator.eq, self, other)

    def __ne__(self, other: object) -> Any:
        return engine.binary(operator.ne, self, other)

    if not TYPE_CHECKING:  # type checkers would refuse a base that is hashed
        __hash__ = None  # as of arrays, since equality is entry by entry

    def __neg__(self) -> Any:
        return engine.unary(operator.neg, self)

    def __pos__(self) -> Any:
        return engine.unary(operator.pos, self)

    def __abs__(self) -> Any:
        return engine.unary(operator.abs, self)

    def __invert__(self) -> Any:
        return engine.unary(operator.invert, self)

    def __round__(self, ndigits: int | None = None) -> Any:
        return engine.unary(engine.method("__round__", ndigits), self)
