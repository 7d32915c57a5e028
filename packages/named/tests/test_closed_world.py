"""Every primitive of JAX has names for its results, or a reason why not."""

import pytest

from duckarray.core import families
from duckarray.named._rules import UNNAMED, table

# What core does to each leaf, and what has no operand.
OTHERS = {str(p) for p in (*families.leafwise, *families.creation)} | {
    "axis_index",
    "iota_2x32_shape",
}


def _primitives():
    members = [m for m in vars(families).values() if isinstance(m, tuple)]
    return {str(p) for member in members for p in member}


def test_every_primitive_is_classified():
    assert not _primitives() - set(table) - set(UNNAMED) - OTHERS


def test_nothing_is_classified_twice():
    assert not set(table) & set(UNNAMED)


@pytest.mark.parametrize("name", sorted(UNNAMED))
def test_a_reason_is_a_sentence(name):
    assert len(UNNAMED[name].split()) > 4
