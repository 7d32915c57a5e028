"""`quaxify`: the transform that lets values stand for arrays in an unmodified program."""

import functools
import inspect
import reprlib
import types
from collections.abc import Callable
from typing import Any

from jax import tree_util as jtu
from jax.extend.core import set_current_trace

from . import _derivatives
from ._jax import current_trace
from ._lift import inside
from ._materialize import densify, is_plain, plain_types
from ._summary import summarize
from ._trace import DuckTrace, DuckTracer, trace_over
from ._value import Value, is_value

_FILTER_SPEC = """`quaxify(fn, filter_spec={spec!r})`: the tree does not fit `(fn, args, kwargs)`, \
here {call}.
Pass True or False, a function of a value, or a tree like it: `(True, (True, False), True)`."""


def quaxify(fn: Callable[..., Any], *, filter_spec: Any = True) -> Callable[..., Any]:
    """Makes `fn` accept values where it expects arrays.

    Every JAX primitive that `fn` runs, under whatever transform or control flow, is dispatched on
    the types of its operands. What is an array stays one: it is not wrapped and costs nothing.
    Values that `fn` closes over, creates, or has as default arguments take part too.

    Args:
        fn: any function, method or callable object; a pytree callable (an Equinox module) may hold
            values in its leaves.
        filter_spec: which values take part: a bool, a function of a value, or a prefix of the tree
            `(fn, args, kwargs)` of such. Others pass through untouched, for a `quaxify` inside.

    Returns:
        A callable of the same signature, a pytree with `fn` as its child. It returns values where
        results are values; what is returned as it came in is the identical object.

    Raises:
        TypeError: if `fn` is not callable.
        ValueError: on a call, if `filter_spec` is a tree that does not fit the arguments.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.core import ArrayValue, quaxify, register
        >>> class Scaled(ArrayValue):
        ...     array: jax.Array
        ...     factor: float
        ...     def materialize(self):
        ...         return self.factor * self.array
        >>> @register("neg")
        ... def _neg_scaled(x: Scaled, **params):
        ...     return Scaled(x.array, -x.factor)
        >>> quaxify(lambda x: -x)(Scaled(jnp.ones(3), 2.0))
        Scaled(array=f32[3], factor=f32[])
    """
    given: Any = fn
    if not callable(given):
        shown = summarize(given) if hasattr(given, "shape") else reprlib.repr(given)
        raise TypeError(
            f"`quaxify({shown})` takes a function, but got a `{type(given).__name__}`.\n"
            "Pass the function whose arguments are to be values."
        )
    return Quaxified(fn, filter_spec)


class Quaxified:
    """What `quaxify` returns."""

    def __init__(self, fn: Callable[..., Any], filter_spec: Any) -> None:
        functools.update_wrapper(self, fn, updated=())
        self.__wrapped__ = fn
        self._fn, self._filter_spec = fn, filter_spec
        self._defaults = _value_defaults(fn)
        self._is_plain = filter_spec is True and type(fn) is types.FunctionType

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._defaults:
            kwargs = _with_defaults(self._fn, self._defaults, args, kwargs)
        chosen: list[bool] | None = None
        if self._is_plain and not kwargs and all(map(_is_leaf, args)):
            leaves: Any = args  # taking the call apart would give the same
            structure: Any = None
        else:
            call = (look_through(self._fn), args, kwargs)
            leaves, structure = jtu.tree_flatten(call, is_leaf=is_value)
            if self._filter_spec is not True:
                chosen = _choose(self._filter_spec, call)
        with inside, _derivatives.call:
            trace = trace_over(current_trace())
            if chosen is None:
                inner = list(map(trace.wrap, leaves))
            else:
                pairs = zip(leaves, chosen, strict=True)
                inner = [DuckTracer(trace, x) if c else x for x, c in pairs]
            with set_current_trace(trace):
                if structure is None:
                    out = self._fn(*inner)
                else:
                    fn, args, kwargs = structure.unflatten(inner)  # some classes compute then
                    out = fn(*args, **kwargs)
            if _is_leaf(out):
                return _unwrap(trace, out)
            return jtu.tree_map(functools.partial(_unwrap, trace), out, is_leaf=is_value)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self) -> str:
        return f"quaxify({self._fn!r})"


jtu.register_pytree_node(
    Quaxified,
    lambda q: ((q._fn,), q._filter_spec),
    lambda filter_spec, children: Quaxified(children[0], filter_spec),
)


def _is_leaf(x: Any) -> bool:
    """Whether `x` is a value, or no tree that could hold one."""
    return type(x) in plain_types or isinstance(x, Value) or is_plain(x)


def _unwrap(trace: DuckTrace, x: Any) -> Any:
    if isinstance(x, Value):  # one the function made itself may hold tracers
        owns = any(map(trace.owns, jtu.tree_leaves(x)))
        return jtu.tree_map(trace.unwrap, x) if owns else x
    out = trace.unwrap(x)
    if out is not x and out._only_inside:
        with set_current_trace(trace.parent_trace):
            return densify(out, "cond")
    return out


def look_through(fn: Any) -> Any:
    """Callables that hold arguments, as pytrees, so that the values among those are found."""
    if type(fn) is functools.partial:
        return jtu.Partial(look_through(fn.func), *fn.args, **fn.keywords)
    if isinstance(fn, types.MethodType):
        return jtu.Partial(fn.__func__, fn.__self__)
    return fn


def _choose(filter_spec: Any, call: tuple[Any, ...]) -> list[bool]:
    """For each leaf of `call`, whether it is a value that `filter_spec` selects."""

    def mark(spec: Any, subtree: Any) -> Any:
        return jtu.tree_map(
            lambda x: is_value(x) and bool(spec(x) if callable(spec) else spec),
            subtree,
            is_leaf=is_value,
        )

    if isinstance(filter_spec, bool) or callable(filter_spec):
        marks = mark(filter_spec, call)
    else:
        try:
            marks = jtu.tree_map(mark, filter_spec, call)
        except ValueError as error:
            whole = f"({', '.join(map(_outline, call))})"
            raise ValueError(_FILTER_SPEC.format(spec=filter_spec, call=whole)) from error
    return jtu.tree_leaves(marks)


def _outline(tree: Any) -> str:
    """What a part of a call looks like: its structure, with the types of the values in it."""
    summaries = jtu.tree_map(lambda x: _Text(summarize(x)), tree, is_leaf=is_value)
    return repr(summaries)


class _Text(str):
    __slots__ = ()
    __repr__ = str.__str__


def _value_defaults(fn: Any) -> dict[str, Any]:
    """The default arguments of a Python function that hold values."""
    if not (getattr(fn, "__defaults__", None) or getattr(fn, "__kwdefaults__", None)):
        return {}
    return {
        name: p.default
        for name, p in inspect.signature(fn).parameters.items()
        if any(map(is_value, jtu.tree_leaves(p.default, is_leaf=is_value)))
    }


def _with_defaults(
    fn: Any, defaults: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    given = inspect.signature(fn).bind(*args, **kwargs).arguments
    return {**kwargs, **{k: v for k, v in defaults.items() if k not in given}}
