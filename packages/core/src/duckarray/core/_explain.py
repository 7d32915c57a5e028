"""`explain`: runs a program abstractly and notes what becomes of each operation on a value."""

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, get_args

import jax
import jax.numpy as jnp
from jax import tree_util as jtu

from . import _watch
from ._dispatch import dispatch
from ._errors import NoRuleError
from ._jax import struct, tracing_anew
from ._quaxify import Quaxified, look_through, quaxify
from ._report import Fate, Operation, Outcome, Report
from ._source import user_line
from ._summary import nbytes, summarize
from ._value import Value

_FATES = get_args(Fate)  # from the mildest


def explain(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Report:
    """Reports what `quaxify(fn)` would do with each operation that meets a value.

    The program is traced as by `jax.jit`, and nothing is computed. Where something has to be made
    dense it goes on, whatever the policy, and the report says what the policy would have done: so
    all such places are found at once. What is in the body of a loop or a branch is listed once.

    Args:
        fn: what `quaxify` takes, or what it returns. A function that calls `quaxify` itself, such
            as a step of training, is passed as `quaxify(step, filter_spec=False)`.
        *args: what it is called with; any array may be a `jax.ShapeDtypeStruct`. Python numbers and
            NumPy arrays are known to the program as they are.
        **kwargs: likewise.

    Returns:
        A `Report`, which prints as a table.

    Raises:
        TypeError: if `fn` is not callable.
        jax.errors.ConcretizationTypeError: as under `jax.jit`, where it branches on an entry of an
            array.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from jax import lax
        >>> from duckarray.core import ArrayValue, explain, register
        >>> class Scaled(ArrayValue):
        ...     array: jax.Array
        ...     factor: float
        ...     def materialize(self):
        ...         return self.factor * self.array
        >>> @register("neg")
        ... def _neg_scaled(x: Scaled, **params):
        ...     return Scaled(x.array, -x.factor)
        >>> report = explain(lambda x: lax.sin(lax.neg(x)), Scaled(jnp.ones(3), 2.0))
        >>> [(x.primitive, x.outcome) for x in report.operations]
        [('neg', 'rule'), ('sin', 'materialized')]
        >>> report.bytes
        12
    """
    quaxify(fn)  # which says what is wrong with it
    structure: Any
    leaves, structure = jtu.tree_flatten((look_through(fn), args, kwargs))
    arrays = [i for i, x in enumerate(leaves) if isinstance(x, jax.Array | jax.ShapeDtypeStruct)]
    watcher = _Watcher()

    def traced(*operands: Any) -> None:
        filled = list(leaves)
        for i, x in zip(arrays, operands, strict=True):
            filled[i] = x
        fn, args, kwargs = structure.unflatten(filled)
        with _watch.watching(watcher):
            (fn if isinstance(fn, Quaxified) else quaxify(fn))(*args, **kwargs)

    with tracing_anew():
        jax.eval_shape(traced, *[_abstract(leaves[i]) for i in arrays])
    return watcher.report()


def _abstract(x: Any) -> Any:
    return x if isinstance(x, jax.ShapeDtypeStruct) else struct(jax.typeof(x))


class _Frame:
    """What an operation happens inside of: a body of another, or what answers that other."""

    def __init__(self, record: "_Record", label: str | None = None, times: int = 1) -> None:
        self.record, self._label, self.times = record, label, times

    @property
    def is_body(self) -> bool:
        return self._label is not None

    @property
    def label(self) -> str:
        return self._label or self.record.label()


class _Record:
    """One operation while the program runs."""

    def __init__(
        self,
        name: str,
        operands: Sequence[str],
        params: Any,
        frames: tuple[_Frame, ...],
        around: "_Record | None",
    ) -> None:
        self.name, self.operands, self.params = name, tuple(operands), params
        self.frames = frames
        self.line: str = "" if around is None else around.line
        self.after: _Frame | None = None
        if around is not None and not frames[-1].is_body:  # in a rule, or between two bodies
            self.after = around.last_body
        else:
            self.line = user_line(self.line)
        self.results: tuple[str, ...] = ()
        self.outcome: Outcome = "materialized"
        self.answer: Any = None
        self.dense: list[tuple[str, int, Fate, _Frame | None]] = []
        self.densified: set[int] = set()
        self.bodies: dict[int, _Frame] = {}
        self.last_body: _Frame | None = None

    def by_rule(self, rule: Any) -> None:
        self.outcome, self.answer = "rule", rule

    def by_handler(self) -> None:
        if self.outcome == "materialized":  # else a rule for the function that a `jit` holds did
            self.outcome = "leafwise"

    def by_default(self, hook: Any) -> None:
        self.outcome, self.answer = "default", hook

    def label(self) -> str:
        if self.outcome in ("rule", "default"):
            return f"rule {_name_of(self.answer)[0].rpartition('.')[2]}"
        return self.name

    def operation(self) -> Operation:
        policies = [_FATES.index(policy) for _, _, policy, _ in self.dense]
        times = 1
        for frame in self.frames:
            times *= frame.times
        rule, where = _name_of(self.answer) if self.answer is not None else (None, None)
        return Operation(
            primitive=self.name,
            operands=self.operands,
            results=self.results,
            outcome=self.outcome,
            rule=rule,
            rule_location=where,
            line=self.line,
            path=tuple(frame.label for frame in self.frames),
            times=times,
            dense=tuple(summary for summary, _, _, _ in self.dense),
            bytes=sum(size for _, size, _, _ in self.dense),
            policy=_FATES[max(policies)] if policies else None,
        )


class _Watcher:
    """Is told by `_dispatch`, `_materialize` and the structural handlers what happens."""

    def __init__(self) -> None:
        self.records: list[_Record] = []
        self.passed = 0
        self._stack: list[_Record | _Frame] = []

    def report(self) -> Report:
        return Report(tuple(r.operation() for r in self.records), self.passed)

    # --- operations

    def dispatch(self, primitive: Any, operands: Sequence[Any], params: Any) -> Any:
        """Dispatches and records it."""
        with self.operation(str(primitive), operands, params) as record:
            out = dispatch(primitive, operands, params, record=record)
            outs = out if primitive.multiple_results else [out]
            record.results = tuple(map(summarize, outs))
            return out

    @contextmanager
    def operation(self, name: str, operands: Sequence[Any], params: Any) -> Iterator[_Record]:
        """Records an operation; what is recorded meanwhile happens inside it."""
        point = self.mark()
        record = self._add(name, operands, params)
        self._stack.append(record)
        try:
            yield record
        except BaseException:  # whoever catches it goes on as if it had not been tried
            del self._stack[-1]
            self.back_to(point)
            raise
        del self._stack[-1]

    @contextmanager
    def body(self, program: Any) -> Iterator[None]:
        """Says that what happens meanwhile does so in a program that the operation carries."""
        around = self._stack[-1] if self._stack else None
        if not isinstance(around, _Record):
            yield
            return
        frame = around.bodies.get(id(program))
        if frame is None:
            label, times = _describe_body(around, program)
            frame = around.bodies[id(program)] = _Frame(around, label, times)
            around.outcome = "structural"  # a rule for the whole of it has not been taken
        elif around.params.get("cond_jaxpr") is not program:
            self._forget(around, frame)  # JAX has it traced once more
        self._stack.append(frame)
        try:
            yield
        finally:
            del self._stack[-1]
            around.last_body = frame

    def answered_by(self, function: Any) -> None:
        """Says that a rule for the library function that a `jit` holds has answered."""
        if self._stack and isinstance(self._stack[-1], _Record):
            self._stack[-1].by_rule(function)

    def densify(
        self,
        x: Value,
        asked_by: str,
        operands: Sequence[Any],
        policy: Fate,
        make: Callable[[], Any],
    ) -> Any:
        """Makes `x` dense whatever the policy; an array like it where that cannot be done."""
        try:
            dense = make()
        except NoRuleError as refusal:
            aval: Any = x.aval()
            try:
                dense, policy = jnp.zeros(aval.shape, aval.dtype), "impossible"
            except (TypeError, ValueError):  # not even an array
                raise refusal from None
        top = self._stack[-1] if self._stack else None
        record = top if isinstance(top, _Record) else self._add(asked_by, operands, {})
        if id(x) in record.densified and record is top:
            return dense  # an operand that is there twice
        record.densified.add(id(x))
        record.dense.append((summarize(x), nbytes(x.aval()), policy, record.last_body))
        return dense

    # --- what was only tried

    def mark(self) -> Any:
        top = self._stack[-1] if self._stack else None
        inside = (len(top.dense), top.last_body) if isinstance(top, _Record) else None
        return len(self.records), self.passed, top, inside

    def back_to(self, point: Any) -> None:
        count, self.passed, top, inside = point
        del self.records[count:]
        if inside is not None:
            del top.dense[inside[0] :]
            top.last_body = inside[1]

    def _forget(self, around: _Record, body: _Frame) -> None:
        self.records = [r for r in self.records if body not in r.frames and r.after is not body]
        around.dense = [entry for entry in around.dense if entry[3] is not body]

    def _add(self, name: str, operands: Sequence[Any], params: Any) -> _Record:
        frames: list[_Frame] = []
        for i, x in enumerate(self._stack):
            if isinstance(x, _Frame):
                frames.append(x)
            elif i + 1 == len(self._stack) or isinstance(self._stack[i + 1], _Record):
                frames.append(_Frame(x))
        around = frames[-1].record if frames else None
        record = _Record(name, list(map(summarize, operands)), params, tuple(frames), around)
        self.records.append(record)
        return record


def _describe_body(around: _Record, program: Any) -> tuple[str, int]:
    """What the body of an operation is called in a path, and how often it runs."""
    params, name = around.params, around.name
    if name == "scan":
        return f"scan × {params['length']}", int(params["length"])
    if name == "cond":
        here = [str(i) for i, branch in enumerate(params["branches"]) if branch is program]
        return f"cond branch {', '.join(here)}", 1
    if name == "while":
        return ("while condition" if params["cond_jaxpr"] is program else "while body"), 1
    if name == "jit":
        return f"jit {params['name']}", 1
    if name == "custom_linear_solve":
        parts = params["jaxprs"]._asdict()
        return f"{name} {', '.join(part for part in parts if parts[part] is program)}", 1
    return ("checkpoint" if name.startswith("remat") else name), 1


def _name_of(function: Any) -> tuple[str, str]:
    """The full name of a rule, and the file and line where it is."""
    if isinstance(function, functools.partial):  # of a rule that is given its primitive
        function = function.func
    function = inspect.unwrap(function)
    code = function.__code__
    name = f"{function.__module__}.{function.__qualname__}"
    return name, f"{code.co_filename}:{code.co_firstlineno}"
