"""A function of quantities as one of numbers, and its results and derivatives as quantities."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import tree_util as jtu

from duckarray.core import quaxify, value_of

from ._convert import convert
from ._unit import ONE, Unit, difference, quotient
from ._value import Quantity, make

_STRUCTURE = """`{function}`: the {what} have another structure than the {others}: {got} and \
{expected}.
Give one for each."""

_NOT_SCALAR = """`{function}` is for a function that returns one number, but got {got}.
Use `u.jacfwd` for several, or sum them."""


class Call:
    """A function of quantities as a function of numbers, and the units that go with it."""

    def __init__(
        self, fun: Callable[..., Any], args: Sequence[Any], kwargs: Any, has_aux: bool
    ) -> None:
        self.args, self._kwargs = jtu.tree_map(
            value_of, (tuple(args), dict(kwargs)), is_leaf=_is_quantity
        )
        self._fun, self._has_aux = quaxify(fun), has_aux
        self.numbers = tuple(jtu.tree_map(_bare, self.args, is_leaf=_is_quantity))
        self.out_units: list[Unit] = []
        self._is_quantity: list[bool] = []
        self._structure: Any = None
        self._aux: Any = None

    def outputs(self, *numbers: Any) -> tuple[list[Any], list[Any]]:
        """The numbers that the function returns, and leaves of what it returns besides."""
        args = [_relabel(x, n) for x, n in zip(self.args, numbers, strict=True)]
        out = self._fun(*args, **self._kwargs)
        out, aux = out if self._has_aux else (out, None)
        leaves, self._structure = jtu.tree_flatten(out, is_leaf=_is_quantity)
        self.out_units = list(map(unit_of_leaf, leaves))
        self._is_quantity = list(map(_is_quantity, leaves))
        arrays, self._aux = jtu.tree_flatten(aux)
        return list(map(_bare, leaves)), arrays

    def scalar(self, *numbers: Any) -> tuple[Any, list[Any]]:
        """The number that the function returns."""
        outs, aux = self.outputs(*numbers)
        if len(outs) != 1:
            raise TypeError(_NOT_SCALAR.format(function="grad", got=f"{len(outs)} results"))
        return outs[0], aux

    def labelled(self, numbers: Sequence[Any]) -> list[Any]:
        """Results with their units."""
        parts = zip(numbers, self.out_units, self._is_quantity, strict=True)
        return [labelled_as(n, unit, is_quantity) for n, unit, is_quantity in parts]

    def structured(self, leaves: Sequence[Any]) -> Any:
        """Leaves in the structure of what the function returns."""
        return jtu.tree_unflatten(self._structure, leaves)

    def aux(self, leaves: Sequence[Any]) -> Any:
        """What the function returns besides."""
        return jtu.tree_unflatten(self._aux, leaves)


def jacobian(
    transform: Callable[..., Any],
    fun: Callable[..., Any],
    argnums: int | Sequence[int],
    has_aux: bool,
) -> Callable[..., Any]:
    def differentiated(*args: Any, **kwargs: Any) -> Any:
        call = Call(fun, args, kwargs, has_aux)
        blocks, aux = transform(call.outputs, as_tuple(argnums), has_aux=True)(*call.numbers)
        outs = []
        for row, unit in zip(blocks, call.out_units, strict=True):
            found = [
                per(call.args[i], block, unit)
                for i, block in zip(as_tuple(argnums), row, strict=True)
            ]
            outs.append(found[0] if isinstance(argnums, int) else tuple(found))
        out = call.structured(outs)
        return (out, call.aux(aux)) if has_aux else out

    return differentiated


def per(argument: Any, derivative: Any, unit: Unit) -> Any:
    """Derivatives with respect to each part of an argument, in `unit` by the unit of the part."""

    def label(x: Any, d: Any) -> Any:
        return labelled_as(
            d, quotient(difference(unit), difference(unit_of_leaf(x))), _is_quantity(x)
        )

    return _map_parts(label, argument, derivative)


def per_two(
    args: Sequence[Any], i: int, argnums: tuple[int, ...], row: Any, unit: Unit
) -> list[Any]:
    """For each argument the second derivatives with respect to argument `i` and to it."""
    found = []
    for position, j in enumerate(argnums):

        def label(x: Any, blocks: Any, position: int = position, j: int = j) -> Any:
            first = quotient(difference(unit), difference(unit_of_leaf(x)))
            out = per(args[j], blocks[position], first)
            if _is_quantity(x):
                return jtu.tree_map(
                    lambda b: b if _is_quantity(b) else make(b, first), out, is_leaf=_is_quantity
                )
            return out

        found.append(_map_parts(label, args[i], row))
    return found


def _map_parts(label: Callable[[Any, Any], Any], argument: Any, derivative: Any) -> Any:
    """`label` of each part of an argument and what stands at its place in a derivative."""
    structure: Any
    bare: Any
    parts, structure = jtu.tree_flatten(argument, is_leaf=_is_quantity)
    bare = jtu.tree_structure(jtu.tree_map(lambda _: 0, argument, is_leaf=_is_quantity))
    blocks = bare.flatten_up_to(derivative)
    return structure.unflatten([label(x, d) for x, d in zip(parts, blocks, strict=True)])


def only_asked(found: list[Any], argnums: int | Sequence[int]) -> Any:
    if isinstance(argnums, int):
        return found[0][0]
    return tuple(tuple(row) for row in found)


def as_tuple(argnums: int | Sequence[int]) -> tuple[int, ...]:
    return (argnums,) if isinstance(argnums, int) else tuple(argnums)


def _is_quantity(x: Any) -> bool:
    return isinstance(x, Quantity)


def unit_of_leaf(x: Any) -> Unit:
    return x.unit if isinstance(x, Quantity) else ONE


def _bare(x: Any) -> Any:
    return x.value if isinstance(x, Quantity) else x


def labelled_as(x: Any, unit: Unit, is_quantity: bool) -> Any:
    return make(x, unit) if is_quantity or unit is not ONE else x


def _relabel(like: Any, numbers: Any) -> Any:
    return _map_parts(lambda x, n: make(n, x.unit) if _is_quantity(x) else n, like, numbers)


def leaves_of(tree: Any) -> list[Any]:
    return [value_of(x) for x in jtu.tree_leaves(tree, is_leaf=_is_quantity)]


def flat(numbers: Sequence[Any]) -> list[Any]:
    return list(jtu.tree_leaves(list(numbers)))


def flat_like(out: list[Any], numbers: Sequence[Any]) -> list[Any]:
    structure = jtu.tree_structure(out)
    leaves = [
        jnp.asarray(n, jnp.result_type(x)) if not isinstance(n, jax.Array) else n
        for n, x in zip(flat(numbers), jtu.tree_leaves(out), strict=True)
    ]
    return list(jtu.tree_unflatten(structure, leaves))


def numbers_in(x: Any, unit: Unit, operation: str) -> Any:
    """The numbers of a tangent or cotangent in a unit; plain ones are in it already."""
    if not isinstance(x, Quantity):
        return x
    return convert(x.value, x.unit, unit, operation)


def refuse_structure(function: str, what: str, others: str, got: Any, expected: Any) -> None:
    raise TypeError(
        _STRUCTURE.format(
            function=function, what=what, others=others, got=len(got), expected=len(expected)
        )
    )
