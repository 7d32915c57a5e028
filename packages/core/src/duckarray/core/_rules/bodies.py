"""Bodies of branches and loops: run on values, staged on leaves, until their types agree."""

from collections.abc import Callable, Sequence
from typing import Any

from duckarray.core._errors import CarryTypeError, MaterializeError
from duckarray.core._structure import Slot, convert, join


class Carry:
    """What passes from turn to turn of a loop: as it came in, as assumed, as it came out."""

    def __init__(self, primitive: Any, initial: Sequence[Any]) -> None:
        self.primitive, self.initial = primitive, list(initial)
        self.entered = [Slot(x) for x in initial]
        self.slots = list(self.entered)
        self.left = list(self.entered)

    def begin(self) -> list[Any]:
        """The initial carry, converted to what is assumed."""
        return [self._convert(i, x) for i, x in enumerate(self.initial)]

    def settle(self, outs: Sequence[Any]) -> list[Any]:
        """Converts what one turn gives to what is assumed, widening that where it has to be.

        A turn staged while something was widened is of no use: its caller begins again.
        """
        settled = []
        for i, x in enumerate(outs):
            self.left[i] = Slot(x)
            joined = join(self.slots[i], self.left[i])
            unchanged = joined == self.slots[i]
            self.slots[i] = joined
            settled.append(self._convert(i, x) if unchanged else x)
        return settled

    def _convert(self, i: int, x: Any) -> Any:
        try:
            return convert(x, self.slots[i], self.primitive)
        except MaterializeError:
            raise
        except TypeError as error:
            enters, leaves = repr(self.entered[i]), repr(self.left[i])
            raise CarryTypeError(
                str(self.primitive), f"carry[{i}]", enters, leaves, str(error)
            ) from error


def fixed_point(carry: Carry, attempt: Callable[[list[Any]], Any]) -> Any:
    """Widens the types of a carry until a turn of the body gives back what it got.

    Args:
        carry: the carry, which `attempt` settles what its turn gives by.
        attempt: stages a turn for a carry given to it.

    Returns:
        What `attempt` gave. As joins only ever lose structure, an end is reached.

    Raises:
        CarryTypeError: if something cannot be converted to what it has to be.
    """
    while True:
        assumed = list(carry.slots)
        result = attempt(carry.begin())
        if carry.slots == assumed:
            return result
