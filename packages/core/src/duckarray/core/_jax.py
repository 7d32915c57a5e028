"""What JAX is asked for beyond its documented functions, and all that differs between its versions.

Everything here is exported by JAX under a public name since 0.10.0. No other module of this package
looks at a JAX version or at the parameters of JAX's own higher-order primitives, but `_composite`,
which does for composite ones, and `_mesh`, which does for what varies over axes of a mesh.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import jax
import numpy as np
from jax import lax
from jax.core import Trace
from jax.custom_derivatives import SymbolicZero
from jax.experimental.xla_metadata import set_xla_metadata
from jax.extend import linear_util as lu
from jax.extend.core import (  # type: ignore[attr-defined]
    ClosedJaxpr,
    DebugInfo,
    Primitive,
    find_top_trace,
    jaxpr_as_fun,
    mapped_aval,
    primitives,
)
from jax.interpreters import ad
from jax.interpreters import partial_eval as pe

typeof = jax.typeof

jit_p = primitives.jit_p
cond_p = primitives.cond_p
while_p = primitives.while_p
scan_p = primitives.scan_p
remat_p = primitives.remat_p
# One primitive, renamed: `closed_call` until 0.10, `eval_jaxpr` from 0.11 on; `call_p` is its
# alias.
call_primitives = tuple({p.name: p for p in (primitives.closed_call_p, primitives.call_p)}.values())

# JAX's own symbolic zero, as cotangent rules return it.
ZeroCotangent = ad.Zero


def is_jit_disabled() -> bool:
    """Whether `jax.disable_jit` is in force."""
    return bool(getattr(jax.config, "jax_disable_jit"))  # noqa: B009  # not typed on 0.10


@contextmanager
def tracing_anew() -> Iterator[None]:
    """Has JAX trace meanwhile even what it has traced before."""
    # The metadata are part of the key by which it keeps traced programs.
    with set_xla_metadata(duckarray_explain=str(next(_times_traced_anew))):
        yield


_times_traced_anew = itertools.count()


def current_trace() -> Any:
    """The trace that operations are bound in; `take_current_trace` would set it aside besides."""
    return find_top_trace(())  # type: ignore[no-untyped-call]


def is_eager(trace: Trace) -> bool:
    """Whether `trace` is the one that executes operations at once."""
    return type(trace).__name__ == "EvalTrace"


class _PlainlyBound(dict[Primitive, bool]):
    def __missing__(self, primitive: Primitive) -> bool:
        bind = getattr(primitive.bind_with_trace, "__func__", None)
        known = self[primitive] = bind is Primitive.bind_with_trace
        return known


# Whether binding a primitive does nothing but hand it to the current trace.
binds_plainly: Callable[[Primitive], bool] = _PlainlyBound().__getitem__


def takes_unchanged(trace: Trace, operands: Sequence[Any]) -> bool:
    """Whether all operands are tracers of `trace`, so that a plain `bind` only hands them to it.

    What `Primitive.bind` does for other operands, making them canonical and asking for their
    types, is half of its cost.
    """
    for x in operands:
        if getattr(x, "_trace", None) is not trace:
            return False
    return not trace.requires_low


def is_inlined(params: Any) -> bool:
    """Whether a `jit` asked to be traced into the program around it, and for nothing else."""
    early = params["inline"] is True or getattr(params["inline"], "name", "") == "JAX_EARLY"
    placed = (*params["in_shardings"], *params["out_shardings"])
    return (
        early
        and not any(params["donated_invars"])
        and not any(isinstance(s, jax.sharding.Sharding) for s in placed)
        and not params["compiler_options_kvs"]
    )


def bind_under(trace: Trace, primitive: Primitive, operands: Sequence[Any], params: Any) -> Any:
    """Binds `primitive` with `trace` as the current trace, whatever trace is current."""
    operands = tuple(operands)
    return primitive.bind_with_trace(trace, operands, tuple(map(typeof, operands)), params)


def as_function(jaxpr: Any) -> Callable[..., list[Any]]:
    """A function that runs `jaxpr`, open or closed, on flat operands."""
    if isinstance(jaxpr, ClosedJaxpr):
        return jaxpr_as_fun(jaxpr)  # type: ignore[no-any-return]
    return lambda *operands: jax.core.eval_jaxpr(jaxpr, (), *operands)


def open_jaxpr(jaxpr: Any) -> Any:
    """A jaxpr without its constants; from 0.12 on every jaxpr is closed and open at once."""
    return getattr(jaxpr, "jaxpr", jaxpr)


def bind_equation(equation: Any, operands: Sequence[Any]) -> Any:
    """Binds an equation of a jaxpr anew, in the current trace, to other operands."""
    params = equation.primitive.get_bind_params(equation.params)
    if isinstance(params, tuple):  # until 0.10, with the functions to be called
        functions, params = params
        operands = [*functions, *operands]
    return equation.primitive.bind(*operands, **params)


def constants_and_inputs(jaxpr: Any, operands: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """The variables that a jaxpr, open or closed, begins with, and what they stand for."""
    consts = getattr(jaxpr, "consts", ())
    jaxpr = open_jaxpr(jaxpr)
    return [*jaxpr.constvars, *jaxpr.invars], [*consts, *operands]


def scan_operands(operands: Sequence[Any], params: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """Splits the operands of `scan` into its constants, its initial carry and its `xs`."""
    if "ft_in" in params:  # from 0.11 on
        consts, carry, xs = params["ft_in"].update(operands).unpack()
        return list(consts.vals), list(carry.vals), list(xs.vals)
    n, m = params["num_consts"], params["num_consts"] + params["num_carry"]
    return list(operands[:n]), list(operands[n:m]), list(operands[m:])


def pull_back_result(out: Any) -> tuple[list[Any], Callable[[list[Any]], Any]]:
    """Splits what the backward function of a `custom_vjp` gives: cotangents, and how to give them.

    From 0.11 on it is a pair of the cotangents and a log, before that only the list of cotangents.
    """
    if isinstance(out, tuple) and len(out) == 2 and isinstance(out[0], list):
        return out[0], lambda cotangents: (cotangents, out[1])
    return out, lambda cotangents: cotangents


def without_argument_names(fun: Any) -> Any:
    """`fun`, its recorded argument names forgotten, since it is called with other arguments."""
    forget = getattr(fun, "with_unknown_names", None)
    return forget() if forget is not None else fun


class EditingTrace(Trace):
    """Hands everything to `parent`, replacing some parameters of one primitive on the way.

    It lets a primitive be made by its public function and still keep the parameters that the public
    function does not take.
    """

    def __init__(self, parent: Trace, primitive: Primitive, updates: dict[str, Any]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.parent_trace = parent
        self.requires_low = parent.requires_low
        self._primitive, self._updates = primitive, updates

    def process_primitive(
        self, primitive: Primitive, operands: Sequence[Any], params: Any, /
    ) -> Any:
        if primitive is self._primitive:
            params = {**params, **self._updates}
        return bind_under(self.parent_trace, primitive, operands, params)

    def stage_value(self, value: Any) -> Any:
        return self.parent_trace.stage_value(value)


def struct(aval: Any) -> jax.ShapeDtypeStruct:
    """The shape, dtype and weak type of an abstract value, varying over the same mesh axes.

    Args:
        aval: what `jax.typeof` or `dense_aval` gives.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from duckarray.core import extend
        >>> extend.struct(jax.typeof(jnp.ones(2)))
        ShapeDtypeStruct(shape=(2,), dtype=float32)
    """
    kind = getattr(aval, "manual_axis_type", None)
    varies = {} if kind is None or kind.empty else {"manual_axis_type": kind}
    sharding = aval.sharding if varies else None  # which names the mesh of those axes
    weak_type = bool(getattr(aval, "weak_type", False))
    return jax.ShapeDtypeStruct(
        aval.shape, aval.dtype, weak_type=weak_type, sharding=sharding, **varies
    )


def abstract_eval(function: Callable[..., list[Any]], avals: Sequence[Any]) -> list[Any]:
    """What a function of arrays gives, abstractly; more than shapes and dtypes is known of it."""
    debug_info = DebugInfo("abstract evaluation", "materialize", None, None)
    wrapped = lu.wrap_init(function, debug_info=debug_info)
    _, out_avals, _ = pe.trace_to_jaxpr_dynamic(wrapped, list(avals))
    return list(out_avals)


def programs_in(param: Any) -> Iterator[Any]:
    """The jaxprs in a parameter of a primitive."""
    for x in param if isinstance(param, tuple | list) else (param,):
        if hasattr(x, "eqns"):
            yield x
        elif hasattr(x, "in_avals"):  # a composite primitive, or a traced function
            parts = x.params.values() if hasattr(x, "params") else [getattr(x, "jaxpr", None)]
            for part in parts:
                yield from programs_in(part)


def is_zero(x: Any) -> bool:
    """Whether a tangent or cotangent is one of JAX's symbolic zeros."""
    return type(x) in (ZeroCotangent, SymbolicZero)


def debug_info_of(jaxpr: Any) -> Any:
    """What JAX recorded of the function a jaxpr was traced from."""
    return getattr(jaxpr, "debug_info", None) or jaxpr.jaxpr.debug_info


def stage(function: Callable[..., Any], avals: Sequence[Any], like: Any) -> tuple[Any, list[Any]]:
    """Traces `function` on abstract operands; a jaxpr to bind in place of `like`, and its avals.

    JAX's public control flow functions would trace it again, and spend a millisecond on what the
    equation being replaced has been checked for already. The jaxpr is None where only they will do:
    when it has constants, which would have to become operands, or effects.
    """
    debug_info = debug_info_of(like).with_unknown_names()
    # Names, though empty: JAX 0.10.0 adds to them where it differentiates a loop.
    debug_info = debug_info._replace(arg_names=("",) * len(avals))
    wrapped = lu.wrap_init(function, debug_info=debug_info)
    jaxpr, out_avals, consts = pe.trace_to_jaxpr_dynamic(wrapped, list(avals))
    if consts or jaxpr.effects:
        return None, out_avals
    # From 0.12 on every jaxpr is a closed one.
    return (jaxpr if isinstance(jaxpr, ClosedJaxpr) else ClosedJaxpr(jaxpr, ())), out_avals


@cache
def scan_arity(consts: int, carry: int, xs: int, ys: int) -> dict[str, Any]:
    """The parameters by which `scan` knows how many operands of each kind it has.

    They are read off an example, since their names and types differ between versions.
    """

    def body(carry_: list[Any], xs_: list[Any], consts_: list[Any]) -> tuple[list[Any], list[Any]]:
        total: Any = np.float32(1.0)  # with 64-bit types a Python number would be no float32
        for x in (*consts_, *xs_, *carry_):
            total = lax.add(total, x)
        outs = [lax.mul(total, np.float32(i)) for i in range(ys)]
        return [lax.add(c, total) for c in carry_], outs

    def example(consts_: list[Any], carry_: list[Any], xs_: list[Any]) -> Any:
        return lax.scan(lambda c, x: body(c, x, consts_), carry_, xs_, length=1)

    one, stacked = jax.ShapeDtypeStruct((), "float32"), jax.ShapeDtypeStruct((1,), "float32")
    jaxpr = jax.make_jaxpr(example)([one] * consts, [one] * carry, [stacked] * xs)
    (equation,) = (e for e in jaxpr.eqns if e.primitive is scan_p)
    own = ("jaxpr", "length", "reverse", "unroll")
    return {name: value for name, value in equation.params.items() if name not in own}


def without_leading_axis(aval: Any) -> Any:
    """The abstract value of one slice along the leading axis."""
    return mapped_aval(aval.shape[0], 0, aval)
