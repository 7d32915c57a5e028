"""Ten thousand calls leave nothing behind, whatever type they meet."""

import gc
import sys

import jax
import pytest
from fuzz._arguments import known

from duckarray.core import materialization, quaxify

CALLS = 10_000


def _calls(count, values):
    """So many calls, each of a function of its own; all types take turns."""
    for i in range(count):
        quaxify(lambda x: -x)(values[i % len(values)])


def _held():
    gc.collect()
    return sys.getallocatedblocks(), len(jax.live_arrays())


@pytest.mark.any_jax
def test_calls_on_values_of_every_type_leave_nothing_behind():
    values = [subject.make(subject.cases[0]) for _, subject in known().values()]
    with materialization("allow"):
        _calls(20 * len(values), values)
        blocks, arrays = _held()
        _calls(CALLS, values)
        more_blocks, more_arrays = _held()
    assert more_arrays == arrays
    # Python's own tables grow in steps; what each call left would be thousands.
    assert more_blocks - blocks < CALLS // 20
