# `duckarray.core.scipy.sparse`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

def __getattr__(name: str) -> Any: ...
