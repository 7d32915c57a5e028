"""Each installed array type next to each other: `pytest --pyargs duckarray.core.testing`."""

from collections.abc import Callable

from . import conformance, subjects


@conformance(*subjects().values(), families=["pairs"])
def test_pair(check: Callable[[], None]) -> None:
    """Two types together give the right answer or a clear error."""
    check()
