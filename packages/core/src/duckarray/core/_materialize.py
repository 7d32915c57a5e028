"""Making values dense: on request (`materialize`), or for want of a rule, under a policy."""

import functools
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, get_args

from jax import tree_util as jtu

from . import _watch
from ._errors import MaterializeError, MaterializeWarning, NoRuleError, is_primitive, listing
from ._mesh import vary, varying_axes
from ._source import user_frame, user_location
from ._summary import nbytes, summarize
from ._value import ArrayValue, Policy, Value, is_value

_DENSE = """`{}` on ({}) makes {} dense ({:,} bytes).
{}ccept it with `with materialization("allow"):`."""

_policy: ContextVar[Policy | None] = ContextVar("duckarray_materialization", default=None)


def materialize(tree: Any) -> Any:
    """Makes every `ArrayValue` in `tree` dense, values inside values too.

    Asking for it is not subject to the policy of `materialization`. Inside `quaxify` it works on
    the arrays the function sees.

    Args:
        tree: any pytree.

    Returns:
        The same tree, each value in it replaced by the array it stands for.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import materialize
        >>> materialize({"x": jnp.ones(2)})
        {'x': Array([1., 1.], dtype=float32)}
    """
    from ._trace import value_of

    return jtu.tree_map(lambda x: _dense(value_of(x)), tree, is_leaf=is_value)


@contextmanager
def materialization(policy: Policy) -> Iterator[None]:
    """Decides what happens where an operation has no rule and a value has to be made dense.

    Without it each type's `materialization` decides. It is looked at while a function is traced,
    so a function already compiled by `jax.jit` around `quaxify` is not asked again.

    Args:
        policy: `"allow"`, `"warn"` (a `MaterializeWarning` at the line that caused it) or
            `"error"` (a `MaterializeError`).

    Raises:
        ValueError: if `policy` is none of these.

    Example:
        >>> from duckarray.core import materialization
        >>> with materialization("error"):
        ...     pass  # whatever is traced here raises rather than densify
    """
    if policy not in get_args(Policy):
        raise ValueError(
            f"`materialization({policy!r})` is not a policy.\n"
            f"Pass one of {', '.join(map(repr, get_args(Policy)))}."
        )
    token = _policy.set(policy)
    try:
        yield
    finally:
        _policy.reset(token)


def current_policy() -> Policy | None:
    """The policy in force, or None where each type decides; a part of every cache key."""
    return _policy.get()


def densify(x: Any, primitive: Any, operands: Any = None) -> Any:
    """Makes an operand of a primitive dense, as the policy permits; what is dense stays.

    It is what happens to an operand that no rule covers, for a rule that covers the others.

    Args:
        x: the operand, a value or an array.
        primitive: the primitive, or what to call the operation in a warning.
        operands: all operands, for the message; `x` alone by default.

    Raises:
        MaterializeError: if the policy is `"error"`.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core import extend
        >>> extend.densify(jnp.ones(2), "mul")
        Array([1., 1.], dtype=float32)
    """
    if not isinstance(x, Value):
        return x
    policy = _policy.get() or x.materialization
    operands = (x,) if operands is None else operands
    if _watch.active and _watch.here.watcher is not None:
        make = functools.partial(_dense, x, lambda: (str(primitive), operands))
        return _watch.here.watcher.densify(x, str(primitive), operands, policy, make)
    if policy == "error":
        summaries = [summarize(o) for o in operands]
        size = nbytes(x.aval())
        raise MaterializeError(str(primitive), summaries, summarize(x), size, user_location())
    dense = _dense(x, lambda: (str(primitive), operands))
    if policy == "warn":
        summaries = [summarize(o) for o in operands]
        advice = "Write a rule for it, or a" if is_primitive(str(primitive)) else "A"
        on, size = listing(summaries), nbytes(x.aval())
        warn_dense(_DENSE.format(primitive, on, summarize(x), size, advice))
    return dense


class _Recorders(threading.local):
    def __init__(self) -> None:
        self.active: list[list[str]] = []
        self.muted = 0


_recorders = _Recorders()


@contextmanager
def recorded_warnings() -> Iterator[list[str]]:
    """Notes what is warned of meanwhile, in this thread."""
    recorded: list[str] = []
    _recorders.active.append(recorded)
    try:
        yield recorded
    finally:
        _recorders.active.pop()


@contextmanager
def muted_warnings() -> Iterator[None]:
    """Warns of nothing meanwhile, in this thread: what runs is run again, and will warn then."""
    _recorders.muted += 1
    try:
        yield
    finally:
        _recorders.muted -= 1


def warn_dense(text: str) -> None:
    """Warns, at the line that was called, that something was made dense there or further in."""
    for recorded in _recorders.active:
        recorded.append(text)
    if _recorders.muted:
        return
    frame, level = user_frame()
    where = user_location()
    if frame is not None and f"{frame.f_code.co_filename}:{frame.f_lineno}" in where:
        where = ""
    first, *rest = text.split("\n")
    warnings.warn("\n".join([f"{first[:-1]}{where}.", *rest]), MaterializeWarning, level)


def _dense(x: Any, context: Callable[[], tuple[str, Any]] | None = None) -> Any:
    if not isinstance(x, Value):
        return x
    if not isinstance(x, ArrayValue):
        name, operands = context() if context else ("materialize", (x,))
        reason = f"{type(x).__name__} does not stand for an array that could be made dense"
        raise NoRuleError(name, [summarize(o) for o in operands], reason, user_location())
    inner = replace_children(x, lambda child: _dense(child, context))
    try:
        out = inner.materialize()
    except (TypeError, NotImplementedError) as refusal:
        if context is None:
            raise
        name, operands = context()
        reason = f"{type(x).__name__} refuses to be made dense ({refusal})"
        raise NoRuleError(
            name, [summarize(o) for o in operands], reason, user_location()
        ) from refusal
    if isinstance(out, Value):
        return _dense(out, context)
    if out is None:
        raise TypeError(
            f"`{type(x).__name__}.materialize` returned None.\n"
            "It returns the dense array that the value stands for."
        )
    # One without data is made of nothing that varies, yet it has to vary where its leaves do.
    return vary(out, frozenset().union(*map(varying_axes, jtu.tree_leaves(inner))))


def replace_children(value: Any, replace: Callable[[Any], Any]) -> Any:
    """`value`, with `replace` applied to each value among its children; itself if there is none."""
    if not has_nested(value):
        return value
    return jtu.tree_map(
        lambda x: replace(x) if isinstance(x, Value) else x,
        value,
        is_leaf=lambda x: x is not value and isinstance(x, Value),
    )


# Types of fields that neither are values nor hold any; added to as they are met.
plain_types: set[type] = {bool, int, float, complex, str, type(None)}


def has_nested(value: Any) -> bool:
    """Whether a child of `value` is a value itself, or a container that holds one."""
    for child in value.__dict__.values():
        if type(child) not in plain_types and is_or_holds_value(child):
            return True
    return False


def is_or_holds_value(child: Any) -> bool:
    """Whether `child` is a value or a container of one; notes its type if it can be neither."""
    if isinstance(child, Value):
        return True
    return not is_plain(child) and any(map(is_value, jtu.tree_leaves(child, is_leaf=is_value)))


def is_plain(x: Any) -> bool:
    """Whether `x` is neither a value nor a tree that could hold one; then notes its type."""
    if type(x) in plain_types:
        return True
    if isinstance(x, Value) or not jtu.all_leaves([x]):
        return False
    plain_types.add(type(x))
    return True
