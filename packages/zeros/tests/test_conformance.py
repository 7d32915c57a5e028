"""What the conformance kit asks of every array type."""

from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest

from duckarray.core.testing import Case, Subject, conformance
from duckarray.zeros import Full
from duckarray.zeros._subjects import SUBJECT

pytestmark = pytest.mark.any_jax


def _dense(x):
    number = np.asarray(x.value)
    shape = x.empty.shape[:-1]
    return np.broadcast_to(number.reshape(number.shape + (1,) * (len(shape) - number.ndim)), shape)


KNOWN = Subject(
    name="full",
    make=lambda case: Full(3, case.shape, case.dtype, case.weak_type),
    dense=_dense,
    cases=(Case((4, 4)),),
    keeps=("neg", "exp", "mul_scalar", "add_same", "transpose", "sum", "mean"),
)
TRACED = replace(
    KNOWN, name="traced", make=lambda case: Full(jnp.asarray(3, case.dtype), case.shape), keeps=()
)


@conformance(SUBJECT)
def test_conformance(check):
    check()


@conformance(KNOWN, TRACED, families=("contract", "economy", "transforms"))
def test_other_numbers(check):
    check()
