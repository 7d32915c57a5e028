"""A right type for the kit, and types made from it that are wrong in one way each."""

import copy
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.typing import ArrayLike

from duckarray.core import ArrayValue, bind, field, materialize, register
from duckarray.core.testing import Case, Subject


class Scaled(ArrayValue):
    """An array times a static factor."""

    array: jax.Array
    factor: Any = field(static=True, default=2.0)

    leaf_linear = True
    materialization = "allow"

    def materialize(self):
        return self.array * jnp.asarray(self.factor, self.array.dtype)

    def join(self, other):
        like = isinstance(other, Scaled) and other.array.shape == self.array.shape
        return type(self)(self.array, min(self.factor, other.factor)) if like else None

    def coerce_like(self, template):
        if not isinstance(template, Scaled):
            return NotImplemented
        return type(self)(self.array * (self.factor / template.factor), template.factor)

    def to_cotangent(self, cotangent):
        return type(self)(materialize(cotangent) * self.factor, self.factor)

    def from_cotangent(self):
        return self.array / jnp.asarray(self.factor, self.array.dtype)

    def drop_leading(self):
        return self

    def add_leading(self, n):
        return self


@register("neg", "transpose", "reshape", "broadcast_in_dim")
def _structural_scaled(x: Scaled, *, primitive, **params):
    """These act on the array."""
    return type(x)(bind(primitive, x.array, **params), x.factor)


@register("mul", commutative=True)
def _mul_scaled_dense(x: Scaled, y: ArrayLike, **params):
    """`(f a) y = f (a y)`."""
    return type(x)(bind("mul", x.array, y, **params), x.factor)


@register("dot_general")
def _dot_general_scaled_dense(x: Scaled, y: ArrayLike, **params):
    """`(f a) y = f (a y)`."""
    out = bind("dot_general", x.array, y, **params)
    return out * jnp.asarray(x.factor, out.dtype)


# --- contract ---------------------------------------------------------------------------------


class WrongDtype(Scaled):
    def aval(self):
        return jax.core.ShapedArray(self.array.shape, jnp.float16)


class WrongShape(Scaled):
    def aval(self):
        return jax.core.ShapedArray((*self.array.shape, 1), self.array.dtype)


class WrongWeakType(Scaled):
    def aval(self):
        return jax.core.ShapedArray(self.array.shape, self.array.dtype, weak_type=True)


class WrongNumbers(Scaled):
    leaf_linear = False

    def materialize(self):
        return self.array * self.factor + 1


class WrongDerivative(Scaled):
    def materialize(self):
        return lax.stop_gradient(self.array) * self.factor

    def to_cotangent(self, cotangent):
        return NotImplemented

    def from_cotangent(self):
        return NotImplemented


class ChecksWhenUnflattened(Scaled):
    pass


class _Checked:
    def __set__(self, instance, value):
        if not hasattr(value, "ndim"):
            raise TypeError("not an array")
        instance.__dict__["array"] = value

    def __get__(self, instance, owner=None):
        return instance.__dict__["array"]


ChecksWhenUnflattened.array = _Checked()  # type: ignore[assignment]


class NotHashable(Scaled):
    note: Any = field(static=True, default_factory=list)


class Unequal(Scaled):
    token: Any = field(static=True, default_factory=object)


class ReprDensifies(Scaled):
    def __repr__(self):
        return f"ReprDensifies({self.materialize()})"


class CopyLosesNumbers(Scaled):
    def __copy__(self):
        return type(self)(jnp.zeros_like(self.array), self.factor)


class NotPickled(Scaled):
    def __reduce__(self):
        raise TypeError("not today")

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return type(self)(copy.deepcopy(self.array, memo), self.factor)


class Leaking(Scaled):
    remembered: Any = field(static=True, default=None)

    def materialize(self):
        _memory.append(self.array)
        return super().materialize()


_memory: list[Any] = []


class Caching(Scaled):
    """Keeps the dense array, which may belong to a trace, in the value."""

    def materialize(self):
        if "_dense" not in self.__dict__:
            object.__setattr__(self, "_dense", super().materialize())
        return self.__dict__["_dense"]


class ReprRaises(Scaled):
    def __repr__(self):
        return f"ReprRaises({float(self.array[0, 0])})"


class LeadingIsDense(Scaled):
    def add_leading(self, n):
        return self.array


class CotangentIsNothing(Scaled):
    def to_cotangent(self, cotangent):
        return None


class StaticShape(ArrayValue):
    """What `ArrayValue` is in libraries that keep the shape beside the data."""

    array: jax.Array
    dims: tuple[int, ...] = field(static=True)
    factor: float = field(static=True, default=2.0)

    materialization = "allow"

    def aval(self):
        return jax.core.ShapedArray(self.dims, self.array.dtype)

    def materialize(self):
        return self.array * self.factor


class RowsInOrder(Scaled):
    """Multiplies row `i` by `i + 1`: what it stands for depends on where the leading axis is."""

    def materialize(self):
        rows = jnp.arange(1, 1 + self.array.shape[0], dtype=self.array.dtype)
        return self.array * rows.reshape(-1, *[1] * (self.array.ndim - 1)) * self.factor

    def to_cotangent(self, cotangent):
        return NotImplemented

    def from_cotangent(self):
        return NotImplemented


class CoercesWithoutScaling(Scaled):
    def coerce_like(self, template):
        return type(self)(self.array, template.factor)


class NotLinear(Scaled):
    def materialize(self):
        return self.array * self.array

    def to_cotangent(self, cotangent):
        return NotImplemented

    def from_cotangent(self):
        return NotImplemented


class WrongCotangent(Scaled):
    def to_cotangent(self, cotangent):
        return type(self)(materialize(cotangent), self.factor)


class WrongFromCotangent(Scaled):
    def from_cotangent(self):
        return self


# --- agreement, economy, transforms, pairs ------------------------------------------------------


class WrongOrder(Scaled):
    pass


@register("sub", commutative=True)
def _sub_wrong_order(x: WrongOrder, y: ArrayLike, **params):
    """Wrong for `y - x`."""
    return bind("sub", x.materialize(), y, **params)


class KeepsDtype(Scaled):
    pass


@register("convert_element_type")
def _convert_keeps_dtype(x: KeepsDtype, **params):
    """Wrong: it converts nothing."""
    return x


class WeakResult(Scaled):
    pass


@register("neg")
def _neg_weak_result(x: WeakResult, **params):
    """Wrong: the result is weakly typed."""
    out = bind("neg", x.materialize(), **params)
    to = {"new_dtype": out.dtype, "weak_type": True, "sharding": None}
    return lax.convert_element_type_p.bind(out, **to)


class WrongShapeOfResult(Scaled):
    pass


@register("reduce_sum")
def _reduce_sum_wrong_shape(x: WrongShapeOfResult, *, axes, **params):
    """Wrong: it keeps the axes."""
    return jnp.sum(x.materialize(), axis=tuple(axes), keepdims=True)


class Lenient(Scaled):
    pass


@register("add")
def _add_lenient(x: Lenient, y: ArrayLike, **params):
    """Wrong: it adds arrays that `add` refuses."""
    return jnp.add(x.materialize(), jnp.asarray(y)[: x.shape[0]])


class WrongWhenConcrete(Scaled):
    pass


@register("exp")
def _exp_wrong_when_concrete(x: WrongWhenConcrete, **params):
    """Wrong, unless it is traced."""
    if isinstance(x.array, jax.core.Tracer):
        return bind("exp", x.materialize(), **params)
    return bind("exp", x.array, **params)


class Raises(Scaled):
    pass


@register("exp")
def _exp_raises(x: Raises, **params):
    """Wrong: it need not."""
    raise ZeroDivisionError("by accident")


class Dense(Scaled):
    pass


@register("neg")
def _neg_dense(x: Dense, **params):
    """Right, but builds the dense array and hides that."""
    return Dense(bind("neg", x.materialize(), **params), 1.0)


class StopsGradients(Scaled):
    leaf_linear = False


@register("mul", commutative=True)
def _mul_stops_gradients(x: StopsGradients, y: ArrayLike, **params):
    """Right, but not when differentiated."""
    return bind("mul", lax.stop_gradient(x.materialize()), y, **params)


class SumsAll(Scaled):
    pass


@register("reduce_sum")
def _reduce_sum_sums_all(x: SumsAll, **params):
    """Right for a sum over all axes, so wrong once there is one more."""
    return jnp.sum(x.materialize())


class WrongProducts(Scaled):
    pass


@register("mul", commutative=True)
def _mul_wrong_products(x: WrongProducts, y: ArrayLike, **params):
    """Wrong by a factor."""
    return WrongProducts(bind("mul", x.array, y, **params) * 1.5, x.factor)


class WrongNegative(Scaled):
    pass


@register("neg")
def _neg_wrong_negative(x: WrongNegative, **params):
    """Wrong: it is `x`."""
    return x


class OnlyAmongDense(Scaled):
    pass


@register("max", commutative=True)
def _max_only_among_dense(x: OnlyAmongDense, y: object, **params):
    """Wrong for other values: it takes their first leaf for the array."""
    return bind("max", x.materialize(), jax.tree.leaves(y)[0], **params)


class Opaque(Scaled):
    """Has no dense form at all."""

    leaf_linear = False

    def aval(self):
        return jax.typeof(self.array)

    def materialize(self):
        raise TypeError("an opaque array has no dense form")


def subject(cls: Any, **changes: Any) -> Subject:
    """The subject of a type like `Scaled`."""
    described = {
        "name": cls.__name__,
        "make": lambda case: _make(cls, case),
        "dense": _DENSE.get(cls, _dense),
        "cases": (Case((3, 3)),),
        **changes,
    }
    return Subject(**described)


def _make(cls: Any, case: Case) -> Any:
    (array,) = case.arrays(case.shape)
    if cls is StaticShape:
        return cls(array, case.shape)
    return cls(array, 4.0 if case.variant == "other factor" else 2.0)


def _dense(x: Any) -> Any:
    array = np.asarray(x.array)
    return array * np.asarray(x.factor, array.dtype)


def _dense_in_rows(x: Any) -> Any:
    return np.diag([1.0, 2.0, 3.0]) @ _dense(x)


_DENSE = {RowsInOrder: _dense_in_rows, NotLinear: lambda x: np.asarray(x.array) ** 2}
