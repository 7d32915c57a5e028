"""`cond`, `switch`, `platform_dependent`: branches run with dispatch, their types are joined."""

from collections.abc import Sequence
from typing import Any

import jax
from jax import lax
from jax.extend.core import Primitive

from duckarray.core._constants import Constants, constants_of, count_asked
from duckarray.core._dispatch import handles
from duckarray.core._errors import BranchTypeError, MaterializeError
from duckarray.core._evaluate import run_jaxpr
from duckarray.core._jax import cond_p, debug_info_of, open_jaxpr, stage, typeof
from duckarray.core._materialize import densify
from duckarray.core._structure import DENSE, Slot, Tree, convert, flatten, unflatten
from duckarray.core._value import Value

from .any_zero import AnyZero
from .eager import compiled_when_eager
from .one_of import OneOf, Split, are_differentiated
from .recall import Recall
from .zero_leaves import Known, join_but_for_zeros, what_is_known, zero_value


@handles(cond_p)
@compiled_when_eager
def _cond(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    index = densify(operands[0], primitive, operands)
    leaves, trees = flatten(operands[1:])
    recall = Recall(primitive, operands[1:], params)
    if recall.found is None:
        with recall.watching():
            branches, jaxprs = _staged(primitive, operands[1:], leaves, trees, params)
        if jaxprs is None:
            outs = _choose(index, branches, leaves, params)
            return unflatten(branches[0].trees, outs)
        recall.keep((jaxprs, branches[0].trees))
    jaxprs, out_trees = recall.found
    outs = primitive.bind(index, *leaves, **{**params, "branches": jaxprs})
    return unflatten(out_trees, outs)


def _staged(
    primitive: Primitive,
    operands: Sequence[Any],
    leaves: Sequence[Any],
    trees: Sequence[Tree],
    params: dict[str, Any],
) -> tuple[list["_Branch"], tuple[Any, ...] | None]:
    """The branches, which give the same types, and their programs if these can be bound."""
    constants = constants_of(operands)
    differentiated = are_differentiated(params["branches"])
    branches = [
        _Branch(primitive, jaxpr, trees, constants, (i, len(params["branches"])), differentiated)
        for i, jaxpr in enumerate(params["branches"])
    ]
    for branch in branches:
        branch.siblings = branches
    avals = list(map(typeof, leaves))
    staged = [stage(branch, avals, branch.jaxpr) for branch in branches]
    slots = [branch.slots for branch in branches]
    if any(s != slots[0] for s in slots[1:]):
        known = list(zip(*[branch.known for branch in branches], strict=True))
        if any(k.constant for each in known for k in each):
            count_asked()  # for other constants the types may be joined otherwise
        zeros = [[k.zero for k in each] for each in known]
        out_avals = params["branches"][0].out_avals
        parts = zip(zip(*slots, strict=True), zeros, out_avals, strict=True)
        joined = [join_but_for_zeros(*each) for each in parts]
        try:
            staged = _stage_joined(branches, avals, joined)
        except Exception:
            apart = _apart(slots, joined, zeros, out_avals)
            if not differentiated or apart == joined:
                raise
            staged = _stage_joined(branches, avals, apart)
    jaxprs, out_avals = zip(*staged, strict=True)
    if None in jaxprs or any(a != out_avals[0] for a in out_avals[1:]):
        return branches, None
    return branches, jaxprs


def _stage_joined(
    branches: Sequence["_Branch"], avals: list[Any], target: Sequence[Slot | Split]
) -> list[Any]:
    for branch in branches:
        branch.target = target
    return [stage(branch, avals, branch.jaxpr) for branch in branches]


def _apart(
    slots: Sequence[Sequence[Slot]],
    joined: Sequence[Slot],
    zeros: Sequence[Sequence[bool]],
    out_avals: Sequence[Any],
) -> list[Slot | Split]:
    """The joined slots, but for those where a value, or zeros, would have to become an array."""

    def split(ones: Sequence[Slot], zero: Sequence[bool]) -> bool:
        return any(s.tree is not None for s in ones) or (any(zero) and not all(zero))

    each = zip(zip(*slots, strict=True), joined, zeros, out_avals, strict=True)
    return [
        Split(ones, zero, aval) if join.tree is None and split(ones, zero) else join
        for ones, join, zero, aval in each
    ]


class _Branch:
    """A branch as a function on leaves, which notes what its outputs are."""

    def __init__(
        self,
        primitive: Primitive,
        jaxpr: Any,
        trees: Sequence[Tree],
        constants: Constants,
        place: tuple[int, int],
        is_differentiated: bool,
    ) -> None:
        self.primitive, self.jaxpr, self.place = primitive, jaxpr, place
        self.operand_trees, self.constants = trees, constants
        self.is_differentiated = is_differentiated
        self.target: Sequence[Slot | Split] | None = None
        self.slots: list[Slot] = []
        self.siblings: Sequence[_Branch] = ()
        self.known: list[Known] = []
        self.trees: tuple[Tree, ...] = ()
        self.never = _never_given(jaxpr)

    def __call__(self, *leaves: Any) -> list[Any]:
        operands = unflatten(self.operand_trees, leaves)
        if self.is_differentiated:
            operands = [x.of_branch(*self.place) if type(x) is OneOf else x for x in operands]
        outs = run_jaxpr(self.jaxpr, operands, self.constants, self._observe)
        outs = [x.as_array() if isinstance(x, AnyZero) else x for x in outs]
        self.slots = list(map(Slot, outs))
        if self.target is not None:
            outs = list(map(self._convert, range(len(outs)), outs, self.target))
        leaves_out, self.trees = flatten(outs)
        return leaves_out

    def _observe(self, outs: Sequence[Any]) -> None:
        self.known = [
            Known(constant=True, zero=True) if isinstance(x, AnyZero) else what_is_known(x)
            for x in outs
        ]
        for i in self.never:
            self.known[i] = Known(constant=True, zero=True)

    def _convert(self, i: int, x: Any, slot: Slot | Split) -> Any:
        if isinstance(slot, Split):
            return slot.value(self.place[0], x)
        if self.known[i].zero and slot.tree is not None and not isinstance(x, Value):
            zeros = zero_value(slot)
            return _depending_on(x, zeros) if i in self.never else zeros
        try:
            return convert(x, slot, self.primitive)
        except MaterializeError:
            raise
        except Exception as error:  # a type refuses to be made dense by what exception it likes
            if slot.tree is not None:
                raise
            given = [branch.slots[i] for branch in self.siblings]
            reasons = [_reason(error), *(_refusal(slot, self.primitive) for slot in given)]
            reason = " and ".join(dict.fromkeys(filter(None, reasons)))
            path = _path(self.jaxpr, i)
            raise BranchTypeError(str(self.primitive), path, map(repr, given), reason) from error


def _reason(error: Exception) -> str:
    return getattr(error, "reason", None) or str(error).splitlines()[0].removesuffix(".")


def _refusal(slot: Slot, primitive: Any) -> str | None:
    """Why what a branch gives cannot be made dense; None if it can, or is."""
    if slot.tree is None:
        return None
    try:
        jax.eval_shape(lambda x: convert(x, DENSE, primitive), slot.example)
    except Exception as error:
        return _reason(error)
    return None


def _path(jaxpr: Any, i: int) -> str:
    """What a branch calls its result at position `i`, as in `result['x']`."""
    paths = debug_info_of(jaxpr).result_paths
    named = isinstance(paths, tuple) and len(paths) > i and paths[i]
    return str(paths[i]) if named else f"result[{i}]"


def _never_given(jaxpr: Any) -> frozenset[int]:
    """Which results of a branch are never given, since it raises: those of `equinox.error_if`."""
    raising = {
        id(out)
        for eqn in open_jaxpr(jaxpr).eqns
        if eqn.primitive.name == "pure_callback"
        and _module_of(eqn.params.get("callback")) == "equinox._errors"
        for out in eqn.outvars
    }
    if not raising:
        return frozenset()
    return frozenset(i for i, out in enumerate(open_jaxpr(jaxpr).outvars) if id(out) in raising)


def _depending_on(x: Any, value: Any) -> Any:
    """`value` made of `x`, since what raises is left out of a program that does not need it."""

    def leaf(y: Any) -> Any:
        if y.shape == x.shape and y.dtype == x.dtype:
            return x
        return y + (0 * x.sum()).astype(y.dtype)

    return jax.tree.map(leaf, value)


def _module_of(callback: Any) -> str:
    return str(getattr(getattr(callback, "callback_func", callback), "__module__", ""))


def _choose(
    index: Any, branches: list[_Branch], leaves: Sequence[Any], params: dict[str, Any]
) -> list[Any]:
    """By JAX's public functions, for branches with constants, effects or differing weak types."""
    platforms = params.get("branches_platforms")
    if platforms is None:
        return list(lax.switch(index, [branch.__call__ for branch in branches], *leaves))
    default, by_platform = None, {}
    for names, branch in zip(platforms, branches, strict=True):
        if names is None:
            default = branch
        else:
            by_platform.update(dict.fromkeys(names, branch))
    return list(lax.platform_dependent(*leaves, default=default, **by_platform))
