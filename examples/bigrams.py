"""A type of one's own in thirty lines: rows with a single one, stored as its place.

A model of letters takes the letter before as a row of zeros with a one. Written as arrays that is
a matrix of as many rows as the text has letters; as `OneHot` it is a column of numbers, and its
product with a matrix a look-up. The model and its training know nothing of that.
"""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
import picture

from duckarray.core import ArrayValue, explain, field, materialization, quaxify, register

TEXT = (Path(__file__).resolve().parents[1] / "LICENSE").read_text(encoding="utf-8").lower()


class OneHot(ArrayValue):
    """Rows of zeros with one one: row `i` has it at `index[i]`, of `width` columns."""

    index: jax.Array
    width: int = field(static=True)

    def materialize(self):
        return jax.nn.one_hot(self.index, self.width)


@register("dot_general")
def _dot_general_onehot_dense(x: OneHot, y: jax.Array, *, dimension_numbers, **params):
    """A row with a one at `i` times a matrix is row `i` of the matrix."""
    if dimension_numbers != (((1,), (0,)), ((), ())):
        return NotImplemented
    return y[x.index]


@register("mul", commutative=True)
def _mul_onehot_dense(x: OneHot, y: jax.Array, **params):
    """Entries other than the one are zero, whatever they are multiplied with."""
    return Hot(x.index, jnp.take_along_axis(y, x.index[:, None], 1)[:, 0], x.width)


class Hot(ArrayValue):
    """Like `OneHot`, with other numbers in the place of the ones."""

    index: jax.Array
    number: jax.Array
    width: int = field(static=True)

    def materialize(self):
        return jax.nn.one_hot(self.index, self.width) * self.number[:, None]


@register("reduce_sum")
def _reduce_sum_hot(x: Hot, *, axes, **params):
    """A row has one number that is not zero."""
    return {(1,): x.number, (0, 1): x.number.sum()}.get(axes, NotImplemented)


def loss(w, before, after):
    """The cross-entropy, as for any arrays."""
    return -jnp.mean(jnp.sum(after * jax.nn.log_softmax(before @ w), axis=1))


def main(file: Path = Path("bigrams.svg"), steps: int = 60) -> None:
    """Trains, compares with counting, writes some letters, and draws."""
    letters, index = np.unique(list(TEXT), return_inverse=True)
    before, after = (OneHot(jnp.asarray(i), len(letters)) for i in (index[:-1], index[1:]))
    w = jnp.zeros((len(letters), len(letters)))
    print(explain(loss, w, before, after))
    optimizer = optax.adam(0.3)

    @jax.jit
    def train(w, before, after):
        def step(carry, _):
            w, state = carry
            value, slope = jax.value_and_grad(quaxify(loss))(w, before, after)
            updates, state = optimizer.update(slope, state)
            return (optax.apply_updates(w, updates), state), value

        (w, _), losses = jax.lax.scan(step, (w, optimizer.init(w)), length=steps)
        return w, losses

    with materialization("error"):  # the matrices would have 11,000 rows
        w, losses = train(w, before, after)
    counts = np.zeros(w.shape)
    np.add.at(counts, (index[:-1], index[1:]), 1)
    shares = counts / counts.sum(1, keepdims=True).clip(1)
    best = -np.sum(counts * np.log(np.where(counts > 0, shares, 1))) / counts.sum()
    print(
        f"nats for each letter: {losses[0]:.3f}, trained {losses[-1]:.3f}, by counting {best:.3f}"
    )
    likely = {str(letters[i]): str(letters[j]) for i, j in enumerate(np.argmax(w, axis=1))}
    print(f"likeliest after t: {likely['t']!r}, after q: {likely.get('q')!r}")
    lines = {"trained": (np.arange(steps), losses), "by counting": ([0, steps - 1], [best, best])}
    picture.curves(file, "Letters of a licence: nats for each", lines)
    assert best < losses[-1] < best + 0.1


if __name__ == "__main__":
    main()
