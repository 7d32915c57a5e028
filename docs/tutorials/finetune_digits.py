# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Fine-tune a classifier without touching it
#
# A model that knows nothing of this library is trained on handwritten digits. Then the digits are
# turned by 90 degrees, which it cannot read, and it learns to by low-rank adapters alone: its own
# weights stay as they are, and its code too. It takes well under a minute on a CPU.

# %%
import time

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from tqdm import trange

from duckarray.core import materialization, quaxify
from duckarray.lora import loraify, merge, partition, trainable_parameters

# %% [markdown]
# ## The model
#
# An ordinary Equinox module: each row of pixels is a token, attention mixes the rows, a small
# perceptron reads the digit. Nothing in it is prepared for what comes later.


# %%
class Classifier(eqx.Module):
    """Reads a digit from an image of 8 x 8 pixels."""

    embed: eqx.nn.Linear
    position: jax.Array
    attention: eqx.nn.MultiheadAttention
    norm: eqx.nn.LayerNorm
    hidden: eqx.nn.Linear
    head: eqx.nn.Linear

    def __init__(self, width: int, key: jax.Array):
        keys = jax.random.split(key, 5)
        self.embed = eqx.nn.Linear(8, width, key=keys[0])
        self.position = 0.1 * jax.random.normal(keys[1], (8, width))
        self.attention = eqx.nn.MultiheadAttention(4, width, key=keys[2])
        self.norm = eqx.nn.LayerNorm(width)
        self.hidden = eqx.nn.Linear(8 * width, 2 * width, key=keys[3])
        self.head = eqx.nn.Linear(2 * width, 10, key=keys[4])

    def __call__(self, image: jax.Array) -> jax.Array:
        x = jax.vmap(self.embed)(image) + self.position
        h = jax.vmap(self.norm)(x)
        x = x + self.attention(h, h, h)
        return self.head(jax.nn.gelu(self.hidden(x.reshape(-1))))


def logits(model, images):
    """What a model says of a batch of images."""
    return jax.vmap(model)(images)


def loss(model, images, labels):
    """The cross-entropy of a batch."""
    losses = optax.softmax_cross_entropy_with_integer_labels(logits(model, images), labels)
    return losses.mean()


# %% [markdown]
# ## The data, and the same data turned
#
# 1797 digits come with scikit-learn. A fifth is kept for measuring.

# %%
digits = load_digits()
images = np.asarray(digits.images / 16, np.float32)
train_x, test_x, train_y, test_y = train_test_split(
    images, digits.target, test_size=0.2, random_state=0, stratify=digits.target
)
turned_train_x, turned_test_x = (np.rot90(x, axes=(1, 2)).copy() for x in (train_x, test_x))

# %% [markdown]
# ## Training
#
# One loop serves both trainings. It optimizes the arrays in `trainable`, puts the model together
# with what is `frozen`, and hands it to `objective`.


# %%
def train(objective, trainable, frozen, x, y, *, epochs, rate, name):
    """Trains by Adam; gives the model that results."""
    batch = 64
    steps = len(x) // batch
    optimizer = optax.adam(optax.cosine_decay_schedule(rate, epochs * steps))
    state = optimizer.init(trainable)
    rng = np.random.default_rng(0)

    @eqx.filter_jit
    def step(trainable, frozen, state, x, y):
        def of_trainable(trainable):
            return objective(eqx.combine(trainable, frozen), x, y)

        value, gradient = jax.value_and_grad(of_trainable)(trainable)
        updates, state = optimizer.update(gradient, state)
        return optax.apply_updates(trainable, updates), state, value

    bar = trange(epochs, desc=name, mininterval=0.5)
    for _ in bar:
        for rows in rng.permutation(len(x))[: steps * batch].reshape(steps, batch):
            trainable, state, value = step(trainable, frozen, state, x[rows], y[rows])
        bar.set_postfix(loss=f"{value:.3f}", refresh=False)
    return eqx.combine(trainable, frozen)


def accuracy(call, x, y):
    """The share of images that are read correctly."""
    return float(np.mean(np.argmax(call(jnp.asarray(x)), axis=-1) == y))


model = Classifier(64, jax.random.key(0))
weights, rest = eqx.partition(model, eqx.is_inexact_array)
model = train(loss, weights, rest, train_x, train_y, epochs=20, rate=3e-3, name="all weights")

upright = accuracy(jax.jit(lambda x: logits(model, x)), test_x, test_y)
before = accuracy(jax.jit(lambda x: logits(model, x)), turned_test_x, test_y)
print(f"upright digits: {upright:.1%} are read correctly, turned ones: {before:.1%}")

# %% [markdown]
# ## Adapters
#
# `loraify` replaces the weight of every linear layer by a `LoraArray`, which stands for `w +
# scale * a @ b`. It is still a `Classifier`; `quaxify` makes the functions above accept it. The
# adapters begin as nothing: `b` is zero.

# %%
adapted = loraify(model, rank=8, key=jax.random.key(1))
print(adapted.hidden.weight)
print(trainable_parameters(adapted))

start = np.asarray(quaxify(logits)(adapted, turned_test_x))
np.testing.assert_array_equal(start, np.asarray(logits(model, turned_test_x)))

# %% [markdown]
# `partition` says what to train: `a` and `b`, nothing else. The optimizer never sees the rest.
# Under `materialization("error")` any operation that would build a dense weight raises, so that
# this run is the proof that none does.

# %%
trainable, frozen = partition(adapted)
with materialization("error"):
    adapted = train(
        quaxify(loss),
        trainable,
        frozen,
        turned_train_x,
        train_y,
        epochs=20,
        rate=1e-2,
        name="adapters",
    )
    after = accuracy(jax.jit(lambda x: quaxify(logits)(adapted, x)), turned_test_x, test_y)

# %% [markdown]
# ## What it costs
#
# A program is traced once, before it is compiled. Here the adapted model against the plain one,
# which has three times fewer matrix products to trace.


# %%
def trace_time(function, model, repeats=7):
    """The median time in seconds that JAX takes to trace `function`."""
    arrays, static = eqx.partition(model, eqx.is_array)
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        jax.make_jaxpr(lambda arrays, x: function(eqx.combine(arrays, static), x))(
            arrays, turned_test_x
        )
        times.append(time.perf_counter() - begin)
    return float(np.median(times))


ratio = trace_time(quaxify(logits), adapted) / trace_time(logits, model)
count = trainable_parameters(adapted)
rows = [
    ("accuracy on turned digits, before", f"{before:.1%}"),
    ("accuracy on turned digits, after", f"{after:.1%}"),
    ("parameters trained", f"{count.trainable:,}"),
    ("parameters in all", f"{count.total:,}"),
    ("weights made dense", "none"),
    ("time to trace, against the plain model", f"{ratio:.2f}x"),
]
print("\n".join(f"{what:40s}{value:>10s}" for what, value in rows))

# %% [markdown]
# ## Ship it
#
# `merge` gives the plain model back, with the adapters worked into its weights. It needs neither
# `quaxify` nor this library.

# %%
merged = merge(adapted)
print(isinstance(merged.hidden.weight, jax.Array), merged.hidden.weight.shape)

# %% [markdown]
# The claims of this page, checked: the script fails if one does not hold.


# %%
def require(claim: bool, what: str) -> None:
    """Raises if a claim does not hold."""
    if not claim:
        raise SystemExit(f"failed: {what}")


untouched = jax.tree.leaves(eqx.filter(frozen, eqx.is_array))
kept = jax.tree.leaves(eqx.filter(partition(adapted)[1], eqx.is_array))
require(upright > 0.9, f"upright digits are read ({upright:.1%})")
require(after > before + 0.3, f"the adapters help ({before:.1%} to {after:.1%})")
require(count.trainable < 0.25 * count.total, "few parameters are trained")
require(
    len(kept) == len(untouched)
    and all(np.array_equal(x, y) for x, y in zip(kept, untouched, strict=True)),
    "the frozen arrays did not change",
)
require(
    np.array_equal(adapted.hidden.weight.w, model.hidden.weight), "the weight is that of the model"
)
require(
    np.allclose(logits(merged, turned_test_x), quaxify(logits)(adapted, turned_test_x), atol=1e-3),
    "the merged model says the same",
)
print("all claims hold")
