"""Finding the weights of a model that patterns select."""

import fnmatch
import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import equinox as eqx
from jax import tree_util as jtu

from duckarray.core import ArrayValue

from ._config import PARAMETER_NAMES, LoraConfig, Pattern

_SHOWN = 20
_WEIGHT_NAMES = ("weight", "kernel", "w")
_EMBEDDING_NAMES = re.compile(r"(.*embe?d.*|wte|wpe)", re.IGNORECASE)
_HEAD_NAMES = ("lm_head", "embed_out")


class TargetError(ValueError):
    """No weight of the model is selected, or one pattern selects none.

    Attributes:
        target: the pattern, or None for the default.
        available: the paths of all arrays with two or more axes in the model.
    """

    def __init__(self, target: Any, available: Sequence[str]) -> None:
        self.target, self.available = target, tuple(available)
        shown = "".join(f"\n  {path}" for path in self.available[:_SHOWN])
        if len(self.available) > _SHOWN:
            shown += f"\n  … and {len(self.available) - _SHOWN} more"
        what = "the weights of linear layers" if target is None else repr(target)
        example = self.available[0] if self.available else "query.weight"
        super().__init__(
            f"`loraify(model, ...)` was told of {what}, but nothing in the model matches. Its "
            f"arrays with two or more axes are:{shown or ' none'}\n"
            f'Pass the end of such a path: `target="{example}"`, `target=["query", "value"]`.'
        )


class Weight(NamedTuple):
    """An array in a model."""

    path: str
    array: Any
    owner: Any

    @property
    def module(self) -> str:
        """The path of the module or dictionary it is in, or its own if that has no other weight."""
        module, _, name = self.path.rpartition(".")
        return module if module and name in PARAMETER_NAMES else self.path


class Layout(NamedTuple):
    """What the axes of a weight mean."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    outputs_are_rows: bool
    kind: Literal["linear", "embedding", "convolution"]


def weights_of(model: Any) -> Iterator[tuple[int, Weight]]:
    """The arrays in a tree that have two or more axes, each with its index among the leaves."""
    leaves = jtu.tree_leaves_with_path(model, is_leaf=lambda x: isinstance(x, ArrayValue))
    for i, (keys, leaf) in enumerate(leaves):
        if not (hasattr(leaf, "shape") and hasattr(leaf, "dtype") and len(leaf.shape) >= 2):
            continue
        path = path_of(keys)
        if path.rpartition(".")[2] != "bias":  # that of a convolution may have axes for the window
            yield i, Weight(path, leaf, _owner(model, keys))


def path_of(keys: Sequence[Any]) -> str:
    """The path of a leaf, in words: `layers.0.attention.query.weight`."""
    names = [_name(key) for key in keys]
    if len(names) > 1 and names[-1] == "value":  # a variable of Flax is a box with a value
        names.pop()
    return ".".join(names).replace("/", ".")


def matches(patterns: Pattern | Sequence[Pattern] | None, path: str, leaf: Any) -> bool:
    """Whether one of the patterns selects this leaf, or a module that it is in."""
    weight = Weight(path, leaf, None)
    return any(_matches(pattern, weight) for pattern in _as_list(patterns))


def select(model: Any, config: LoraConfig) -> list[tuple[int, Weight]]:
    """The weights that `config` selects.

    Raises:
        TargetError: if one of its patterns matches nothing, or all that match are excluded.
    """
    weights = list(weights_of(model))
    available = [weight.path for _, weight in weights]
    excluded = _as_list(config.exclude_modules)
    targets = _as_list(config.target_modules)
    if not targets or targets == ["all-linear"]:
        chosen = [(i, weight) for i, weight in weights if _is_linear(weight)]
        if targets:  # as in PEFT, all but the output layer
            chosen = [(i, x) for i, x in chosen if x.module.rpartition(".")[2] not in _HEAD_NAMES]
    else:
        _require_matches(targets, weights)
        chosen = [(i, x) for i, x in weights if any(_matches(target, x) for target in targets)]
    chosen = [(i, x) for i, x in chosen if config.is_layer(f"{x.module}.")]
    _require_matches(excluded, weights)
    chosen = [(i, x) for i, x in chosen if not any(_matches(pattern, x) for pattern in excluded)]
    if not chosen:
        raise TargetError(config.target_modules, available)
    return chosen


def _require_matches(patterns: list[Pattern], weights: list[tuple[int, Weight]]) -> None:
    for pattern in patterns:
        if not any(_matches(pattern, weight) for _, weight in weights):
            raise TargetError(pattern, [weight.path for _, weight in weights])


def layout_of(weight: Weight, config: LoraConfig) -> Layout:
    """Which axes of a weight are rows and which columns, and which of these are its outputs."""
    name = weight.path.rpartition(".")[2]
    owner = type(weight.owner).__name__
    ndim = len(weight.array.shape)
    if isinstance(weight.owner, eqx.nn.Conv | eqx.nn.ConvTranspose):  # [out, in, *window]
        n = 2 + weight.owner.num_spatial_dims
        return Layout((-n,), tuple(range(1 - n, 0)), True, "convolution")
    if owner in ("Conv", "ConvTranspose") and name == "kernel":  # of Flax: [*window, in, out]
        return Layout(tuple(range(-ndim, -1)), (-1,), False, "convolution")
    if name == "weight" and ndim >= 4 and "conv" in weight.module.lower():  # of PyTorch
        return Layout((-ndim,), tuple(range(1 - ndim, 0)), True, "convolution")
    kind: Literal["linear", "embedding"] = "embedding" if is_embedding(weight) else "linear"
    transposed = kind == "embedding" or name in ("kernel", "w") or config.fan_in_fan_out
    return Layout((-2,), (-1,), not transposed, kind)


def is_embedding(weight: Weight) -> bool:
    """Whether a weight is a table of which rows are picked, by its module or by its name."""
    if isinstance(weight.owner, eqx.nn.Embedding) or type(weight.owner).__name__ == "Embed":
        return True
    name = weight.module.rpartition(".")[2]
    return bool(_EMBEDDING_NAMES.fullmatch(name))


def _as_list(patterns: Pattern | Sequence[Pattern] | None) -> list[Pattern]:
    if patterns is None:
        return []
    if isinstance(patterns, str | re.Pattern) or callable(patterns):
        return [patterns]
    return list(patterns)


def _matches(pattern: Pattern, weight: Weight) -> bool:
    if callable(pattern):
        return bool(pattern(weight.path, weight.array))
    module = weight.path.rpartition(".")[0]
    return any(_matches_path(pattern, path) for path in (weight.path, module))


def _matches_path(pattern: str | re.Pattern[str], path: str) -> bool:
    if isinstance(pattern, re.Pattern):
        return pattern.fullmatch(path) is not None
    if path == pattern or path.endswith(f".{pattern}"):
        return True
    if fnmatch.fnmatchcase(path, pattern):
        return True
    try:
        return re.fullmatch(pattern, path) is not None
    except re.error:  # it was meant as a glob
        return False


def _is_linear(weight: Weight) -> bool:
    if isinstance(weight.owner, eqx.nn.Linear):
        return weight.path.endswith("weight")
    if type(weight.owner).__module__.startswith("equinox.nn"):
        return False
    is_named = weight.path.rpartition(".")[2] in _WEIGHT_NAMES
    return is_named and len(weight.array.shape) == 2 and not is_embedding(weight)


def _name(key: Any) -> str:
    for attribute in ("name", "key", "idx"):
        if hasattr(key, attribute):
            return str(getattr(key, attribute))
    return str(key)


def _owner(model: Any, keys: Sequence[Any]) -> Any:
    """The module or container that holds the leaf at `keys`, where it can be told."""
    for key in keys[:-1]:
        try:
            model = getattr(model, key.name) if hasattr(key, "name") else model[_index(key)]
        except (AttributeError, KeyError, IndexError, TypeError):
            return None
    return model


def _index(key: Any) -> Any:
    return key.idx if hasattr(key, "idx") else key.key
