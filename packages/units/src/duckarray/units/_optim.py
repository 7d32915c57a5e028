"""`optim`: optimizers know plain numbers, parameters have units."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
from jax import tree_util as jtu

from duckarray.core import value_of

from ._convert import check_dimensions, convert, describe
from ._errors import DimensionError
from ._unit import ONE, Unit, product
from ._value import Quantity, make

_NO_OPTIMIZER = """`optim({given!r})` takes an optimizer, but got a `{type}` without `init` and \
`update`.
Pass one of Optax, called with its options: `optim(optax.adam(1e-3))`."""

_ANOTHER_LOSS = """`optim`: the gradient of one parameter is that of a loss in {first} \
({first_dimension}), of another that of a loss in {other} ({other_dimension}).
Take gradients by `u.grad`, or by `jax.grad` inside `quaxify`: they are in the unit of the loss by \
that of the parameter."""

_OTHER_TREE = """`optim`: {what} has {got} arrays, but there are {expected} parameters.
Pass a tree like that of the parameters."""


class Optimizer(NamedTuple):
    """What `optim` makes: a pair of functions, as `optax.GradientTransformation` is."""

    init: Callable[[Any], Any]
    update: Callable[..., tuple[Any, Any]]


class OptimizerState(NamedTuple):
    """The state of the optimizer of numbers, and the units of the parameters."""

    inner: Any
    units: Any


def optim(transformation: Any, scale: Any = None, loss: Unit | str | None = None) -> Optimizer:
    """An optimizer of plain numbers as one of parameters with units.

    What is optimized is `parameter / scale`, and the loss is a number in `loss`. So learning rates,
    and the small numbers that some optimizers add, mean the same in whatever units parameters and
    data are given.

    Args:
        transformation: one of Optax, such as `optax.adam(1e-3)`, or anything with such
            an `init` and `update`.
        scale: how large each parameter typically is: a quantity, or a unit, for each, in a tree
            like theirs, or for several of them; the unit that a parameter is in if left out.
        loss: the unit the loss is measured in; the one it comes in if left out.

    Returns:
        A pair `(init, update)` for `optax.apply_updates` and `optax.chain`; updates are in the
        units of the parameters.

    Raises:
        TypeError: if `transformation` is no optimizer.
        DimensionError: if a scale is of another dimension than its parameter, or gradients are not
            those of one loss.

    Example:
        >>> from types import SimpleNamespace
        >>> import duckarray.units as u
        >>> sgd = SimpleNamespace(  # in place of `optax.sgd(0.1)`
        ...     init=lambda parameters: (),
        ...     update=lambda slopes, state, parameters: (-0.1 * slopes, state),
        ... )
        >>> tx, length = u.optim(sgd, scale=2.0 * u.m), 3.0 * u.m
        >>> slope = u.grad(lambda x: x**2)(length)
        >>> update, _ = tx.update(slope, tx.init(length))
        >>> print(f"{length + update:.1f}")  # 3 m - 0.1 * (6 m * 2 m) * 2 m / m2
        0.6 m
    """
    if not (hasattr(transformation, "init") and hasattr(transformation, "update")):
        kind = type(transformation).__name__
        raise TypeError(_NO_OPTIMIZER.format(given=transformation, type=kind))
    unit_of_loss = None if loss is None else Unit(loss)

    def init(parameters: Any) -> OptimizerState:
        leaves, structure = _flat(parameters)
        scales = _scales(scale, parameters, leaves)
        pairs = zip(leaves, scales, strict=True)
        numbers = [_bare(p) if s is None else _ratio(p, s) for p, s in pairs]
        units = _Units(tuple(map(_unit, leaves)))
        return OptimizerState(transformation.init(structure.unflatten(numbers)), units)

    def update(
        gradients: Any, state: OptimizerState, parameters: Any = None, **extra: Any
    ) -> tuple[Any, OptimizerState]:
        slopes, structure = _flat(gradients)
        units = state.units.units
        if len(slopes) != len(units):
            what = "the tree of gradients"
            text = _OTHER_TREE.format(what=what, got=len(slopes), expected=len(units))
            raise TypeError(text)
        scales = _scales(scale, gradients, slopes)
        steps = [Quantity(1.0, t) if s is None else s for s, t in zip(scales, units, strict=True)]
        each = [_times(g, s) for g, s in zip(slopes, steps, strict=True)]
        target = unit_of_loss or (each[0].unit if each else ONE)
        numbers = [_in_loss(g, target) for g in each]
        given = None
        if parameters is not None:
            pairs = zip(_flat(parameters)[0], steps, strict=True)
            given = structure.unflatten([_ratio(p, s) for p, s in pairs])
        inner: Any
        found, inner = transformation.update(
            structure.unflatten(numbers), state.inner, given, **extra
        )
        parts = zip(structure.flatten_up_to(found), steps, units, slopes, strict=True)
        out = [_step(x, s, t, isinstance(g, Quantity)) for x, s, t, g in parts]
        return structure.unflatten(out), OptimizerState(inner, state.units)

    return Optimizer(init, update)


@jtu.register_static
class _Units:
    """The units of the parameters, a part of the structure of the state."""

    def __init__(self, units: tuple[Unit, ...]) -> None:
        self.units = units

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Units) and self.units == other.units

    def __hash__(self) -> int:
        return hash(self.units)


def _is_leaf(x: Any) -> bool:
    return isinstance(x, Quantity | Unit | str)


def _flat(tree: Any) -> tuple[list[Any], Any]:
    leaves, structure = jtu.tree_flatten(tree, is_leaf=_is_leaf)
    return [value_of(x) for x in leaves], structure


def _scales(scale: Any, tree: Any, leaves: list[Any]) -> list[Any]:
    """A quantity for each parameter, or None."""
    if scale is None:
        return [None] * len(leaves)
    found: list[Any] = []

    def each(s: Any, part: Any) -> None:
        one = Quantity(1.0, s) if isinstance(s, Unit | str) else s
        one = one if isinstance(one, Quantity) else Quantity(one, ONE)
        found.extend([one] * len(_flat(part)[0]))

    jtu.tree_map(each, scale, tree, is_leaf=_is_leaf)
    if len(found) != len(leaves):
        text = _OTHER_TREE.format(what="`scale`", got=len(found), expected=len(leaves))
        raise TypeError(text)
    return found


def _unit(x: Any) -> Unit:
    return x.unit if isinstance(x, Quantity) else ONE


def _bare(x: Any) -> Any:
    return x.value if isinstance(x, Quantity) else x


def _ratio(parameter: Any, scale: Quantity) -> Any:
    """How many times the scale a parameter is."""
    return convert(_bare(parameter), _unit(parameter), scale.unit, "optim") / scale.value


def _times(gradient: Any, scale: Quantity) -> Quantity:
    """The slope by a multiple of the scale, which is in the unit of the loss."""
    return make(_bare(gradient) * scale.value, product(_unit(gradient), scale.unit))


def _in_loss(gradient: Quantity, target: Unit) -> Any:
    try:
        check_dimensions(gradient.unit, target, "optim")
    except DimensionError:
        text = _ANOTHER_LOSS.format(
            first=target,
            first_dimension=describe(target),
            other=gradient.unit,
            other_dimension=describe(gradient.unit),
        )
        raise DimensionError(text, "optim", (target, gradient.unit)) from None
    return convert(gradient.value, gradient.unit, target, "optim")


def _step(update: Any, scale: Quantity, unit: Unit, labelled: bool) -> Any:
    """An update of a multiple of the scale as one of the parameter."""
    value = jax.tree.map(lambda x: x * scale.value, update)
    value = convert(value, scale.unit, unit, "optim")
    return make(value, unit) if labelled or unit is not ONE else value
