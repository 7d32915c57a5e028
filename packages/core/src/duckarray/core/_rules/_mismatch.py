"""The way out of a program being traced when it turns out that its types do not agree."""

import traceback


class Mismatch(Exception):
    """The assumption made about some types was wrong; nobody outside the handlers sees this."""


def forget(error: BaseException) -> None:
    """Lets go of the frames `error` came through, so that no tracer outlives its trace."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        if current.__traceback__ is not None:
            traceback.clear_frames(current.__traceback__)
            current.__traceback__ = None
        following = current.__cause__ or current.__context__
        current.__cause__ = current.__context__ = None
        current = following
