"""What the conformance kit asks of every array type."""

from dataclasses import replace

import pytest

from duckarray.core.testing import Case, conformance
from duckarray.sparse._subjects import SUBJECT

pytestmark = pytest.mark.any_jax

OTHERS = replace(
    SUBJECT,
    name="sparse-others",
    cases=(
        Case((2, 3, 4), variant="batch"),
        Case((3, 4), variant="fill"),
        Case((4,), "int32"),
        Case((4, 0)),
    ),
    keeps=("neg", "mul_scalar", "add_same", "slice"),
    without_dense=("sum_first",),
    expected_failures={},
)


@conformance(SUBJECT)
def test_conformance(check):
    check()


@conformance(OTHERS, families=["contract", "economy"])
def test_conformance_of_others(check):
    check()
