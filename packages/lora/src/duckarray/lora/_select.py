"""Finding the weights of a model that patterns select."""

import fnmatch
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import equinox as eqx
from jax import tree_util as jtu

from duckarray.core import ArrayValue

from ._config import LoraConfig, Pattern

_SHOWN = 20
_WEIGHT_NAMES = ("weight", "kernel", "w")


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


def weights_of(model: Any) -> Iterator[tuple[int, Weight]]:
    """The arrays in a tree that have two or more axes, each with its index among the leaves."""
    leaves = jtu.tree_leaves_with_path(model, is_leaf=lambda x: isinstance(x, ArrayValue))
    for i, (keys, leaf) in enumerate(leaves):
        if hasattr(leaf, "shape") and hasattr(leaf, "dtype") and len(leaf.shape) >= 2:
            yield i, Weight(".".join(map(_name, keys)), leaf, _owner(model, keys))


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
    else:
        _require_matches(targets, weights)
        chosen = [(i, x) for i, x in weights if any(_matches(target, x) for target in targets)]
    _require_matches(excluded, weights)
    chosen = [(i, x) for i, x in chosen if not any(_matches(pattern, x) for pattern in excluded)]
    if not chosen:
        raise TargetError(config.target_modules, available)
    return chosen


def _require_matches(patterns: list[Pattern], weights: list[tuple[int, Weight]]) -> None:
    for pattern in patterns:
        if not any(_matches(pattern, weight) for _, weight in weights):
            raise TargetError(pattern, [weight.path for _, weight in weights])


def layout_of(weight: Weight) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Which axes of a weight are rows and which columns."""
    if isinstance(weight.owner, eqx.nn.Conv | eqx.nn.ConvTranspose):  # [out, in, *window]
        n = 2 + weight.owner.num_spatial_dims
        return (-n,), tuple(range(1 - n, 0))
    return (-2,), (-1,)


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
    return weight.path.rpartition(".")[2] in _WEIGHT_NAMES and len(weight.array.shape) == 2


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
