# `duckarray.core.scipy.fft`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax.scipy import fft as _jax

from duckarray.core._signatures import quaxified as _quaxified

def _dct(x: Any, type: Any = ..., n: Any = ..., axis: Any = ..., norm: Any = ...) -> Any: ...

dct = _quaxified(_jax.dct, _dct)

def _dctn(x: Any, type: Any = ..., s: Any = ..., axes: Any = ..., norm: Any = ...) -> Any: ...

dctn = _quaxified(_jax.dctn, _dctn)

def _idct(x: Any, type: Any = ..., n: Any = ..., axis: Any = ..., norm: Any = ...) -> Any: ...

idct = _quaxified(_jax.idct, _idct)

def _idctn(x: Any, type: Any = ..., s: Any = ..., axes: Any = ..., norm: Any = ...) -> Any: ...

idctn = _quaxified(_jax.idctn, _idctn)

def __getattr__(name: str) -> Any: ...
