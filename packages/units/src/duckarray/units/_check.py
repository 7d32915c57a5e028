"""`check` and `infer`: dimensions of functions, at each call and without one."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import jax
import jax.numpy as jnp

from duckarray.core import quaxify, value_of
from duckarray.core.tree import is_value

from ._access import unit_of
from ._convert import describe
from ._dimension import NUMBER, Dimension, dimension_names, named_dimension
from ._errors import DimensionError, UnitParseError
from ._unit import Unit
from ._value import Quantity

F = TypeVar("F", bound=Callable[..., Any])

_UNEXPECTED = """`{function}` {part} is to be a {wanted}, but got {got} ({dimension}).
{advice}"""

_NO_PARAMETER = """`check({name}=...)`: `{function}` has no parameter of that name.
Its parameters are {names}; the result is checked by `out=`."""

_NO_DIMENSION = """`{text}` is neither a dimension nor a unit.
Dimensions are named like "velocity" or "length"; others are given by a unit, "kg/s"."""


def check(**dimensions: Any) -> Callable[[F], F]:
    """Checks the dimensions of a function's arguments, and of its result, at each call.

    Args:
        **dimensions: for the name of each parameter to check, the name of a dimension
            (`"velocity"`), a text of one (`"length / time"`), or a unit of it; `out` is for the
            result. Each array of a pytree is checked; plain arrays count as dimensionless.

    Raises:
        TypeError: if the function has no parameter of a name given.
        UnitParseError: if a dimension is unknown.
        DimensionError: on a call, if a dimension is another.

    Example:
        >>> import duckarray.units as u
        >>> @u.check(x="length", t="time", out="velocity")
        ... def speed(x, t):
        ...     return x / t
        >>> speed(3.0 * u.m, 2.0 * u.s)
        Quantity(f32[], 'm / s')
    """
    wanted = {name: dimension(text) for name, text in dimensions.items()}

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        name = getattr(function, "__qualname__", repr(function))
        for each in wanted:
            if each != "out" and each not in signature.parameters:
                names = ", ".join(signature.parameters)
                raise TypeError(_NO_PARAMETER.format(name=each, function=name, names=names))

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            for each, argument in bound.arguments.items():
                if each in wanted:
                    _check(argument, wanted[each], name, f"argument `{each}`")
            out = function(*args, **kwargs)
            if "out" in wanted and "out" not in signature.parameters:
                _check(out, wanted["out"], name, "result")
            return out

        return checked  # type: ignore[return-value]

    return decorate


def infer(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The units of what a function returns, found without running it.

    Args:
        function: what it would be with `quaxify`: any program on arrays.
        *args: for each argument a unit (of a number), a quantity, or a `jax.ShapeDtypeStruct`.
        **kwargs: the same, by name.

    Returns:
        What the function returns, with a `Unit` in place of each array.

    Raises:
        UnitError: of a kind that says what is wrong, and where, as calling the function would.

    Example:
        >>> import duckarray.units as u
        >>> u.infer(lambda x, t: x / t**2, x="m", t="s")
        Unit('m / s2')
    """
    given_args, given_kwargs = jax.tree.map(
        _abstract, (args, kwargs), is_leaf=lambda x: isinstance(x, Quantity)
    )
    out = jax.eval_shape(quaxify(function), *given_args, **given_kwargs)
    return jax.tree.map(
        lambda x: x.unit if isinstance(x, Quantity) else Unit("1"),
        out,
        is_leaf=lambda x: isinstance(x, Quantity),
    )


def dimension(text: Any) -> Dimension:
    """What is meant by the name of a dimension, products of such names, or a unit.

    Args:
        text: such as `"length / time"` or `"m / s"`; a dimension stays what it is.

    Raises:
        UnitParseError: if it is neither.

    Example:
        >>> import duckarray.units as u
        >>> u.dimension("length / time")
        'velocity'
    """
    if isinstance(text, Dimension):
        return text
    if isinstance(text, Unit):
        return text.dimension
    known = named_dimension(str(text))
    if known is not None:
        return known
    from ._parse import parse
    from ._registry import find_unit, suggest

    def lookup(name: str) -> Unit | None:
        of_name = named_dimension(name)
        return find_unit(name) if of_name is None else _unit_of_dimension(of_name)

    try:
        return parse(str(text), lookup, suggest).dimension
    except UnitParseError as error:
        import difflib

        close = tuple(difflib.get_close_matches(str(text), dimension_names(), n=3))
        message = _NO_DIMENSION.format(text=text)
        if close:
            message += f" Did you mean {' or '.join(map(repr, close))}?"
        raise UnitParseError(str(text), message, close) from error


def _unit_of_dimension(of: Dimension) -> Unit:
    from ._scale import ONE_SCALE
    from ._unit import BASE_SYMBOLS, make_unit

    terms = zip(BASE_SYMBOLS, of.exponents, strict=True)
    return make_unit(of, ONE_SCALE, tuple((s, e) for s, e in terms if e))


def _check(tree: Any, wanted: Dimension, function: str, part: str) -> None:
    for leaf in jax.tree.leaves(tree, is_leaf=is_value):
        unit = unit_of(leaf)
        if unit.physical is not wanted.physical:
            advice = (
                'Give it a unit: `u.Quantity(x, "...")`.'
                if unit.physical is NUMBER
                else "Convert, or multiply by what is missing."
            )
            text = _UNEXPECTED.format(
                function=function,
                part=part,
                wanted="plain number" if wanted is NUMBER else wanted,
                got=f"{unit}",
                dimension=describe(unit),
                advice=advice,
            )
            raise DimensionError(text, function, (unit,))


def _abstract(x: Any) -> Any:
    x = value_of(x)
    if isinstance(x, str | Unit):
        return Quantity(jax.ShapeDtypeStruct((), jnp.result_type(float)), x)
    return x
