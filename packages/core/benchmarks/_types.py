"""A thin wrapper of an array, as a type of this package and as one of Quax if that is installed."""

from collections.abc import Callable
from typing import Any

import jax
from jax.extend.core import Primitive, primitives
from jax.typing import ArrayLike

from duckarray.core import ArrayValue, bind, register

_UNARY = (primitives.neg_p, primitives.sin_p, primitives.exp_p, primitives.tanh_p)
_BINARY = (primitives.add_p, primitives.mul_p, primitives.sub_p, primitives.max_p)


class Wrapper(ArrayValue):
    """Does what its array does."""

    array: jax.Array

    def materialize(self) -> jax.Array:
        return self.array

    def aval(self) -> Any:
        return jax.typeof(self.array)


@register(*_UNARY)
def _unary_wrapper(x: Wrapper, *, primitive: Primitive, **params: Any) -> Wrapper:
    return Wrapper(bind(primitive, x.array, **params))


@register(*_BINARY)
def _binary_wrapper_wrapper(
    x: Wrapper, y: Wrapper, *, primitive: Primitive, **params: Any
) -> Wrapper:
    return Wrapper(bind(primitive, x.array, y.array, **params))


@register(*_BINARY, commutative=True)
def _binary_wrapper_dense(
    x: Wrapper, y: ArrayLike, *, primitive: Primitive, **params: Any
) -> Wrapper:
    return Wrapper(bind(primitive, x.array, y, **params))


@register(primitives.lt_p)
def _lt_wrapper_wrapper(x: Wrapper, y: Wrapper, **params: Any) -> jax.Array:
    less: jax.Array = bind(primitives.lt_p, x.array, y.array, **params)
    return less


def quax_wrapper() -> tuple[Callable[..., Any], Callable[..., Any]] | None:
    """Quax's `quaxify` and the same type written for it, or None."""
    try:
        import quax
    except ImportError:
        return None

    class QuaxWrapper(quax.ArrayValue):
        array: jax.Array

        def materialise(self) -> jax.Array:
            return self.array

        def materialize(self) -> jax.Array:
            return self.array

        def aval(self) -> Any:
            return jax.core.ShapedArray(self.array.shape, self.array.dtype)

    def add_unary(primitive: Primitive) -> None:
        @quax.register(primitive)
        def _(x: QuaxWrapper, **params: Any) -> Any:
            return QuaxWrapper(primitive.bind(x.array, **params))

    def add_binary(primitive: Primitive) -> None:
        @quax.register(primitive)
        def _(x: QuaxWrapper, y: QuaxWrapper, **params: Any) -> Any:
            return QuaxWrapper(primitive.bind(x.array, y.array, **params))

        @quax.register(primitive)
        def _(x: QuaxWrapper, y: ArrayLike, **params: Any) -> Any:
            return QuaxWrapper(primitive.bind(x.array, y, **params))

        @quax.register(primitive)
        def _(x: ArrayLike, y: QuaxWrapper, **params: Any) -> Any:
            return QuaxWrapper(primitive.bind(x, y.array, **params))

    @quax.register(primitives.lt_p)
    def _(x: QuaxWrapper, y: QuaxWrapper, **params: Any) -> Any:
        return primitives.lt_p.bind(x.array, y.array, **params)

    for primitive in _UNARY:
        add_unary(primitive)
    for primitive in _BINARY:
        add_binary(primitive)
    return quax.quaxify, QuaxWrapper
