# `duckarray.core.scipy.signal`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax.scipy import signal as _jax

from duckarray.core._signatures import quaxified as _quaxified

def _convolve(
    in1: Any, in2: Any, mode: Any = ..., method: Any = ..., precision: Any = ...
) -> Any: ...

convolve = _quaxified(_jax.convolve, _convolve)

def _convolve2d(
    in1: Any,
    in2: Any,
    mode: Any = ...,
    boundary: Any = ...,
    fillvalue: Any = ...,
    precision: Any = ...,
) -> Any: ...

convolve2d = _quaxified(_jax.convolve2d, _convolve2d)

def _correlate(
    in1: Any, in2: Any, mode: Any = ..., method: Any = ..., precision: Any = ...
) -> Any: ...

correlate = _quaxified(_jax.correlate, _correlate)

def _correlate2d(
    in1: Any,
    in2: Any,
    mode: Any = ...,
    boundary: Any = ...,
    fillvalue: Any = ...,
    precision: Any = ...,
) -> Any: ...

correlate2d = _quaxified(_jax.correlate2d, _correlate2d)

def _csd(
    x: Any,
    y: Any,
    fs: Any = ...,
    window: Any = ...,
    nperseg: Any = ...,
    noverlap: Any = ...,
    nfft: Any = ...,
    detrend: Any = ...,
    return_onesided: Any = ...,
    scaling: Any = ...,
    axis: Any = ...,
    average: Any = ...,
) -> Any: ...

csd = _quaxified(_jax.csd, _csd)

def _detrend(
    data: Any, axis: Any = ..., type: Any = ..., bp: Any = ..., overwrite_data: Any = ...
) -> Any: ...

detrend = _quaxified(_jax.detrend, _detrend)

def _fftconvolve(in1: Any, in2: Any, mode: Any = ..., axes: Any = ...) -> Any: ...

fftconvolve = _quaxified(_jax.fftconvolve, _fftconvolve)

def _istft(
    Zxx: Any,
    fs: Any = ...,
    window: Any = ...,
    nperseg: Any = ...,
    noverlap: Any = ...,
    nfft: Any = ...,
    input_onesided: Any = ...,
    boundary: Any = ...,
    time_axis: Any = ...,
    freq_axis: Any = ...,
) -> Any: ...

istft = _quaxified(_jax.istft, _istft)

def _stft(
    x: Any,
    fs: Any = ...,
    window: Any = ...,
    nperseg: Any = ...,
    noverlap: Any = ...,
    nfft: Any = ...,
    detrend: Any = ...,
    return_onesided: Any = ...,
    boundary: Any = ...,
    padded: Any = ...,
    axis: Any = ...,
) -> Any: ...

stft = _quaxified(_jax.stft, _stft)

def _welch(
    x: Any,
    fs: Any = ...,
    window: Any = ...,
    nperseg: Any = ...,
    noverlap: Any = ...,
    nfft: Any = ...,
    detrend: Any = ...,
    return_onesided: Any = ...,
    scaling: Any = ...,
    axis: Any = ...,
    average: Any = ...,
) -> Any: ...

welch = _quaxified(_jax.welch, _welch)

def __getattr__(name: str) -> Any: ...
