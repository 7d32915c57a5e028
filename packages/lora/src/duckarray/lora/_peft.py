"""The arrays and the options of PEFT's files, for one weight and for all."""

import collections
import json
import math
import re
from pathlib import Path
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from ._config import LoraConfig
from ._layout import axes_of
from ._names import PREFIX
from ._select import Layout, Weight
from ._value import LoraArray

_NOT_JSON = """`load_pretrained(folder, ...)` cannot read `{file}`: {error}
The folder should hold `adapter_config.json` and `adapter_model.safetensors`, \
as PEFT writes them."""

_OTHER_METHOD = """`load_pretrained(folder, ...)`: `{file}` says {what}, which is not supported.
Supported is `"peft_type": "LORA"` with ranks, scales, rsLoRA, DoRA, biases and saved modules."""

_SHAPE = """`load_pretrained(...)`: for `{path}` of shape {w} the file has `{key}` of shape \
{shape}, where {expected} was expected.
The adapter is for another model, or `fan_in_fan_out` in its configuration is wrong."""

_OPTIONS = (
    *("lora_dropout", "bias", "use_rslora", "use_dora", "fan_in_fan_out", "rank_pattern"),
    *("alpha_pattern", "target_modules", "exclude_modules", "layers_to_transform"),
    "layers_pattern",
)
_UNSUPPORTED = ("lora_bias", "layer_replication", "trainable_token_indices", "use_qalora")


class Factors(NamedTuple):
    """What a file says of the adapter of one module."""

    a: Any
    b: Any
    scale: float
    magnitude: Any
    dropout: float
    keys: tuple[str, ...]


def adapter_tensors(x: LoraArray, layout: Layout, index: tuple[int, ...]) -> dict[str, Any]:
    """The arrays of one adapter as in PEFT's files, by the ends of their names."""
    a, b = np.asarray(x.a)[index], np.asarray(x.b)[index]
    # [r, *outputs] and [r, *inputs], whichever factor they are in.
    a = np.moveaxis(a, -1, 0)
    outputs, inputs = (a, b) if layout.outputs_are_rows else (b, a)
    rank = a.shape[0]
    out: dict[str, Any] = {}
    if layout.kind == "convolution":
        window = inputs.ndim - 2
        first = inputs if layout.outputs_are_rows else np.moveaxis(inputs, -1, 1)
        second = outputs.T.reshape(-1, rank, *(1,) * window)
        out |= {"lora_A.weight": first, "lora_B.weight": second}
    else:
        first, second = inputs.reshape(rank, -1), outputs.reshape(rank, -1).T
        if layout.kind == "embedding":
            out |= {"lora_embedding_A": first, "lora_embedding_B": second}
        else:
            out |= {"lora_A.weight": first, "lora_B.weight": second}
    if x.magnitude is not None:
        vector = np.asarray(x.magnitude)[index].reshape(-1)
        if layout.kind == "convolution":
            vector = vector.reshape(1, -1, *(1,) * (inputs.ndim - 2))
        out["lora_magnitude_vector"] = vector
    return {key: np.ascontiguousarray(tensor) for key, tensor in out.items()}


def factors_of(
    tensors: dict[str, Any], module: str, weight: Weight, layout: Layout, config: LoraConfig
) -> Factors | None:
    """What a file says of the adapter of one module; None if nothing.

    Raises:
        AdapterError: if its arrays have other shapes than they should.
    """
    for first, second, kind in (  # noqa: B007
        ("lora_A.weight", "lora_B.weight", layout.kind),
        ("lora_embedding_A", "lora_embedding_B", "embedding"),
    ):
        keys = [f"{PREFIX}{module}.{end}" for end in (first, second)]
        if all(key in tensors for key in keys):
            break
    else:
        return None
    if kind == "embedding":
        layout = layout._replace(outputs_are_rows=False)
    rank = config.rank(module)
    w = tuple(weight.array.shape)
    batch, rows, columns = axes_of(len(w), layout.rows, layout.columns)
    outputs, inputs = (rows, columns) if layout.outputs_are_rows else (columns, rows)
    out_sizes, in_sizes = [w[i] for i in outputs], [w[i] for i in inputs]
    wanted_a: list[int] = [rank, math.prod(in_sizes)]
    wanted_b: list[int] = [math.prod(out_sizes), rank]
    if kind == "convolution":
        in_order = in_sizes if layout.outputs_are_rows else [in_sizes[-1], *in_sizes[:-1]]
        wanted_a, wanted_b = [rank, *in_order], [*wanted_b, *[1] * (len(in_sizes) - 1)]
    for key, wanted in zip(keys, (wanted_a, wanted_b), strict=True):
        _require_shape(weight.path, w, key, tensors[key].shape, tuple(wanted))
    x, y = (tensors[key] for key in keys)
    if kind == "convolution" and not layout.outputs_are_rows:
        x = jnp.moveaxis(x, 1, -1)
    of_inputs = x.reshape(rank, *in_sizes)
    of_outputs = y.reshape(math.prod(out_sizes), rank).T.reshape(rank, *out_sizes)
    of_rows, of_columns = (
        (of_outputs, of_inputs) if layout.outputs_are_rows else (of_inputs, of_outputs)
    )
    magnitude = None
    for end in ("lora_magnitude_vector", "lora_magnitude_vector.weight"):
        key = f"{PREFIX}{module}.{end}"
        if key in tensors:
            keys.append(key)
            size = math.prod(out_sizes)
            if tensors[key].size != size:
                _require_shape(weight.path, w, key, tensors[key].shape, (size,))
            one = [w[i] if i in outputs else 1 for i in range(len(w)) if i not in batch]
            magnitude = tensors[key].reshape(one)
    a, b = jnp.moveaxis(of_rows, 0, -1), of_columns
    return Factors(a, b, config.scale(module), magnitude, config.lora_dropout, tuple(keys))


def peft_config(
    config: LoraConfig,
    chosen: dict[str, tuple[int, float]],
    modules: list[str],
    use_dora: bool,
    has_bias: bool,
    base_model: str | None,
) -> dict[str, Any]:
    """What is written into `adapter_config.json`.

    Args:
        config: options that the model does not show.
        chosen: rank and scale of each adapted module.
        modules: the names of all modules with weights.
        use_dora: whether there are magnitudes.
        has_bias: whether there are trained biases.
        base_model: the name of the base model.
    """
    root = math.sqrt if config.use_rslora else float
    alphas = {name: _short(scale * root(r)) for name, (r, scale) in chosen.items()}
    (r, alpha), _ = collections.Counter(
        (r, alphas[name]) for name, (r, _) in chosen.items()
    ).most_common(1)[0]
    ranks = {re.escape(name): n for name, (n, _) in chosen.items() if n != r}
    others = {re.escape(name): value for name, value in alphas.items() if value != alpha}
    saved = config.modules_to_save
    return {
        "alpha_pattern": others,
        "auto_mapping": None,
        "base_model_name_or_path": base_model,
        "bias": config.bias if config.bias != "none" or not has_bias else "all",
        "exclude_modules": None,
        "fan_in_fan_out": config.fan_in_fan_out,
        "inference_mode": True,
        "init_lora_weights": True,
        "layer_replication": None,
        "layers_pattern": None,
        "layers_to_transform": None,
        "loftq_config": {},
        "lora_alpha": alpha,
        "lora_bias": False,
        "lora_dropout": config.lora_dropout,
        "megatron_config": None,
        "megatron_core": "megatron.core",
        "modules_to_save": [saved] if isinstance(saved, str) else saved,
        "peft_type": "LORA",
        "r": r,
        "rank_pattern": ranks,
        "revision": None,
        "target_modules": _targets(list(chosen), modules),
        "task_type": None,
        "use_dora": use_dora,
        "use_rslora": config.use_rslora,
    }


def read_config(file: Path) -> LoraConfig:
    """The options in `adapter_config.json`.

    Raises:
        FileNotFoundError: if it is not there.
        ValueError: if it is no such file, or says what is not supported.
    """
    if not file.exists():
        raise FileNotFoundError(_NOT_JSON.format(file=file, error="there is no such file."))
    try:
        given = json.loads(file.read_text("utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(_NOT_JSON.format(file=file, error=error)) from error
    if not isinstance(given, dict):
        raise ValueError(_NOT_JSON.format(file=file, error="it holds no dictionary."))
    if given.get("peft_type") != "LORA":
        what = f'`"peft_type": {json.dumps(given.get("peft_type"))}`'
        raise ValueError(_OTHER_METHOD.format(file=file, what=what))
    for name in _UNSUPPORTED:
        if given.get(name):
            what = f'`"{name}": {json.dumps(given[name])}`'
            raise ValueError(_OTHER_METHOD.format(file=file, what=what))
    options = {name: given[name] for name in _OPTIONS if given.get(name) is not None}
    return LoraConfig(r=given.get("r", 8), lora_alpha=given.get("lora_alpha", 8), **options)


def _require_shape(path: str, w: Any, key: str, shape: Any, expected: tuple[int, ...]) -> None:
    from ._files import AdapterError

    if tuple(shape) != expected:
        text = _SHAPE.format(path=path, w=w, key=key, shape=tuple(shape), expected=expected)
        raise AdapterError(text, (key,))


def _targets(chosen: list[str], modules: list[str]) -> list[str]:
    """The last parts of the names, where these select nothing else; else the names."""
    last = {name.rpartition(".")[2] for name in chosen}
    selected = {name for name in modules if name.rpartition(".")[2] in last}
    return sorted(last if selected == set(chosen) else chosen)


def _short(x: float) -> Any:
    """A whole number as an integer, as the scale of a dtype with few digits may only nearly be."""
    near = round(x)
    return near if math.isclose(x, near, rel_tol=1e-5) else x
