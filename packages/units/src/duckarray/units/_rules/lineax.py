"""`lineax.linear_solve`, which arrives as one primitive: on numbers, the solution in its unit."""

from collections.abc import Sequence
from typing import Any

from jax import tree_util as jtu
from jax.extend.core import Primitive

from duckarray.core import bind
from duckarray.units._errors import UnitError
from duckarray.units._unit import ONE, Unit, quotient
from duckarray.units._value import Quantity, make

from ._common import bare, for_several, linear, unit_of_operand
from ._refused import refuse

# Operators that hold their entries; others call functions, which may convert what they are given.
_OF_ENTRIES = ("DiagonalLinearOperator", "MatrixLinearOperator", "TridiagonalLinearOperator")
_AROUND = ("TaggedLinearOperator",)

_SEVERAL = """`lineax.linear_solve`: the {what} has parts in several units, {units}.
Bring them to one unit, `u.to(x, "{first}")`."""

_FUNCTION = """`lineax.linear_solve` with a `{type}`: it calls a function, and what that does with \
units is not known.
Give it plain numbers: `u.nondimensional(function, x="...", out="...")`."""


@for_several("linear_solve", "vprim")
def _linear_solve_lineax(
    primitive: Primitive, values: Sequence[Any], params: dict[str, Any]
) -> Any:
    """A x = b: x is in the unit of b by that of A; what was made of A before has its numbers."""
    inner, options = primitive.name, params
    while inner == "vprim":  # Equinox's, for a batch of what another primitive does
        inner, options = options["prim"].name, dict(options["params"])
    if inner != "linear_solve":
        return refuse(primitive, values)
    remaining = iter(values)
    # Where there is an array among the arguments, Equinox keeps an empty object.
    flat = [next(remaining) if type(x) is object else x for x in options["static"]]
    operator, _, vector, *_ = jtu.tree_unflatten(options["treedef"], flat)
    while type(operator).__name__ in _AROUND:
        operator = operator.operator
    holds_entries = type(operator).__name__ in _OF_ENTRIES
    unit_of_operator = _one_unit("operator", operator)
    if unit_of_operator is not ONE and not holds_entries:
        raise UnitError(_FUNCTION.format(type=type(operator).__name__))
    unit = quotient(_one_unit("vector", vector), unit_of_operator)
    outs = list(bind(primitive, *map(bare, values), **params))
    count = 1 if holds_entries else len(jtu.tree_leaves(operator.in_structure()))
    return [make(x, unit) if unit is not ONE else x for x in outs[:count]] + outs[count:]


def _one_unit(what: str, tree: Any) -> Unit:
    leaves = jtu.tree_leaves(tree, is_leaf=lambda x: isinstance(x, Quantity))
    for x in leaves:
        if isinstance(x, Quantity):
            linear(x, "lineax.linear_solve")
    # What is no array is a part of the structure: a function, say, or a text.
    units = {unit_of_operand(x) for x in leaves if hasattr(x, "shape")} or {ONE}
    if len(units) > 1:
        names = sorted(map(str, units))
        raise UnitError(_SEVERAL.format(what=what, units=" and ".join(names), first=names[0]))
    return units.pop()
