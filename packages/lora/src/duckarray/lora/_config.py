"""`LoraConfig`: which weights get an adapter, and what kind, in the words of the PEFT library."""

import dataclasses
import math
import numbers
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal

Pattern = str | re.Pattern[str] | Callable[[str, Any], bool]

_RANK = """`LoraConfig(r={r!r})`: the rank of an update is a positive integer.
Small ones are usual: `LoraConfig(r=8)`."""

_ALPHA = """`LoraConfig(lora_alpha={alpha!r})`: what the update is multiplied by is a number.
Pass one, such as `lora_alpha=16`; divided by the rank it is the scale of the update."""

_PATTERN = """`LoraConfig({name}={pattern!r})` does not say which weights: {wrong!r} is a `{type}`.
Pass a string, a compiled regular expression, a function of path and weight, or a list of such."""

_INIT = """`LoraConfig(init_lora_weights={init!r})` is not an initialisation.
Pass `True` for uniform numbers within 1/sqrt(m), or `"gaussian"` for normal ones."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class LoraConfig:
    """Says which weights of a model get an adapter, and of what rank and scale.

    Names and defaults are those of PEFT, and a list of module names selects as it does there. A
    single string may also be the end of a path, a glob or a regular expression. A weight is known
    by its path in the tree, such as `layers.0.attention.query.weight`, and by that of the
    module or dictionary it is in.

    Args:
        r: the rank of the updates.
        lora_alpha: the update is multiplied by `lora_alpha / r`.
        target_modules: the weights to adapt: one pattern or several. A pattern is the end of a path
            (`"query"`), a glob (`"layers.[01].*"`), a regular expression for a whole path, or a
            function of path and weight. None and `"all-linear"` mean the weights of linear layers.
        exclude_modules: patterns of weights that are left alone all the same.
        rank_pattern: other ranks for some weights, by regular expressions for the end of the path.
        alpha_pattern: other values of `lora_alpha`, likewise.
        use_rslora: whether to multiply by `lora_alpha / sqrt(r)` instead, which keeps the size of
            an update independent of its rank.
        init_lora_weights: how `a` begins: True for uniform numbers within `1 / sqrt(m)`,
            `"gaussian"` for normal ones of standard deviation `1 / r`. `b` is zero.

    Raises:
        ValueError: if `r` is not a positive integer, or there is no such initialisation.
        TypeError: if `lora_alpha` is not a number, or a pattern is neither a string nor a regular
            expression nor a function.

    Example:
        >>> from duckarray.lora import LoraConfig
        >>> config = LoraConfig(r=8, lora_alpha=16, target_modules=["query", "value"])
        >>> config.scale("layers.0.query.weight")
        2.0

    References:
        Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models", 2021, section 4.1.
        Kalajdzievski, "A Rank Stabilization Scaling Factor for Fine-Tuning with LoRA", 2023.
    """

    r: int = 8
    lora_alpha: float = 8
    target_modules: Pattern | Sequence[Pattern] | None = None
    exclude_modules: Pattern | Sequence[Pattern] | None = None
    rank_pattern: Mapping[str, int] = dataclasses.field(default_factory=dict)
    alpha_pattern: Mapping[str, float] = dataclasses.field(default_factory=dict)
    use_rslora: bool = False
    init_lora_weights: Literal[True, "gaussian"] = True

    def __post_init__(self) -> None:
        ranks: list[Any] = [self.r, *self.rank_pattern.values()]
        for r in ranks:
            if not isinstance(r, numbers.Real) or float(r) < 1 or float(r) % 1 != 0:
                raise ValueError(_RANK.format(r=r))
        alphas: list[Any] = [self.lora_alpha, *self.alpha_pattern.values()]
        for alpha in alphas:
            if not isinstance(alpha, numbers.Real):
                raise TypeError(_ALPHA.format(alpha=alpha))
        for name in ("target_modules", "exclude_modules"):
            _check_pattern(name, getattr(self, name))
        if self.init_lora_weights not in (True, "gaussian"):
            raise ValueError(_INIT.format(init=self.init_lora_weights))

    def rank(self, path: str) -> int:
        """The rank of the update to the weight at `path`."""
        return int(_of_pattern(self.rank_pattern, path, self.r))

    def scale(self, path: str) -> float:
        """What the update to the weight at `path` is multiplied by."""
        alpha, r = _of_pattern(self.alpha_pattern, path, self.lora_alpha), self.rank(path)
        return float(alpha / math.sqrt(r) if self.use_rslora else alpha / r)


def _check_pattern(name: str, given: Any) -> None:
    several = isinstance(given, Collection) and not isinstance(given, str)
    for x in given if several else () if given is None else (given,):
        if not (isinstance(x, str | re.Pattern) or callable(x)):
            text = _PATTERN.format(name=name, pattern=given, wrong=x, type=type(x).__name__)
            raise TypeError(text)


def _of_pattern(patterns: Mapping[str, Any], path: str, default: Any) -> Any:
    for pattern, value in patterns.items():
        for name in (path, path.rpartition(".")[0]):
            if re.fullmatch(rf"(?:.*\.)?(?:{pattern})", name):
                return value
    return default
