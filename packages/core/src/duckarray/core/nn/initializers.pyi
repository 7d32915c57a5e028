# `duckarray.core.nn.initializers`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax.nn import initializers as _jax
from jax.nn.initializers import (
    Initializer as Initializer,
)

from duckarray.core._signatures import quaxified as _quaxified

constant = _quaxified(_jax.constant)
delta_orthogonal = _quaxified(_jax.delta_orthogonal)
glorot_normal = _quaxified(_jax.glorot_normal)
glorot_uniform = _quaxified(_jax.glorot_uniform)
he_normal = _quaxified(_jax.he_normal)
he_uniform = _quaxified(_jax.he_uniform)
kaiming_normal = _quaxified(_jax.kaiming_normal)
kaiming_uniform = _quaxified(_jax.kaiming_uniform)
lecun_normal = _quaxified(_jax.lecun_normal)
lecun_uniform = _quaxified(_jax.lecun_uniform)
normal = _quaxified(_jax.normal)
ones = _quaxified(_jax.ones)
orthogonal = _quaxified(_jax.orthogonal)
truncated_normal = _quaxified(_jax.truncated_normal)
uniform = _quaxified(_jax.uniform)
variance_scaling = _quaxified(_jax.variance_scaling)
xavier_normal = _quaxified(_jax.xavier_normal)
xavier_uniform = _quaxified(_jax.xavier_uniform)
zeros = _quaxified(_jax.zeros)

def __getattr__(name: str) -> Any: ...
