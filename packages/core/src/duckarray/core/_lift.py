"""`lift`: how a value that nobody passed in takes part.

A function may close over a value, create one, or hold one as a default argument. Where JAX meets
it, `__jax_array__` binds the primitive `lift`, whose operands are the value's leaves and whose
parameter is its structure. The interpreter turns it back into the value; a program that contains
one is always interpreted. Outside any `quaxify` it is the place to say what to do, and to leave an
operator (`array + value`) to the value.
"""

import sys
import threading
import weakref
from typing import Any

import jax
import jax.numpy as jnp
from jax import tree_util as jtu
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from ._constants import forget_from, noted
from ._jax import current_trace, is_eager, programs_in, struct
from ._summary import summarize
from ._value import Value

lift_p = Primitive("duckarray_lift")

_OUTSIDE = """{value} was passed to a JAX function outside `quaxify`, which knows nothing of it.
Wrap the function: `quaxify(fn)(x)`; or make the value dense: `materialize(x)`."""


_TYPE = """JAX asked for the type of {value}, an object outside `quaxify` that it does not know.
A function to be differentiated returns an array: where `f` returns a value, pass \
`lambda *args: materialize(quaxify(f)(*args))`, or a number of your choice from its fields, to \
`jax.grad`. An argument to be taken for an array is passed to `quaxify(fn)`."""


class _Inside(threading.local):
    """A context that says that this thread is inside a `quaxify`; it may be entered many times."""

    ever_lifted = False  # by any thread, since they share JAX's caches of traced programs

    def __init__(self) -> None:
        self.noted: list[int] = []
        self.kept: dict[Any, Any] = {}  # until the outermost ends

    def __enter__(self) -> None:
        self.noted.append(noted())

    def __exit__(self, *exception: object) -> None:
        forget_from(self.noted.pop())
        if not self.noted:
            self.kept.clear()


inside = _Inside()


def is_traced() -> bool:
    """Whether a `quaxify` sees what is being traced; not so inside its rules, which are below it.

    It is also said to where JAX does not tell what is around the trace that is current.
    """
    from ._trace import DuckTrace

    trace = current_trace()
    while trace is not None and not is_eager(trace):
        if isinstance(trace, DuckTrace):
            return True
        trace = getattr(trace, "parent_trace", None)
    return trace is None


class _Outside:
    """What `__jax_array__` gives outside `quaxify`: an operator of JAX passes, all else raises.

    Before an operator of an array refuses its other operand, whose own operator Python then asks,
    it calls `__jax_array__`. Every other function of JAX takes what that gives for an array.
    """

    def __init__(self, value: Value) -> None:
        self._value = value

    def _refuse(self) -> Any:
        raise TypeError(_OUTSIDE.format(value=f"`{summarize(self._value)}`"))

    shape = dtype = ndim = size = __jax_array__ = property(_refuse)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return self._refuse()

    def __repr__(self) -> str:  # for the message that it is no array, which says less
        return str(self._refuse())


def refuse_type(value: Value) -> None:
    """Raises a `TypeError` where JAX asks for `__jax_array__` only to say that it does not call it.

    It does so where it needs a type, as of what a function to be differentiated returns, in a
    message that knows nothing of values. Elsewhere it does call it.
    """
    if sys._getframe(2).f_code.co_name in ("typeof", "shaped_abstractify"):
        raise TypeError(_TYPE.format(value=f"`{summarize(value)}`"))


def lift(value: Value) -> Any:
    """`value` as an array of the current trace; outside `quaxify`, what refuses to be one."""
    if not inside.noted or not is_traced():
        return _Outside(value)
    _Inside.ever_lifted = True
    leaves, structure = jtu.tree_flatten(value)
    return lift_p.bind(*leaves, structure=structure)


def contains_lift(params: Any) -> bool:
    """Whether a program among the parameters of a primitive lifts a value."""
    return any(_jaxpr_contains_lift(j) for p in params.values() for j in programs_in(p))


_contains: dict[int, tuple[Any, bool]] = {}


def _jaxpr_contains_lift(jaxpr: Any) -> bool:
    key = id(jaxpr)
    hit = _contains.get(key)
    if hit is None:
        found = any(e.primitive is lift_p or contains_lift(e.params) for e in jaxpr.eqns)
        reference = weakref.ref(jaxpr, lambda _: _contains.pop(key, None))
        hit = _contains[key] = reference, found
    return hit[1]


def _materialize_leaves(*leaves: Any, structure: Any) -> Any:
    from ._materialize import materialize

    return materialize(structure.unflatten(leaves))


def _refuse(*leaves: Any, structure: Any) -> Any:
    value = structure.unflatten(leaves)
    raise TypeError(_OUTSIDE.format(value=f"`{type(value).__name__}`"))


def _abstract_eval(*leaves: Any, structure: Any) -> Any:
    return structure.unflatten(list(map(struct, leaves))).aval()


def _lower(context: Any, *leaves: Any, structure: Any) -> Any:
    return _refuse(*leaves, structure=structure)


def _jvp(primals: Any, tangents: Any, *, structure: Any) -> Any:
    from ._rules.tangents import push_forward

    out = lift_p.bind(*primals, structure=structure)
    tangent = push_forward(structure, primals, [ad.instantiate_zeros(t) for t in tangents])
    leaves, tangent_structure = jtu.tree_flatten(tangent)
    return out, lift_p.bind(*leaves, structure=tangent_structure)


def _transpose(cotangent: Any, *leaves: Any, structure: Any) -> Any:
    """For tangents, in whose leaves their array is linear."""
    from ._rules.tangents import pull_back

    linear = [ad.is_undefined_primal(x) for x in leaves]
    filled = [
        jnp.zeros(x.aval.shape, x.aval.dtype) if unknown else x
        for x, unknown in zip(leaves, linear, strict=True)
    ]
    parts = pull_back(structure, filled, cotangent)
    return [part if unknown else None for part, unknown in zip(parts, linear, strict=True)]


def _batch(leaves: Any, axes: Any, *, structure: Any) -> Any:
    size = next(x.shape[a] for x, a in zip(leaves, axes, strict=True) if a is not None)
    stacked = [batching.bdim_at_front(x, a, size) for x, a in zip(leaves, axes, strict=True)]
    whole = structure.unflatten(stacked)
    one = structure.unflatten([jax.ShapeDtypeStruct(x.shape[1:], x.dtype) for x in stacked])
    if whole.aval().shape == (size, *one.aval().shape):
        return lift_p.bind(*stacked, structure=structure), 0
    return jax.vmap(lambda *xs: _materialize_leaves(*xs, structure=structure))(*stacked), 0


lift_p.def_impl(_refuse)
lift_p.def_abstract_eval(_abstract_eval)
mlir.register_lowering(lift_p, _lower)
ad.primitive_jvps[lift_p] = _jvp
ad.primitive_transposes[lift_p] = _transpose
batching.primitive_batchers[lift_p] = _batch
