"""Transforms: JAX's transforms and control flow, around `quaxify` and inside it.

Inside, a program on the value is compared with the same program on the dense array. Around it,
where the leaves are what is differentiated, batched or carried, with `materialize` in its place.
"""

import functools
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax import tree_util as jtu
from jax.sharding import Mesh, PartitionSpec

from duckarray.core._materialize import materialize
from duckarray.core._quaxify import quaxify

from ._compare import Comparison, Mismatch, eps, take_apart, with_notes
from ._economy import NotApplicable
from ._once import QUICKLY, run_once
from ._operands import plain_operands
from ._subject import Case, Subject, stacked

Program = Callable[[Any, Any], Any]


def program(x: Any, y: Any) -> dict[str, Any]:
    """What is transformed: it scales, multiplies, adds and reduces."""
    wave = jnp.tanh(x) if jnp.issubdtype(x.dtype, jnp.inexact) else abs(x)
    return {"scaled": x * 2, "sum": jnp.sum(x * y), "mixed": wave + y}


def loss(out: Any) -> Any:
    """A number that depends on every entry of the results."""
    return sum(jnp.sum(jnp.sin(jnp.asarray(x) / 8)) for x in jtu.tree_leaves(out))


def _loss_of(f: Program) -> Program:
    return lambda x, y: loss(f(x, y))


@jax.custom_jvp
def _with_jvp(x: Any, y: Any) -> Any:
    return x * y + jnp.sin(x)


@_with_jvp.defjvp
def _with_jvp_rule(primals: Any, tangents: Any) -> Any:
    (x, y), (dx, dy) = primals, tangents
    return _with_jvp(x, y), 3 * (dx * y + x * dy + jnp.cos(x) * dx)


@jax.custom_vjp
def _with_vjp(x: Any, y: Any) -> Any:
    return x * y + jnp.sin(x)


_with_vjp.defvjp(
    lambda x, y: (_with_vjp(x, y), (x, y)),
    lambda kept, g: (5 * g * (kept[1] + jnp.cos(kept[0])), 5 * g * kept[0]),
)


def _mesh(x: Any) -> tuple[Mesh, Any]:
    """As many devices as the leading axis can be divided among, and how it is."""
    n = next((n for n in (2, 1) if x.shape and x.shape[0] % n == 0), 1)
    n = min(n, jax.local_device_count())
    mesh = Mesh(np.array(jax.local_devices()[:n]), ("i",))
    return mesh, PartitionSpec("i") if x.shape else PartitionSpec()


def _sharded(x: Any, y: Any) -> Any:
    mesh, spec = _mesh(x)
    return jax.shard_map(
        lambda a, b: (a * 2, a + b), mesh=mesh, in_specs=(spec, spec), out_specs=(spec, spec)
    )(x, y)


def _scan(x: Any, y: Any, carry: bool) -> Any:
    if carry:
        return lax.scan(lambda c, _: (c * 2, c + y), x, None, length=3)
    return lax.scan(lambda c, _: (c + 2 * x, program(x, c)), y, None, length=3)


INSIDE: dict[str, Program] = {
    "jit": lambda x, y: jax.jit(program)(x, y),
    "scan_const": lambda x, y: _scan(x, y, carry=False),
    "scan_carry": lambda x, y: _scan(x, y, carry=True),
    "while": lambda x, y: lax.while_loop(
        lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 2, c[2] + x), (0, x, y)
    ),
    "cond_same": lambda x, y: lax.cond(y.size > 0, lambda v: -v, lambda v: v, x),
    "cond_dense": lambda x, y: [lax.cond(p, lambda: x, lambda: y) for p in (True, False)],
    "cond_changed": lambda x, y: lax.cond(y.size > 99, lambda v: v, lambda v: v * y, x),
    "remat": lambda x, y: jax.checkpoint(program)(x, y),
    "shard_map": _sharded,
}
INSIDE_ROWS: dict[str, Program] = {
    "vmap": lambda x, y: jax.vmap(program)(x, y),
    "vmap_last": lambda x, y: jax.vmap(program, in_axes=(-1, None))(x, y[..., 0]),
    "scan_xs": lambda x, y: lax.scan(lambda c, v: (c + v.sum(), v * 2), jnp.zeros_like(y.sum()), x),
}
INSIDE_REAL: dict[str, Program] = {
    "grad": lambda x, y: jax.grad(_loss_of(program))(x, y),
    "grad_of_other": lambda x, y: jax.grad(_loss_of(program), argnums=1)(x, y),
    "jvp": lambda x, y: jax.jvp(lambda v: program(v, y), (x,), (y,)),
    "grad_of_remat": lambda x, y: jax.grad(_loss_of(jax.checkpoint(program)))(x, y),
    "grad_of_scan": lambda x, y: jax.grad(_loss_of(functools.partial(_scan, carry=True)))(x, y),
    "custom_jvp": lambda x, y: _with_jvp(x, y),
    "custom_vjp": lambda x, y: _with_vjp(x, y),
    "grad_of_custom_jvp": lambda x, y: jax.grad(_loss_of(_with_jvp), (0, 1))(x, y),
    "grad_of_custom_vjp": lambda x, y: jax.grad(_loss_of(_with_vjp), (0, 1))(x, y),
}

# Of the function that takes the value, `quaxify(program)` or the like, which is differentiated
# with respect to the leaves, or whose arguments have leaves with one more axis.
AROUND_REAL: dict[str, Program] = {
    "around_grad": program,
    "around_grad_of_remat": jax.checkpoint(program),
    "around_grad_of_scan": functools.partial(_scan, carry=False),
    "around_grad_of_custom_jvp": _with_jvp,
    "around_grad_of_custom_vjp": _with_vjp,
}


# For cases after the first: where shape or dtype matter most.
_FOR_OTHERS = (
    *("scan_carry", "scan_xs", "cond_variants", "shard_map", "vmap"),
    *("grad", "around_grad", "around_vmap"),
)


def inside(subject: Subject, case: Case, run: Program) -> None:
    """`quaxify` of the program, compiled and for the first case eagerly, against dense JAX."""
    y = plain_operands(case)["y"]
    try:
        struct = jax.eval_shape(run, subject.array(case), y)
    except Exception as error:
        raise NotApplicable(f"dense JAX raises {type(error).__name__} for this case") from None
    want = run_once(run, subject.array(case), y)
    functions: dict[str, Any] = {"compiled": functools.partial(run_once, quaxify(run))}
    if case == subject.cases[0]:
        functions["run eagerly"] = quaxify(run)
    for how, function in functions.items():
        _compare(subject, how, functools.partial(function, subject.value(case), y), want, struct)


def around_grad(subject: Subject, case: Case, run: Program) -> None:
    """The gradient with respect to the leaves is that of the program after `materialize`."""
    value, y = subject.value(case), plain_operands(case)["y"]
    oracle = jax.grad(lambda v, y: loss(run(materialize(v), y)), allow_int=True)
    want = _refused(subject, lambda: run_once(oracle, value, y))
    if want is None:
        return

    def of_value(v: Any, y: Any) -> Any:
        return loss(materialize(quaxify(run)(v, y)))

    differentiate = jax.grad(of_value, allow_int=True)
    _compare_leaves(subject, lambda: run_once(differentiate, value, y), want)


def around_jvp(subject: Subject, case: Case) -> None:
    """The derivative along a change of the leaves is that of the program after `materialize`."""
    value, y = subject.value(case), plain_operands(case)["y"]
    tangent = jtu.tree_map(
        lambda x: x if jnp.issubdtype(x.dtype, jnp.inexact) else np.zeros(x.shape, "V"), value
    )
    tangent = jtu.tree_map(
        lambda x: np.zeros(x.shape, jax.dtypes.float0) if x.dtype.kind == "V" else x, tangent
    )

    def derivative(run: Any) -> Any:
        return run_once(lambda v: jax.jvp(run, (v,), (tangent,)), value)

    want = _refused(subject, lambda: derivative(lambda v: program(materialize(v), y)))
    if want is not None:
        run = quaxify(program)
        _compare(subject, "", lambda: derivative(lambda v: materialize(run(v, y))), want)


def around_vmap(subject: Subject, case: Case) -> None:
    """`vmap` of the quaxified program, over leaves with one more axis."""
    stack, arrays = stacked(subject, case), _stacked_arrays(subject, case)
    y = plain_operands(case)["y"]
    want = run_once(jax.vmap(program, (0, None)), arrays, y)
    run = jax.vmap(lambda v, y: materialize(quaxify(program)(v, y)), (0, None))
    _compare(subject, "", lambda: run_once(run, stack, y), want)


def around_scan(subject: Subject, case: Case) -> None:
    """`scan` over leaves with one more axis, with another value as the carry."""
    stack, arrays = stacked(subject, case), _stacked_arrays(subject, case)
    y = plain_operands(case)["y"]

    def loop(carry: Any, xs: Any, run: Any) -> Any:
        return lax.scan(lambda c, x: (c, (run(x, y), run(c, y))), carry, xs)[1]

    def on_values(carry: Any, xs: Any) -> Any:
        return loop(carry, xs, lambda v, y: materialize(quaxify(program)(v, y)))

    want = run_once(functools.partial(loop, run=program), subject.array(case), arrays)
    _compare(subject, "", lambda: run_once(on_values, subject.value(case), stack), want)


def around_cond(subject: Subject, case: Case) -> None:
    """`cond` between two values of one structure, chosen at run time."""
    y = plain_operands(case)["y"]

    def choose(first: Any, a: Any, b: Any) -> Any:
        return lax.cond(first, lambda a, b: a, lambda a, b: b, a, b)

    def run(first: Any, a: Any, b: Any) -> Any:
        return quaxify(program)(choose(first, a, b), y)

    values = subject.value(case), subject.value(case, 1)
    for first in (True, False):
        want = run_once(program, subject.array(case, 0 if first else 1), y)
        _compare(subject, "", functools.partial(run_once, run, first, *values), want)


def _chosen(first: Any, a: Any, b: Any) -> Any:
    return lax.cond(first, lambda: a, lambda: b)


def cond_variants(subject: Subject, case: Case) -> None:
    """`cond` between the value and others of its shape and dtype: there has to be a common type."""
    value, array = subject.value(case), subject.array(case)
    for other in subject.cases:
        if other == case or (other.shape, other.dtype) != (case.shape, case.dtype):
            continue
        for first in (True, False):
            want = run_once(_chosen, first, array, subject.array(other))
            given = first, value, subject.value(other)
            _compare(subject, "", functools.partial(run_once, quaxify(_chosen), *given), want)


def around_donation(subject: Subject, case: Case) -> None:
    """A compiled function that is given the value's buffers to reuse."""
    y = plain_operands(case)["y"]
    value = jtu.tree_map(jnp.copy, subject.value(case))
    run = jax.jit(quaxify(program), donate_argnums=0, compiler_options=QUICKLY)
    want = run_once(program, subject.array(case), y)
    _compare(subject, "", lambda: run(value, y), want)


def _stacked_arrays(subject: Subject, case: Case) -> Any:
    return jnp.stack([subject.array(case, seed) for seed in (0, 1)])


def _compare(
    subject: Subject, how: str, run: Callable[[], Any], want: Any, struct: Any = None
) -> None:
    got = _refused(subject, run)
    if got is None:
        return
    try:
        Comparison(subject, dtype=_dtype(want)).same(got, want, struct, loose=5)
    except Mismatch as error:
        raise Mismatch(f"{how}: {error}" if how else str(error)) from None


def _compare_leaves(subject: Subject, run: Callable[[], Any], want: Any) -> None:
    got = _refused(subject, run)
    if got is None:
        return
    if take_apart(got)[1] != take_apart(want)[1]:
        raise Mismatch(f"the gradient is of structure {take_apart(got)[1]}")
    Comparison(subject, dtype=_dtype(want)).same(
        jtu.tree_leaves(got), jtu.tree_leaves(want), loose=5
    )


def _dtype(want: Any) -> str:
    """The least precise dtype among results, as what is computed from it is no better."""
    found = [x.dtype for x in jtu.tree_leaves(want) if jnp.issubdtype(x.dtype, jnp.inexact)]
    return str(max(found, key=eps, default=jnp.dtype("float32")))


def _refused(subject: Subject, run: Callable[[], Any]) -> Any:
    try:
        return run()
    except subject.refuses:
        return None
    except Exception as error:
        kind, notes = type(error).__name__, with_notes(error)
        text = f"it works on the dense array, but raised {kind} here: {notes}"
        raise Mismatch(text) from error


def checks(subject: Subject) -> Iterator[tuple[str, Case, Any]]:
    """The checks of this family: name, case and what to run."""
    around: dict[str, Any] = {
        "around_vmap": around_vmap,
        "around_scan": around_scan,
        "around_cond": around_cond,
        "cond_variants": cond_variants,
        "around_donation": around_donation,
    }
    for case in subject.cases:
        runs = dict(INSIDE)
        found = dict(around)
        if case.shape and case.shape[0] and case.shape[-1]:
            runs.update(INSIDE_ROWS)
        if case.is_real:
            runs.update(INSIDE_REAL)
            found["around_jvp"] = around_jvp
            found |= {name: _around(run) for name, run in AROUND_REAL.items()}
        found |= {name: _inside(run) for name, run in runs.items()}
        for name, check in found.items():
            if case == subject.cases[0] or name in _FOR_OTHERS:
                yield name, case, functools.partial(check, subject, case)


def _inside(run: Program) -> Any:
    return functools.partial(inside, run=run)


def _around(run: Program) -> Any:
    return functools.partial(around_grad, run=run)
