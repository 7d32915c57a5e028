"""Which primitives give zero if some of their operands are zero and the others are finite."""

from collections.abc import Sequence
from typing import Any

from jax.extend.core import Primitive

from . import families

# Zero where any operand is, and where all operands are.
_ANY = frozenset({"mul", "dot_general", "conv_general_dilated", "and"})
_ELEMENTWISE = (
    "add add_any sub max min or xor concatenate pad abs sign sqrt sin tan sinh tanh asin atan expm1"
    " log1p erf"
)
_ALL = frozenset([*map(str, families.linear), *_ELEMENTWISE.split()])
# Zero where these operands are: others say where to look.
_SOME = {
    "gather": slice(0, 1),
    "dynamic_slice": slice(0, 1),
    "dynamic_update_slice": slice(0, 2),
    "scatter-add": slice(0, 3, 2),
    "scatter": slice(0, 3, 2),
    "select_n": slice(1, None),
}


def gives_zero(primitive: Primitive, zeros: Sequence[Any], params: Any) -> bool:
    """Whether all results are zero, given which operands are."""
    name = primitive.name
    if name == "scatter" and params["update_jaxpr"] is not None:
        return False  # `x.at[i].apply(f)`, where the updates are zeros that nobody reads
    if name in _ANY:
        return any(zeros)
    if name in _ALL:
        return all(zeros)
    return name in _SOME and all(zeros[_SOME[name]])
