"""Functions on models: giving weights adapters, finding what is trained, and merging the result."""

import itertools
import math
import numbers
import zlib
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import tree_util as jtu

from duckarray.core import ArrayValue, materialize, tree

from ._config import LoraConfig, Pattern
from ._init import begin, magnitude_of
from ._select import TargetError, Weight, layout_of, matches, path_of, select
from ._trainable import Trainable
from ._value import LoraArray

TRAINED = {LoraArray: ("a", "b", "magnitude"), Trainable: "array"}

_NO_RANK = """`loraify(model, key=key)` was not told the rank of the updates.
Pass `rank=8`, or a `LoraConfig` as the second argument."""

_TWICE = """`loraify(model, config, ..., {names})` says the same thing twice.
Leave out {names}, or write it into the `LoraConfig`."""

_NOT_A_CONFIG = """`loraify(model, {config!r})`: the second argument is a `LoraConfig`, but got a \
`{type}`.
Pass options by name, as in `loraify(model, rank=8, key=key)`."""

_NOT_A_KEY = """`loraify(..., key={key!r})` takes a key for random numbers, but got a `{type}`.
Make one of a number: `key=jax.random.key(0)`."""

_NOT_A_NUMBER = """`loraify(..., scale={scale!r})`: what the update is multiplied by is a number.
Pass one, such as `scale=2.0`."""

_NOT_FLOATING = """`loraify` is to adapt `{path}`, an array of dtype {dtype}, which no gradient \
can change.
Leave it out with `exclude={path!r}`, or convert it to a floating-point dtype."""

_TOO_LARGE = """`loraify` is to give `{path}` an update of rank {rank}, but its shape {shape} \
allows for no more than {largest}.
Pass a smaller rank, leave it out with `exclude={path!r}`, or set its own: \
`LoraConfig(rank_pattern={{{path!r}: {largest}}})`."""


def loraify(
    model: Any,
    config: LoraConfig | None = None,
    *,
    key: jax.Array,
    rank: int | None = None,
    alpha: float | None = None,
    scale: float | None = None,
    target: Pattern | Sequence[Pattern] | None = None,
    exclude: Pattern | Sequence[Pattern] | None = None,
) -> Any:
    """Gives the weights of a model low-rank adapters, which change nothing until they are trained.

    Each selected weight `w` becomes a `LoraArray` with a random `a` and a `b` of zeros. Call the
    result through `quaxify`. The same array in two places gets one adapter for both; as with any
    two leaves of a tree, training updates them separately, unless `equinox.nn.Shared` ties them.

    Args:
        model: any tree of arrays: an Equinox module, a dictionary of parameters.
        config: all options, in PEFT's words; instead of those that follow `key`.
        key: for the random `a`. What a weight gets depends on this key and on its path only.
        rank: the rank of the updates.
        alpha: the updates are multiplied by `alpha / rank`; by default by 1.
        scale: what they are multiplied by, said directly.
        target: which weights: the end of their path or of their module's (`"query"`), a glob, a
            regular expression for the whole path, a function of path and weight, or several.
            By default the weights of linear layers: of every `equinox.nn.Linear`, and outside
            `equinox.nn` all matrices called `weight`, `kernel` or `w`.
        exclude: which of those to leave alone after all.

    Returns:
        The model with a `LoraArray` in each of these places; all else is the identical object.

    Raises:
        TargetError: if a pattern selects nothing.
        TypeError: if a selected array does not hold floating-point numbers, no rank is given, or an
            option is not of its type.
        ValueError: if a selected weight is smaller than the rank, or an option is given twice.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.lora import loraify
        >>> params = {"query": {"w": jnp.ones((4, 4))}, "bias": jnp.zeros(4)}
        >>> adapted = loraify(params, rank=2, key=jax.random.key(0))
        >>> adapted["query"]["w"].a.shape, adapted["query"]["w"].b.shape
        ((4, 2), (2, 4))

    References:
        Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models", 2021, section 4.
    """
    options = {"rank": rank, "alpha": alpha, "scale": scale, "target": target, "exclude": exclude}
    config = _config(config, options)
    if not hasattr(key, "dtype"):
        raise TypeError(_NOT_A_KEY.format(key=key, type=type(key).__name__))
    adapted: dict[Any, LoraArray] = {}
    leaves, structure = jtu.tree_flatten(model, is_leaf=_is_value)
    chosen = select(model, config)
    for i, weight in chosen:
        once = (id(weight.array), config.rank(weight.path), config.scale(weight.path))
        if once not in adapted:
            adapted[once] = _adapt(weight, config, key)
        leaves[i] = adapted[once]
    if config.bias != "none" or config.modules_to_save is not None:
        _make_trainable(model, leaves, {weight.module for _, weight in chosen}, config)
    return jtu.tree_unflatten(structure, leaves)


def partition(model: Any) -> tuple[Any, Any]:
    """Splits a model into what is trained, the factors of its adapters, and everything else.

    Trained are `a`, `b` and, if there is one, `magnitude` of each `LoraArray`, and the `array` of
    each `Trainable`.

    Args:
        model: a tree with `LoraArray`s.

    Returns:
        `(trainable, frozen)`, two trees like `model` with None for what is in the other.
        `duckarray.core.tree.combine` and `equinox.combine` put them together.

    Example:
        >>> import equinox as eqx, jax, jax.numpy as jnp
        >>> from duckarray.lora import loraify, partition
        >>> model = loraify({"w": jnp.ones((4, 4))}, rank=2, key=jax.random.key(0))
        >>> trainable, frozen = partition(model)
        >>> [x.shape for x in jax.tree.leaves(trainable)]
        [(4, 2), (2, 4)]
        >>> eqx.combine(trainable, frozen)["w"].w is model["w"].w
        True
    """
    return tree.partition(model, TRAINED)


def _config(config: LoraConfig | None, options: dict[str, Any]) -> LoraConfig:
    given = {name: value for name, value in options.items() if value is not None}
    if config is not None:
        if not isinstance(config, LoraConfig):
            raise TypeError(_NOT_A_CONFIG.format(config=config, type=type(config).__name__))
        if given:
            names = ", ".join(f"`{name}`" for name in given)
            raise ValueError(_TWICE.format(names=names))
        return config
    if "rank" not in given:
        raise TypeError(_NO_RANK)
    if "alpha" in given and "scale" in given:
        raise ValueError(_TWICE.format(names="`scale`").replace("config, ...", "alpha=..."))
    rank = given["rank"]
    if not isinstance(given.get("scale", 1.0), numbers.Real):
        raise TypeError(_NOT_A_NUMBER.format(scale=given["scale"]))
    alpha = given["scale"] * rank if "scale" in given else given.get("alpha", rank)
    return LoraConfig(
        r=rank,
        lora_alpha=alpha,
        target_modules=options["target"],
        exclude_modules=options["exclude"],
    )


def _adapt(weight: Weight, config: LoraConfig, key: jax.Array) -> LoraArray:
    path, w = weight.path, weight.array
    if not jnp.issubdtype(w.dtype, jnp.floating):
        raise TypeError(_NOT_FLOATING.format(path=path, dtype=w.dtype))
    layout = layout_of(weight, config)
    sizes = [math.prod(w.shape[i] for i in axes) for axes in (layout.rows, layout.columns)]
    rank, scale = config.rank(weight.path), config.scale(weight.path)
    if rank > min(sizes):
        raise ValueError(
            _TOO_LARGE.format(path=path, rank=rank, shape=tuple(w.shape), largest=min(sizes))
        )
    key = jax.random.fold_in(key, zlib.crc32(path.encode()))
    magnitude = magnitude_of(materialize(w), layout) if config.use_dora else None
    w, a, b = begin(path, w, layout, rank, scale, config, key)
    dropout = float(config.lora_dropout)
    return LoraArray(w, a, b, scale, magnitude, layout.rows, layout.columns, dropout)


def _make_trainable(model: Any, leaves: list[Any], adapted: set[str], config: LoraConfig) -> None:
    """Wraps what the options say is trained as a whole, in the list of the leaves."""
    found = jtu.tree_leaves_with_path(model, is_leaf=_is_value)
    paths = [path_of(keys) for keys, _ in found]
    saved = []
    for i, (path, leaf) in enumerate(zip(paths, leaves, strict=True)):
        module, _, name = path.rpartition(".")
        is_bias = name in ("bias", "b") and len(getattr(leaf, "shape", ())) >= 1
        wanted = config.bias == "all" or (config.bias == "lora_only" and module in adapted)
        is_saved = _is_in(config.modules_to_save, path, leaf)
        saved.append(is_saved)
        if _is_floating(leaf) and (is_saved or (is_bias and wanted)):
            before = found[i][1]
            leaves[i] = Trainable(before, before)
    if config.modules_to_save is not None and not any(saved):
        raise TargetError(config.modules_to_save, paths)


def _is_in(patterns: Any, path: str, leaf: Any) -> bool:
    """Whether `path`, or a module around it, is selected."""
    return any(
        matches(patterns, part, leaf)
        for part in itertools.accumulate(path.split("."), "{}.{}".format)
    )


def _is_floating(x: Any) -> bool:
    return hasattr(x, "dtype") and hasattr(x, "shape") and jnp.issubdtype(x.dtype, jnp.floating)


def _is_value(x: Any) -> bool:
    return isinstance(x, ArrayValue)
