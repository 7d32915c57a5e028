"""Bodies of branches and loops: run on values, staged on leaves, until their types agree."""

from collections.abc import Callable, Sequence
from typing import Any

from duckarray.core._errors import CarryTypeError, MaterializeError
from duckarray.core._structure import Slot, convert, flatten, join


def settle(
    primitive: Any, outs: Sequence[Any], slots: list[Slot], entered: Sequence[Slot]
) -> list[Any]:
    """Converts what one turn gives to what the next expects, widening `slots` where they differ.

    Where a slot is widened the turn just staged is of no use: the caller starts again.

    Raises:
        CarryTypeError: if something cannot be converted to what it has to be.
    """
    settled = []
    for i, x in enumerate(outs):
        joined = join(slots[i], Slot(x))
        if joined == slots[i]:
            x = convert_carry(primitive, i, x, joined, entered[i])
        slots[i] = joined
        settled.append(x)
    return settled


def convert_carry(primitive: Any, i: int, x: Any, slot: Slot, entered: Slot) -> Any:
    """`x`, the part of a carry at position `i`, as what `slot` says."""
    try:
        return convert(x, slot, primitive)
    except MaterializeError:
        raise
    except TypeError as error:
        raise CarryTypeError(
            str(primitive), f"carry[{i}]", repr(entered), repr(Slot(x)), str(error)
        ) from error


def fixed_point(
    primitive: Any, initial: Sequence[Any], attempt: Callable[[list[Any], list[Slot]], Any]
) -> tuple[list[Any], Any]:
    """Widens the types of a carry until a turn of the body gives back what it got.

    Args:
        primitive: whose loop it is.
        initial: the carry that goes into the first turn.
        attempt: stages the loop for a carry; it calls `settle` with the slots it is given, and what
            it returns is kept if that widened none of them.

    Returns:
        The initial carry, converted, and what `attempt` gave. As joins only ever lose structure, an
        end is reached.
    """
    entered = [Slot(x) for x in initial]
    slots = entered
    while True:
        carry = [
            convert_carry(primitive, i, x, slot, entered[i])
            for i, (x, slot) in enumerate(zip(initial, slots, strict=True))
        ]
        widened = list(slots)
        result = attempt(carry, widened)
        if widened == slots:
            return carry, result
        slots = widened


def leaf_avals(operands: Sequence[Any]) -> list[Any]:
    """The abstract values of the leaves of all operands."""
    from duckarray.core._jax import typeof

    return [typeof(x) for x in flatten(operands)[0]]
