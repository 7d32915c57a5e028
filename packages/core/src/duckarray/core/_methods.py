"""What an `ArrayValue` has in common with a `jax.Array`: operators, methods, indexing, `.at`.

Each is JAX's own, applied with dispatch, outside `quaxify` and inside it. A class may define any of
these names itself, and have a field of that name.
"""

import functools
import operator
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import tree_util as jtu

from ._computed import computed
from ._engine import engine
from ._index_update import IndexUpdateHelper
from ._operator_methods import ArrayOperators
from ._placement import Placed
from ._summary import nbytes, summarize

_IMMUTABLE = """`{name}` does not support item assignment: like an array of JAX it does not change.
Make another one: `x = x.at[index].set(y)`."""

_NO_INDEX = """only integer scalar arrays can be converted to a scalar index, which {} is not.
Choose from an array or a value instead of a list: `x[index]`."""

_NO_VERSION = """`__array_namespace__(api_version={api_version!r})`: JAX, as it is installed, has \
{known!r} only.
Leave `api_version` out."""

_UNSIZED = """{what} of `{name}`, which stands for an array without axes.
`x.reshape(1)` has one."""


def _method(name: str, arrays: bool = False) -> Callable[..., Any]:
    """JAX's method `name`, compiled for each choice of its arguments, unless those are `arrays`."""

    @functools.wraps(getattr(jax.Array, name))
    def apply(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        if arrays or not _is_static(args) or not _is_static(tuple(kwargs.values())):
            return engine.call(_call_method, self, name, *args, **kwargs)
        return engine.unary(engine.method(name, *args, **kwargs), self)

    return apply


def _call_method(x: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    return getattr(x, name)(*args, **kwargs)


def _is_static(x: Any) -> bool:
    """Whether `x` says how to compute, like an axis, a shape or a dtype, rather than with what."""
    if isinstance(x, tuple):
        return all(map(_is_static, x))
    return x is None or isinstance(x, bool | int | str | type | np.dtype)


def _attribute(name: str) -> Any:
    """JAX's property `name`, which is an array."""
    function = operator.attrgetter(name)
    return computed(lambda self: engine.unary(function, self))


class ArrayMethods(ArrayOperators, Placed):
    """Methods and properties of arrays, and their operators."""

    def _aval(self) -> Any:
        return self.aval()  # type: ignore[attr-defined]

    __array_priority__ = 100  # before NumPy's arrays, as JAX's

    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType:
        from . import numpy

        known = numpy.__array_api_version__
        if api_version not in (None, known):
            raise ValueError(_NO_VERSION.format(api_version=api_version, known=known))
        return numpy

    def __len__(self) -> int:
        shape = self._aval().shape
        if not shape:
            raise TypeError(_UNSIZED.format(what="`len`", name=type(self).__name__))
        return int(shape[0])

    def __iter__(self) -> Iterator[Any]:
        shape = self._aval().shape
        if not shape:
            raise TypeError(_UNSIZED.format(what="iteration", name=type(self).__name__))
        return (self[i] for i in range(shape[0]))

    def __reversed__(self) -> Iterator[Any]:
        return iter(self[::-1] if self._aval().shape else self)

    def __contains__(self, item: Any) -> bool:
        return bool(engine.call(lambda x, item: item in x, self, item))

    def __getitem__(self, index: Any) -> Any:
        return engine.call(operator.getitem, self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        raise TypeError(_IMMUTABLE.format(name=type(self).__name__))

    def __bool__(self) -> bool:
        return bool(self.__array__())

    def __int__(self) -> int:
        return int(self.__array__())

    def __float__(self) -> float:
        return float(self.__array__())

    def __complex__(self) -> complex:
        return complex(self.__array__())

    def __index__(self) -> int:
        aval = self._aval()
        if aval.shape or not jnp.issubdtype(aval.dtype, jnp.integer):
            raise TypeError(_NO_INDEX.format(summarize(self)))
        return self.__array__().__index__()

    def __format__(self, spec: str) -> str:
        return format(self.__array__()[()], spec) if spec else str(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.asarray(self._dense(), dtype=dtype)

    def __dlpack__(self, **options: Any) -> Any:
        return self._dense().__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self._dense().__dlpack_device__()

    def _dense(self) -> Any:
        from ._materialize import densify

        return densify(self, "conversion to a concrete value")

    def item(self, *args: int) -> Any:
        """The one entry, or that at a place, as a Python number."""
        return self.__array__().item(*args)

    def tolist(self) -> Any:
        """The entries as nested lists of Python numbers."""
        return self.__array__().tolist()

    def tobytes(self, order: Any = "C") -> bytes:
        """The entries as bytes."""
        return self.__array__().tobytes(order)

    def block_until_ready(self) -> Any:
        """Waits until all leaves have been computed; returns `self`."""
        jax.block_until_ready(jtu.tree_leaves(self))
        return self

    def to_device(self, device: Any, *, stream: Any = None) -> Any:
        """The same value with all leaves on a device."""
        return jax.device_put(self, device)

    @computed
    def weak_type(self) -> bool:
        """Whether the dtype gives way to that of another operand, as a Python number's does."""
        return bool(self._aval().weak_type)

    @computed
    def itemsize(self) -> int:
        """The size in bytes of one entry of the array this stands for."""
        return int(self._aval().dtype.itemsize)

    @computed
    def nbytes(self) -> int:
        """The size in bytes of the array this stands for, not of what is stored."""
        return nbytes(self._aval())

    @computed
    def at(self) -> "IndexUpdateHelper":
        """As of arrays: `x.at[index].set(y)` is `x` with the entries at `index` replaced."""
        return IndexUpdateHelper(self)

    T = _attribute("T")
    mT = _attribute("mT")  # noqa: N815
    real = _attribute("real")
    imag = _attribute("imag")

    all = _method("all")
    any = _method("any")
    argmax = _method("argmax")
    argmin = _method("argmin")
    argpartition = _method("argpartition")
    argsort = _method("argsort")
    astype = _method("astype")
    byteswap = _method("byteswap")
    choose = _method("choose", arrays=True)
    clip = _method("clip", arrays=True)
    compress = _method("compress", arrays=True)
    conj = _method("conj")
    conjugate = _method("conjugate")
    copy = _method("copy")
    cumprod = _method("cumprod")
    cumsum = _method("cumsum")
    diagonal = _method("diagonal")
    dot = _method("dot", arrays=True)
    flatten = _method("flatten")
    max = _method("max")
    mean = _method("mean")
    min = _method("min")
    nonzero = _method("nonzero", arrays=True)
    prod = _method("prod")
    ptp = _method("ptp")
    ravel = _method("ravel")
    repeat = _method("repeat", arrays=True)
    reshape = _method("reshape")
    round = _method("round")
    searchsorted = _method("searchsorted", arrays=True)
    sort = _method("sort")
    squeeze = _method("squeeze")
    std = _method("std")
    sum = _method("sum")
    swapaxes = _method("swapaxes")
    take = _method("take", arrays=True)
    trace = _method("trace")
    transpose = _method("transpose")
    var = _method("var")
    view = _method("view")
