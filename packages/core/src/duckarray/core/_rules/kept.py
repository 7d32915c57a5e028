"""Programs rewritten for the values they met, kept for as long as the originals live."""

import functools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from duckarray.core import _watch
from duckarray.core._constants import (
    Constants,
    Limit,
    constants_key,
    count_asked,
    times_asked,
)
from duckarray.core._materialize import recorded_warnings, warn_dense
from duckarray.core._state import current_state

_cache: dict[tuple[Any, ...], "_Kept"] = {}
# Whether any rule asked for a constant while a program was rewritten. If none did, one rewritten
# program serves all constants: a learning rate that changes compiles nothing anew.
_asked: dict[tuple[Any, ...], bool] = {}
_limit = Limit()


class _Kept:
    """One rewritten program, and the warnings that rewriting it gave rise to."""

    def __init__(self, references: Sequence[Any], call: Callable[..., Any]) -> None:
        self.references, self.call = references, call
        self.warnings: tuple[str, ...] = ()

    def __call__(self, leaves: Sequence[Any]) -> Any:
        with recorded_warnings() as recorded:
            out = self.call(*leaves)
        if recorded:
            self.warnings = tuple(dict.fromkeys([*self.warnings, *recorded]))
        else:
            # It was rewritten by an earlier call, but its lines may be others.
            for warning in self.warnings:
                warn_dense(warning)
        return out


def call_kept(
    key: tuple[Any, ...],
    jaxprs: Sequence[Any],
    constants: Constants,
    leaves: Sequence[Any],
    make: Callable[[list[Any], Constants], Callable[..., Any]],
) -> Any:
    """Calls the rewritten program kept for `key`; makes it if there is none.

    Args:
        key: what tells one such program from another, besides the original's identity.
        jaxprs: the original's programs. It is dropped when one of them no longer exists.
        constants: the scalars its operands are known to be.
        leaves: what it is called on.
        make: is given weak references to `jaxprs`, and the constants, and returns the program.
    """
    if _watch.active and _watch.here.watcher is not None:  # a kept program would not be seen into
        return make([weakref.ref(j) for j in jaxprs], constants)(*leaves)
    whole = (tuple(map(id, jaxprs)), key, current_state())
    if constants and _asked.get(whole, True):
        before = times_asked()
        kept, is_new = _kept(whole, jaxprs, constants, make)
        if kept is not None:
            out = kept(leaves)
            if is_new and whole not in _asked:
                _asked[whole] = times_asked() > before
            elif _asked.get(whole, True):
                count_asked()  # what is being rewritten around this depends on the constants too
            return out
    before = times_asked()
    kept, _ = _kept(whole, jaxprs, (), make)
    assert kept is not None
    try:
        out = kept(leaves)
    except Exception:
        if not constants or _asked.get(whole, True) or times_asked() == before:
            raise
        out = None
    if constants and not _asked.get(whole, True) and times_asked() > before:
        _asked[whole] = True  # for operands of other types a rule does ask
        return call_kept(key, jaxprs, constants, leaves, make)
    return out


def _kept(
    whole: tuple[Any, ...], jaxprs: Sequence[Any], constants: Constants, make: Any
) -> tuple[_Kept | None, bool]:
    """The rewritten program for these constants, None beyond the limit, and whether it is new."""
    full = (*whole, constants_key(constants))
    hit = _cache.get(full)
    if hit is not None:
        return hit, False
    if constants and _limit.reached(whole[0][0]):
        return None, False
    references = [weakref.ref(j, functools.partial(_drop, full)) for j in jaxprs]
    hit = _cache[full] = _Kept(references, make(references, constants))
    return hit, True


def _drop(key: tuple[Any, ...], reference: Any) -> None:
    _cache.pop(key, None)
    _asked.pop(key[:-1], None)
    _limit.forget(key[0][0])
