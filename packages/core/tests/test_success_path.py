"""What goes right builds no message, no report and looks up no line of the program."""

import jax
import jax.numpy as jnp
import pytest
from _core_checks import assert_same
from _core_types import Box, Doubled, Length, dense, make_lowrank, matrix
from jax import lax
from jax.extend import source_info_util

import duckarray.core._checking
import duckarray.core._dispatch
import duckarray.core._errors
import duckarray.core._explain
import duckarray.core._materialize
import duckarray.core._source
import duckarray.core._summary
import duckarray.core._trace
from duckarray.core import checking_rules, quaxify

pytestmark = pytest.mark.any_jax

# All that describes an operand, finds a line, writes a text of an error, or keeps a report.
BUILDERS = [
    (duckarray.core._summary, "summarize"),
    (duckarray.core._materialize, "summarize"),
    (duckarray.core._materialize, "user_location"),
    (duckarray.core._materialize, "user_frame"),
    (duckarray.core._materialize, "warn_dense"),
    (duckarray.core._dispatch, "summarize"),
    (duckarray.core._dispatch, "user_location"),
    (duckarray.core._dispatch, "say_where"),
    (duckarray.core._trace, "say_where"),
    (duckarray.core._checking, "summarize"),
    (duckarray.core._source, "user_location"),
    (duckarray.core._source, "user_line"),
    (duckarray.core._source, "user_frame"),
    (duckarray.core._errors.NoRuleError, "__init__"),
    (duckarray.core._errors.MaterializeError, "__init__"),
    (duckarray.core._errors.CarryTypeError, "__init__"),
    (duckarray.core._explain.Report, "__init__"),
    (source_info_util, "summarize"),
]


@pytest.fixture
def nothing_is_described(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("a text was made, and nobody will read it")

    for place, name in BUILDERS:
        assert hasattr(place, name)
        monkeypatch.setattr(place, name, refuse)


W, X, Y = make_lowrank(), jnp.arange(3.0), matrix(2)
PROGRAMS = {
    "a rule": lambda w: w @ X,
    "no rule": lambda w: jnp.sin(w),  # made dense, which the type allows
    "jit": jax.jit(lambda w: w.T @ (w @ X)),
    "scan": lambda w: lax.scan(lambda c, _: (jnp.tanh(w @ c), c), X, None, length=2),
    "while": lambda w: lax.while_loop(lambda c: c[0] < 2, lambda c: (c[0] + 1, w @ c[1]), (0, X)),
    "cond": lambda w: lax.cond(True, lambda: w @ X, lambda: X),
    "checkpoint": jax.checkpoint(lambda w: jnp.tanh(w @ X)),
    "custom_jvp": lambda w: jax.nn.relu(w @ X),
    "grad": jax.grad(lambda w: jnp.sum(jnp.tanh(w @ X))),
    "vmap": lambda w: jax.vmap(lambda x: w @ x)(jnp.eye(3)),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.usefixtures("nothing_is_described")
def test_a_program_that_goes_right_builds_no_text(name):
    program = PROGRAMS[name]
    with checking_rules(False):  # which builds programs, though no texts
        got = jax.jit(quaxify(program))(W)
    assert_same(got, program(dense(W)), rtol=1e-4)


@pytest.mark.usefixtures("nothing_is_described")
def test_values_that_go_in_and_out_and_change_type_build_no_text():
    def program(x, length, other, doubled, p):
        halved = lax.cond(p, lambda: -x, lambda: x * 2.0)
        joined = lax.cond(p, lambda: length, lambda: other)
        carried, _ = lax.scan(lambda c, _: (c + 1.0, c), doubled, None, length=2)
        return halved, joined, carried

    x = Box(matrix())
    halved, joined, carried = quaxify(program)(x, Length(Y, 2.0), Length(Y, 0.5), Doubled(Y), True)
    assert_same(halved, -x.array)
    assert_same(joined, 2.0 * Y)
    assert_same(carried, 2.0 * Y + 2.0)
