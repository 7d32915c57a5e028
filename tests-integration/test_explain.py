"""`explain` names the line of a transformer with adapters where a weight is made dense."""

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from duckarray.core import explain
from duckarray.lora import loraify

pytestmark = pytest.mark.long  # the page on materializing, which is tested, shows the same

WIDTH, DEPTH, TOKENS = 16, 12, 50


class Block(eqx.Module):
    norms: list
    attention: eqx.nn.MultiheadAttention
    mlp: eqx.nn.MLP

    def __init__(self, key):
        one, two = jax.random.split(key)
        self.norms = [eqx.nn.LayerNorm(WIDTH), eqx.nn.LayerNorm(WIDTH)]
        self.attention = eqx.nn.MultiheadAttention(2, WIDTH, key=one)
        self.mlp = eqx.nn.MLP(WIDTH, WIDTH, 4 * WIDTH, 1, key=two)

    def __call__(self, x):
        y = jax.vmap(self.norms[0])(x)
        x = x + self.attention(y, y, y)
        return x + jax.vmap(self.mlp)(jax.vmap(self.norms[1])(x))


class Head(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        return x @ self.weight.T / jnp.linalg.norm(self.weight, axis=1)  # this line is named


class Transformer(eqx.Module):
    blocks: list
    head: Head

    def __call__(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def adapted():
    *keys, last = jax.random.split(jax.random.key(0), DEPTH + 1)
    head = Head(jax.random.normal(last, (TOKENS, WIDTH)))
    model = Transformer([Block(key) for key in keys], head)
    return loraify(model, rank=2, key=jax.random.key(1))


@pytest.mark.parametrize("wrap", [lambda f: f, eqx.filter_jit], ids=["eager", "jit"])
def test_one_line_of_a_transformer_with_adapters_makes_a_weight_dense(wrap):
    report = explain(wrap(adapted()), jax.ShapeDtypeStruct((8, WIDTH), jnp.float32))
    (dense,) = report.materialized
    assert report.refused == report.materialized
    assert (dense.primitive, dense.path[-1]) == ("mul", "jit norm")
    assert dense.dense == (f"LoraArray f32[{TOKENS},{WIDTH}]",)
    assert report.bytes == dense.bytes == 4 * TOKENS * WIDTH
    code = Head.__call__.__code__
    assert dense.line == f"{__file__}:{code.co_firstlineno + 1} (Head.__call__)"
    # Per block four products of attention and two of the perceptron; one, and a transpose, after.
    assert report.totals["rule"] == 6 * DEPTH + 2
    rules = [x.rule.rpartition(".")[2] for x in report.operations if x.rule]
    assert rules.count("_dot_general_lora_dense") == 6 * DEPTH
    assert rules.count("_dot_general_dense_lora") == rules.count("_transpose_lora") == 1


def test_the_report_is_a_data_frame():
    pandas = pytest.importorskip("pandas")
    frame = explain(adapted(), jax.ShapeDtypeStruct((8, WIDTH), jnp.float32)).to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame["bytes"].sum() == 4 * TOKENS * WIDTH
    assert (frame["outcome"] == "materialized").sum() == 1
