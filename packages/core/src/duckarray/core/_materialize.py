"""Making values dense: on request (`materialize`), or for want of a rule, under a policy."""

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import Any, get_args

from jax import tree_util as jtu

from ._errors import MaterializeError, MaterializeWarning, NoRuleError
from ._jax import user_location
from ._summary import nbytes, summarize
from ._value import ArrayValue, Policy, Value, child_fields, is_value

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
    """Makes an operand of `primitive` dense, as the policy permits; what is dense stays."""
    if not isinstance(x, Value):
        return x
    policy = _policy.get() or type(x).materialization
    if policy != "allow":
        _object(policy, x, str(primitive), (x,) if operands is None else operands)
    return _dense(x, lambda: (str(primitive), (x,) if operands is None else operands))


def _object(policy: Policy, x: Any, primitive: str, operands: Any) -> None:
    error = MaterializeError(
        primitive, [summarize(o) for o in operands], summarize(x), nbytes(x.aval()), user_location()
    )
    if policy == "error":
        raise error
    text = str(error).splitlines()[0].replace(" would make ", " makes ")
    advice = 'Write a rule for it, or accept it with `with materialization("allow"):`.'
    warnings.warn(f"{text}.\n{advice}", MaterializeWarning, stacklevel=_user_stacklevel())


def _dense(x: Any, context: Callable[[], tuple[str, Any]] | None = None) -> Any:
    if not isinstance(x, Value):
        return x
    if not isinstance(x, ArrayValue):
        name, operands = context() if context else ("materialize", (x,))
        reason = f"{type(x).__name__} does not stand for an array that could be made dense"
        raise NoRuleError(name, [summarize(o) for o in operands], reason, user_location())
    inner = replace_children(x, _dense)
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
    return _dense(out, context)


def replace_children(value: Any, replace: Callable[[Any], Any]) -> Any:
    """`value`, with `replace` applied to each value among its children; itself if there is none."""
    if not has_nested(value):
        return value
    return jtu.tree_map(
        lambda x: replace(x) if isinstance(x, Value) else x,
        value,
        is_leaf=lambda x: x is not value and isinstance(x, Value),
    )


def has_nested(value: Any) -> bool:
    """Whether a child of `value` is a value itself, or a container that holds one."""
    for name in child_fields(value):
        child = getattr(value, name)
        if isinstance(child, Value):
            return True
        if isinstance(child, tuple | list | dict) and any(
            map(is_value, jtu.tree_leaves(child, is_leaf=is_value))
        ):
            return True
    return False


def _user_stacklevel() -> int:
    """How far up the stack the first frame outside this package, JAX and Equinox is."""
    frame: FrameType | None = sys._getframe(1)
    level = 1
    while frame is not None:
        package = frame.f_globals.get("__name__", "").split(".")
        if package[0] not in ("jax", "equinox") and package[:2] != ["duckarray", "core"]:
            return level
        frame, level = frame.f_back, level + 1
    return 1
