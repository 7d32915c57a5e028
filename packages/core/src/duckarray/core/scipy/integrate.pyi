# `duckarray.core.scipy.integrate`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax.scipy import integrate as _jax

from duckarray.core._signatures import quaxified as _quaxified

def _trapezoid(y: Any, x: Any = ..., dx: Any = ..., axis: Any = ...) -> Any: ...

trapezoid = _quaxified(_jax.trapezoid, _trapezoid)

def __getattr__(name: str) -> Any: ...
