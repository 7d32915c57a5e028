"""The kit for quantities and named arrays around other values; names stay outermost."""

import numpy as np
import pytest

from duckarray.core import BranchTypeError, MaterializeError, NoRuleError, materialize
from duckarray.core.testing import Subject, conformance, subjects
from duckarray.named import AxisNameError, NamedArray
from duckarray.units import Quantity, UnitError, UnitRangeError

pytestmark = pytest.mark.long  # what the kit asks of each alone, it asks here of both together

FAMILIES = ["contract", "transforms"]
REFUSED = (UnitError, UnitRangeError, BranchTypeError, NoRuleError, MaterializeError)
NO_DENSE_FORM = {"contract/aval/*": "a length has no dense form to compare with"}


def nested(name, around, inside, inner, refuses, failures):
    """`around` each value of the subject `inner`; `inside` is what is in it again."""
    kind = type(inner.make(inner.cases[0]))

    def dense(x):
        value = inside(x)
        if isinstance(value, kind):
            return inner.dense(value)
        return np.asarray(materialize(value))

    return Subject(
        name=name,
        make=lambda case: around(inner.make(case), case.shape),
        dense=dense,
        cases=inner.cases[:1],
        refuses=(*inner.refuses, *refuses),
        expected_failures=failures,
    )


def length_of(inner):
    return nested(
        f"length-of-{inner}",
        lambda x, shape: Quantity(x, "m"),
        lambda x: x.value,
        subjects()[inner],
        REFUSED,
        NO_DENSE_FORM,
    )


def names_of(inner):
    return nested(
        f"names-of-{inner}",
        lambda x, shape: NamedArray(x, ("batch", "seq", "d")[: len(shape)]),
        lambda x: x.array,
        subjects()[inner],
        (AxisNameError, *REFUSED),
        NO_DENSE_FORM if inner == "units" else {},
    )


@conformance(length_of("sparse"), families=FAMILIES)
def test_a_length_of_sparse_entries(check):
    check()


@conformance(length_of("lora"), families=FAMILIES)
def test_a_length_of_low_rank_updates(check):
    check()


@conformance(length_of("zeros"), families=FAMILIES)
def test_a_length_of_zeros(check):
    check()


@conformance(names_of("units"), families=[*FAMILIES, "agreement"])
def test_names_of_a_length(check):
    check()


@conformance(names_of("sparse"), families=FAMILIES)
def test_names_of_sparse_entries(check):
    check()


@conformance(names_of("quant"), families=FAMILIES)
def test_names_of_quantized_weights(check):
    check()
