# `duckarray.core.fft`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax.numpy import fft as _jax

from duckarray.core._signatures import quaxified as _quaxified

fft = _quaxified(_jax.fft)
fft2 = _quaxified(_jax.fft2)
fftfreq = _quaxified(_jax.fftfreq)
fftn = _quaxified(_jax.fftn)
fftshift = _quaxified(_jax.fftshift)
hfft = _quaxified(_jax.hfft)
ifft = _quaxified(_jax.ifft)
ifft2 = _quaxified(_jax.ifft2)
ifftn = _quaxified(_jax.ifftn)
ifftshift = _quaxified(_jax.ifftshift)
ihfft = _quaxified(_jax.ihfft)
irfft = _quaxified(_jax.irfft)
irfft2 = _quaxified(_jax.irfft2)
irfftn = _quaxified(_jax.irfftn)
rfft = _quaxified(_jax.rfft)
rfft2 = _quaxified(_jax.rfft2)
rfftfreq = _quaxified(_jax.rfftfreq)
rfftn = _quaxified(_jax.rfftn)

def __getattr__(name: str) -> Any: ...
