"""Where in the user's program an operation comes from, as messages and warnings say it."""

import os
import re
import sys
from functools import cache
from pathlib import Path
from types import FrameType

from jax.extend import source_info_util


@cache
def exclude_from_locations(folder: str) -> None:
    """Makes JAX's record of which line an operation comes from skip the files in a folder."""
    source_info_util.register_exclusion(folder)


exclude_from_locations(str(Path(__file__).parent))


def user_location() -> str:
    """The line of the user's program being run, as `" at file.py:12 (function)"`, or `""`."""
    summary = source_info_util.summarize(source_info_util.current())
    if ":" in summary:
        return f" at {summary}"
    frame, _ = user_frame()
    transposed = _transposed_equation(frame)
    if transposed:
        return f" at {transposed}"
    if frame is None:
        return ""
    return f" at {frame.f_code.co_filename}:{frame.f_lineno} ({frame.f_code.co_qualname})"


def user_line(around: str) -> str:
    """The innermost line being run that is neither JAX's, Equinox's nor ours: `file.py:12 (name)`.

    Other than `user_location` it gives one line for all that a library's function does there.
    `around` is that of what this is in, if anything: programs inside JAX know of no such line.
    """
    summary = source_info_util.summarize(source_info_util.current(), num_frames=99)
    for line in reversed(summary.split("\n")):
        if ":" in line and f"{os.sep}equinox{os.sep}" not in line:
            return re.sub(r"(:\d+):\d+(?= |$)", r"\1", line)  # without the column
    frame, _ = user_frame()
    if around or frame is None:
        return around
    return f"{frame.f_code.co_filename}:{frame.f_lineno} ({frame.f_code.co_qualname})"


def _transposed_equation(caller: FrameType | None) -> str:
    """The line of the operation that a backward pass is at, in a call that `caller` made.

    From 0.11 on JAX does not say so itself where it transposes what it has linearized.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame is not caller:
        info = getattr(frame.f_locals.get("eqn"), "source_info", None)
        summary = source_info_util.summarize(info) if info is not None else ""
        if ":" in summary:
            return summary
        frame = frame.f_back
    return ""


def user_frame() -> tuple[FrameType | None, int]:
    """The innermost frame outside duckarray, JAX and Equinox, and how many are above it."""
    frame: FrameType | None = sys._getframe(1)
    level = 1
    while frame is not None:
        package = frame.f_globals.get("__name__", "").split(".")
        if package[0] not in ("jax", "equinox", "contextlib", "duckarray"):
            return frame, level
        frame, level = frame.f_back, level + 1
    return None, 1
