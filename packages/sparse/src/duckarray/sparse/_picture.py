"""What a sparse array looks like in print."""

from typing import Any

import numpy as np

from ._pattern import Pattern

_SIDE = 20
_SHORT = {"float": "f", "int": "i", "uint": "u", "complex": "c", "bfloat": "bf"}


def describe(aval: Any, pattern: Any, constant: Any, fill: Any) -> str:
    """One line: dtype, shape, number of entries, how much of the whole that is."""
    shape = ",".join(map(str, aval.shape))
    stored = f"{100 * pattern.nnz / max(pattern.size, 1):.3g}%"
    extra = ""
    if constant is None:
        extra = f", fill={type(fill).__name__}" if fill is None else ", fill=traced or batched"
    elif not constant.is_zero:
        extra = f", fill={constant!r}"
    dynamic = "" if isinstance(pattern, Pattern) else " capacity"
    return f"Sparse({short(aval.dtype)}[{shape}], nnz={pattern.nnz}{dynamic}, {stored}{extra})"


def short(dtype: Any) -> str:
    """A dtype in few letters: `f32`."""
    name = str(np.dtype(dtype))
    letters = name.rstrip("0123456789")
    return _SHORT.get(letters, letters) + name[len(letters) :]


def picture(pattern: Any, shape: tuple[int, ...]) -> str:
    """The places of the entries of a small matrix, one line for each row."""
    small = len(shape) == 2 and 0 < shape[0] <= _SIDE and 0 < shape[1] <= _SIDE
    if not isinstance(pattern, Pattern) or pattern.ndim != 2 or not small:
        return ""
    marks = np.full(shape, ".")
    marks[pattern.indices] = "x"
    return "".join("\n" + " ".join(row) for row in marks)
