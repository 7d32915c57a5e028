"""Taking and setting entries at places that are operands themselves."""

from typing import Any

from duckarray.named._names import Dims, once, unify

from ._apply import Call, names


@names("dynamic_slice")
def _dynamic_slice(call: Call) -> Dims:
    return call.dims[0]


@names("dynamic_update_slice")
def _dynamic_update_slice(call: Call) -> Dims:
    return unify(call.dims[:2])


@names("gather")
def _gather(call: Call) -> Dims:
    """Axes that are sliced keep their names; those of the indices give theirs."""
    numbers = call.params["dimension_numbers"]
    taken = {*numbers.collapsed_slice_dims, *numbers.operand_batching_dims}
    of_slices = [d for i, d in enumerate(call.dims[0]) if i not in taken]
    of_indices = list(call.dims[1][:-1])
    for operand, indices in zip(
        numbers.operand_batching_dims, numbers.start_indices_batching_dims, strict=True
    ):
        (of_indices[indices],) = unify([(call.dims[0][operand],), (call.dims[1][indices],)])
    rank = len(of_slices) + len(of_indices)
    out: list[Any] = [None] * rank
    for place, name in zip(numbers.offset_dims, of_slices, strict=True):
        out[place] = name
    batch = [i for i in range(rank) if i not in numbers.offset_dims]
    for place, name in zip(batch, of_indices, strict=True):
        out[place] = name
    return once(tuple(out))


@names(
    "scatter",
    "scatter-add",
    "scatter_add",
    "scatter-mul",
    "scatter_mul",
    "scatter-min",
    "scatter_min",
    "scatter-max",
    "scatter_max",
    "scatter-sub",
    "scatter_sub",
)
def _scatter(call: Call) -> Dims:
    """The result is the operand with other entries."""
    return call.dims[0]
