# `duckarray.core.scipy.signal`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax.scipy import signal as _jax

from duckarray.core._signatures import quaxified as _quaxified

convolve = _quaxified(_jax.convolve)
convolve2d = _quaxified(_jax.convolve2d)
correlate = _quaxified(_jax.correlate)
correlate2d = _quaxified(_jax.correlate2d)
csd = _quaxified(_jax.csd)
detrend = _quaxified(_jax.detrend)
fftconvolve = _quaxified(_jax.fftconvolve)
istft = _quaxified(_jax.istft)
stft = _quaxified(_jax.stft)
welch = _quaxified(_jax.welch)

def __getattr__(name: str) -> Any: ...
