"""Programs rewritten for the values they met, kept for as long as the originals live."""

import functools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from duckarray.core._checking import mode as checking
from duckarray.core._constants import Constants, Limit, constants_key
from duckarray.core._materialize import current_policy, recorded_warnings, warn_dense
from duckarray.core._registry import registry_version

_cache: dict[tuple[Any, ...], "_Kept"] = {}
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
    identities = tuple(map(id, jaxprs))
    state = (current_policy(), registry_version(), checking.enabled)
    whole = (identities, key, state, constants_key(constants))
    hit = _cache.get(whole)
    if hit is None:
        if constants and _limit.reached(identities[0]):
            return call_kept(key, jaxprs, (), leaves, make)
        references = [weakref.ref(j, functools.partial(_drop, whole)) for j in jaxprs]
        hit = _cache[whole] = _Kept(references, make(references, constants))
    return hit(leaves)


def _drop(key: tuple[Any, ...], reference: Any) -> None:
    _cache.pop(key, None)
    _limit.forget(key[0][0])
