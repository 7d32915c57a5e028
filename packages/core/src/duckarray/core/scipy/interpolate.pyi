# `duckarray.core.scipy.interpolate`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax.scipy.interpolate import (
    RegularGridInterpolator as RegularGridInterpolator,
)

def __getattr__(name: str) -> Any: ...
