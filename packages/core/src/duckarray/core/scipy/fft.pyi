# `duckarray.core.scipy.fft`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax.scipy import fft as _jax

from duckarray.core._signatures import quaxified as _quaxified

dct = _quaxified(_jax.dct)
dctn = _quaxified(_jax.dctn)
idct = _quaxified(_jax.idct)
idctn = _quaxified(_jax.idctn)

def __getattr__(name: str) -> Any: ...
