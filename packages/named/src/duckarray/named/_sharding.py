"""Placing arrays on a mesh of devices by the names of their axes."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import jax
from jax.core import Tracer
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from ._names import AxisNameError
from ._value import NamedArray
from ._value import dims as dims_of

Rules: TypeAlias = Mapping[str, str | tuple[str, ...] | None]

_UNKNOWN = """the rules put axis {name!r} on {axis!r}, but the mesh has the axes {axes}.
Correct the rule, or make a mesh with that axis: `jax.make_mesh((...), ({axis!r}, ...))`."""

_INDIVISIBLE = """axis {name!r} of {array} cannot be split over {axis!r}: {size} is no multiple \
of {n}.
Leave it whole, `{{{name!r}: None}}`, or pad it."""


def pspec(a: Any, rules: Rules) -> PartitionSpec:
    """Which axes of the mesh each axis of an array is split over.

    Args:
        a: a `NamedArray`, or an array inside `quaxify`.
        rules: from the names of axes to those of the mesh; what is not in it stays whole.

    Raises:
        AxisNameError: if two axes would be split over the same axis of the mesh.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.named import NamedArray, pspec
        >>> pspec(NamedArray(jnp.ones((8, 4)), "batch d"), {"batch": "data"})
        P('data', None)
    """
    spec = [rules.get(d) if d is not None else None for d in dims_of(a)]
    used = [m for s in spec if s is not None for m in ((s,) if isinstance(s, str) else s)]
    for m in used:
        if used.count(m) > 1:
            raise AxisNameError(
                f"the rules split two axes of {a!r} over the axis {m!r} of the mesh.\n"
                "Split one of them over another, or leave it whole.",
                dims_of(a),
            )
    return PartitionSpec(*spec)


def shard(tree: Any, rules: Rules, mesh: Mesh | None = None) -> Any:
    """Places the named arrays of a tree on a mesh; arrays without names are put on all devices.

    Under `jit` it constrains how they are placed.

    Args:
        tree: a model with named parameters, say.
        rules: from the names of axes to those of the mesh.
        mesh: the mesh; that of `jax.set_mesh` if left out.

    Raises:
        AxisNameError: if the mesh has no axis of a name in the rules that is needed, or an axis
            cannot be split evenly.
        ValueError: if there is no mesh.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.named import NamedArray, shard
        >>> mesh = jax.make_mesh((1,), ("data",))
        >>> x = shard(NamedArray(jnp.ones((8, 4)), "batch d"), {"batch": "data"}, mesh)
        >>> x.array.sharding.spec
        P('data', None)
    """
    mesh = mesh or jax.sharding.get_mesh()
    if mesh.empty:
        raise ValueError(
            "`shard(tree, rules)`: there is no mesh.\n"
            "Pass one, `shard(tree, rules, mesh)`, or set it: `with jax.set_mesh(mesh):`."
        )

    def place(x: Any) -> Any:
        if not isinstance(x, NamedArray):
            return x if not hasattr(x, "shape") else _put(x, NamedSharding(mesh, PartitionSpec()))
        spec = pspec(x, rules)
        _check(x, spec, mesh)
        return NamedArray(_put(x.array, NamedSharding(mesh, spec)), x.dims)

    return jax.tree.map(place, tree, is_leaf=lambda x: isinstance(x, NamedArray))


def _check(x: NamedArray, spec: PartitionSpec, mesh: Mesh) -> None:
    for name, size, over in zip(x.dims, x.array.shape, spec, strict=True):
        n = 1
        for axis in (over,) if isinstance(over, str) else over or ():
            if axis not in mesh.shape:
                axes = tuple(mesh.axis_names)
                raise AxisNameError(_UNKNOWN.format(name=name, axis=axis, axes=axes), x.dims)
            n *= mesh.shape[axis]
        if size % n:
            text = _INDIVISIBLE.format(name=name, array=repr(x), axis=over, size=size, n=n)
            raise AxisNameError(text, x.dims)


def _put(array: Any, sharding: NamedSharding) -> Any:
    if any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves(array)):
        return jax.lax.with_sharding_constraint(array, sharding)
    return jax.device_put(array, sharding)
