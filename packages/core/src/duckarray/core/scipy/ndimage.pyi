# `duckarray.core.scipy.ndimage`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax.scipy import ndimage as _jax

from duckarray.core._signatures import quaxified as _quaxified

def _map_coordinates(
    input: Any, coordinates: Any, order: Any, mode: Any = ..., cval: Any = ...
) -> Any: ...

map_coordinates = _quaxified(_jax.map_coordinates, _map_coordinates)

def __getattr__(name: str) -> Any: ...
