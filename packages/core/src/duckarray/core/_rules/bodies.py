"""Bodies of branches and loops: run on values, staged on leaves, until their types agree."""

import string
from collections.abc import Callable, Sequence
from typing import Any

import jax

from duckarray.core import _watch
from duckarray.core._constants import (
    ALMOST_ZERO,
    count_asked,
    each_constant,
    note_constant,
    noted_constant,
    noting_almost_zeros,
    times_asked,
)
from duckarray.core._errors import CarryTypeError, MaterializeError
from duckarray.core._jax import debug_info_of
from duckarray.core._structure import Slot, convert, join
from duckarray.core._value import Value, dense_aval

from .tangents import is_inexact
from .zero_leaves import stands_for_zeros, zero_value

_IDENTIFIER = f"{string.ascii_letters}{string.digits}_"


class Carry:
    """What passes from turn to turn of a loop: as it came in, as assumed, as it came out.

    An array of zeros that comes in may be zeros of any type: gradients of a loop are summed up from
    such. Its type is what the first turn adds to it, if zeros of that type can be made.
    """

    def __init__(self, primitive: Any, initial: Sequence[Any], body: Any, consts: int) -> None:
        self.primitive, self.initial = primitive, list(initial)
        self._body, self._consts = body, consts
        self.entered = [Slot(x) for x in initial]
        self.slots = list(self.entered)
        self.left = list(self.entered)
        self._constants = each_constant(initial)
        # Whether each is zeros of a type that has not been seen yet.
        self.zeros = [
            c == 0 and is_inexact(x) for x, c in zip(initial, self._constants, strict=True)
        ]
        self.assumes_zeros = any(self.zeros)
        # What the last turn gave, if that is known.
        self._known: list[Any] = [None] * len(self.initial)

    @property
    def types(self) -> tuple[list[Slot], list[bool]]:
        """What is assumed of each part: its type, and whether it is zero in every turn."""
        return self.slots, self.zeros

    @types.setter
    def types(self, types: tuple[list[Slot], list[bool]]) -> None:
        self.slots, self.zeros = list(types[0]), list(types[1])

    def begin(self) -> list[Any]:
        """The initial carry, converted to what is assumed."""
        pairs = zip(self.initial, self._constants, strict=True)
        return [self._convert(i, x, constant == 0) for i, (x, constant) in enumerate(pairs)]

    def constants(self) -> list[Any]:
        """Zero for each part that is assumed to be zero in every turn."""
        pairs = zip(self._constants, self.zeros, strict=True)
        return [constant if zero else None for constant, zero in pairs]

    def observe(self, outs: Sequence[Any]) -> None:
        """Is shown what one turn gives while it is known which of it is zero."""
        self._known = [noted_constant(x) for x in outs[: len(self.initial)]]

    def settle(self, outs: Sequence[Any]) -> list[Any]:
        """Converts what one turn gives to what is assumed, widening that where it has to be.

        A turn staged while something was widened is of no use: its caller begins again.
        """
        settled = []
        for i, x in enumerate(outs):
            self.left[i] = Slot(x)
            known_zero = self._known[i] == 0 and self._known[i] is not ALMOST_ZERO
            if self.zeros[i] and self._known[i] != 0:
                self.zeros[i] = False
                if self._is_of_zeros(i, self.left[i]):
                    self.slots[i] = self.left[i]
                    settled.append(x)
                    continue
            if known_zero and self.assumes_zeros:
                count_asked()  # what is zero may be so by what is assumed of other parts
            stays = known_zero and not isinstance(x, Value) and self._is_of_zeros(i, self.slots[i])
            joined = self.slots[i] if stays else join(self.slots[i], self.left[i])
            unchanged = joined == self.slots[i]
            self.slots[i] = joined
            settled.append(self._convert(i, x, known_zero) if unchanged else x)
        return settled

    def end(self, outs: list[Any]) -> list[Any]:
        """The carry after the last turn, noting which of it is zero still."""
        for x, zero in zip(outs, self.zeros, strict=True):
            if zero and isinstance(x, jax.Array):
                note_constant(x, 0)
        return outs

    def forget_almost_zeros(self) -> None:
        """Takes what is zero in every turn, if it is made of what is finite, for an array."""
        pairs = zip(self.zeros, self._known, strict=True)
        self.zeros = [zero and known is not ALMOST_ZERO for zero, known in pairs]

    def assume_nothing_of_zeros(self) -> None:
        """Begins again, taking zeros for the arrays that they are."""
        self.slots, self.zeros = list(self.entered), [False] * len(self.zeros)
        self.assumes_zeros = False

    def _is_of_zeros(self, i: int, slot: Slot) -> bool:
        """Whether the part at `i`, if it is zero, can be a value of the type of `slot`."""
        if slot.tree is None or not stands_for_zeros(slot):
            return False
        initial, own = dense_aval(self.initial[i]), dense_aval(slot.example)
        return tuple(own.shape) == tuple(initial.shape) and own.dtype == initial.dtype

    def _convert(self, i: int, x: Any, is_zero: bool) -> Any:
        try:
            if is_zero and not isinstance(x, Value) and self._is_of_zeros(i, self.slots[i]):
                return zero_value(self.slots[i])
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
    infers = carry.assumes_zeros
    while True:
        _watch.back_to(point)  # only the last attempt becomes the program
        slots, zeros, asked = list(carry.slots), list(carry.zeros), times_asked()
        try:
            with noting_almost_zeros(infers):
                result = attempt(carry.begin())
        except Exception:
            if not carry.assumes_zeros:
                raise
            carry.assume_nothing_of_zeros()
            infers = False
            continue
        # What was assumed to be zero need not have been of interest to any rule.
        is_told = times_asked() > asked
        if carry.slots == slots and carry.zeros == zeros:
            carry.forget_almost_zeros()
            if not (infers and is_told):
                return result
            infers = False  # types have settled: from here on only what is so for certain counts
        elif carry.slots == slots and not is_told:
            return result
