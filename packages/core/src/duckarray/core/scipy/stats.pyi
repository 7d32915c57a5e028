# `duckarray.core.scipy.stats`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax.scipy import stats as _jax
from jax.scipy.stats import (
    gaussian_kde as gaussian_kde,
)

from duckarray.core._signatures import quaxified as _quaxified

def _mode(a: Any, axis: Any = ..., nan_policy: Any = ..., keepdims: Any = ...) -> Any: ...

mode = _quaxified(_jax.mode, _mode)

def _rankdata(a: Any, method: Any = ..., *, axis: Any = ..., nan_policy: Any = ...) -> Any: ...

rankdata = _quaxified(_jax.rankdata, _rankdata)

def _sem(
    a: Any, axis: Any = ..., ddof: Any = ..., nan_policy: Any = ..., *, keepdims: Any = ...
) -> Any: ...

sem = _quaxified(_jax.sem, _sem)

def __getattr__(name: str) -> Any: ...
