"""`Value` and `ArrayValue`: what a type must say about itself, and the hooks it may add."""

import dataclasses
import functools
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeGuard, dataclass_transform

import jax
import numpy as np
from jax import tree_util as jtu
from jax.core import ShapedArray
from jax.extend.core import Primitive

from ._aval import giving_aval
from ._computed import computed
from ._fields import field, make_value_class
from ._jax import abstract_eval
from ._mesh import in_manual_mesh, on_mesh_of, varying_like
from ._methods import ArrayMethods
from ._source import exclude_from_locations
from ._summary import summarize

_NO_AVAL = """the shape of `{name}` is derived from its `materialize`, which raised: {error}
Correct that, or give `{name}` an `aval`; a field that is no array is declared with \
`field(static=True)`."""

_FROZEN = """cannot assign to `{cls}.{name}`: values do not change, and hold only what the class \
declares.
Declare a field, `{name}: jax.Array` or `field(static=True)`, in the class body, or make another \
value with `dataclasses.replace`."""

Policy = Literal["allow", "warn", "error"]


# Not `frozen_default`: type checkers would refuse the assignments of a hand-written `__init__`.
@dataclass_transform(eq_default=False, field_specifiers=(field,))
class Value:
    """Stands for something JAX computes with; the base of `ArrayValue`, which stands for an array.

    A subclass is a frozen dataclass and a pytree: its fields are its children, those declared with
    `field(static=True)` are part of the tree structure. Constructing one runs `__post_init__` and
    `__check_init__` if they exist; unflattening one runs neither.

    A class may derive from `equinox.Module` too; then Equinox makes the dataclass.

    Raises:
        dataclasses.FrozenInstanceError: if a field is assigned to or deleted.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.core import Value, quaxify, register
        >>> class Offset(Value):  # it says how an array is moved, and stands for none itself
        ...     by: jax.Array
        ...     def aval(self):
        ...         return jax.typeof(self.by)
        >>> @register("add")
        ... def _add_offset(x: jax.Array, y: Offset):
        ...     return x + 10 * y.by
        >>> quaxify(jnp.add)(jnp.ones(2), Offset(jnp.ones(2)))
        Array([11., 11.], dtype=float32)
    """

    array_priority: ClassVar[int] = 0
    """Which type's rule wins where two fit equally well: the greater. Wrappers that must stay on
    the outside (names: 200, units: 100) say so here; representations keep 0."""

    materialization: ClassVar[Policy] = "warn"
    """What happens, unless `materialization(...)` says otherwise, where no rule covers an
    operation and this type has to be made dense for it."""

    leaf_linear: ClassVar[bool] = False
    """Whether `materialize` is linear in the floating-point leaves. Such a type keeps itself
    through `custom_jvp` and `custom_vjp` rules, its tangents being values of the same type."""

    _eager: ClassVar[bool] = False
    """Whether rules see the entries of arrays, in eager mode, in the small programs that JAX
    inlines (`jnp.add` and its like), which are compiled for other types."""

    _only_inside: ClassVar[bool] = False
    """Whether a value of this type is made dense where a function returns it out of `quaxify`."""

    def _origin(self) -> str:
        """What summaries, those of `explain` for one, add to the name of the type."""
        return ""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith("duckarray."):  # its rules are not the user's program
            exclude_from_locations(str(Path(sys.modules[cls.__module__].__file__ or "").parent))
        if (cls.__module__, cls.__name__) != (__name__, "ArrayValue"):
            if cls.aval not in (Value.aval, ArrayValue.aval):
                type.__setattr__(cls, "aval", giving_aval(cls.aval))
            make_value_class(cls, missing_materialize=cls._is_abstract())

    @classmethod
    def _is_abstract(cls) -> bool:
        return False

    if not TYPE_CHECKING:  # seeing it, type checkers would permit assignments to any name

        def __setattr__(self, name: str, value: Any) -> None:
            if name in self.__dict__ or name not in {f.name for f in dataclasses.fields(self)}:
                text = _FROZEN.format(cls=type(self).__name__, name=name)
                raise dataclasses.FrozenInstanceError(text)
            object.__setattr__(self, name, value)

        def __delattr__(self, name: str) -> None:
            raise dataclasses.FrozenInstanceError(f"cannot delete `{type(self).__name__}.{name}`")

    def aval(self) -> ShapedArray:
        """The abstract value (shape, dtype …) of what this stands for."""
        raise NotImplementedError(
            f"`{type(self).__name__}` stands for something that is not an array, so it has to say "
            "what by a method `aval`."
        )

    @staticmethod
    def default(primitive: Primitive, values: list[Any], params: dict[str, Any]) -> Any:
        """Is asked when no rule covers `primitive`; `NotImplemented` goes on to `materialize`."""
        return NotImplemented

    def known_constant(self) -> bool | int | float | complex | None:
        """The scalar that every entry is, by what the static fields say, or None.

        It is what rules of other types are told by `known_constant(x)`.
        """
        return None

    def join(self, other: Any) -> Self | None:
        """A value like what both `self` and `other` (a value, or None for dense) can become.

        Where branches of `cond` or the turns of a loop give different types, both are converted to
        the structure of what this returns. None means dense.
        """
        return None

    def coerce_like(self, template: Any) -> Any:
        """`self` as a value with the structure of `template`, or `NotImplemented`."""
        return NotImplemented

    def to_cotangent(self, cotangent: Any) -> Any:
        """The cotangents of the leaves, as a value like `self`, given that of the whole array.

        `NotImplemented`, the default, takes the pull-back of `materialize`.
        """
        return NotImplemented

    def from_cotangent(self) -> Any:
        """The cotangent of the array, where the leaves of `self` are the cotangents of the leaves.

        It is what the backward function of a `custom_vjp` that returned such a value is given.
        `NotImplemented`, the default, means `self` if the type is an array in a wrapper (it is
        `leaf_linear`, and the array is its one leaf); others are returned dense.
        """
        return NotImplemented

    def drop_leading(self) -> Self | None:
        """What this looks like without its leading axis, as one turn of `scan` over it sees it.

        Its leaves lose their leading axes, so only what the static fields say need change. None,
        the default, says that this cannot be done leaf by leaf.
        """
        return None

    def add_leading(self, n: int) -> Self | None:
        """What `n` of these, their leaves stacked on a new leading axis, look like."""
        return None

    def resize_leading(self) -> Self:
        """`self`, whose leaves have another number of entries along their leading axes now.

        Inside `shard_map` they are those of one device, after it those of all. A type that says
        in a static field how many there are says so anew; values in its fields have been asked.
        """
        return self

    def __repr__(self) -> str:
        fields = (
            f"{f.name}={_field_repr(getattr(self, f.name, None))}"
            for f in dataclasses.fields(self)  # type: ignore[arg-type]
            if f.repr
        )
        return f"{type(self).__name__}({', '.join(fields)})"


class ArrayValue(ArrayMethods, Value):
    """Stands for an array: a pytree that knows the shape and dtype of the dense array it could be.

    A subclass gives its fields and `materialize`. Rules made with `register` say what primitives
    do with it; where there is none, it is made dense under the policy of `materialization`.
    Operators, indexing and the methods of arrays (`x.sum()`, `x.T`, `x.at[0].set(1)`) work on it,
    outside `quaxify` too; a field or a method of the subclass by such a name comes before.

    Raises:
        TypeError: on construction, if the class has no `materialize`, or if a field annotated as an
            array is given something else.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.core import ArrayValue, quaxify, register
        >>> class Diagonal(ArrayValue):
        ...     diagonal: jax.Array
        ...     def materialize(self):
        ...         return jnp.diag(self.diagonal)
        >>> @register("neg")
        ... def _neg_diagonal(x: Diagonal, **params):
        ...     return Diagonal(-x.diagonal)
        >>> quaxify(jnp.negative)(Diagonal(jnp.array([1.0, 2.0])))
        Diagonal(diagonal=f32[2])
    """

    @classmethod
    def _is_abstract(cls) -> bool:
        return cls.materialize is ArrayValue.materialize

    def materialize(self) -> Any:
        """The dense array this stands for; its fields may be values themselves."""
        raise NotImplementedError

    def aval(self) -> ShapedArray:
        """The shape, dtype and weak type of the array; derived from `materialize` by default."""
        leaves, structure = jtu.tree_flatten(self)
        try:
            return _abstract_materialize(structure, tuple(map(jax.typeof, leaves)))
        except Exception as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            text = _NO_AVAL.format(name=type(self).__name__, error=reason)
            # Not a TypeError: JAX would put an explanation of its own in the place of that.
            raise ValueError(text) from error

    @computed
    def shape(self) -> tuple[int, ...]:
        """The shape of the array this stands for."""
        return tuple(self.aval().shape)

    @computed
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the array this stands for."""
        return self.aval().dtype  # type: ignore[no-any-return]

    @computed
    def ndim(self) -> int:
        """The number of axes of the array this stands for."""
        return len(self.shape)

    @computed
    def size(self) -> int:
        """The number of entries of the array this stands for."""
        return math.prod(self.shape)

    @property
    def __jax_array__(self) -> Any:
        from ._lift import refuse_type

        refuse_type(self)
        return self._jax_array

    def _jax_array(self) -> Any:
        """What `__jax_array__`, which JAX's functions call, gives."""
        from ._lift import lift

        return lift(self)


def is_value(x: Any) -> TypeGuard[Value]:
    """Whether `x` is a `Value`; made to be passed as `is_leaf`."""
    return isinstance(x, Value)


def _field_repr(x: Any) -> str:
    # A value whose leaves are placeholders may not know its shape, but it has a `repr`.
    if not isinstance(x, Value) and hasattr(x, "shape") and hasattr(x, "dtype"):
        return summarize(x)
    if type(x) in (tuple, list):
        entries = ", ".join(map(_field_repr, x))
        return f"[{entries}]" if type(x) is list else f"({entries}{',' * (len(x) == 1)})"
    if type(x) is dict:
        return f"{{{', '.join(f'{key!r}: {_field_repr(entry)}' for key, entry in x.items())}}}"
    return repr(x)


@functools.lru_cache(maxsize=4096)
def _abstract_materialize(structure: Any, avals: tuple[Any, ...]) -> ShapedArray:
    from ._materialize import materialize

    def dense(*leaves: Any) -> list[Any]:
        return [materialize(structure.unflatten(leaves))]

    with on_mesh_of(avals):
        (aval,) = abstract_eval(dense, avals)
    return aval  # type: ignore[no-any-return]


def dense_aval(x: Any) -> Any:
    """The abstract value of an array, or of what a value stands for, as `jax.typeof` gives it.

    Args:
        x: a value or an array.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import extend
        >>> extend.dense_aval(jnp.ones(2))
        ShapedArray(float32[2])
    """
    if not isinstance(x, Value):
        return jax.typeof(x)
    aval = x.aval()
    if in_manual_mesh():  # what the leaves vary over is rarely said by a hand-written `aval`
        return varying_like(aval, jtu.tree_leaves(x))
    return aval
