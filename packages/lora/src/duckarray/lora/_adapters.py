"""Several adapters for one model, and dropout: what changes how adapters of a model are used."""

import zlib
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import tree_util as jtu

from duckarray.core import ArrayValue, tree

from ._layout import RANK, arrange, axes_of
from ._merge import map_adapters
from ._multi import MultiLora
from ._select import path_of
from ._value import LoraArray, derived

_NONE = """`stack({given!r})` takes a dictionary of models with adapters, by name, at least one.
Pass them as in `stack({{"fr": french, "de": german}})`."""

_DIFFERENT = """`stack(...)`: the models {names} have different structures, so they are no \
adapters of one model.
Make them of one: `loraify(params, ...)`, `load_pretrained(folder, params)`."""

_OTHER_WEIGHT = """`stack(...)`: at `{path}` the model {name!r} has another array than {first!r}: \
adapters beside one another share all that is not an adapter.
Adapt one and the same model; merge what else was trained, `merge(model)`."""

_MAGNITUDE = """`stack(...)`: at `{path}` the model {name!r} has a magnitude (DoRA), which is a \
factor of the whole weight and not part of an update.
Serve that one by itself, or train it without `use_dora`."""

_UNKNOWN = """`select(multi, {ids!r})`: there is no adapter {wrong!r} among {names}.
Pass names of adapters, or their numbers, 0 to {last}; None or -1 is the model without any."""

_NOT_IDS = """`select(multi, {ids!r})` takes a name, or for each row of a batch a name or a \
number, in one axis.
Pass as in `select(multi, ["{first}", None])`, `select(multi, jnp.array([0, -1]))`."""

_NOT_STACKED = """`select` was given a model without a `MultiLora`.
Put models beside one another first: `select(stack({"fr": french, "de": german}), ids)`."""

_NO_DROPOUT = """`with_dropout(model, key)` was given a model whose adapters have no dropout.
Ask for it: `LoraConfig(..., lora_dropout=0.1)`, or `with_dropout(model, key, rate=0.1)`."""


def stack(models: Mapping[str, Any]) -> Any:
    """Puts the adapters of several models beside one another, on the one model that they share.

    Args:
        models: by name, models with adapters of the same weights, or of some of them. All else has
            to be the same.

    Returns:
        The model with a `MultiLora` for each weight that any of them adapts; `select` says which
        adapters are used.

    Raises:
        TypeError: if there is no model, or no dictionary.
        ValueError: if the models are not alike, or an adapter has a magnitude.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.lora import loraify, stack
        >>> params = {"w": jnp.ones((4, 4))}
        >>> multi = stack({f"{i}": loraify(params, rank=2, key=jax.random.key(i)) for i in (0, 1)})
        >>> multi["w"].names, multi["w"].ranks
        (('0', '1'), (2, 2))
    """
    given: Any = models
    if not isinstance(given, Mapping) or not given:
        raise TypeError(_NONE.format(given=given))
    names = tuple(map(str, models))
    flat = [
        jtu.tree_flatten_with_path(model, is_leaf=lambda x: isinstance(x, ArrayValue))
        for model in models.values()
    ]
    structure: Any = flat[0][1]
    if any(other != structure for _, other in flat[1:]):
        raise ValueError(_DIFFERENT.format(names=", ".join(map(repr, names))))
    out = []
    for places in zip(*(found for found, _ in flat), strict=True):
        path = path_of(places[0][0])
        out.append(_beside(path, names, [x for _, x in places]))
    return jtu.tree_unflatten(structure, out)


def select(multi: Any, adapter_ids: Any) -> Any:
    """Says which adapters a model made by `stack` uses: one for all, or one for each row.

    The rows are an axis of what the weights are multiplied with: the first that is not summed over
    and has as many entries as there are ids, so in `x @ w` with `x [batch, tokens, d]` the first.

    Args:
        multi: what `stack` made.
        adapter_ids: the name of an adapter, or for each row a name or a number, as a list or an
            array of integers. None and -1 stand for the model without adapters.

    Returns:
        The model, in which all products with adapted weights go through two thin products for all
        adapters; for one name, the model with that adapter alone.

    Raises:
        TypeError: if the ids are neither names nor integers, or `multi` is not from `stack`.
        ValueError: if there is no such adapter.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.core import quaxify
        >>> from duckarray.lora import loraify, select, stack
        >>> params = {"w": jnp.ones((4, 4))}
        >>> multi = stack({f"{i}": loraify(params, rank=2, key=jax.random.key(i)) for i in (0, 1)})
        >>> program = quaxify(lambda p, x: x @ p["w"])
        >>> program(select(multi, ["1", "0", None]), jnp.ones((3, 4))).shape
        (3, 4)
    """
    if not any(isinstance(x, MultiLora) for x in tree.leaves(multi)):
        raise TypeError(_NOT_STACKED)

    def one(_: str, x: Any) -> Any:
        if not isinstance(x, MultiLora):
            return x
        ids = _numbers(adapter_ids, x.names)
        return _alone(x, ids) if isinstance(ids, int) else derived(x, gate=_gate(x, ids))

    return map_adapters(one, multi, "select", several=True)


def with_dropout(model: Any, key: jax.Array | None, *, rate: float | None = None) -> Any:
    """The model as it is used in training: its updates see only a part of what comes in.

    In a product `x @ w` the update is given `x` with a share of its entries set to zero and the
    others made larger. Which ones depends on the key and on the path of the weight.

    Args:
        model: a tree with `LoraArray`s.
        key: for random numbers, another in each step; None takes dropout away again.
        rate: the share; by default the `lora_dropout` of the `LoraConfig`.

    Raises:
        ValueError: if no adapter has a rate, or it is not from 0 to less than 1.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.core import quaxify
        >>> from duckarray.lora import LoraArray, with_dropout
        >>> model = LoraArray(jnp.zeros((8, 1)), jnp.ones((8, 1)), jnp.ones((1, 1)))
        >>> training = with_dropout(model, jax.random.key(0), rate=0.5)
        >>> float(quaxify(jnp.matmul)(jnp.ones(8), training)[0]) % 2  # each entry is 0 or 2
        0.0
    """
    rates = []

    def one(path: str, x: Any) -> Any:
        if not isinstance(x, LoraArray):
            return x
        share = x.dropout if rate is None else rate
        rates.append(share)
        if key is None:
            return derived(x, seed=None)
        own = jax.random.fold_in(key, zlib.crc32(path.encode()))
        seed = jax.random.bits(own, jnp.shape(x.scale), jnp.uint32)
        w, a, b, scale, rows, columns = x.w, x.a, x.b, x.scale, x.rows, x.columns
        if type(x) is LoraArray:
            return LoraArray(w, a, b, scale, x.magnitude, rows, columns, share, seed)
        return derived(x, seed=seed, dropout=share)

    out = map_adapters(one, model, "with_dropout", several=True)
    if key is not None and not any(rates):
        raise ValueError(_NO_DROPOUT)
    return out


def _beside(path: str, names: tuple[str, ...], leaves: list[Any]) -> Any:
    adapted = [x for x in leaves if isinstance(x, LoraArray)]
    first = adapted[0].w if adapted else leaves[0]
    for name, x in zip(names, leaves, strict=True):
        if not _same(x.w if isinstance(x, LoraArray) else x, first):
            raise ValueError(_OTHER_WEIGHT.format(path=path, name=name, first=names[0]))
        if isinstance(x, LoraArray) and x.magnitude is not None:
            raise ValueError(_MAGNITUDE.format(path=path, name=name))
    if not adapted:
        return leaves[0]
    model = adapted[0]
    batch = len(axes_of(model.ndim, model.rows, model.columns)[0])
    a = jnp.concatenate([x.a for x in adapted], -1)
    b = jnp.concatenate([x.b for x in adapted], batch)
    ones = jnp.ones(jnp.shape(model.scale), model.a.dtype)
    scales = [x.scale if isinstance(x, LoraArray) else jnp.zeros_like(ones) for x in leaves]
    ranks = tuple(x.rank if isinstance(x, LoraArray) else 0 for x in leaves)
    return MultiLora(
        model.w,
        a,
        b,
        ones,
        rows=model.rows,
        columns=model.columns,
        factors=jnp.stack(scales, -1),
        names=names,
        ranks=ranks,
    )


def _same(x: Any, y: Any) -> bool:
    if x is y:
        return True
    of_x: Any = jax.tree.structure(x)
    if of_x != jax.tree.structure(y):
        return False
    return all(
        a is b or (np.shape(a) == np.shape(b) and np.array_equal(a, b))
        for a, b in zip(jax.tree.leaves(x), jax.tree.leaves(y), strict=True)
    )


def _numbers(ids: Any, names: tuple[str, ...]) -> Any:
    """The number of an adapter as a Python integer, or those of all rows as an array."""
    if ids is None or isinstance(ids, str):
        return _number(ids, names, ids)
    if isinstance(ids, list | tuple):
        ids = [_number(x, names, ids) if x is None or isinstance(x, str) else x for x in ids]
    given: Any = ids if isinstance(ids, jax.Array) else np.asarray(ids)
    if not jnp.issubdtype(given.dtype, jnp.integer) or given.ndim > 1:
        raise TypeError(_NOT_IDS.format(ids=ids, first=names[0]))
    if isinstance(given, jax.core.Tracer):
        return given
    wrong = [i for i in np.ravel(given) if not -1 <= i < len(names)]
    if wrong:
        _refuse_number(int(wrong[0]), names, ids)
    return jnp.asarray(given) if given.ndim else int(given)


def _number(name: Any, names: tuple[str, ...], ids: Any) -> int:
    if name is None:
        return -1
    if name not in names:
        _refuse_number(name, names, ids)
    return names.index(name)


def _refuse_number(wrong: Any, names: tuple[str, ...], ids: Any) -> None:
    listed = ", ".join(map(repr, names))
    raise ValueError(_UNKNOWN.format(ids=ids, wrong=wrong, names=listed, last=len(names) - 1))


def _gate(x: MultiLora, ids: Any) -> Any:
    """The scale of the adapter of each row, along the rank; zero for all other adapters."""
    factors: Any = x.factors
    owner = jnp.repeat(
        jnp.arange(len(x.ranks)), jnp.array(x.ranks), total_repeat_length=sum(x.ranks)
    )
    chosen = jnp.equal(ids.reshape(-1, 1), owner.reshape(1, -1)).astype(factors.dtype)
    scales = factors[..., owner]
    if not ids.ndim:
        return scales * chosen.reshape((1,) * (scales.ndim - 1) + chosen.shape[1:])
    chosen = chosen.reshape((1,) * (scales.ndim - 1) + chosen.shape)
    return scales[..., None, :] * chosen


def _alone(x: MultiLora, number: int) -> Any:
    """The weight with one adapter; without any, the weight."""
    if number < 0 or not x.ranks[number]:
        return x.w
    start = sum(x.ranks[:number])
    stop = start + x.ranks[number]
    batch, _, columns = axes_of(x.ndim, x.rows, x.columns)
    b = arrange(x.b, (*batch, RANK, *columns), (*batch, *columns, RANK))[..., start:stop]
    b = arrange(b, (*batch, *columns, RANK), (*batch, RANK, *columns))
    factors: Any = x.factors
    scale = factors[..., number]
    return LoraArray(x.w, x.a[..., start:stop], b, scale, rows=x.rows, columns=x.columns)
