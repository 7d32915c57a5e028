# `duckarray.core.linalg`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from duckarray.core.numpy.linalg import *

def __getattr__(name: str) -> Any: ...
