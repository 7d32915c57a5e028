"""The one way in which a primitive meets names: the array as ever, names by the table."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from jax.extend.core import Primitive

from duckarray.core import bind, families, register
from duckarray.named._names import Dims
from duckarray.named._value import NamedArray, common_gone, make


class Call(NamedTuple):
    """A primitive about to be applied."""

    operands: Sequence[Any]
    """Arrays, without names."""

    dims: list[Dims]
    """The names of each operand; None for each axis of an array that has none."""

    params: dict[str, Any]

    def shape(self, i: int = 0) -> tuple[int, ...]:
        """The shape of an operand."""
        return tuple(getattr(self.operands[i], "shape", ()))


Naming = Callable[[Call], Dims | Sequence[Dims] | None]
"""The names of the result, of each of several results, or None where it is to have none."""

table: dict[str, Naming] = {}
"""For the name of a primitive, what the axes of its results are called."""


_members = [member for member in vars(families).values() if isinstance(member, tuple)]
EXISTING = {str(primitive): primitive for member in _members for primitive in member}
"""The primitives in the families of core, which are all that this JAX has, by name."""


def names(*primitives: Primitive | str) -> Callable[[Naming], Naming]:
    """Enters a function in the table and registers the rules of those primitives that there are."""

    def decorate(naming: Naming) -> Naming:
        for primitive in (EXISTING[str(p)] for p in primitives if str(p) in EXISTING):
            table[str(primitive)] = naming
            register(primitive)(_named)
            register(primitive)(_named_any)
            register(primitive)(_any_named)
            register(primitive)(_named_named)
            register(primitive)(_named_several)
        return naming

    return decorate


def _named(x: NamedArray, *, primitive: Primitive, **params: Any) -> Any:
    return apply(primitive, [x], params)


def _named_any(x: NamedArray, y: object, *, primitive: Primitive, **params: Any) -> Any:
    return apply(primitive, [x, y], params)


def _any_named(x: object, y: NamedArray, *, primitive: Primitive, **params: Any) -> Any:
    return apply(primitive, [x, y], params)


def _named_named(x: NamedArray, y: NamedArray, *, primitive: Primitive, **params: Any) -> Any:
    return apply(primitive, [x, y], params)


def _named_several(
    x: NamedArray, y: object, z: object, *more: object, primitive: Primitive, **params: Any
) -> Any:
    return apply(primitive, [x, y, z, *more], params)


def apply(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    """Applies a primitive to the arrays and names the results.

    It is the `default` of `NamedArray` too: of several operands any one may have names.
    """
    naming = table.get(primitive.name)
    if naming is None:
        return NotImplemented
    named = [x for x in operands if isinstance(x, NamedArray)]
    arrays = [x.array if isinstance(x, NamedArray) else x for x in operands]
    every = [
        x.dims if isinstance(x, NamedArray) else (None,) * len(getattr(x, "shape", ()))
        for x in operands
    ]
    found: Any = naming(Call(arrays, every, params))
    out = bind(primitive, *arrays, **params)
    if found is None:
        return out
    gone = common_gone(named)
    if not primitive.multiple_results:
        return _result(out, found, gone)
    if found and not isinstance(found[0], tuple):
        found = [found] * len(out)
    return [_result(x, dims, gone) for x, dims in zip(out, found, strict=True)]


def _result(array: Any, dims: Dims | None, gone: Any) -> Any:
    """An array without axes needs no names, unless `vmap` will give it one."""
    return make(array, dims, gone) if dims or (gone and dims is not None) else array


NamedArray.default = staticmethod(apply)  # type: ignore[method-assign, assignment]
