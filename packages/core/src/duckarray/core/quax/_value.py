"""`Value` and `ArrayValue` as Quax has them: Equinox modules with a `materialise`."""

import abc
import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

import equinox as eqx
import jax
from jax import tree_util as jtu
from jax.extend.core import Primitive

from duckarray.core._dispatch import fallbacks
from duckarray.core._errors import AmbiguousRuleError
from duckarray.core._summary import summarize
from duckarray.core._value import ArrayValue as CoreArrayValue
from duckarray.core._value import Value as CoreValue

if TYPE_CHECKING:
    _ModuleMeta = abc.ABCMeta
else:
    _ModuleMeta = type(eqx.Module)


class _Meta(_ModuleMeta):
    """Puts the bases of `duckarray.core` last, so that what any other base defines wins."""

    def mro(self) -> list[type]:
        order = super().mro()
        last = CoreArrayValue.__mro__
        return [c for c in order if c not in last] + [c for c in last if c in order]


class Value(eqx.Module, CoreValue, metaclass=_Meta):
    """Stands for something JAX computes with; an Equinox module.

    A subclass has two methods, `aval` and `materialise`, and may have a static method `default`,
    which answers the primitives that no rule covers.
    """

    materialization = "allow"
    """Quax makes a value dense without a word; `"warn"` or `"error"` on a class change that."""

    _eager = True

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        default = cls.__dict__.get("default")
        if isinstance(default, staticmethod):
            cls.default = staticmethod(_alone(default.__func__))  # type: ignore[method-assign]

    @abc.abstractmethod
    def aval(self) -> Any:
        """The abstract value of what this stands for; pure, and asked for any number of times."""

    @abc.abstractmethod
    def materialise(self) -> Any:
        """The array this stands for; raises if it should never be made dense."""

    @staticmethod
    def default(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
        """Makes all values dense and applies `primitive`; what happens unless a type says other."""
        dense = [x.materialise() if isinstance(x, Value) else x for x in values]
        return primitive.bind(*dense, **params)


fallbacks.append(Value.default)


class ArrayValue(Value, CoreArrayValue):
    """Stands for an array; the class to derive from.

    It is a `duckarray.core.ArrayValue` too, whose hooks (`leaf_linear`, `join`, `drop_leading` …)
    it may have.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from jax import lax
        >>> import duckarray.core.quax as quax
        >>> class Scaled(quax.ArrayValue):
        ...     array: jax.Array
        ...     factor: float
        ...     def aval(self):
        ...         return jax.core.ShapedArray(self.array.shape, self.array.dtype)
        ...     def materialise(self):
        ...         return self.factor * self.array
        >>> @quax.register(lax.neg_p)
        ... def _(x: Scaled, **params):
        ...     return Scaled(x.array, -x.factor)
        >>> quax.quaxify(jnp.negative)(Scaled(jnp.ones(2), 3.0)).factor
        -3.0
    """

    def materialize(self) -> Any:
        return type(self).materialise(self)

    # As in Quax, a scan takes values apart, and puts them together, by their leaves; but what would
    # then have a shape other than the array's is made dense instead.
    def drop_leading(self) -> Self | None:
        return self if _has_shape(self, lambda s: s[1:], self.shape[1:]) else None

    def add_leading(self, n: int) -> Self | None:
        return self if _has_shape(self, lambda s: (n, *s), (n, *self.shape)) else None


def _has_shape(
    value: ArrayValue, change: Callable[[tuple[int, ...]], tuple[int, ...]], shape: tuple[int, ...]
) -> bool:
    """Whether `value` has this shape once the shapes of its leaves are changed."""
    structure: Any
    leaves, structure = jtu.tree_flatten(value)
    found = []

    def note(*leaves: Any) -> None:
        found.append(tuple(structure.unflatten(leaves).aval().shape))

    try:
        jax.eval_shape(note, *(jax.ShapeDtypeStruct(change(x.shape), x.dtype) for x in leaves))
    except Exception:  # it cannot have such leaves
        return False
    return found == [shape]


def _alone(default: Callable[..., Any]) -> Callable[..., Any]:
    """`default`, raising where another type has a say too, since neither knows the other."""

    @functools.wraps(default)
    def checked(primitive: Primitive, values: Sequence[Any], params: dict[str, Any]) -> Any:
        hooks = {type(x).default for x in values if isinstance(x, CoreValue)}
        if len(hooks.difference(fallbacks)) > 1:
            raise AmbiguousRuleError(
                str(primitive),
                [*map(summarize, values)],
                sorted(f"{h.__module__}.{h.__qualname__}" for h in hooks.difference(fallbacks)),
            )
        return default(primitive, values, params)

    return checked
