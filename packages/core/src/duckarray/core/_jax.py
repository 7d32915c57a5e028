"""What JAX is asked for beyond its documented functions, and all that differs between its versions.

Everything here is exported by JAX under a public name since 0.10.0; no other module of this
package looks at a JAX version or at the parameters of JAX's own higher-order primitives.
"""

import difflib
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import jax
from jax import lax
from jax.core import Trace, Tracer
from jax.extend import source_info_util
from jax.extend.core import ClosedJaxpr, Primitive, jaxpr_as_fun, primitives
from jax.interpreters import ad

typeof = jax.typeof

jit_p = primitives.jit_p
cond_p = primitives.cond_p
while_p = primitives.while_p
scan_p = primitives.scan_p
remat_p = primitives.remat_p
# One primitive, renamed: `closed_call` until 0.10, `eval_jaxpr` from 0.11 on; `call_p` is its alias.
call_primitives = tuple({p.name: p for p in (primitives.closed_call_p, primitives.call_p)}.values())

# JAX's own symbolic zero, as cotangent rules return it.
ZeroCotangent = ad.Zero


def is_eager(trace: Trace) -> bool:
    """Whether `trace` is the one that executes operations at once."""
    return type(trace).__name__ == "EvalTrace"


def binds_plainly(primitive: Primitive, _known: dict[Primitive, bool] = {}) -> bool:  # noqa: B006
    """Whether binding `primitive` does nothing but hand it to the current trace."""
    known = _known.get(primitive)
    if known is None:
        bind = getattr(primitive.bind_with_trace, "__func__", None)
        known = _known[primitive] = bind is Primitive.bind_with_trace
    return known


def bind_under(trace: Trace, primitive: Primitive, operands: Sequence[Any], params: Any) -> Any:
    """Binds `primitive` with `trace` as the current trace, whatever trace is current."""
    operands = tuple(operands)
    return primitive.bind_with_trace(trace, operands, tuple(map(typeof, operands)), params)


def as_function(jaxpr: Any) -> Callable[..., list[Any]]:
    """A function that runs `jaxpr`, open or closed, on flat operands."""
    if isinstance(jaxpr, ClosedJaxpr):
        return jaxpr_as_fun(jaxpr)
    return lambda *operands: jax.core.eval_jaxpr(jaxpr, (), *operands)


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


def user_location() -> str:
    """The line of the user's program being run, as `" at file.py:12 (function)"`, or `""`."""
    summary = source_info_util.summarize(source_info_util.current())
    return "" if summary.startswith("unknown") else f" at {summary}"


def find_primitive(primitive: Primitive | str) -> Primitive:
    """The primitive of this name, or the primitive itself.

    Raises:
        ValueError: if JAX has no primitive of that name.
        TypeError: if it is neither a primitive nor a name.
    """
    if isinstance(primitive, Primitive):
        return primitive
    if not isinstance(primitive, str):
        raise TypeError(
            f"a rule is registered for a primitive or its name, but got {primitive!r} of type "
            f"`{type(primitive).__name__}`.\n"
            'Pass it as in `@register("mul")` or `@register(jax.lax.mul_p)`.'
        )
    table = _primitives_by_name()
    name = primitive.removesuffix("_p")
    if name not in table:
        close = difflib.get_close_matches(name, table, n=3)
        hint = f"Did you mean {' or '.join(f'`{c}`' for c in close)}? " if close else ""
        raise ValueError(
            f"JAX {jax.__version__} has no primitive named `{primitive}`.\n{hint}"
            "`jax.make_jaxpr(fn)(*args)` shows the primitives that a function runs; those of other "
            "libraries are passed as objects."
        )
    return table[name]


@cache
def _primitives_by_name() -> dict[str, Primitive]:
    table: dict[str, Primitive] = {}
    for module in (primitives, lax):
        for attribute, value in vars(module).items():
            if isinstance(value, Primitive):
                table.setdefault(value.name, value)
                table[attribute.removesuffix("_p")] = value
    return table


class EditingTrace(Trace):  # type: ignore[misc]
    """Hands everything to `parent`, replacing some parameters of one primitive on the way.

    It lets a primitive be made by its public function and still keep the parameters that the public
    function does not take.
    """

    def __init__(self, parent: Trace, primitive: Primitive, updates: dict[str, Any]) -> None:
        super().__init__()
        self.parent_trace = parent
        self.requires_low = parent.requires_low
        self._primitive, self._updates = primitive, updates

    def process_primitive(
        self, primitive: Primitive, operands: Sequence[Tracer], params: Any, /
    ) -> Any:
        if primitive is self._primitive:
            params = {**params, **self._updates}
        return bind_under(self.parent_trace, primitive, operands, params)

    def stage_value(self, value: Any) -> Any:
        return self.parent_trace.stage_value(value)
