# `duckarray.core.scipy.stats`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax.scipy import stats as _jax
from jax.scipy.stats import (
    gaussian_kde as gaussian_kde,
)

from duckarray.core._signatures import quaxified as _quaxified

mode = _quaxified(_jax.mode)
rankdata = _quaxified(_jax.rankdata)
sem = _quaxified(_jax.sem)

def __getattr__(name: str) -> Any: ...
