"""`jax.debug.print`: an array it must not or cannot be made is printed as its type and shape."""

from collections.abc import Sequence
from typing import Any

from jax.extend.core import Primitive

from duckarray.core._dispatch import handles
from duckarray.core._errors import MaterializeError, NoRuleError
from duckarray.core._materialize import densify
from duckarray.core._summary import summarize
from duckarray.core._value import Value


class _Summary(str):
    """A text that any format leaves as it is: the format was meant for numbers."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        return str(self)


@handles("debug_print")
def _print(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    fixed = dict(params["static_args"])  # by position among all arguments; the rest are operands
    others = [i for i in range(params["in_tree"].num_leaves) if i not in fixed]
    shown: list[Any] = []
    for i, x in zip(others, operands, strict=True):
        try:
            shown.append(densify(x, primitive, operands))
        except (MaterializeError, NoRuleError):
            if not isinstance(x, Value):
                raise
            fixed[i] = _Summary(summarize(x))
    return primitive.bind(*shown, **{**params, "static_args": tuple(sorted(fixed.items()))})
