"""What a tracer whose value holds no tracers answers of its numbers: it is made dense for that."""

from operator import index
from typing import Any

import jax
from jax import tree_util as jtu
from jax.core import Tracer

_tracer: Any = Tracer


class Concrete:
    """Conversions of a tracer of the value `value`, which answer where those of JAX refuse.

    JAX's own ask the abstract value, which knows no numbers.
    """

    __slots__ = ()

    value: Any

    def to_concrete_value(self) -> Any:
        # JAX asks this also to learn whether there is one. It goes on with what it gets, which a
        # tracer lets it do; only a conversion (`bool`, `int`, `numpy.asarray` …) makes it dense.
        return None if self._concrete_value() is None else self

    def _concrete_value(self) -> Any:
        """The value, if there is no tracer in it."""
        leaves = jtu.tree_leaves(self.value)
        return None if any(isinstance(x, Tracer) for x in leaves) else self.value

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        concrete = self._concrete_value()
        if concrete is None:
            return _tracer.__array__(self, *args, **kwargs)
        return concrete.__array__(*args, **kwargs)

    def tolist(self) -> Any:
        return self.__array__().tolist()

    def tobytes(self, order: Any = "C") -> bytes:
        return self.__array__().tobytes(order)  # type: ignore[no-any-return]

    def __bool__(self) -> bool:
        concrete = self._concrete_value()
        return _tracer.__bool__(self) if concrete is None else bool(concrete)

    def __int__(self) -> int:
        concrete = self._concrete_value()
        return _tracer.__int__(self) if concrete is None else int(concrete)

    def __float__(self) -> float:
        concrete = self._concrete_value()
        return _tracer.__float__(self) if concrete is None else float(concrete)

    def __complex__(self) -> complex:
        concrete = self._concrete_value()
        return _tracer.__complex__(self) if concrete is None else complex(concrete)

    def __index__(self) -> int:
        concrete = self._concrete_value()
        return _tracer.__index__(self) if concrete is None else index(concrete)

    def __format__(self, spec: str) -> str:
        concrete = self._concrete_value() if spec else None
        return _tracer.__format__(self, spec) if concrete is None else format(concrete, spec)

    def __dlpack__(self, **options: Any) -> Any:
        concrete = self._concrete_value()
        if concrete is None:
            return _tracer.__dlpack__(self, **options)
        return concrete.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        concrete = self._concrete_value()
        if concrete is None:
            return _tracer.__getattr__(self, "__dlpack_device__")()
        return concrete.__dlpack_device__()

    def block_until_ready(self) -> Any:
        concrete = self._concrete_value()
        if concrete is None:
            return _tracer.__getattr__(self, "block_until_ready")()
        jax.block_until_ready(jtu.tree_leaves(concrete))
        return self
