"""`diffeqsolve`: differential equations with units in state and time, solved by Diffrax.

Diffrax divides by `where(t0 == t1, 1, t1 - t0)` and joins a state to one vector, so what it steps
with are numbers. The vector field, and whatever else is the user's, gets quantities.
"""

import dataclasses
from typing import Any

import jax
from jax import tree_util as jtu

from duckarray.core import known_constant, quaxify, value_of
from duckarray.core.tree import is_value

from ._access import strip, unit_of
from ._nondimensional import attach, by_units, strip_result
from ._unit import ONE, Unit, quotient
from ._value import Quantity

_KEPT = ("solver_state", "controller_state", "made_jump")

_TERM = """`diffeqsolve`: a term is a `{type}`, of which it is not known which units it has.
Pass `diffrax.ODETerm(field)`; or give Diffrax numbers, and fields by `u.nondimensional`."""

_DENSE = """`diffeqsolve(saveat=SaveAt(dense=True))`: what is evaluated later would have no units.
Say the times, `ts=u.Quantity([...], "{time}")`."""

_MISSING = """`diffeqsolve` needs Diffrax, which is not installed.
Install it: `pip install "duckarray-units[diffrax]"`."""

_TWICE = """`diffeqsolve(saveat=..., ts=...)`: the times to save at are given twice.
Pass `ts=` alone, or `saveat=diffrax.SaveAt(...)` with times in {time}."""


def diffeqsolve(
    terms: Any,
    solver: Any,
    t0: Any,
    t1: Any,
    dt0: Any,
    y0: Any,
    args: Any = None,
    *,
    units: Any = None,
    ts: Any = None,
    saveat: Any = None,
    event: Any = None,
    **options: Any,
) -> Any:
    """`diffrax.diffeqsolve`, with units in the state and in time.

    The vector field is called through `quaxify` with a quantity for the time and for each part of
    the state that has a unit, and gives quantities. What Diffrax steps with are numbers: those of
    the state in `units`, and those of time in the unit of `t0`, or of `t1` if that is plain.

    Args:
        terms: a `diffrax.ODETerm`.
        solver: any of Diffrax.
        t0: when it begins: a quantity, or 0.
        t1: when it ends.
        dt0: the first step, or None to have it chosen.
        y0: the state at `t0`: a tree of quantities and arrays.
        args: passed to the vector field as it is, quantities and all.
        units: the units the numbers of the state are in, a unit or a tree of units: those that `y0`
            has if left out. Absolute tolerances are in them.
        ts: the times to save at; `t1` alone if left out.
        saveat: `diffrax.SaveAt`, in place of `ts`; its times are in the unit of time, and its
            functions get quantities and give what they like.
        event: `diffrax.Event`, whose conditions get quantities.
        **options: others of `diffrax.diffeqsolve`, such as `stepsize_controller`.

    Returns:
        A `diffrax.Solution`, with quantities in `t0`, `t1`, `ts` and `ys`.

    Raises:
        DimensionError: if the vector field does not give so much of the state per time, naming the
            part; if times have another dimension than each other.
        ImportError: if Diffrax is not installed.
        TypeError: if a term is of another kind.
        ValueError: if the times to save at are given twice, or the whole path is asked for.

    Example:
        >>> import duckarray.units as u
        >>> import diffrax  # doctest: +SKIP
        >>> out = u.diffeqsolve(  # doctest: +SKIP
        ...     diffrax.ODETerm(lambda t, y, rate: -rate * y), diffrax.Tsit5(),
        ...     0.0 * u.s, 1.0 * u.min, 1.0 * u.s, 3.0 * u.m, args=0.1 * u.Hz,
        ... )
        >>> out.ys  # doctest: +SKIP
        Quantity(f32[1], 'm')
    """
    diffrax = _diffrax()
    time = next((unit_of(t) for t in (t0, t1, dt0) if unit_of(t) is not ONE), ONE)
    if units is not None:
        y0 = attach(y0, units)
    around = _Around(time, *(jtu.tree_map(_own_unit, x, is_leaf=is_value) for x in (y0, args)))
    if saveat is None:
        saveat = diffrax.SaveAt(t1=True) if ts is None else diffrax.SaveAt(ts=around.time_of(ts))
    elif ts is not None:
        raise ValueError(_TWICE.format(time=time))
    elif saveat.dense:
        raise ValueError(_DENSE.format(time=time))
    subs: Any
    saved, subs = jtu.tree_flatten(saveat.subs, is_leaf=lambda x: isinstance(x, diffrax.SubSaveAt))
    start, *numbers = around.numbers(t0, y0, args)
    out = diffrax.diffeqsolve(
        _term(terms, around),
        solver,
        start,
        around.time_of(t1),
        None if dt0 is None else around.time_of(dt0),
        *numbers,
        saveat=diffrax.SaveAt(
            subs=subs.unflatten([_saved(sub, around) for sub in saved]),
            **{name: getattr(saveat, name) for name in _KEPT},
        ),
        event=None if event is None else _event(event, around),
        **options,
    )
    ys = []
    for sub, each in zip(saved, subs.flatten_up_to(out.ys), strict=True):
        shown = jax.eval_shape(lambda fn=sub.fn: quaxify(fn)(*around(start, *numbers)))
        ys.append(attach(each, jtu.tree_map(_own_unit, shown, is_leaf=is_value)))
    times = {name: attach(getattr(out, name), time) for name in ("t0", "t1", "ts")}
    return dataclasses.replace(out, **times, ys=subs.unflatten(ys))


class _Around:
    """The units of time, state and arguments: by them numbers are taken and quantities made."""

    def __init__(self, time: Unit, state: Any, args: Any) -> None:
        self.time = time
        units, self._structure = jtu.tree_flatten((state, args), is_leaf=_is_unit)
        self._units = tuple(units)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Around) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __call__(self, t: Any, y: Any, args: Any) -> tuple[Any, Any, Any]:
        """Time, state and arguments as quantities."""
        parts = by_units("diffeqsolve", "the state", Quantity, (y, args), self._tree())
        return Quantity(t, self.time), *parts

    def time_of(self, t: Any) -> Any:
        """A time as a number; a plain 0 is one."""
        return t if known_constant(t) == 0 else strip(t, self.time)

    def numbers(self, t: Any, y: Any, args: Any) -> tuple[Any, Any, Any]:
        """Time, state and arguments as numbers."""
        parts = by_units("diffeqsolve", "the state", strip, (y, args), self._tree())
        return self.time_of(t), *parts

    def rates(self, dy: Any) -> Any:
        """What a vector field gives, as numbers."""
        per_time = [quotient(ONE if unit is None else unit, self.time) for unit in self._units]
        state, _ = jtu.tree_unflatten(self._structure, per_time)
        return strip_result("vector field", dy, state)

    def _tree(self) -> Any:
        return jtu.tree_unflatten(self._structure, self._units)

    def _key(self) -> tuple[Any, ...]:
        return self.time, self._units, self._structure


class _OfNumbers:
    """A function of quantities as one that Diffrax calls.

    It is a tree with the function in it, which may be a model with arrays, and equal to another of
    the same function, so that a jitted solver is compiled once.
    """

    def __init__(self, function: Any, around: _Around) -> None:
        self.function, self.around = function, around

    def __call__(self, t: Any, y: Any, args: Any, **others: Any) -> Any:
        out = quaxify(self.function)(*self.around(t, y, args), **others)
        return self.result(out)

    def result(self, out: Any) -> Any:
        """The numbers of each, in the unit it is in."""
        return jtu.tree_map(lambda x: x.value if is_value(x) else x, out, is_leaf=is_value)


class _Field(_OfNumbers):
    """A vector field: it gives so much of the state per time."""

    def result(self, out: Any) -> Any:
        return self.around.rates(out)


def _own_unit(x: Any) -> Unit | None:
    """The unit of a quantity, which may be behind a transformation; None of anything else."""
    unit = unit_of(x)
    return None if unit is ONE and not isinstance(value_of(x), Quantity) else unit


def _is_unit(x: Any) -> bool:
    return x is None or isinstance(x, Unit)


def _parts(x: _OfNumbers) -> tuple[tuple[Any], _Around]:
    return (x.function,), x.around


jtu.register_pytree_node(_OfNumbers, _parts, lambda around, parts: _OfNumbers(*parts, around))
jtu.register_pytree_node(_Field, _parts, lambda around, parts: _Field(*parts, around))


def _diffrax() -> Any:
    try:
        import diffrax  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError as error:
        raise ImportError(_MISSING) from error
    return diffrax


def _term(term: Any, around: _Around) -> Any:
    diffrax = _diffrax()
    if type(term) is not diffrax.ODETerm:
        raise TypeError(_TERM.format(type=type(term).__name__))
    return diffrax.ODETerm(_Field(term.vector_field, around))


def _saved(sub: Any, around: _Around) -> Any:
    """With the state itself, Diffrax does less than with a function that returns it."""
    diffrax = _diffrax()
    if sub.fn is diffrax.SubSaveAt(t1=True).fn:
        return sub
    options = {name: getattr(sub, name) for name in ("t0", "t1", "ts", "steps")}
    return diffrax.SubSaveAt(**options, fn=_OfNumbers(sub.fn, around))


def _event(event: Any, around: _Around) -> Any:
    diffrax = _diffrax()
    conditions = jtu.tree_map(lambda fn: _OfNumbers(fn, around), event.cond_fn, is_leaf=callable)
    return diffrax.Event(conditions, event.root_finder, event.direction)
