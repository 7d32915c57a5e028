"""Each installed array type next to each other: `pytest --pyargs duckarray.core.testing`."""

from collections.abc import Callable

# By its whole name: pytest takes this module for one of a package `core`, where the namespace
# package around it is not pointed out to it.
from duckarray.core.testing import conformance, subjects


@conformance(*subjects().values(), families=["pairs"])
def test_pair(check: Callable[[], None]) -> None:
    """Two types together give the right answer or a clear error."""
    check()
