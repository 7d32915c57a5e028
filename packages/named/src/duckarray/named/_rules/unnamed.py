"""Primitives whose results have no names, each with the reason.

An array with names that meets one of them is made an array without, under the policy of
`materialization`.
"""

_AXES_OF_DEVICES = "which axis is split or joined is a matter of the mesh"
_KEYS = "it takes keys or bits, which are drawn from rather than named"
_ANY_PROGRAM = "it carries a program of its own"
_RARE = "no function of JAX gives it axes that outlive it"

UNNAMED = {
    "all_gather": _AXES_OF_DEVICES,
    "all_gather_invariant": _AXES_OF_DEVICES,
    "all_gather_reduced": _AXES_OF_DEVICES,
    "all_to_all": _AXES_OF_DEVICES,
    "ragged_all_to_all": _AXES_OF_DEVICES,
    "reduce_scatter": _AXES_OF_DEVICES,
    "unreduced_reduce_scatter": _AXES_OF_DEVICES,
    "random_bits": _KEYS,
    "random_clone": _KEYS,
    "random_fold_in": _KEYS,
    "random_gamma": _KEYS,
    "random_seed": _KEYS,
    "random_split": _KEYS,
    "random_unwrap": _KEYS,
    "random_wrap": _KEYS,
    "rng_bit_generator": _KEYS,
    "rng_uniform": _KEYS,
    "threefry2x32": _KEYS,
    "reduce_window": _ANY_PROGRAM,
    "select_and_scatter": _ANY_PROGRAM,
    "broadcast_to": _RARE,
    "cholesky_update": _RARE,
    "geqp3": _RARE,
    "lu_pivots_to_permutation": _RARE,
    "ragged_dot_general": _RARE,
    "scaled_dot": _RARE,
    "scaled_matmul": _RARE,
    "symmetric_product": _RARE,
}
"""By the name of a primitive, why its results have no names."""
