# `duckarray.core.scipy.integrate`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax.scipy import integrate as _jax

from duckarray.core._signatures import quaxified as _quaxified

trapezoid = _quaxified(_jax.trapezoid)

def __getattr__(name: str) -> Any: ...
