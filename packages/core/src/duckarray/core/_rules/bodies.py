"""Bodies of branches and loops: run on values, staged on leaves, until their types agree."""

import string
from collections.abc import Callable, Sequence
from typing import Any

from duckarray.core import _watch
from duckarray.core._errors import CarryTypeError, MaterializeError
from duckarray.core._jax import debug_info_of
from duckarray.core._structure import Slot, convert, join

_IDENTIFIER = f"{string.ascii_letters}{string.digits}_"


class Carry:
    """What passes from turn to turn of a loop: as it came in, as assumed, as it came out."""

    def __init__(self, primitive: Any, initial: Sequence[Any], body: Any, consts: int) -> None:
        self.primitive, self.initial = primitive, list(initial)
        self._body, self._consts = body, consts
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
        except Exception as error:  # a type refuses to be made dense by what exception it likes
            enters, leaves = repr(self.entered[i]), repr(self.left[i])
            reason = getattr(error, "reason", None) or str(error).splitlines()[0].removesuffix(".")
            raise CarryTypeError(
                str(self.primitive), self._path(i), enters, leaves, reason
            ) from error

    def _path(self, i: int) -> str:
        """What the user's body calls the part at position `i`, as in `carry['pos']`."""
        names = debug_info_of(self._body).arg_names
        if names is None or len(names) <= self._consts + i or not names[self._consts + i]:
            return f"carry[{i}]"
        name: str = names[self._consts + i]
        return "carry" + name.lstrip(_IDENTIFIER)


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
    point = _watch.mark()
    while True:
        _watch.back_to(point)  # only the last attempt becomes the program
        assumed = list(carry.slots)
        result = attempt(carry.begin())
        if carry.slots == assumed:
            return result
