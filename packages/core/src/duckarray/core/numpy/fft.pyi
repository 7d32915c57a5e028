# `duckarray.core.numpy.fft`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax.numpy import fft as _jax

from duckarray.core._signatures import quaxified as _quaxified

def _fft(a: Any, n: Any = ..., axis: Any = ..., norm: Any = ...) -> Any: ...

fft = _quaxified(_jax.fft, _fft)

def _fft2(a: Any, s: Any = ..., axes: Any = ..., norm: Any = ...) -> Any: ...

fft2 = _quaxified(_jax.fft2, _fft2)

def _fftfreq(n: Any, d: Any = ..., *, dtype: Any = ..., device: Any = ...) -> Any: ...

fftfreq = _quaxified(_jax.fftfreq, _fftfreq)

def _fftn(a: Any, s: Any = ..., axes: Any = ..., norm: Any = ...) -> Any: ...

fftn = _quaxified(_jax.fftn, _fftn)

def _fftshift(x: Any, axes: Any = ...) -> Any: ...

fftshift = _quaxified(_jax.fftshift, _fftshift)

def _hfft(a: Any, n: Any = ..., axis: Any = ..., norm: Any = ...) -> Any: ...

hfft = _quaxified(_jax.hfft, _hfft)

def _ifft(a: Any, n: Any = ..., axis: Any = ..., norm: Any = ...) -> Any: ...

ifft = _quaxified(_jax.ifft, _ifft)

def _ifft2(a: Any, s: Any = ..., axes: Any = ..., norm: Any = ...) -> Any: ...

ifft2 = _quaxified(_jax.ifft2, _ifft2)

def _ifftn(a: Any, s: Any = ..., axes: Any = ..., norm: Any = ...) -> Any: ...

ifftn = _quaxified(_jax.ifftn, _ifftn)

def _ifftshift(x: Any, axes: Any = ...) -> Any: ...

ifftshift = _quaxified(_jax.ifftshift, _ifftshift)

def _ihfft(a: Any, n: Any = ..., axis: Any = ..., norm: Any = ...) -> Any: ...

ihfft = _quaxified(_jax.ihfft, _ihfft)

def _irfft(a: Any, n: Any = ..., axis: Any = ..., norm: Any = ...) -> Any: ...

irfft = _quaxified(_jax.irfft, _irfft)

def _irfft2(a: Any, s: Any = ..., axes: Any = ..., norm: Any = ...) -> Any: ...

irfft2 = _quaxified(_jax.irfft2, _irfft2)

def _irfftn(a: Any, s: Any = ..., axes: Any = ..., norm: Any = ...) -> Any: ...

irfftn = _quaxified(_jax.irfftn, _irfftn)

def _rfft(a: Any, n: Any = ..., axis: Any = ..., norm: Any = ...) -> Any: ...

rfft = _quaxified(_jax.rfft, _rfft)

def _rfft2(a: Any, s: Any = ..., axes: Any = ..., norm: Any = ...) -> Any: ...

rfft2 = _quaxified(_jax.rfft2, _rfft2)

def _rfftfreq(n: Any, d: Any = ..., *, dtype: Any = ..., device: Any = ...) -> Any: ...

rfftfreq = _quaxified(_jax.rfftfreq, _rfftfreq)

def _rfftn(a: Any, s: Any = ..., axes: Any = ..., norm: Any = ...) -> Any: ...

rfftn = _quaxified(_jax.rfftn, _rfftn)

def __getattr__(name: str) -> Any: ...
