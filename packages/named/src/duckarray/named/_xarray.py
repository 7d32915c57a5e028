"""To and from `xarray`, which is not needed for anything else."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from ._value import NamedArray

_MISSING = """`{function}` needs xarray, which is not installed.
Install it: `pip install "duckarray-named[xarray]"`."""


def _xarray(function: str) -> Any:
    try:
        import xarray  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError as error:
        raise ImportError(_MISSING.format(function=function)) from error
    return xarray


def to_xarray(a: NamedArray, coords: Any = None) -> Any:
    """An `xarray.DataArray` of the same entries and dimensions; anonymous axes are `dim_0` ….

    Args:
        a: the array, not one that is traced.
        coords: passed on to `DataArray`.

    Raises:
        ImportError: if xarray is not installed.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.named import NamedArray, to_xarray
        >>> to_xarray(NamedArray(jnp.ones((2, 3)), "batch d")).dims
        ('batch', 'd')
    """
    dims = [d if d is not None else f"dim_{i}" for i, d in enumerate(a.dims)]
    return _xarray("to_xarray").DataArray(np.asarray(a.array), dims=dims, coords=coords)


def from_xarray(data: Any) -> Any:
    """Named arrays from a `DataArray`, or a dict of them from a `Dataset`; coordinates are dropped.

    Args:
        data: a `DataArray` or a `Dataset`.

    Raises:
        ImportError: if xarray is not installed.
        TypeError: if it is neither.

    Example:
        >>> import numpy as np
        >>> import xarray
        >>> from duckarray.named import from_xarray
        >>> from_xarray(xarray.DataArray(np.ones((2, 3), "float32"), dims=("batch", "d")))
        NamedArray(f32[2,3], 'batch d')
    """
    xarray = _xarray("from_xarray")
    if isinstance(data, xarray.Dataset):
        return {str(name): from_xarray(part) for name, part in data.data_vars.items()}
    if not isinstance(data, xarray.DataArray):
        raise TypeError(
            f"`from_xarray` takes a `DataArray` or a `Dataset`, but got `{type(data).__name__}`.\n"
            "For other arrays: `NamedArray(jnp.asarray(x), dims)`."
        )
    return NamedArray(jnp.asarray(data.values), tuple(map(str, data.dims)))
