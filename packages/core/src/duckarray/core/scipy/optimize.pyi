# `duckarray.core.scipy.optimize`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax.scipy import optimize as _jax
from jax.scipy.optimize import (
    OptimizeResults as OptimizeResults,
)

from duckarray.core._signatures import quaxified as _quaxified

def _minimize(
    fun: Any, x0: Any, args: Any = ..., *, method: Any, tol: Any = ..., options: Any = ...
) -> Any: ...

minimize = _quaxified(_jax.minimize, _minimize)

def __getattr__(name: str) -> Any: ...
