"""Adapters in the files of PEFT: `adapter_model.safetensors` and `adapter_config.json`."""

import dataclasses
import json
import zlib
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import tree_util as jtu

from duckarray.core import ArrayValue

from ._config import LoraConfig
from ._layout import axes_of
from ._merge import is_adapter
from ._multi import MultiLora
from ._names import PREFIX, Names, given_name, module_names
from ._peft import adapter_tensors, factors_of, peft_config, read_config
from ._select import Weight, layout_of, path_of, weights_of
from ._trainable import Trainable
from ._value import LoraArray

CONFIG, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
_CHECKSUM = "duckarray.lora.crc32"
_SHOWN = 20

_NOTHING = """`save_pretrained(...)` was given a model without adapters.
Make them first: `loraify(model, ...)`; a merged model is saved as any other."""

_SEVERAL = """`save_pretrained(...)` was given a model with several adapters at `{path}`, but a \
folder holds one.
Choose it: `save_pretrained(folder, select(model, "{first}"))`."""

_TWO_NAMES = """`save_pretrained(...)`: two weights have the name `{key}` in the file.
Give them names of their own with `names=`, a function of the path; this one is at `{path}`."""

_UNREADABLE = """`load_pretrained(folder, ...)` cannot read `{file}`: {error}
The folder should hold `adapter_config.json` and `adapter_model.safetensors`, \
as PEFT writes them."""


class AdapterError(ValueError):
    """A file of adapters does not belong to the model.

    Attributes:
        missing: the names in the file for which the model has no weight.
        available: the names of the weights of the model.
    """

    def __init__(self, text: str, missing: Any = (), available: Any = ()) -> None:
        self.missing, self.available = tuple(missing), tuple(available)
        super().__init__(text)


def save_pretrained(
    folder: str | Path,
    model: Any,
    config: LoraConfig | None = None,
    *,
    names: Names = None,
    initial: Any = None,
    base_model: str | None = None,
) -> None:
    """Writes the adapters of a model as PEFT does, into the two files that it reads.

    `adapter_model.safetensors` holds `base_model.model.<module>.lora_A.weight`, `[r, in]`, and
    `.lora_B.weight`, `[out, r]`; of embeddings `.lora_embedding_A` and `.lora_embedding_B`; of
    convolutions `[r, in, *window]` and `[out, r, 1, ...]`; `.lora_magnitude_vector` with DoRA; and
    what else is trained. Layers stacked in one array are written one by one. In the metadata is a
    checksum of the tensors, since the format has none.

    Args:
        folder: where to; it is made if it is not there.
        model: a tree with `LoraArray`s.
        config: what it was made with, for options that the model does not show, such as
            `fan_in_fan_out`; ranks and scales are those of the model.
        names: what PEFT calls the module of a weight, given its path in the tree: a function or a
            dictionary; `"{}"` in it is the number of the layer, for each axis of a stack. By
            default it is the path.
        initial: the model as `loraify` gave it, where an initialisation changed the weights
            (`"pissa"`, `"olora"`): what is written is then relative to the weights before, at
            twice the rank.
        base_model: the name of the base model, for the file.

    Raises:
        ValueError: if there is no adapter, there are several, two have one name, or a stack has no
            names for its layers.

    Example:
        >>> import jax, jax.numpy as jnp, tempfile
        >>> from duckarray.lora import load_pretrained, loraify, save_pretrained
        >>> params = {"query": {"weight": jnp.ones((4, 4))}}
        >>> model = loraify(params, rank=2, key=jax.random.key(0))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save_pretrained(folder, model)
        ...     again = load_pretrained(folder, params)
        >>> bool((again["query"]["weight"].a == model["query"]["weight"].a).all())
        True
    """
    config = config or LoraConfig()
    adapters = _adapters_of(model)
    if not adapters:
        raise ValueError(_NOTHING)
    before = dict(_adapters_of(initial)) if initial is not None else {}
    tensors: dict[str, Any] = {}
    chosen: dict[str, tuple[int, float]] = {}
    adapted = {weight.module for weight, x in adapters.values() if isinstance(x, LoraArray)}
    has_bias = False
    for path, (weight, x) in adapters.items():
        if isinstance(x, Trainable):
            has_bias = has_bias or path.endswith("bias")
            module_names(path, path.rpartition(".")[0], (), names)  # a stack of them has no name
            named = {f"{PREFIX}{_key_of_trained(path, adapted, names)}": x.array}
        else:
            if isinstance(x, MultiLora):
                raise ValueError(_SEVERAL.format(path=path, first=x.names[0]))
            if path in before:
                x = _relative(x, before[path][1])
            named = {}
            layout = layout_of(weight._replace(array=x), config)
            for index, module in module_names(path, weight.module, _batch_of(x), names):
                chosen[module] = (x.rank, float(x.scale[index]))
                tensors_of_one = adapter_tensors(x, layout, index)
                named |= {f"{PREFIX}{module}.{k}": v for k, v in tensors_of_one.items()}
        for key, tensor in named.items():
            if key in tensors:
                raise ValueError(_TWO_NAMES.format(key=key, path=path))
            tensors[key] = np.asarray(tensor)
    use_dora = any(
        isinstance(x, LoraArray) and x.magnitude is not None for _, x in adapters.values()
    )
    modules = _all_modules(model, names)
    written = peft_config(config, chosen, modules, use_dora, has_bias, base_model)
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    from safetensors.flax import save_file

    metadata = {"format": "pt", _CHECKSUM: _checksum(tensors)}
    save_file(tensors, target / WEIGHTS, metadata=metadata)
    (target / CONFIG).write_text(json.dumps(written, indent=2, sort_keys=True), "utf-8")


def load_pretrained(folder: str | Path, params: Any, *, names: Names = None) -> Any:
    """Gives a model the adapters that PEFT, or `save_pretrained`, has written.

    Args:
        folder: that of `adapter_config.json` and `adapter_model.safetensors`.
        params: the model without adapters.
        names: what PEFT calls the module of a weight; see `save_pretrained`.

    Returns:
        The model with a `LoraArray` for each adapter in the file.

    Raises:
        AdapterError: if the file has adapters for other modules, or of another shape or rank.
        ValueError: if a file is not readable, or is of another method than LoRA; if a byte of the
            tensors was changed, where `save_pretrained` wrote them.
        FileNotFoundError: if a file is not there.

    Example:
        >>> import jax, jax.numpy as jnp, tempfile
        >>> from duckarray.lora import LoraConfig, load_pretrained, loraify, save_pretrained
        >>> params = {"wte": {"weight": jnp.ones((9, 4))}}
        >>> config = LoraConfig(r=2, target_modules=["wte"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save_pretrained(folder, loraify(params, config, key=jax.random.key(0)))
        ...     load_pretrained(folder, params)["wte"]["weight"].a.shape
        (9, 2)
    """
    config, file = read_config(Path(folder) / CONFIG), Path(folder) / WEIGHTS
    tensors = _read(file)
    leaves, structure = jtu.tree_flatten(params, is_leaf=lambda x: isinstance(x, ArrayValue))
    used: set[str] = set()
    available: list[str] = []
    for i, weight in weights_of(params):
        layout = layout_of(weight, config)
        axes = axes_of(len(weight.array.shape), layout.rows, layout.columns)
        batch = tuple(weight.array.shape[axis] for axis in axes[0])
        try:
            modules = module_names(weight.path, weight.module, batch, names)
        except ValueError:  # a stack without names for its layers, which nothing was written for
            continue
        available += [module for _, module in modules]
        found = [factors_of(tensors, module, weight, layout, config) for _, module in modules]
        if not any(found):
            continue
        adapted, keys = _loaded(weight, layout, modules, found, batch)
        leaves[i] = adapted
        used |= keys
    whole = jtu.tree_leaves_with_path(params, is_leaf=lambda x: isinstance(x, ArrayValue))
    paths = [path_of(keys) for keys, _ in whole]
    modules_adapted = {key[len(PREFIX) :].rpartition(".lora_")[0] for key in used}
    for i, path in enumerate(paths):
        for key in {
            f"{PREFIX}{_key_of_trained(path, modules_adapted, names)}",
            f"{PREFIX}{_key_of_trained(path, set(), names)}",
        } & set(tensors):
            leaves[i] = _trained(key, tensors[key], leaves[i])
            used.add(key)
    _require_all_used(tensors, used, available, file)
    return jtu.tree_unflatten(structure, leaves)


def _adapters_of(model: Any) -> dict[str, tuple[Weight, Any]]:
    weights = {weight.path: weight for _, weight in weights_of(model)}
    found = jtu.tree_leaves_with_path(model, is_leaf=is_adapter)
    out = {}
    for keys, x in found:
        if is_adapter(x):
            path = path_of(keys)
            out[path] = (weights.get(path, Weight(path, x, None)), x)
    return out


def _batch_of(x: LoraArray) -> tuple[int, ...]:
    return tuple(jnp.shape(x.scale))


def _all_modules(model: Any, names: Names) -> list[str]:
    """The names of the modules of all weights, where they have one."""
    out: list[str] = []
    for _, weight in weights_of(model):
        x = weight.array
        # Of what has no adapter, the name says how many axes are layers.
        places = (given_name(weight.path, weight.module, names) or "").count("{}")
        batch = _batch_of(x) if isinstance(x, LoraArray) else tuple(x.shape[:places])
        out += [module for _, module in module_names(weight.path, weight.module, batch, names)]
    return out


def _key_of_trained(path: str, adapted: set[str], names: Names) -> str:
    """What PEFT calls a bias or a head: of an adapted layer it is inside the layer around that."""
    module, _, name = path.rpartition(".")
    if not module:
        return path
    named = given_name(path, module, names) or module
    inside = ".base_layer" if module in adapted or named in adapted else ""
    return f"{named}{inside}.{name}"


def _relative(x: LoraArray, initial: LoraArray) -> LoraArray:
    """`w0 + s a b - s a0 b0` as one update of `w0`: what was subtracted at first is added again."""
    batch = len(_batch_of(x))
    a = jnp.concatenate([x.a, -initial.a], -1)
    b = jnp.concatenate([x.b, initial.b], batch)
    return dataclasses.replace(x, a=a, b=b)


def _read(file: Path) -> dict[str, Any]:
    from safetensors import SafetensorError, safe_open
    from safetensors.flax import load_file

    if not file.exists():
        raise FileNotFoundError(_UNREADABLE.format(file=file, error="there is no such file."))
    try:
        with safe_open(file, "flax") as opened:
            metadata = opened.metadata() or {}
        tensors: dict[str, Any] = load_file(file)
    except (SafetensorError, ValueError, OSError) as error:
        raise ValueError(_UNREADABLE.format(file=file, error=error)) from error
    if metadata.get(_CHECKSUM, None) not in (None, _checksum(tensors)):
        raise ValueError(_UNREADABLE.format(file=file, error="its checksum is another."))
    return tensors


def _checksum(tensors: dict[str, Any]) -> str:
    """That of the names, dtypes, shapes and bytes of all tensors."""
    crc = 0
    for name, tensor in sorted(tensors.items()):
        array = np.asarray(tensor)
        crc = zlib.crc32(f"{name} {array.dtype.name} {array.shape}".encode(), crc)
        crc = zlib.crc32(array.tobytes(), crc)
    return f"{crc:08x}"


def _loaded(
    weight: Weight, layout: Any, modules: Any, found: list[Any], batch: tuple[int, ...]
) -> tuple[LoraArray, set[str]]:
    missing = [module for (_, module), one in zip(modules, found, strict=True) if not one]
    if missing:
        raise AdapterError(
            f"`load_pretrained(...)`: `{weight.path}` is a stack of {len(found)} layers, but the "
            f"file has no adapter for {', '.join(map(repr, missing[:_SHOWN]))}.\n"
            "Unstack the layers, or write an adapter for each.",
            missing,
        )
    keys = {key for one in found for key in one.keys}
    ranks = {one.a.shape[-1] for one in found}
    if len(ranks) > 1:
        raise AdapterError(
            f"`load_pretrained(...)`: the layers in `{weight.path}` have adapters of the ranks "
            f"{sorted(ranks)}, which cannot be stacked.\nUnstack the layers."
        )

    def stacked(arrays: list[Any]) -> Any:
        return jnp.stack(arrays).reshape(*batch, *arrays[0].shape) if batch else arrays[0]

    a, b, scale = (
        stacked([jnp.asarray(x) for x in each])
        for each in zip(*[(one.a, one.b, one.scale) for one in found], strict=True)
    )
    magnitude = None
    if found[0].magnitude is not None:
        magnitude = stacked([one.magnitude for one in found])
    adapted = LoraArray(
        weight.array, a, b, scale, magnitude, layout.rows, layout.columns, found[0].dropout
    )
    return adapted, keys


def _trained(key: str, tensor: Any, leaf: Any) -> Trainable:
    if tensor.shape != leaf.shape:
        raise AdapterError(
            f"`load_pretrained(...)`: `{key}` in the file is {tuple(tensor.shape)}, but the array "
            f"of the model is {tuple(leaf.shape)}.\nLoad it into the model that it was made of."
        )
    before = leaf.w if isinstance(leaf, LoraArray) else leaf
    return Trainable(tensor.astype(before.dtype), before)


def _require_all_used(tensors: Any, used: set[str], available: list[str], file: Path) -> None:
    left = sorted(set(tensors) - used)
    if not left:
        return
    shown = "".join(f"\n  {name}" for name in available[:_SHOWN]) or " none"
    more = f"\n  … and {len(available) - _SHOWN} more" if len(available) > _SHOWN else ""
    raise AdapterError(
        f"`load_pretrained(...)`: `{file.name}` holds {len(left)} arrays that belong to nothing in "
        f"the model, such as `{left[0]}`. The modules of the model are:{shown}{more}\n"
        "If they are other names for the same, pass `names=lambda path: ...`, which is given the "
        "path of a weight and returns the module's name in the file.",
        left,
        available,
    )
