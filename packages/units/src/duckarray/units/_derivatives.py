"""Derivatives of functions of quantities, each in its unit: the result's by the input's.

The function is differentiated with respect to the numbers, by JAX, so that every transformation and
custom rule is JAX's own; the units are put on afterwards.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax import tree_util as jtu

from ._labels import (
    Call,
    as_tuple,
    flat,
    flat_like,
    jacobian,
    labelled_as,
    leaves_of,
    numbers_in,
    only_asked,
    per,
    per_two,
    refuse_structure,
    unit_of_leaf,
)
from ._unit import ONE, Unit, difference, product, quotient
from ._value import Quantity


def value_and_grad(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> Callable[..., Any]:
    """`jax.value_and_grad`, of a function of quantities; `fun` is called through `quaxify`.

    Each gradient is in the unit of the result by that of the argument, zeros too.

    Args:
        fun: gives one number, with a unit or without.
        argnums: which arguments to differentiate by.
        has_aux: whether `fun` gives a pair, of which the second part is passed on.
        holomorphic: whether `fun` is promised to be holomorphic.
        allow_int: whether arguments of integers may be differentiated by.

    Raises:
        TypeError: as JAX does, if the result is not one number.

    Example:
        >>> import duckarray.units as u
        >>> u.value_and_grad(lambda x: x**2)(3.0 * u.m)
        (Quantity(f32[], 'm2'), Quantity(f32[], 'm'))
    """

    def differentiated(*args: Any, **kwargs: Any) -> Any:
        call = Call(fun, args, kwargs, has_aux)
        options: Any = {"holomorphic": holomorphic, "allow_int": allow_int}
        (numbers, rest), grads = jax.value_and_grad(
            call.scalar, as_tuple(argnums), has_aux=True, **options
        )(*call.numbers)
        (value,) = call.labelled([numbers])
        unit = call.out_units[0]
        found = [per(call.args[i], g, unit) for i, g in zip(as_tuple(argnums), grads, strict=True)]
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

    Args:
        fun: gives one number, with a unit or without.
        argnums: which arguments to differentiate by.
        has_aux: whether `fun` gives a pair, of which the second part is passed on.
        holomorphic: whether `fun` is promised to be holomorphic.
        allow_int: whether arguments of integers may be differentiated by.

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

    Args:
        fun: of trees of quantities and arrays.
        primals: its arguments.
        tangents: as many, of the same structure.
        has_aux: whether `fun` gives a pair, of which the second part is passed on.

    Raises:
        DimensionError: if some tangents are rates of another kind than others.
        TypeError: if the tangents have another structure than the primals.

    Example:
        >>> import duckarray.units as u
        >>> u.jvp(lambda x: x**2, (3.0 * u.m,), (1.0 * u.m / u.s,))
        (Quantity(f32[], 'm2'), Quantity(f32[], 'm2 / s'))
    """
    call = Call(fun, tuple(primals), {}, has_aux)
    given = leaves_of(tuple(tangents))
    expected = leaves_of(call.args)
    if len(given) != len(expected):
        refuse_structure("jvp", "tangents", "primals", given, expected)
    rate: Unit | None = None
    numbers = []
    for x, t in zip(expected, given, strict=True):
        if isinstance(t, Quantity) and rate is None:
            rate = quotient(t.unit, difference(unit_of_leaf(x)))
    rate = rate or ONE
    for x, t in zip(expected, given, strict=True):
        unit = product(difference(unit_of_leaf(x)), rate)
        numbers.append(numbers_in(t, unit, "jvp"))
    structure = jtu.tree_structure(call.numbers)
    out, out_tangents, aux = jax.jvp(
        call.outputs, call.numbers, jtu.tree_unflatten(structure, flat(numbers)), has_aux=True
    )
    units = [product(difference(unit), rate) for unit in call.out_units]
    changed = call.structured(
        [labelled_as(t, unit, True) for t, unit in zip(out_tangents, units, strict=True)]
    )
    result = (call.structured(call.labelled(out)), changed)
    return (*result, call.aux(aux)) if has_aux else result


def vjp(fun: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """`jax.vjp`, of a function of quantities; `fun` is called through `quaxify`.

    A cotangent is so much of a loss per unit of the result. Plain numbers are in its inverse.

    Args:
        fun: of trees of quantities and arrays.
        *primals: its arguments.
        has_aux: whether `fun` gives a pair, of which the second part is passed on.

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
    call = Call(fun, primals, {}, has_aux)
    out, pullback, aux = jax.vjp(call.outputs, *call.numbers, has_aux=True)

    def pull_back(cotangent: Any) -> tuple[Any, ...]:
        given = leaves_of(cotangent)
        if len(given) != len(call.out_units):
            refuse_structure("vjp", "cotangents", "results", given, call.out_units)
        loss: Unit | None = None
        for c, unit in zip(given, call.out_units, strict=True):
            if isinstance(c, Quantity) and loss is None:
                loss = product(c.unit, difference(unit))
        loss = loss or ONE
        numbers = [
            numbers_in(c, quotient(loss, difference(unit)), "vjp")
            for c, unit in zip(given, call.out_units, strict=True)
        ]
        found = pullback(flat_like(out, numbers))
        return tuple(per(x, g, loss) for x, g in zip(call.args, found, strict=True))

    result = (call.structured(call.labelled(out)), pull_back)
    return (*result, call.aux(aux)) if has_aux else result


def jacfwd(
    fun: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """`jax.jacfwd`, of a function of quantities; `fun` is called through `quaxify`.

    Each block is in the unit of its result by that of its argument.

    Args:
        fun: of trees of quantities and arrays.
        argnums: which arguments to differentiate by.
        has_aux: whether `fun` gives a pair, of which the second part is passed on.

    Example:
        >>> import duckarray.units as u
        >>> u.jacfwd(lambda x: x**2)(u.Quantity([1.0, 2.0], "m"))
        Quantity(f32[2,2], 'm')
    """
    return jacobian(jax.jacfwd, fun, argnums, has_aux)


def jacrev(
    fun: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """`jax.jacrev`, of a function of quantities; `fun` is called through `quaxify`.

    Each block is in the unit of its result by that of its argument.

    Args:
        fun: of trees of quantities and arrays.
        argnums: which arguments to differentiate by.
        has_aux: whether `fun` gives a pair, of which the second part is passed on.

    Example:
        >>> import duckarray.units as u
        >>> u.jacrev(lambda x: x**2)(u.Quantity([1.0, 2.0], "m"))
        Quantity(f32[2,2], 'm')
    """
    return jacobian(jax.jacrev, fun, argnums, has_aux)


def hessian(
    fun: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """`jax.hessian`, of a function of quantities; `fun` is called through `quaxify`.

    Each block is in the unit of the result by those of its two arguments.

    Args:
        fun: of trees of quantities and arrays.
        argnums: which arguments to differentiate by.
        has_aux: whether `fun` gives a pair, of which the second part is passed on.

    Example:
        >>> import duckarray.units as u
        >>> u.hessian(lambda x: (x**3).sum())(u.Quantity([1.0, 2.0], "m"))
        Quantity(f32[2,2], 'm')
    """

    def differentiated(*args: Any, **kwargs: Any) -> Any:
        call = Call(fun, args, kwargs, has_aux)
        blocks, aux = jax.hessian(call.outputs, as_tuple(argnums), has_aux=True)(*call.numbers)
        outs = []
        for rows, unit in zip(blocks, call.out_units, strict=True):
            found = []
            for i, row in zip(as_tuple(argnums), rows, strict=True):
                found.append(per_two(call.args, i, as_tuple(argnums), row, unit))
            outs.append(only_asked(found, argnums))
        out = call.structured(outs)
        return (out, call.aux(aux)) if has_aux else out

    return differentiated
