"""JAX's primitives by name: a few are exported by no version, and some only by newer ones."""

import difflib
from functools import cache

import jax
from jax import lax
from jax.extend.core import Primitive, primitives

# Primitives that JAX does not export, or that not every version has: rules are kept by name.
_UNEXPORTED_NAMES = (
    "all_gather_invariant all_gather_reduced broadcast_to cholesky_update composite"
    " custom_vmap_call debug_callback debug_print geqp3 geqrf io_callback iota_2x32_shape"
    " linear_call lu_pivots_to_permutation new_ref ormqr pallas_call pbroadcast preduced"
    " psum_invariant pure_callback pvary ragged_dot_general random_clone random_unwrap random_wrap"
    " reciprocal reduce_scatter roll run_state scaled_dot scaled_matmul shard_map symmetric_product"
    " unreduced_pmax unreduced_pmin unreduced_psum unreduced_reduce_scatter"
    " log2 one_minus_square polynomial split stack tile unstack"
)
_UNEXPORTED = frozenset(_UNEXPORTED_NAMES.split())


def find_primitive(primitive: Primitive | str) -> Primitive | str:
    """The primitive of this name, or the primitive itself; the name where JAX exports none.

    Raises:
        ValueError: if JAX has no primitive of that name.
        TypeError: if it is neither a primitive nor a name.
    """
    if isinstance(primitive, Primitive):
        return primitive
    if not isinstance(primitive, str):
        raise TypeError(
            f"a rule is registered for a primitive or its name, but got {primitive!r} of type "
            f"`{type(primitive).__name__}`.\n"
            'Pass it as in `@register("mul")` or `@register(jax.lax.mul_p)`.'
        )
    table = _primitives_by_name()
    name = primitive.removesuffix("_p")
    if name not in table:
        if name in _UNEXPORTED:
            return name
        close = difflib.get_close_matches(name, table, n=3)
        hint = f"Did you mean {' or '.join(f'`{c}`' for c in close)}? " if close else ""
        raise ValueError(
            f"JAX {jax.__version__} has no primitive named `{primitive}`.\n{hint}"
            "`jax.make_jaxpr(fn)(*args)` shows the primitives that a function runs; those of other "
            "libraries are passed as objects."
        )
    return table[name]


@cache
def _primitives_by_name() -> dict[str, Primitive]:
    table: dict[str, Primitive] = {}
    for module in (primitives, lax):
        for attribute, value in vars(module).items():
            if isinstance(value, Primitive):
                table.setdefault(value.name, value)
                table[attribute.removesuffix("_p")] = value
    return table


def existing_primitives(names: str) -> tuple[Primitive | str, ...]:
    """The primitives so named, as far as this version of JAX has them, for `register`.

    Args:
        names: their names, separated by spaces.

    Example:
        >>> from duckarray.core import extend
        >>> extend.existing_primitives("mul one_that_is_no_more")
        (mul,)
    """
    table = _primitives_by_name()
    found = [table.get(name, name) for name in names.split()]
    return tuple(dict.fromkeys(p for p in found if p in _UNEXPORTED or not isinstance(p, str)))
