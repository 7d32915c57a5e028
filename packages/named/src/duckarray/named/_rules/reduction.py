"""Reductions lose the axes that are reduced; windows, sorting and transforms keep all."""

from collections.abc import Sequence

from duckarray.core import families
from duckarray.named._names import Dims, unify

from ._apply import Call, names


@names(*families.reductions)
def _without_axes(call: Call) -> Dims:
    return tuple(d for i, d in enumerate(call.dims[0]) if i not in call.params["axes"])


@names("reduce", "reduce_precision")
def _without_dimensions(call: Call) -> Dims | Sequence[Dims]:
    axes = call.params.get("dimensions")
    if axes is None:
        return call.dims[0]
    arrays = [d for d in call.dims if d]
    left = tuple(d for i, d in enumerate(unify(arrays)) if i not in axes)
    return [left] * (len(call.dims) // 2)


@names(
    *(p for p in families.windows if str(p) not in ("reduce_window", "select_and_scatter")),
    *families.transforms,
)
def _each_axis_stays(call: Call) -> Dims:
    """Windows move along axes, transforms run along them."""
    rank = len(call.dims[0])
    return unify(d for d in call.dims if len(d) == rank)


@names("sort")
def _each_operand(call: Call) -> Sequence[Dims]:
    """What is sorted along with another has its axes."""
    return [unify(call.dims)] * len(call.dims)


@names("top_k", "approx_top_k")
def _values_and_indices(call: Call) -> Sequence[Dims]:
    return [call.dims[0]] * 2
