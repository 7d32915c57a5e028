"""A progress bar for long work, in one line on the standard error stream."""

import sys
import time
from typing import Self

_WIDTH = 30


class Progress:
    """Shows how far some work is; where it is not asked for, does nothing."""

    def __init__(self, what: str, total: int, shown: bool) -> None:
        self.what, self.total, self.shown = what, total, shown
        self.done, self.last = 0, 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.shown:
            sys.stderr.write("\n")

    def advance(self, name: str) -> None:
        """One more is done."""
        self.done += 1
        now = time.monotonic()
        if not self.shown or (now - self.last < 0.1 and self.done < self.total):
            return
        self.last = now
        filled = _WIDTH * self.done // max(self.total, 1)
        bar = "#" * filled + "." * (_WIDTH - filled)
        sys.stderr.write(f"\r{self.what} [{bar}] {self.done}/{self.total} {name[:40]:40s}")
        sys.stderr.flush()
