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
Pass `True` for uniform numbers within 1/sqrt(m), `"gaussian"` for normal ones, or one of
{others}."""

_DROPOUT = """`LoraConfig(lora_dropout={dropout!r})`: that is the share of entries left out.
Pass a number that is at least 0 and less than 1: `lora_dropout=0.1`."""

_BIAS = """`LoraConfig(bias={bias!r})` does not say which biases are trained.
Pass `"none"`, `"all"`, or `"lora_only"` for those of adapted layers."""

_LAYERS = """`LoraConfig(layers_to_transform={layers!r})` does not say which layers.
Pass the number of a layer, or a list: `layers_to_transform=[0, 1]`."""

PARAMETER_NAMES = ("weight", "kernel", "w", "embedding", "embeddings")
_NAMED = ("kaiming", "pissa", "olora", "orthogonal")


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
        use_dora: whether the norms of the columns of a weight, or of the rows where these are the
            outputs, are trained apart from its directions.
        init_lora_weights: how `a` begins: True or `"kaiming"` for uniform numbers within
            `1 / sqrt(m)`, `"gaussian"` for normal ones of standard deviation `1 / r`; `b` is zero.
            `"orthogonal"` makes both random with `a @ b = 0`, False both random. `"pissa"` and
            `"olora"` take them from the weight, by singular values (with `"pissa_niter_16"` only
            about) or by QR, and subtract their product from it.
        lora_dropout: the share of entries that the update does not see in training, see
            `with_dropout`.
        bias: which biases are trained too: `"none"`, `"all"`, or `"lora_only"` for those of adapted
            layers.
        modules_to_save: patterns of what is trained as a whole, a new head for example.
        layers_to_transform: the numbers of the layers that are adapted; None for all.
        layers_pattern: the name in front of that number, where there are others.
        fan_in_fan_out: whether arrays called `weight` are `[in, out]`, as in GPT-2, and not
            `[out, in]`. What is called `kernel` or `w` always is `[in, out]`.

    Raises:
        ValueError: if `r` is not a positive integer, or an option is not one of those there are.
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
        Liu et al., "DoRA: Weight-Decomposed Low-Rank Adaptation", 2024.
        Meng et al., "PiSSA: Principal Singular Values and Singular Vectors Adaptation", 2024.
        Büyükakyüz, "OLoRA: Orthonormal Low-Rank Adaptation of Large Language Models", 2024.
    """

    r: int = 8
    lora_alpha: float = 8
    target_modules: Pattern | Sequence[Pattern] | None = None
    exclude_modules: Pattern | Sequence[Pattern] | None = None
    rank_pattern: Mapping[str, int] = dataclasses.field(default_factory=dict)
    alpha_pattern: Mapping[str, float] = dataclasses.field(default_factory=dict)
    use_rslora: bool = False
    use_dora: bool = False
    init_lora_weights: bool | str = True
    lora_dropout: float = 0.0
    bias: Literal["none", "all", "lora_only"] = "none"
    modules_to_save: Pattern | Sequence[Pattern] | None = None
    layers_to_transform: int | Sequence[int] | None = None
    layers_pattern: str | Sequence[str] | None = None
    fan_in_fan_out: bool = False

    def __post_init__(self) -> None:
        ranks: list[Any] = [self.r, *self.rank_pattern.values()]
        for r in ranks:
            if not isinstance(r, numbers.Real) or float(r) < 1 or float(r) % 1 != 0:
                raise ValueError(_RANK.format(r=r))
        alphas: list[Any] = [self.lora_alpha, *self.alpha_pattern.values()]
        for alpha in alphas:
            if not isinstance(alpha, numbers.Real):
                raise TypeError(_ALPHA.format(alpha=alpha))
        for name in ("target_modules", "exclude_modules", "modules_to_save"):
            _check_pattern(name, getattr(self, name))
        if not _is_init(self.init_lora_weights):
            others = ", ".join(f'`"{name}"`' for name in _NAMED)
            raise ValueError(_INIT.format(init=self.init_lora_weights, others=others))
        dropout: Any = self.lora_dropout
        if not isinstance(dropout, numbers.Real) or not 0 <= float(dropout) < 1:
            raise ValueError(_DROPOUT.format(dropout=dropout))
        if self.bias not in ("none", "all", "lora_only"):
            raise ValueError(_BIAS.format(bias=self.bias))
        if not all(isinstance(i, numbers.Integral) for i in self.layers() or ()):
            raise ValueError(_LAYERS.format(layers=self.layers_to_transform))

    def rank(self, path: str) -> int:
        """The rank of the update to the weight at `path`."""
        return int(_of_pattern(self.rank_pattern, path, self.r))

    def scale(self, path: str) -> float:
        """What the update to the weight at `path` is multiplied by."""
        alpha, r = _of_pattern(self.alpha_pattern, path, self.lora_alpha), self.rank(path)
        return float(alpha / math.sqrt(r) if self.use_rslora else alpha / r)

    def layers(self) -> list[Any] | None:
        """The numbers of the layers that are adapted; None for all."""
        given: Any = self.layers_to_transform
        if given is None or (isinstance(given, Collection) and not given):
            return None
        return list(given) if isinstance(given, Collection) else [given]

    def is_layer(self, path: str) -> bool:
        """Whether the layer that `path` is in, if it is in one, is to be adapted."""
        layers = self.layers()
        if layers is None:
            return True
        given: Any = self.layers_pattern or [r"[^.]*"]
        patterns = [given] if isinstance(given, str) else given
        for pattern in patterns:
            found = re.match(rf"(?:.*\.)?{pattern}\.(\d+)\.", path)
            if found:
                return int(found.group(1)) in layers
        return False


def _is_init(init: Any) -> bool:
    if isinstance(init, bool):
        return True
    return init in ("gaussian", *_NAMED) or bool(re.fullmatch(r"pissa_niter_\d+", str(init)))


def _check_pattern(name: str, given: Any) -> None:
    several = isinstance(given, Collection) and not isinstance(given, str)
    for x in given if several else () if given is None else (given,):
        if not (isinstance(x, str | re.Pattern) or callable(x)):
            text = _PATTERN.format(name=name, pattern=given, wrong=x, type=type(x).__name__)
            raise TypeError(text)


def _of_pattern(patterns: Mapping[str, Any], path: str, default: Any) -> Any:
    for pattern, value in patterns.items():
        module, _, last = path.rpartition(".")
        for name in (path, module) if last in PARAMETER_NAMES else (path,):
            if re.fullmatch(rf"(?:.*\.)?(?:{pattern})", name):
                return value
    return default
