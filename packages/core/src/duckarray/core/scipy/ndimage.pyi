# `duckarray.core.scipy.ndimage`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax.scipy import ndimage as _jax

from duckarray.core._signatures import quaxified as _quaxified

map_coordinates = _quaxified(_jax.map_coordinates)

def __getattr__(name: str) -> Any: ...
