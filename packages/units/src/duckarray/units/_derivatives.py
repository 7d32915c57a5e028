"""Derivatives of functions of quantities, each in its unit: the result's by the input's.

The function is differentiated with respect to the numbers, by JAX, so that every transformation and
custom rule is JAX's own; the units are put on afterwards.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import tree_util as jtu

from duckarray.core import quaxify, value_of

from ._convert import convert
from ._unit import ONE, Unit, difference, product, quotient
from ._value import Quantity, make

_STRUCTURE = """`{function}`: the {what} have another structure than the {others}: {got} and \
{expected}.
Give one for each."""

_NOT_SCALAR = """`{function}` is for a function that returns one number, but got {got}.
Use `u.jacfwd` for several, or sum them."""


def value_and_grad(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> Callable[..., Any]:
    """`jax.value_and_grad`, of a function of quantities; `fun` is called through `quaxify`.

    Each gradient is in the unit of the result by that of the argument, zeros too.

    Raises:
        TypeError: as JAX does, if the result is not one number.

    Example:
        >>> import duckarray.units as u
        >>> u.value_and_grad(lambda x: x**2)(3.0 * u.m)
        (Quantity(f32[], 'm2'), Quantity(f32[], 'm'))
    """

    def differentiated(*args: Any, **kwargs: Any) -> Any:
        call = _Call(fun, args, kwargs, has_aux)
        options: Any = {"holomorphic": holomorphic, "allow_int": allow_int}
        (numbers, rest), grads = jax.value_and_grad(
            call.scalar, _tuple(argnums), has_aux=True, **options
        )(*call.numbers)
        (value,) = call.labelled([numbers])
        unit = call.out_units[0]
        found = [_per(call.args[i], g, unit) for i, g in zip(_tuple(argnums), grads, strict=True)]
        grad = found[0] if isinstance(argnums, int) else tuple(found)
        return ((value, call.aux(rest)) if has_aux else value), grad

    return differentiated


def grad(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> Callable[..., Any]:
    """`jax.grad`, of a function of quantities; `fun` is called through `quaxify`.

    Each gradient is in the unit of the result by that of the argument, zeros too.

    Raises:
        TypeError: as JAX does, if the result is not one number.

    Example:
        >>> import duckarray.units as u
        >>> u.grad(lambda x, t: x / t, argnums=(0, 1))(3.0 * u.m, 2.0 * u.s)
        (Quantity(f32[], '1 / s'), Quantity(f32[], 'm / s2'))
    """
    both = value_and_grad(fun, argnums, has_aux, holomorphic, allow_int)

    def differentiated(*args: Any, **kwargs: Any) -> Any:
        value, gradient = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return differentiated


def jvp(
    fun: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    has_aux: bool = False,
) -> tuple[Any, ...]:
    """`jax.jvp`, of a function of quantities; `fun` is called through `quaxify`.

    Tangents are differences, in units of the primals, or rates: for a primal in m, a tangent in m/s
    gives the rate of change of the result. Plain numbers are in the units of their primals.

    Raises:
        DimensionError: if some tangents are rates of another kind than others.
        TypeError: if the tangents have another structure than the primals.

    Example:
        >>> import duckarray.units as u
        >>> u.jvp(lambda x: x**2, (3.0 * u.m,), (1.0 * u.m / u.s,))
        (Quantity(f32[], 'm2'), Quantity(f32[], 'm2 / s'))
    """
    call = _Call(fun, tuple(primals), {}, has_aux)
    given = _leaves(tuple(tangents))
    expected = _leaves(call.args)
    if len(given) != len(expected):
        _refuse_structure("jvp", "tangents", "primals", given, expected)
    rate: Unit | None = None
    numbers = []
    for x, t in zip(expected, given, strict=True):
        if isinstance(t, Quantity) and rate is None:
            rate = quotient(t.unit, difference(_unit(x)))
    rate = rate or ONE
    for x, t in zip(expected, given, strict=True):
        unit = product(difference(_unit(x)), rate)
        numbers.append(_numbers_in(t, unit, "jvp"))
    structure = jtu.tree_structure(call.numbers)
    out, out_tangents, aux = jax.jvp(
        call.outputs, call.numbers, jtu.tree_unflatten(structure, _flat(numbers)), has_aux=True
    )
    units = [product(difference(unit), rate) for unit in call.out_units]
    changed = call.structured(
        [_labelled(t, unit, True) for t, unit in zip(out_tangents, units, strict=True)]
    )
    result = (call.structured(call.labelled(out)), changed)
    return (*result, call.aux(aux)) if has_aux else result


def vjp(fun: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """`jax.vjp`, of a function of quantities; `fun` is called through `quaxify`.

    A cotangent is so much of a loss per unit of the result. Plain numbers are in its inverse.

    Returns:
        The result, and the function from its cotangents to those of the primals.

    Raises:
        DimensionError: by that function, if cotangents belong to losses of different dimensions.

    Example:
        >>> import duckarray.units as u
        >>> out, pullback = u.vjp(lambda x: x**2, 3.0 * u.m)
        >>> pullback(u.Quantity(1.0, "J/m2"))
        (Quantity(f32[], 'J / m'),)
    """
    call = _Call(fun, primals, {}, has_aux)
    out, pullback, aux = jax.vjp(call.outputs, *call.numbers, has_aux=True)

    def pull_back(cotangent: Any) -> tuple[Any, ...]:
        given = _leaves(cotangent)
        if len(given) != len(call.out_units):
            _refuse_structure("vjp", "cotangents", "results", given, call.out_units)
        loss: Unit | None = None
        for c, unit in zip(given, call.out_units, strict=True):
            if isinstance(c, Quantity) and loss is None:
                loss = product(c.unit, difference(unit))
        loss = loss or ONE
        numbers = [
            _numbers_in(c, quotient(loss, difference(unit)), "vjp")
            for c, unit in zip(given, call.out_units, strict=True)
        ]
        found = pullback(_flat_like(out, numbers))
        return tuple(_per(x, g, loss) for x, g in zip(call.args, found, strict=True))

    result = (call.structured(call.labelled(out)), pull_back)
    return (*result, call.aux(aux)) if has_aux else result


def jacfwd(
    fun: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """`jax.jacfwd`, of a function of quantities; `fun` is called through `quaxify`.

    Each block is in the unit of its result by that of its argument.

    Example:
        >>> import duckarray.units as u
        >>> u.jacfwd(lambda x: x**2)(u.Quantity([1.0, 2.0], "m"))
        Quantity(f32[2,2], 'm')
    """
    return _jacobian(jax.jacfwd, fun, argnums, has_aux)


def jacrev(
    fun: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """`jax.jacrev`, of a function of quantities; `fun` is called through `quaxify`.

    Each block is in the unit of its result by that of its argument.

    Example:
        >>> import duckarray.units as u
        >>> u.jacrev(lambda x: x**2)(u.Quantity([1.0, 2.0], "m"))
        Quantity(f32[2,2], 'm')
    """
    return _jacobian(jax.jacrev, fun, argnums, has_aux)


def hessian(
    fun: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """`jax.hessian`, of a function of quantities; `fun` is called through `quaxify`.

    Each block is in the unit of the result by those of its two arguments.

    Example:
        >>> import duckarray.units as u
        >>> u.hessian(lambda x: (x**3).sum())(u.Quantity([1.0, 2.0], "m"))
        Quantity(f32[2,2], 'm')
    """

    def differentiated(*args: Any, **kwargs: Any) -> Any:
        call = _Call(fun, args, kwargs, has_aux)
        blocks, aux = jax.hessian(call.outputs, _tuple(argnums), has_aux=True)(*call.numbers)
        outs = []
        for rows, unit in zip(blocks, call.out_units, strict=True):
            found = []
            for i, row in zip(_tuple(argnums), rows, strict=True):
                found.append(_per_two(call.args, i, _tuple(argnums), row, unit))
            outs.append(_only(found, argnums))
        out = call.structured(outs)
        return (out, call.aux(aux)) if has_aux else out

    return differentiated


class _Call:
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
        self.out_units = list(map(_unit, leaves))
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
        return [_labelled(n, unit, is_quantity) for n, unit, is_quantity in parts]

    def structured(self, leaves: Sequence[Any]) -> Any:
        """Leaves in the structure of what the function returns."""
        return jtu.tree_unflatten(self._structure, leaves)

    def aux(self, leaves: Sequence[Any]) -> Any:
        """What the function returns besides."""
        return jtu.tree_unflatten(self._aux, leaves)


def _jacobian(
    transform: Callable[..., Any],
    fun: Callable[..., Any],
    argnums: int | Sequence[int],
    has_aux: bool,
) -> Callable[..., Any]:
    def differentiated(*args: Any, **kwargs: Any) -> Any:
        call = _Call(fun, args, kwargs, has_aux)
        blocks, aux = transform(call.outputs, _tuple(argnums), has_aux=True)(*call.numbers)
        outs = []
        for row, unit in zip(blocks, call.out_units, strict=True):
            found = [
                _per(call.args[i], block, unit)
                for i, block in zip(_tuple(argnums), row, strict=True)
            ]
            outs.append(found[0] if isinstance(argnums, int) else tuple(found))
        out = call.structured(outs)
        return (out, call.aux(aux)) if has_aux else out

    return differentiated


def _per(argument: Any, derivative: Any, unit: Unit) -> Any:
    """Derivatives with respect to each part of an argument, in `unit` by the unit of the part."""

    def label(x: Any, d: Any) -> Any:
        return _labelled(d, quotient(difference(unit), difference(_unit(x))), _is_quantity(x))

    return _map_parts(label, argument, derivative)


def _per_two(
    args: Sequence[Any], i: int, argnums: tuple[int, ...], row: Any, unit: Unit
) -> list[Any]:
    """For each argument the second derivatives with respect to argument `i` and to it."""
    found = []
    for position, j in enumerate(argnums):

        def label(x: Any, blocks: Any, position: int = position, j: int = j) -> Any:
            first = quotient(difference(unit), difference(_unit(x)))
            out = _per(args[j], blocks[position], first)
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


def _only(found: list[Any], argnums: int | Sequence[int]) -> Any:
    if isinstance(argnums, int):
        return found[0][0]
    return tuple(tuple(row) for row in found)


def _tuple(argnums: int | Sequence[int]) -> tuple[int, ...]:
    return (argnums,) if isinstance(argnums, int) else tuple(argnums)


def _is_quantity(x: Any) -> bool:
    return isinstance(x, Quantity)


def _unit(x: Any) -> Unit:
    return x.unit if isinstance(x, Quantity) else ONE


def _bare(x: Any) -> Any:
    return x.value if isinstance(x, Quantity) else x


def _labelled(x: Any, unit: Unit, is_quantity: bool) -> Any:
    return make(x, unit) if is_quantity or unit is not ONE else x


def _relabel(like: Any, numbers: Any) -> Any:
    return _map_parts(lambda x, n: make(n, x.unit) if _is_quantity(x) else n, like, numbers)


def _leaves(tree: Any) -> list[Any]:
    return [value_of(x) for x in jtu.tree_leaves(tree, is_leaf=_is_quantity)]


def _flat(numbers: Sequence[Any]) -> list[Any]:
    return list(jtu.tree_leaves(list(numbers)))


def _flat_like(out: list[Any], numbers: Sequence[Any]) -> list[Any]:
    structure = jtu.tree_structure(out)
    leaves = [
        jnp.asarray(n, jnp.result_type(x)) if not isinstance(n, jax.Array) else n
        for n, x in zip(_flat(numbers), jtu.tree_leaves(out), strict=True)
    ]
    return list(jtu.tree_unflatten(structure, leaves))


def _numbers_in(x: Any, unit: Unit, operation: str) -> Any:
    """The numbers of a tangent or cotangent in a unit; plain ones are in it already."""
    if not isinstance(x, Quantity):
        return x
    return convert(x.value, x.unit, unit, operation)


def _refuse_structure(function: str, what: str, others: str, got: Any, expected: Any) -> None:
    raise TypeError(
        _STRUCTURE.format(
            function=function, what=what, others=others, got=len(got), expected=len(expected)
        )
    )
