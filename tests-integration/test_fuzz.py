"""Random programs on random types, a fixed number of them; `nox -s fuzz` runs more."""

import runpy

import pytest
from fuzz import Argument, Block, Program, Refusal, Step, Unsuitable, examine, generate, shrink

# Programs of the sequence that `nox -s fuzz -- --seed 0` runs.
PROGRAMS = [
    pytest.param(range(i, i + 5), id=f"{i}-{i + 4}", marks=[pytest.mark.long] if i >= 10 else [])
    for i in range(0, 20, 5)
]


@pytest.mark.parametrize("programs", PROGRAMS)
def test_random_programs_give_on_values_what_they_give_on_arrays(programs):
    said_something = 0
    for index in programs:
        try:
            found = examine(generate(0, index))
        except (Refusal, Unsuitable):
            continue
        said_something += 1
        assert found is None, f"program {index} of seed 0: {shrink(found)}"
    assert said_something >= len(programs) // 2


def test_a_program_is_the_same_each_time():
    assert generate(3, 5) == generate(3, 5)


PLANTED = """\
import jax
import jax.numpy as jnp
from duckarray.core import ArrayValue, register


class Planted(ArrayValue):
    array: jax.Array

    def materialize(self):
        return self.array


@register("neg")
def _neg_planted(x: Planted, **params):
    {wrong}


v1 = Planted(jnp.array([[1.0, 2.0], [3.0, 4.0]]))
"""
INNER = Block(("v9",), (Step("v10", "jnp.tanh(v9)"), Step("v11", "v10 - (-v9)")), ("v11",))
STEPS = (
    Step("v2", "jnp.sin(v1)"),
    Step("v3", "jax.jit({f0})(v1)", (INNER,)),
    Step("v4", "v2 * 2 + v3"),
)


@pytest.mark.parametrize(
    ("wrong", "kind"), [("return x", "wrong"), ("raise KeyError('lost')", "KeyError")]
)
def test_a_wrong_rule_is_found_and_its_program_made_small(wrong, kind):
    argument = Argument("v1", PLANTED.format(wrong=wrong))
    program = Program((argument,), Block(("v1",), STEPS, ("v4",)), "jit")
    found = shrink(examine(program))
    assert found.kind == kind
    assert found.program.transform == "eager"
    (step,) = found.program.body.steps
    assert step.text == "jax.jit({f0})(v1)"
    (inner,) = step.blocks
    assert [s.text for s in inner.steps] == ["v9 - (-v9)"]


def test_a_finding_is_printed_as_a_script_that_shows_it(tmp_path, capsys):
    argument = Argument("v1", PLANTED.format(wrong="return x"))
    program = Program((argument,), Block(("v1",), (Step("v2", "-v1"),), ("v2",)), "eager")
    text = str(examine(program))
    assert "at [0, 0] it is 1.0, dense JAX gives -1.0" in text
    script = tmp_path / "script.py"
    script.write_text(text[text.index("import functools") :])
    runpy.run_path(str(script))
    on_values, on_arrays = capsys.readouterr().out.split("\n", 1)
    assert on_values.startswith("Planted")
    assert on_arrays == "[[-1. -2.]\n [-3. -4.]]\n"
