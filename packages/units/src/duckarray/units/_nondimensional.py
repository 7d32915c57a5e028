"""`attach`, `nondimensional`: for programs of others that are to see plain numbers only.

What adds 1 to a time, or puts the parts of a state into one vector, cannot keep units. It is given
the numbers, and the functions that it calls are given quantities.
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from jax import tree_util as jtu
from jax.core import Tracer

from duckarray.core import Value, quaxify, value_of

from ._access import strip, to, unit_of
from ._convert import check_dimensions, describe
from ._errors import DimensionError, UnitError
from ._unit import ONE, Unit
from ._value import Quantity, times_unit

F = TypeVar("F", bound=Callable[..., Any])

_NO_FUNCTION = """`nondimensional({function!r})` takes a function, but got a `{type}`.
Pass one of quantities, or use it as a decorator: `@nondimensional(t="s", y="m")`."""

_NO_PARAMETER = """`nondimensional({name}=...)`: `{function}` has no parameter of that name.
Its parameters are {names}; the unit of the result is given by `out=`."""

_OTHER_STRUCTURE = """`{function}`: {part} has another structure than its units: {reason}.
Give a tree of units like it, or one unit for all of it."""

_RESULT = """`{function}` {part} is to be in {wanted} ({wanted_dimension}), but is in {got} \
({dimension}).
{advice}"""


def attach(numbers: Any, units: Any) -> Any:
    """Numbers as quantities, each in its unit; the reverse of `strip` for trees.

    Args:
        numbers: a tree of arrays and numbers. What is a quantity already is converted.
        units: a unit, or a tree of units like that of the numbers, or of parts of it; None leaves
            what it stands for as it is.

    Raises:
        UnitParseError: if one is no unit.
        DimensionError: if a quantity has another dimension.
        ValueError: if the trees do not fit.

    Example:
        >>> import duckarray.units as u
        >>> u.attach({"x": 1.0, "v": 2.0}, {"x": "m", "v": "m/s"})
        {'v': Quantity(f32[], 'm / s'), 'x': Quantity(f32[], 'm')}
    """
    return by_units("attach", "the tree of numbers", _attach, numbers, units)


def nondimensional(function: F | None = None, /, **units: Any) -> Any:
    """A function of plain numbers that runs one of quantities: to be called by other programs.

    Args:
        function: what is written for quantities; it is called through `quaxify`. As a decorator it
            is left out.
        **units: for the name of each parameter that is a number, or a tree of numbers, its unit or
            a tree of units; `out` is for the result, which is plain numbers if it is left out.
            Other parameters are passed on as they are. Where a function of quantities is
            differentiated or compiled around it, each that has a unit has to be named.

    Returns:
        The function of numbers. What it is given as a quantity is converted to its unit.

    Raises:
        TypeError: if `function` is none, or has no parameter of a name given.
        UnitParseError: if one is no unit.
        DimensionError: on a call, if a result is of another dimension.

    Example:
        >>> import duckarray.units as u
        >>> @u.nondimensional(t="s", y="m", out="m/s")
        ... def field(t, y, rate):
        ...     return -rate * y
        >>> field(0.0, 2.0, 3.6 * u.km / u.h / u.m)  # a solver calls it like this
        Array(-2., dtype=float32, weak_type=True)
    """
    if function is None:
        return functools.partial(nondimensional, **units)
    given: Any = function
    if not callable(given):
        raise TypeError(_NO_FUNCTION.format(function=given, type=type(given).__name__))
    signature = inspect.signature(function)
    name = getattr(function, "__qualname__", repr(function))
    for each in units:
        if each != "out" and each not in signature.parameters:
            names = ", ".join(signature.parameters)
            raise TypeError(_NO_PARAMETER.format(name=each, function=name, names=names))
    wanted = {each: read_units(tree) for each, tree in units.items()}
    out_units = wanted.pop("out", ONE) if "out" not in signature.parameters else ONE
    run = quaxify(function)

    @functools.wraps(function)
    def of_numbers(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        for each, tree in wanted.items():
            if each in bound.arguments:
                part = f"argument `{each}`"
                bound.arguments[each] = by_units(name, part, Quantity, bound.arguments[each], tree)
        return strip_result(name, run(*bound.args, **bound.kwargs), out_units)

    return of_numbers


def read_units(tree: Any) -> Any:
    """A tree of texts, units and None, with a unit for each text."""
    return jtu.tree_map(_read, tree, is_leaf=_is_unit)


def by_units(
    function: str, part: str, change: Callable[[Any, Unit], Any], tree: Any, units: Any
) -> Any:
    """`change` of each array of a tree and its unit, by a tree of units that may be shorter."""
    structure: Any
    leaves, structure = jtu.tree_flatten(units, is_leaf=_is_unit)
    try:
        parts = structure.flatten_up_to(tree)
    except (ValueError, TypeError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        text = _OTHER_STRUCTURE.format(function=function, part=part, reason=reason)
        raise ValueError(text) from error
    found = []
    for unit, below in zip(map(_read, leaves), parts, strict=True):
        if unit is not None:
            below = jtu.tree_map(functools.partial(_apply, change, unit), below, is_leaf=_is_array)
        found.append(below)
    return structure.unflatten(found)


def strip_result(function: str, out: Any, units: Any) -> Any:
    """The numbers of what a function gives, in the units it is to be in; plain ones as they are.

    Raises:
        DimensionError: if it is of another dimension, naming the part.
    """
    paths = (jtu.keystr(path) for path, _ in jtu.tree_leaves_with_path(out, is_leaf=_is_array))

    def numbers(x: Any, unit: Unit) -> Any:
        path = next(paths)
        own = unit_of(x)
        if own is ONE and unit is ONE:
            return x.materialize() if isinstance(x, Quantity) else x
        try:
            check_dimensions(own, unit, function)
        except DimensionError:
            text = _RESULT.format(
                function=function,
                part=f"result{path}",
                wanted=unit if unit is not ONE else "no unit",
                wanted_dimension=describe(unit),
                got=own,
                dimension=describe(own),
                advice="Convert, or multiply by what is missing; "
                "`u.infer` shows the units a function gives.",
            )
            raise DimensionError(text, function, (own, unit)) from None
        return strip(x, unit)

    return by_units(function, "the result", numbers, out, units)


def _read(unit: Any) -> Unit | None:
    return None if unit is None else Unit(unit)


def _apply(change: Callable[[Any, Unit], Any], unit: Unit, x: Any) -> Any:
    return change(x, unit)


def _attach(x: Any, unit: Unit) -> Any:
    if isinstance(x, Tracer) and value_of(x) is x and unit.is_linear:
        return to(x, unit) if _has_unit(x) else times_unit(x, unit)
    return Quantity(x, unit)


def _has_unit(x: Any) -> bool:
    """Whether a tracer hides a quantity; not so if it is not known yet."""
    try:
        return unit_of(x) is not ONE
    except UnitError:
        return False


def _is_unit(x: Any) -> bool:
    return x is None or isinstance(x, str | Unit)


def _is_array(x: Any) -> bool:
    return isinstance(value_of(x), Value)
