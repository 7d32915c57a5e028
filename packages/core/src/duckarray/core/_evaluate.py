"""Runs a jaxpr on arrays and values, without a trace where none is needed.

An equation that meets a value goes to `dispatch`, any other to the current trace; only what JAX
binds in ways of its own (`custom_jvp` and its like) goes through a `DuckTrace`. A body that JAX has
traced already is thus traced again at little more than the cost of its equations.
"""

from collections.abc import Callable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from jax.extend.core import Literal, TraceTag, set_current_trace
from jax.extend.source_info_util import current_name_stack, user_context

from . import _watch
from ._constants import (
    Constants,
    note_all,
    note_almost_zero,
    note_created,
    notes_almost_zeros,
    pass_on,
    passing_on,
)
from ._dispatch import dispatch, handler_of
from ._jax import (
    as_function,
    bind_equation,
    binds_plainly,
    constants_and_inputs,
    current_trace,
    is_eager,
    takes_unchanged,
)
from ._lift import contains_lift, inside, lift_p
from ._materialize import is_or_holds_value, plain_types
from ._trace import DuckTrace, run
from ._value import Value

_context = attrgetter("ctx")


def run_jaxpr(
    jaxpr: Any,
    operands: Sequence[Any],
    constants: Constants = (),
    observe: Callable[[list[Any]], None] = lambda outs: None,
) -> list[Any]:
    """Runs a jaxpr, open or closed, on arrays and values, with dispatch; returns such.

    Args:
        jaxpr: the program.
        operands: what it is run on.
        constants: the scalars that the first operands are known to be full of.
        observe: is called with the results while what is known of them still is.
    """
    parent = current_trace()
    with inside, _watch.body(jaxpr):
        if is_eager(parent):  # where JAX's own interpreter frees what is no longer needed
            outs = run(TraceTag(), as_function(jaxpr), operands, constants)
        else:
            note_all(operands, constants)
            outs = _evaluate(parent, jaxpr, operands)
        observe(outs)
        return outs


def _evaluate(parent: Any, jaxpr: Any, operands: Sequence[Any]) -> list[Any]:
    variables, values = constants_and_inputs(jaxpr, operands)
    known: dict[Any, Any] = dict(zip(variables, values, strict=True))
    outer = current_name_stack()
    for context, equations in groupby(jaxpr.eqns, key=_context):
        with context.manager:
            for equation in equations:
                inputs = [v.val if type(v) is Literal else known[v] for v in equation.invars]
                source = equation.source_info
                stack = outer + source.name_stack if source.name_stack.stack else outer
                with user_context(source.traceback, name_stack=stack):
                    out = _bind(parent, equation, inputs)
                if equation.primitive.multiple_results:
                    known.update(zip(equation.outvars, out, strict=True))
                else:
                    known[equation.outvars[0]] = out
    return [v.val if type(v) is Literal else known[v] for v in jaxpr.outvars]


def _bind(parent: Any, equation: Any, inputs: list[Any]) -> Any:
    """What one equation gives for these inputs, arrays and values."""
    primitive, params = equation.primitive, equation.params
    if not binds_plainly(primitive):
        trace = DuckTrace(parent, TraceTag())
        with set_current_trace(trace):
            out = bind_equation(equation, list(map(trace.wrap, inputs)))
        unwrap = trace.unwrap
        return list(map(unwrap, out)) if primitive.multiple_results else unwrap(out)
    found = nested = False
    for x in inputs:
        if isinstance(x, Value):
            found = True
            for child in x.__dict__.values():
                if type(child) not in plain_types and is_or_holds_value(child):
                    nested = True
    if found:
        return dispatch(primitive, inputs, params, nested)
    if primitive is lift_p:
        return params["structure"].unflatten(inputs)
    if inside.ever_lifted and contains_lift(params) and handler_of(primitive) is not None:
        return dispatch(primitive, inputs, params)
    if _watch.active and _watch.here.watcher is not None:
        _watch.here.watcher.passed += 1
    if inputs and takes_unchanged(parent, inputs):
        out = parent.process_primitive(primitive, inputs, params)
    else:
        out = primitive.bind(*inputs, **params)
    if primitive in passing_on:
        pass_on(primitive, inputs[0], params, out)
    elif not inputs:
        note_created(primitive, out)
    elif notes_almost_zeros():
        note_almost_zero(primitive, inputs, params, out)
    return out
