"""Operations on each entry: operands agree axis by axis, and so does the result."""

from duckarray.core import families
from duckarray.named._names import Dims, unify

from ._apply import Call, names


@names(
    *families.elementwise_unary,
    *families.elementwise_binary,
    *families.elementwise_ternary,
    *families.cumulative,
    *families.bits,
)
def _alike(call: Call) -> Dims:
    """Scalars, as `clamp` and `select_n` take them, have no axes to agree on."""
    rank = max(map(len, call.dims))
    return unify(d for d in call.dims if len(d) == rank)


@names(
    "psum",
    "pmax",
    "pmin",
    "ppermute",
    "pbroadcast",
    "preduced",
    "psum_invariant",
    "unreduced_psum",
    "unreduced_pmax",
    "unreduced_pmin",
)
def _over_devices(call: Call) -> Dims | list[Dims]:
    """Each device gets an array of the same axes; under `vmap` an axis of it is summed over."""
    axes = call.params.get("axes", ())  # names of axes of a mesh, and places of the array's own
    left = [tuple(d for i, d in enumerate(dims) if i not in axes) for dims in call.dims]
    return left[0] if len(left) == 1 else left
