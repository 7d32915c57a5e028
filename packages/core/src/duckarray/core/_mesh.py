"""What JAX is asked about meshes of devices, and the axes over which arrays vary in `shard_map`."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import jax
from jax import lax


def in_manual_mesh() -> bool:
    """Whether the program runs inside `shard_map`.

    Example:
        >>> from duckarray.core import extend
        >>> extend.in_manual_mesh()
        False
    """
    return bool(jax.sharding.get_abstract_mesh().manual_axes)


def manual_axes(params: Any) -> set[Any]:
    """The axes of the mesh that a `shard_map` maps over; called `manual_axes` by JAX 0.10.0."""
    return set(params.get("newly_manual_axes", params.get("manual_axes", ())))


def varying_axes(x: Any) -> frozenset[str]:
    """The axes of a mesh, inside `shard_map`, over which an array varies.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import extend
        >>> extend.varying_axes(jnp.ones(2))
        frozenset()
    """
    kind = getattr(jax.typeof(x), "manual_axis_type", None)
    return frozenset() if kind is None else frozenset(kind.varying)


def vary(x: Any, axes: frozenset[str]) -> Any:
    """An array said to vary over more axes of a mesh, as what is computed with it may.

    Args:
        x: an array, inside `shard_map` or not.
        axes: names of axes of the mesh.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import extend
        >>> extend.vary(jnp.ones(2), frozenset())
        Array([1., 1.], dtype=float32)
    """
    missing = tuple(sorted(axes - varying_axes(x)))
    return lax.pcast(x, missing, to="varying") if missing else x


def varying_like(aval: Any, leaves: Sequence[Any]) -> Any:
    """`aval`, said to vary over all the mesh axes that any of `leaves` varies over."""
    kinds = [getattr(jax.typeof(x), "manual_axis_type", None) for x in leaves]
    given = getattr(aval, "manual_axis_type", None)
    if given is None or not given.empty:
        return aval
    for x, kind in zip(leaves, kinds, strict=True):
        if kind is not None and not kind.empty:
            mesh = jax.typeof(x).sharding.mesh
            spec = jax.sharding.PartitionSpec(*[None] * len(aval.shape))
            sharding = jax.sharding.NamedSharding(mesh, spec)
            return aval.update(sharding=sharding, manual_axis_type=kind)
    return aval


def on_mesh_of(avals: Sequence[Any]) -> AbstractContextManager[Any]:
    """Makes the mesh that arrays are split over the current one, if another is.

    It has the same devices, and axes of another kind, as inside `jax.sharding.auto_axes`.
    """
    current = jax.sharding.get_abstract_mesh()
    for aval in () if current.empty else avals:
        mesh = getattr(getattr(aval, "sharding", None), "mesh", None)
        if mesh is not None and not mesh.empty and mesh != current:
            return jax.sharding.use_abstract_mesh(mesh)
    return nullcontext()
