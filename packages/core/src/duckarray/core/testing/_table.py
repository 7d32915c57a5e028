"""The table of calls: each with its name, its operands and the group it is compiled in."""

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import jax

from ._calls import contraction, control, elementwise, indexing, reduction, shape
from ._operands import parameters
from ._subject import Case, Subject

_UNKNOWN_CALL = """`Subject({name!r}, {field}=...)` names {pattern!r}, but no call is called so.
Names are those of the table, `duckarray.core.testing.CALLS`, and those in `operations`."""

_SAME_CALL = """`Subject({name!r}, operations=...)` has {call!r}, which the table has already.
Give it another name, so that a check id means one call."""


@dataclass(frozen=True)
class Call:
    """One call that is made on a value and on the dense array.

    Args:
        name: what check ids call it.
        function: takes operands by the names of its parameters.
        group: calls of one group are compiled together.
        concrete: whether it needs numbers that are known, so that it cannot be compiled.
        exact: whether its result jumps where a number is rounded otherwise.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.core.testing import Call
        >>> call = Call("plus_two", lambda x: x + 2, "elementwise")
        >>> call({"x": jnp.ones(2)})
        Array([3., 3.], dtype=float32)
    """

    name: str
    function: Callable[..., Any]
    group: str
    concrete: bool = False
    exact: bool = False

    @functools.cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of its operands."""
        return parameters(self.name, self.function)

    def __call__(self, operands: dict[str, Any]) -> Any:
        return self.function(*[operands[name] for name in self.parameters])


def _table() -> dict[str, Call]:
    table: dict[str, Call] = {}
    for module in (elementwise, shape, indexing, reduction, contraction, control):
        for group, calls in vars(module).items():
            if not (group.isupper() and isinstance(calls, dict)):
                continue
            for name, function in calls.items():
                if name in table:
                    raise ValueError(f"two calls are called {name!r}")
                concrete, exact = group == "CONCRETE", group in ("ROUNDING", "SORTING")
                table[name] = Call(name, function, group, concrete, exact)
    return table


CALLS: dict[str, Call] = _table()
"""The calls that each subject is tested with, by their names."""


def _names(text: str) -> frozenset[str]:
    found = frozenset(text.split())
    if unknown := found - CALLS.keys():
        raise ValueError(f"no call is called {sorted(unknown)}")
    return found


# What is made for the other cases too: of each kind of call a few, whose answers depend on the
# dtype of the value, or on its shape. All calls for all cases would take minutes.
_BY_DTYPE = _names(
    "neg abs exp sqrt sign reciprocal clip astype_float astype_int astype_bool add_scalar"
    " mul_float div_scalar max_scalar gt_scalar mul_array_scalar add rsubtract multiply div rdiv"
    " less add_same where_zero concatenate sum_first mean max argmax any cumsum take at_add matmul"
    " rmatmul mul_special div_special result_type cond"
)
_BY_SHAPE = _names(
    "neg exp mul_scalar add rsubtract multiply add_same add_row rsub_row mul_row rmul_col outer_sum"
    " ravel reshape transpose matrix_transpose swapaxes expand_dims expand_dims_last broadcast_to"
    " broadcast_last flip roll tile repeat pad concatenate rconcatenate_last concatenate_same"
    " stack rstack_last split slice slice_last_step first first_column entry tril diagonal where"
    " take take_last index_traced take_along_axis dynamic_slice at_set at_add dynamic_update sum"
    " sum_first sum_last max_last argmax_first cumsum sort matmul rmatmul matvec rmatvec"
    " matmul_transposed matmul_batch tensordot tensordot_one einsum_transposed einsum_row_sums"
    " vmap_rows vmap_last map fori_loop"
)


# Eagerly each operation is compiled by itself, so of those that can be compiled together only some
# are made eagerly.
_EAGERLY = _names(
    "neg exp sqrt astype_int add_scalar rsub_scalar mul_scalar rmul_scalar div_scalar max_scalar"
    " gt_scalar mul_array_scalar rmul_array_scalar lax_add lax_sub rlax_sub lax_mul add subtract"
    " rsubtract multiply rmultiply div add_same multiply_same add_row rmul_row transpose ravel"
    " broadcast_to concatenate rconcatenate stack slice first entry where sum sum_first max argmax"
    " take at_set matmul rmatmul matvec dot_general einsum cond scan_sum vmap_rows jit shape_of"
    " stop_gradient"
)


def is_made_eagerly(call: Call, case: Case, subject: Subject) -> bool:
    """Whether the call is made eagerly too: a subject's own are, and some others, for one case."""
    if call.concrete or subject.thorough:
        return True
    return case == subject.cases[0] and (call.name in _EAGERLY or call.name not in CALLS)


def is_made_for(call: Call, case: Case, subject: Subject) -> bool:
    """Whether the call is made for this case: for the first all are, for others some."""
    first = subject.cases[0]
    if call.group == "SPECIAL" and not case.is_inexact:
        return False
    if case == first or call.name not in CALLS or subject.thorough:
        return True
    dtypes = (case.dtype, case.weak_type) != (first.dtype, first.weak_type)
    shapes = (case.shape, case.variant) != (first.shape, first.variant)
    return (dtypes and call.name in _BY_DTYPE) or (shapes and call.name in _BY_SHAPE)


def calls_of(subject: Subject) -> dict[str, Call]:
    """The calls of the table and the subject's own.

    Raises:
        ValueError: if one of these has the name of another.
        TypeError: if one takes operands that do not exist.
    """
    own = {}
    for name, function in subject.operations.items():
        if name in CALLS:
            raise ValueError(_SAME_CALL.format(name=subject.name, call=name))
        own[name] = Call(name, function, f"operations of {subject.name}")
        parameters(name, function)
    return {**CALLS, **own}


def chosen(subject: Subject, field: str) -> list[Call]:
    """The calls that a field of a subject names.

    Raises:
        ValueError: if there is none of such a name.
    """
    calls = calls_of(subject)
    names: dict[str, None] = {}
    for pattern in getattr(subject, field):
        found = [name for name in calls if fnmatchcase(name, pattern)]
        if not found:
            error = {"name": subject.name, "field": field, "pattern": pattern}
            raise ValueError(_UNKNOWN_CALL.format(**error))
        names.update(dict.fromkeys(found))
    return [calls[name] for name in names]


# By what is called and on what; the numbers do not matter, so all subjects share it.
_abstract: dict[tuple[Call, Case], Any] = {}


def on_dense(call: Call, case: Case, arrays: dict[str, Any]) -> Any:
    """The abstract result of a call on the dense array, or the exception it raises."""
    key = call, Case(case.shape, case.dtype, case.weak_type)
    if key not in _abstract:
        try:
            given = [arrays[name] for name in call.parameters]
            _abstract[key] = jax.eval_shape(call.function, *given)
        except Exception as error:
            _abstract[key] = error.with_traceback(None)  # frames would keep the operands alive
    return _abstract[key]


def together(calls: Iterable[Call]) -> Callable[[dict[str, Any]], list[Any]]:
    """The calls as one function of all operands."""
    calls = tuple(calls)
    return lambda operands: [call(operands) for call in calls]


def used(calls: Iterable[Call], operands: dict[str, Any]) -> dict[str, Any]:
    """The operands that these calls take."""
    names = {name for call in calls for name in call.parameters}
    return {name: operands[name] for name in operands if name in names}
