"""Loop carries: finding the types that a loop's body gives back as it got them."""

from collections.abc import Callable, Sequence
from typing import Any

import jax

from .._errors import CarryTypeError, MaterializeError, NoRuleError
from .._structure import Slot, convert, flatten, join, unflatten
from ._mismatch import Mismatch, forget


def fixed_point(
    primitive: Any,
    initial: Sequence[Any],
    attempt: Callable[[list[Any], Callable[[list[Any]], list[Any]]], list[Any]],
    body: Callable[[list[Any]], list[Any]],
) -> list[Any]:
    """Runs a loop with a carry whose types the body keeps.

    It is tried with the types that came in. Where the body gives back others, the two are joined, the
    initial carry is converted to that, and it is tried again; as joins only ever lose structure, this
    ends.

    Args:
        primitive: whose loop it is, for messages.
        initial: the carry that goes into the first turn.
        attempt: runs the loop from a carry; it calls its second argument on what each turn of the
            body gives, which checks it and converts it.
        body: one turn of the loop, from a carry to a carry.

    Raises:
        CarryTypeError: if what comes in and what comes out have no type in common.
    """
    slots = list(map(Slot, initial))

    def settle(outs: list[Any]) -> list[Any]:
        if any(a != b for a, b in zip(slots, map(Slot, outs), strict=True) if a.tree is not None):
            raise Mismatch
        return _convert_all(primitive, outs, slots, slots)

    try:
        return attempt(list(initial), settle)
    except Mismatch as error:
        forget(error)
    entered = slots
    slots = _settled(primitive, initial, slots, body)
    return attempt(
        _convert_all(primitive, initial, slots, entered),
        lambda outs: _convert_all(primitive, outs, slots, entered),
    )


def _settled(
    primitive: Any,
    initial: Sequence[Any],
    slots: list[Slot],
    body: Callable[[list[Any]], list[Any]],
) -> list[Slot]:
    while True:
        leaves, trees = flatten(_convert_all(primitive, initial, slots, slots))
        found: list[Slot] = []

        def probe(*leaves: Any, trees: Any = trees, found: list[Slot] = found) -> list[Any]:
            outs = body(unflatten(trees, leaves))
            found[:] = map(Slot, outs)
            return outs

        jax.eval_shape(probe, *leaves)
        joined = [join(a, b) for a, b in zip(slots, found, strict=True)]
        if joined == slots:
            return slots
        slots = joined


def _convert_all(
    primitive: Any, carry: Sequence[Any], slots: list[Slot], entered: list[Slot]
) -> list[Any]:
    converted = []
    for i, (x, slot) in enumerate(zip(carry, slots, strict=True)):
        try:
            converted.append(convert(x, slot, primitive))
        except MaterializeError:
            raise
        except (NoRuleError, TypeError) as error:
            raise CarryTypeError(
                str(primitive), f"carry[{i}]", repr(entered[i]), repr(Slot(x)), str(error)
            ) from error
    return converted
