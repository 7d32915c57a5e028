"""`quaxify` with Quax's arguments."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
from jax import tree_util as jtu

from duckarray.core._quaxify import Quaxified


def quaxify(fn: Callable[..., Any], /, filter_spec: Any = True) -> Any:
    """Makes `fn` accept values where it expects arrays; see `duckarray.core.quaxify`.

    Args:
        fn: any function, method or callable object.
        filter_spec: which values take part: a bool, a function of a value, or a prefix of the tree
            `(fn, args, kwargs)` of such. Others pass through untouched, for a `quaxify` inside.

    Raises:
        TypeError: if `fn` is not callable.

    Example:
        >>> import jax.numpy as jnp
        >>> import duckarray.core.quax as quax
        >>> quax.quaxify(jnp.add)(1.0, 2.0)
        Array(3., dtype=float32, weak_type=True)
    """
    if not callable(fn):
        raise TypeError(f"`quaxify({fn!r})` takes a function, but got a `{type(fn).__name__}`.")
    return _Quaxified(fn, filter_spec)


class _Quaxified(Quaxified):
    """What `quaxify` returns; as a method it is a pytree, like the methods of Equinox."""

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else eqx.Partial(self, instance)


jtu.register_pytree_node(
    _Quaxified,
    lambda q: ((q._fn,), q._filter_spec),
    lambda filter_spec, children: _Quaxified(children[0], filter_spec),
)
