"""Pint's tables of the algebra of temperatures, which are in its wheel."""

import operator

import jax
import numpy as np
import pint
import pytest
from pint.testsuite.test_quantity import TestOffsetUnitMath as Tables

import duckarray.units as u

del pint
jax.config.update("jax_enable_x64", True)

OPERATIONS = {
    "additions": operator.add,
    "subtractions": operator.sub,
    "multiplications": operator.mul,
    "divisions": operator.truediv,
    "multiplications_with_scalar": operator.mul,
    "exponentiation": operator.pow,
}


def unit(text):
    return u.Unit(text.replace("kelvin", "K").replace("delta_K", "K"))


def rows():
    for table, operation in OPERATIONS.items():
        for i, (operands, expected) in enumerate(getattr(Tables, table)):
            # Of two answers the first is that of pint without automatic conversion.
            answer = expected[0] if isinstance(expected, list) else expected
            yield pytest.param(operation, operands, answer, id=f"{table}-{i}")


def policy(operation, operands, answer):
    """Why our answer is another on purpose; None if it is to be the same."""
    if "degK" in str(operands) or "milli" in str(operands) or not isinstance(answer, tuple | str):
        return "names that are pint's alone"
    texts = [x[1] for x in operands if isinstance(x, tuple)]
    absolute = [text in ("degC", "degF") for text in texts]
    if operation is operator.sub and not absolute[0] and absolute[1] and "delta" in texts[0]:
        return "a difference less an absolute temperature is no temperature"
    if operation is operator.pow and len(texts) == 2:
        return "exponents are plain numbers"
    if operation is operator.add and answer == "error" and not all(absolute) and any(absolute):
        return None
    if answer != "error" and any(absolute) and operation in (operator.mul, operator.truediv):
        return "an absolute temperature has no multiples"
    return None


@pytest.mark.parametrize(("operation", "operands", "answer"), rows())
def test_an_operation_gives_what_pint_gives(operation, operands, answer):
    why = policy(operation, operands, answer)
    if why:
        pytest.skip(why)

    def compute():
        xs = [u.Quantity(float(x[0]), unit(x[1])) if isinstance(x, tuple) else x for x in operands]
        return operation(*xs)

    if answer == "error":
        with pytest.raises(u.UnitError):
            compute()
        return
    got, wanted = compute(), unit(answer[1])
    assert u.unit_of(got).dimension is wanted.dimension
    np.testing.assert_allclose(np.asarray(u.strip(got, wanted)), answer[0], atol=0.01)
