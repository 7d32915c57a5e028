"""Taking adapters out of a model again: into its weights, or away."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import tree_util as jtu

from duckarray.core import ArrayValue, materialize

from ._multi import MultiLora
from ._select import path_of
from ._trainable import Trainable
from ._value import LoraArray, derived

_HALF = """`{name}` was given {what}, half of what `partition` returns.
Put the halves together first: `{name}(equinox.combine(trainable, frozen))`."""

_SEVERAL = """`{name}` was given a model with several adapters, {names}, at `{path}`.
Choose one first: `{name}(select(model, "{first}"))`."""

_NOT_FINITE = """`{name}(..., safe_merge=True)` found numbers that are not finite in {paths}.
Look at the adapter with `unload` beside it; without `safe_merge` it is merged as it is."""

_OTHER_MODEL = """`unmerge(merged, model)` was given two models that differ in structure:
{merged}
{model}
Pass what `merge(model)` gave, with other numbers perhaps, and that model."""

_CHANGED = """`unmerge(merged, model)`: `{path}` has a magnitude and has changed since it was \
merged, so no weight is known that gives it.
Adapt the merged model anew: `loraify(merged, ...)`."""


def merge(
    model: Any,
    *,
    safe_merge: bool = False,
    requantize: Callable[[Any, Any], Any] | None = None,
) -> Any:
    """Replaces each `LoraArray` by the dense weight it stands for, `w + scale * a @ b`.

    Args:
        model: a tree with `LoraArray`s.
        safe_merge: whether to look for numbers that are not finite in what comes out.
        requantize: makes a weight that was no plain array one of its kind again: it is given the
            dense sum and the old `w`, as in `lambda dense, w: quantize(dense, "nf4")`. By default
            the sum stays dense.

    Returns:
        The same tree, of plain arrays where there were adapters. It needs no `quaxify` for them.

    Raises:
        ValueError: if the model is one half of what `partition` returns, has several adapters of
            which none is selected, or is not finite and `safe_merge` is set.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.lora import LoraArray, merge
        >>> merge({"w": LoraArray(jnp.eye(2), jnp.ones((2, 1)), jnp.ones((1, 2)))})
        {'w': Array([[2., 1.],
               [1., 2.]], dtype=float32)}
    """
    merged: dict[int, Any] = {}
    not_finite: list[str] = []

    def dense(path: str, x: Any) -> Any:
        if id(x) not in merged:
            sum_ = materialize(x)
            finite = not safe_merge or isinstance(sum_, jax.core.Tracer)
            if not finite and not bool(jnp.isfinite(sum_).all()):
                not_finite.append(path)
            w = x.w if isinstance(x, LoraArray) else None
            if requantize is not None and isinstance(w, ArrayValue):
                sum_ = requantize(sum_, w)
            merged[id(x)] = sum_
        return merged[id(x)]

    out = map_adapters(dense, model, "merge")
    if not_finite:
        paths = ", ".join(f"`{path}`" for path in not_finite)
        raise ValueError(_NOT_FINITE.format(name="merge", paths=paths))
    return out


def merge_and_unload(model: Any, *, safe_merge: bool = False) -> Any:
    """`merge`, by the name it has in PEFT.

    Args:
        model: a tree with `LoraArray`s.
        safe_merge: as for `merge`.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.lora import LoraArray, merge_and_unload
        >>> merge_and_unload(LoraArray(jnp.ones((1, 1)), jnp.ones((1, 1)), jnp.ones((1, 1))))
        Array([[2.]], dtype=float32)
    """
    return merge(model, safe_merge=safe_merge)


def unload(model: Any) -> Any:
    """The model without its adapters: each `LoraArray` is replaced by its `w`.

    That is the model as it was before `loraify`, unless `init_lora_weights` changed the weights.

    Args:
        model: a tree with `LoraArray`s.

    Raises:
        ValueError: if it is one half of what `partition` returns.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.lora import loraify, unload
        >>> params = {"w": jnp.ones((4, 4))}
        >>> unload(loraify(params, rank=2, key=jax.random.key(0)))["w"] is params["w"]
        True
    """

    def without(_: str, x: Any) -> Any:
        while isinstance(x, LoraArray | Trainable):
            x = x.w if isinstance(x, LoraArray) else x.before
        return x

    return map_adapters(without, model, "unload", several=True)


def unmerge(merged: Any, model: Any) -> Any:
    """Takes the adapters of a model out of merged weights again.

    Args:
        merged: what `merge(model)` gave; its weights may have changed since.
        model: the model with the adapters.

    Returns:
        A model with these adapters that stands for `merged`. A weight that has not changed is
        that of `model`, bit for bit; from another the update is subtracted.

    Raises:
        ValueError: if the two are not alike, or a weight with a magnitude has changed.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.lora import LoraArray, merge, unmerge
        >>> model = {"w": LoraArray(jnp.eye(2), jnp.ones((2, 1)), jnp.ones((1, 2)))}
        >>> unmerge(merge(model), model)["w"].w
        Array([[1., 0.],
               [0., 1.]], dtype=float32)
    """
    found, structure = jtu.tree_flatten_with_path(
        model, is_leaf=lambda x: isinstance(x, ArrayValue)
    )
    plain: Any
    arrays, other = jtu.tree_flatten(merged, is_leaf=lambda x: isinstance(x, ArrayValue))
    plain = jtu.tree_structure(unload(model), is_leaf=lambda x: isinstance(x, ArrayValue))
    if plain != other:
        raise ValueError(_OTHER_MODEL.format(merged=str(other)[:300], model=str(plain)[:300]))
    out = []
    for (keys, x), array in zip(found, arrays, strict=True):
        path = path_of(keys)
        if is_adapter(x):
            _refuse_unusable(x, "unmerge", path, several=False)
        if isinstance(x, LoraArray):
            out.append(_without_update(path, array, x))
        else:
            out.append(derived(x, array=array) if isinstance(x, Trainable) else array)
    return jtu.tree_unflatten(structure, out)


def map_adapters(f: Callable[[str, Any], Any], model: Any, name: str, several: bool = False) -> Any:
    """Applies `f` to the path and the value of each adapter in a tree."""

    def one(keys: Any, x: Any) -> Any:
        if not is_adapter(x):
            return x
        path = path_of(keys)
        _refuse_unusable(x, name, path, several)
        return f(path, x)

    return jtu.tree_map_with_path(one, model, is_leaf=is_adapter)


def is_adapter(x: Any) -> bool:
    """Whether `x` is what `loraify` puts in the place of an array."""
    return isinstance(x, LoraArray | Trainable)


def _refuse_unusable(x: Any, name: str, path: str, several: bool) -> None:
    frozen, trained = (x.w, x.a) if isinstance(x, LoraArray) else (x.before, x.array)
    if frozen is None or trained is None:
        half = "the trainable arrays" if frozen is None else "the frozen arrays"
        raise ValueError(_HALF.format(name=name, what=half))
    if isinstance(x, MultiLora) and not several:
        names = ", ".join(f"`{n}`" for n in x.names)
        raise ValueError(_SEVERAL.format(name=name, path=path, names=names, first=x.names[0]))


def _without_update(path: str, array: Any, x: LoraArray) -> Any:
    if array.shape != x.shape:
        raise ValueError(
            _OTHER_MODEL.format(
                merged=f"`{path}` of shape {array.shape}", model=f"`{path}` of shape {x.shape}"
            )
        )
    dense, array = materialize(x), materialize(array)
    is_same = jnp.array_equal(dense, array)
    traced = isinstance(is_same, jax.core.Tracer)
    if not traced and bool(is_same):
        return x
    if x.magnitude is not None:
        raise ValueError(_CHANGED.format(path=path))
    w = materialize(x.w)
    changed = (array - (dense - w)).astype(w.dtype)
    return derived(x, w=jnp.where(is_same, w, changed) if traced else changed)
