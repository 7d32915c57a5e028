"""What answers each primitive: for tests that a package leaves none to chance."""

from jax.extend.core import Primitive

from ._dispatch import handler_of
from ._registry import resolve
from ._rules.table import Treatment
from ._rules.table import treatments as _table

_ANSWERED = ("reinterpret", "leafwise", "never")


def treatments() -> dict[str, Treatment]:
    """What core does with primitives that carry programs, or are no array code, by their names.

    `"reinterpret"`: it runs the program. `"leafwise"`: it applies the primitive to each leaf.
    `"materialize"`: the primitive is given dense arrays, unless a rule answers. `"never"`: no value
    gets there.

    Example:
        >>> from duckarray.core import extend
        >>> extend.treatments()["scan"], extend.treatments()["pure_callback"]
        ('reinterpret', 'materialize')
    """
    return {name: treatment for name, (treatment, _) in _table.items()}


def is_answered(primitive: Primitive, *types: type) -> bool:
    """Whether a rule answers a primitive on operands of these types, or core does by itself.

    Args:
        primitive: the primitive.
        *types: one for each operand; `jax.Array` for an array.

    Example:
        >>> import jax
        >>> from duckarray.core import ArrayValue, extend
        >>> class Nothing(ArrayValue):
        ...     def materialize(self):
        ...         return jax.numpy.zeros(())
        >>> extend.is_answered(jax.lax.add_p, Nothing, jax.Array)
        False
    """
    treatment, _ = _table.get(primitive.name, ("", ""))
    if treatment in _ANSWERED or handler_of(primitive) is not None:
        return True
    return bool(resolve(primitive, types))
