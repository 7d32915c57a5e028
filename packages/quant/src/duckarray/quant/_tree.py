"""`quantize_tree`: quantizing the weights of a model by rules."""

import dataclasses
import re
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import tree_util as jtu

from duckarray.core import ArrayValue

from ._progress import Progress
from ._quantize import quantize
from ._scheme import Scheme, as_scheme

_SHOWN = 20
_EMBEDDING = re.compile(r"embe?d|token|wte|wpe", re.IGNORECASE)

_NOT_RULES = """`quantize_tree(model, {rules!r})` takes a list of `Rule`s.
Write `[Rule(r".*attn.*", "int8"), Rule(r".*", "int4", group_size=64)]`."""

_PATTERN = """`Rule({pattern!r}, ...)`: {problem}.
Pass a regular expression for the whole path of a weight, such as `r".*attn.*"`."""

_AT = """`quantize_tree` with `{rule}`, at `{path}`: {error}"""


class UnusedRuleError(ValueError):
    """Rules of `quantize_tree` that no weight came to.

    Attributes:
        rules: the rules.
        available: the paths of all weights that could have been quantized.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.quant import Rule, UnusedRuleError, quantize_tree
        >>> try:
        ...     quantize_tree({"w": jnp.ones((2, 2))}, [Rule("v", "int8")])
        ... except UnusedRuleError as error:
        ...     print(error.available)
        ('w',)
    """

    def __init__(self, rules: Sequence["Rule"], available: Sequence[str]) -> None:
        self.rules, self.available = tuple(rules), tuple(available)
        names = ", ".join(f"`Rule({rule.pattern!r}, ...)`" for rule in rules)
        shown = "".join(f"\n  {path}" for path in self.available[:_SHOWN])
        if len(self.available) > _SHOWN:
            shown += f"\n  … and {len(self.available) - _SHOWN} more"
        super().__init__(
            f"no weight came to {names}: the first rule that fits a path is taken, and patterns "
            f"fit whole paths. Weights with two or more axes are:{shown or ' none'}\n"
            "Correct the pattern, put the rule in front of a more general one, or leave it out."
        )


@dataclasses.dataclass(frozen=True)
class Rule:
    """Which weights of a model to quantize, and how.

    Args:
        pattern: a regular expression for the whole path of a weight, as in
            `layers.0.attn.query.weight`.
        scheme: the name of a scheme or a `Scheme`; None leaves these weights as they are.
        group_size: see `quantize`.
        axis: see `quantize`. By default the axis that is summed over, as far as names tell: the
            last of embeddings and of what is called `weight`, as in Equinox and PyTorch (of
            convolutions there the second), else the second from the end, as in Flax and Haiku.
        channel_axes: see `quantize`.
        symmetric: see `quantize`.
        calibration: see `quantize`.
        percentile: see `quantize`.
        scale_dtype: see `quantize`.
        double_quant: see `quantize`.
        activations: see `Scheme`.
        outliers: see `Scheme`.

    Raises:
        ValueError: if the pattern is no regular expression, or the scheme is none.
        TypeError: if the pattern is no text.

    Example:
        >>> from duckarray.quant import Rule
        >>> Rule(r".*attn.*", "int8").fits("layers.0.attn.query.weight")
        True
    """

    pattern: str
    scheme: str | Scheme | None
    group_size: int | None = None
    axis: int | None = None
    channel_axes: tuple[int, ...] | None = None
    symmetric: bool | None = None
    calibration: str = "absmax"
    percentile: float = 99.9
    scale_dtype: Any = None
    double_quant: bool | None = None
    activations: Any = None
    outliers: int | None = None

    def __post_init__(self) -> None:
        pattern: Any = self.pattern
        if not isinstance(pattern, str):
            problem = f"a pattern is text, but got a `{type(pattern).__name__}`"
            raise TypeError(_PATTERN.format(pattern=pattern, problem=problem))
        try:
            re.compile(pattern)
        except re.error as error:
            problem = f"this is no regular expression ({error})"
            raise ValueError(_PATTERN.format(pattern=self.pattern, problem=problem)) from None
        if self.scheme is not None:
            as_scheme(self.scheme, group_size=self.group_size)

    def fits(self, path: str) -> bool:
        """Whether the rule is for the weight at `path`."""
        return re.fullmatch(self.pattern, path) is not None

    def apply(self, weight: Any, axis: int | None = None) -> Any:
        """The weight, quantized along `axis` unless the rule says otherwise."""
        if self.scheme is None:
            return weight
        given = {
            f.name: getattr(self, f.name)
            for f in dataclasses.fields(self)
            if f.name not in ("pattern", "scheme", "axis")
        }
        return quantize(weight, self.scheme, axis=axis if self.axis is None else self.axis, **given)


def quantize_tree(model: Any, rules: Sequence[Rule], *, progress: bool = False) -> Any:
    """Quantizes the weights of a model, each by the first rule that fits its path.

    A weight is an array of floating-point numbers with two or more axes. What no rule fits, biases
    and what is a value already stay as they are. An array in two places stays one.

    Args:
        model: any tree of arrays: an Equinox module, a dictionary of parameters.
        rules: what to do with which weights.
        progress: whether to show a progress bar.

    Raises:
        UnusedRuleError: if no weight came to one of the rules.
        TypeError: if these are no rules.
        ValueError: if a weight cannot be quantized so; it names the weight.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.quant import Rule, quantize_tree
        >>> params = {"attn": {"w": jnp.ones((64, 64))}, "up": {"w": jnp.ones((64, 128))}}
        >>> rules = [Rule(r".*attn.*", "int8"), Rule(r".*", "int4", group_size=64)]
        >>> quantize_tree(params, rules)["up"]["w"]
        QuantArray(float32[64,128], int4, group_size=64)
    """
    if isinstance(rules, Rule) or not all(isinstance(rule, Rule) for rule in rules):
        raise TypeError(_NOT_RULES.format(rules=rules))
    leaves, structure = jtu.tree_flatten_with_path(model, is_leaf=_is_value)
    weights = [(i, keys, x) for i, (keys, x) in enumerate(leaves) if _is_weight(x)]
    chosen: list[tuple[int, str, Any, Rule, int | None]] = []
    for i, keys, x in weights:
        path = path_of(keys)
        rule = next((rule for rule in rules if rule.fits(path)), None)
        if rule is not None:
            chosen.append((i, path, x, rule, _axis_of(model, keys, x)))
    used = [rule for *_, rule, _ in chosen]
    unused = [rule for rule in rules if not any(rule is other for other in used)]
    if unused:
        raise UnusedRuleError(unused, [path_of(keys) for _, keys, _ in weights])
    out = [x for _, x in leaves]
    done: dict[Any, Any] = {}
    with Progress("quantize_tree", len(chosen), progress) as bar:
        for i, path, x, rule, axis in chosen:
            once = (id(x), id(rule), axis)
            if once not in done:
                done[once] = _apply(rule, path, x, axis)
            out[i] = done[once]
            bar.advance(path)
    return jtu.tree_unflatten(structure, out)


def _apply(rule: Rule, path: str, x: Any, axis: int | None) -> Any:
    try:
        return rule.apply(x, axis)
    except ValueError as error:
        name = f"Rule({rule.pattern!r}, {rule.scheme!r})"
        raise ValueError(_AT.format(rule=name, path=path, error=error)) from error


def path_of(keys: Sequence[Any]) -> str:
    """The path of a leaf, as text: `layers.0.attn.query.weight`."""
    names = [_name(key) for key in keys]
    if len(names) > 1 and names[-1] == "value":  # a variable of Flax is a box with a value
        names.pop()
    return ".".join(names).replace("/", ".")


def _name(key: Any) -> str:
    for attribute in ("name", "key", "idx"):
        if hasattr(key, attribute):
            return str(getattr(key, attribute))
    return str(key)


def _axis_of(model: Any, keys: Sequence[Any], x: Any) -> int | None:
    """The axis that is summed over, as far as the kind of layer and its names tell."""
    owner = _owner(model, keys)
    kind, is_equinox = type(owner).__name__, type(owner).__module__.startswith("equinox.nn")
    if is_equinox:
        return 1 if kind.startswith("Conv") else -1
    name, module = _last(keys, -1), _last(keys, -2)
    if name in ("kernel", "w"):
        return None
    if any(_EMBEDDING.search(part) for part in (name, module)):
        return -1
    if name == "weight":
        return 1 if x.ndim >= 4 and "conv" in path_of(keys).lower() else -1
    return None


def _last(keys: Sequence[Any], i: int) -> str:
    """A part of the path, counted from the end."""
    names = path_of(keys).split(".")
    return names[i] if len(names) >= -i else ""


def _owner(model: Any, keys: Sequence[Any]) -> Any:
    for key in keys[:-1]:
        try:
            if hasattr(key, "name"):
                model = getattr(model, key.name)
            else:
                model = model[key.idx if hasattr(key, "idx") else key.key]
        except (AttributeError, KeyError, IndexError, TypeError):
            return None
    return model


def _is_weight(x: Any) -> bool:
    return isinstance(x, jax.Array) and x.ndim >= 2 and bool(jnp.issubdtype(x.dtype, jnp.floating))


def _is_value(x: Any) -> bool:
    return isinstance(x, ArrayValue)
