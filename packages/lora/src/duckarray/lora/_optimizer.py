"""Optimizers of adapters."""

from collections.abc import Callable
from typing import Any

from duckarray.core import tree

from ._trainable import Trainable
from ._transform import TRAINED
from ._value import LoraArray

_RATIO = """`loraplus(..., loraplus_lr_ratio={ratio!r})`: the ratio of two learning rates is a \
positive number.
Pass one, such as `loraplus_lr_ratio=16`."""

_NOT_AN_OPTIMIZER = """`loraplus({optimizer!r}, ...)` makes an optimizer for each learning rate, \
so it takes the function that makes one.
Pass it and the learning rate apart: `loraplus(optax.adam, 1e-4)`."""


def loraplus(
    optimizer: Callable[..., Any],
    learning_rate: float | Callable[[Any], Any],
    loraplus_lr_ratio: float = 16,
    **options: Any,
) -> Any:
    """An optimizer that trains `b` faster than `a`, as LoRA+ has it.

    Args:
        optimizer: makes an optimizer of Optax for a learning rate: `optax.adam`.
        learning_rate: that of `a` and all else that is trained; a number, or a schedule.
        loraplus_lr_ratio: how much larger that of `b` is.
        **options: further arguments of `optimizer`.

    Returns:
        An `optax.GradientTransformation` for what `partition` says is trained, or for a whole
        model, of which it leaves alone what is frozen and keeps no state for it.

    Raises:
        TypeError: if `optimizer` is no function.
        ValueError: if the ratio is not a positive number.

    Example:
        >>> import jax, jax.numpy as jnp, optax
        >>> from duckarray.lora import loraify, loraplus, partition
        >>> model = loraify({"w": jnp.ones((4, 4))}, rank=2, key=jax.random.key(0))
        >>> trainable, frozen = partition(model)
        >>> optimizer = loraplus(optax.sgd, 0.5, loraplus_lr_ratio=4)
        >>> ones = jax.tree.map(jnp.ones_like, trainable)
        >>> updates, _ = optimizer.update(ones, optimizer.init(trainable), trainable)
        >>> float(updates["w"].a[0, 0]), float(updates["w"].b[0, 0])
        (-0.5, -2.0)

    References:
        Hayou, Ghosh and Yu, "LoRA+: Efficient Low Rank Adaptation of Large Models", 2024.
    """
    import optax  # type: ignore[import-not-found,import-untyped,unused-ignore]

    given: Any = optimizer
    if not callable(given) or hasattr(given, "update"):
        raise TypeError(_NOT_AN_OPTIMIZER.format(optimizer=given))
    ratio: Any = loraplus_lr_ratio
    if not isinstance(ratio, int | float) or not ratio > 0:
        raise ValueError(_RATIO.format(ratio=ratio))
    slow: Any = learning_rate
    fast: Any = (
        (lambda step: loraplus_lr_ratio * slow(step))
        if callable(slow)
        else loraplus_lr_ratio * slow
    )
    optimizers = {
        "b": optimizer(fast, **options),
        "trained": optimizer(slow, **options),
        "frozen": optax.set_to_zero(),
    }
    return optax.multi_transform(optimizers, trainable_labels)


def trainable_mask(model: Any) -> Any:
    """True in place of each array that is trained, False in place of others.

    It is what `optax.masked`, `equinox.partition` and `equinox.filter` take.

    Args:
        model: a tree with `LoraArray`s.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.lora import loraify, trainable_mask
        >>> model = loraify({"w": jnp.ones((4, 4))}, rank=2, key=jax.random.key(0))
        >>> mask = trainable_mask(model)["w"]
        >>> mask.w, mask.a, mask.b, mask.scale
        (False, True, True, False)
    """
    return tree.mask(model, TRAINED)


def trainable_labels(model: Any) -> Any:
    """`"b"` in place of each factor `b`, `"trained"` of what else is, and `"frozen"` of the rest.

    They are labels for `optax.multi_transform`.

    Args:
        model: a tree with `LoraArray`s.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.lora import loraify, trainable_labels
        >>> model = loraify({"w": jnp.ones((4, 4))}, rank=2, key=jax.random.key(0))
        >>> jax.tree.leaves(trainable_labels(model))
        ['frozen', 'trained', 'b', 'frozen']
    """
    selections = {
        "b": {LoraArray: "b"},
        "trained": {LoraArray: ("a", "magnitude"), Trainable: "array"},
    }
    return tree.labels(model, selections, default="frozen")
