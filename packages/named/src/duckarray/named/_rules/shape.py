"""Operations that move, take, repeat or join axes."""

from collections.abc import Sequence

from duckarray.named._names import Dims, reshaped, unify

from ._apply import Call, names


@names("broadcast_in_dim")
def _new_axes(call: Call) -> Dims:
    """New axes are anonymous, and so is one that was stretched."""
    shape, places = call.params["shape"], call.params["broadcast_dimensions"]
    out: list[str | None] = [None] * len(shape)
    for place, name, size in zip(places, call.dims[0], call.shape(), strict=True):
        if size == shape[place]:
            out[place] = name
    return tuple(out)


@names("reshape")
def _reshape(call: Call) -> Dims:
    if call.params.get("dimensions") is not None:
        return (None,) * len(call.params["new_sizes"])
    return reshaped(call.dims[0], call.shape(), tuple(call.params["new_sizes"]))


@names("squeeze")
def _squeeze(call: Call) -> Dims:
    return tuple(d for i, d in enumerate(call.dims[0]) if i not in call.params["dimensions"])


@names("transpose")
def _transpose(call: Call) -> Dims:
    return tuple(call.dims[0][i] for i in call.params["permutation"])


@names("rev", "slice", "pad", "tile", "roll")
def _same_axes(call: Call) -> Dims:
    return call.dims[0]


@names("concatenate")
def _concatenate(call: Call) -> Dims:
    return unify(call.dims)


@names("split")
def _split(call: Call) -> Sequence[Dims]:
    return [call.dims[0]] * len(call.params["sizes"])


@names("stack")
def _stack(call: Call) -> Dims:
    dims = list(unify(call.dims))
    dims.insert(call.params["axis"], None)
    return tuple(dims)


@names("unstack")
def _unstack(call: Call) -> Sequence[Dims]:
    dims, axis = call.dims[0], call.params["axis"]
    return [(*dims[:axis], *dims[axis + 1 :])] * call.shape()[axis]
