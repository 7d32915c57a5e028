# `duckarray.core.fft`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from duckarray.core.numpy.fft import *

def __getattr__(name: str) -> Any: ...
