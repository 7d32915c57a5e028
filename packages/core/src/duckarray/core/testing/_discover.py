"""The subjects of installed distributions, by the entry points that these declare."""

import functools
from importlib.metadata import entry_points

from ._subject import Subject

GROUP = "duckarray.subjects"

_NOT_A_SUBJECT = """the entry point `{name} = "{value}"` of the group "{group}" is a {got}.
It has to name a `Subject`, or a tuple of them."""


@functools.lru_cache(maxsize=1)
def _found() -> tuple[Subject, ...]:
    found: list[Subject] = []
    for entry in sorted(set(entry_points(group=GROUP)), key=lambda e: (e.name, e.value)):
        loaded = entry.load()
        for subject in loaded if isinstance(loaded, tuple | list) else (loaded,):
            if not isinstance(subject, Subject):
                got = type(subject).__name__
                text = _NOT_A_SUBJECT.format(
                    name=entry.name, value=entry.value, group=GROUP, got=got
                )
                raise TypeError(text)
            found.append(subject)
    return tuple(found)


def subjects() -> dict[str, Subject]:
    """The subjects of all installed distributions, by their names.

    Each distribution names its own in the entry-point group `duckarray.subjects`.

    Raises:
        TypeError: if an entry point is something else.

    Example:
        >>> from duckarray.core.testing import subjects
        >>> all(name == subject.name for name, subject in subjects().items())
        True
    """
    return {subject.name: subject for subject in _found()}
