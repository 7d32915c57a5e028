"""Models of Flax and Haiku, unmodified, quantized and with adapters."""

import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import linen, nnx

from duckarray import lora, quant
from duckarray.core import materialization, materialize, quaxify

IDS = jnp.array([1, 4, 2])
KEY = jax.random.key(0)


class Linen(linen.Module):
    @linen.compact
    def __call__(self, ids):
        x = linen.Embed(8, 16, name="embed")(ids)
        return linen.Dense(4, name="out")(jnp.tanh(linen.Dense(32, name="up")(x)))


class Nnx(nnx.Module):
    def __init__(self, rngs):
        self.embed = nnx.Embed(8, 16, rngs=rngs)
        self.up = nnx.Linear(16, 32, rngs=rngs)
        self.out = nnx.Linear(32, 4, rngs=rngs)

    def __call__(self, ids):
        return self.out(jnp.tanh(self.up(self.embed(ids))))


def of_haiku(ids):
    x = hk.Embed(8, 16, name="embed")(ids)
    return hk.Linear(4, name="out")(jnp.tanh(hk.Linear(32, name="up")(x)))


def with_linen():
    module = Linen()
    return module.init(KEY, IDS), lambda params: module.apply(params, IDS)


def with_nnx():
    definition, params = nnx.split(Nnx(nnx.Rngs(0)), nnx.Param)
    return params, lambda params: nnx.merge(definition, params)(IDS)


def with_haiku():
    module = hk.without_apply_rng(hk.transform(of_haiku))
    return module.init(KEY, IDS), lambda params: module.apply(params, IDS)


@pytest.mark.parametrize("make", [with_linen, with_nnx, with_haiku])
def test_the_model_runs_quantized_and_with_adapters_trained_on_it(make):
    params, run = make()
    small = quant.quantize_tree(params, [quant.Rule(".*", "int8")])
    is_value = lambda x: isinstance(x, quant.QuantArray)
    scales = [x.scale.size for x in jax.tree.leaves(small, is_leaf=is_value) if is_value(x)]
    assert sorted(scales) == [4, 8, 32]  # one for each output, and for each row of the table
    with materialization("error"):
        got = quaxify(run)(small)
    np.testing.assert_allclose(got, run(materialize(small)), rtol=1e-5, atol=1e-6)

    config = lora.LoraConfig(r=2, target_modules=["embed", "up", "out"])
    model = lora.loraify(small, config, key=KEY)
    # 2 (8 + 16) + 2 (16 + 32) + 2 (32 + 4)
    assert lora.trainable_parameters(model).trainable == 216
    trained = jax.tree.map(lambda x: x + 0.1, lora.partition(model)[0])
    model = jax.tree.map(
        lambda new, old: old if new is None else new,
        trained,
        lora.partition(model)[1],
        is_leaf=lambda x: x is None,
    )
    with materialization("error"):
        got = quaxify(run)(model)
    np.testing.assert_allclose(got, run(lora.merge(model)), rtol=1e-4, atol=1e-5)
