# `duckarray.core.nn.initializers`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax.nn import initializers as _jax
from jax.nn.initializers import (
    Initializer as Initializer,
)

from duckarray.core._signatures import quaxified as _quaxified

def _constant(value: Any, dtype: Any = ...) -> Any: ...

constant = _quaxified(_jax.constant, _constant)

def _delta_orthogonal(scale: Any = ..., column_axis: Any = ..., dtype: Any = ...) -> Any: ...

delta_orthogonal = _quaxified(_jax.delta_orthogonal, _delta_orthogonal)

def _glorot_normal(
    in_axis: Any = ..., out_axis: Any = ..., batch_axis: Any = ..., dtype: Any = ...
) -> Any: ...

glorot_normal = _quaxified(_jax.glorot_normal, _glorot_normal)

def _glorot_uniform(
    in_axis: Any = ..., out_axis: Any = ..., batch_axis: Any = ..., dtype: Any = ...
) -> Any: ...

glorot_uniform = _quaxified(_jax.glorot_uniform, _glorot_uniform)

def _he_normal(
    in_axis: Any = ..., out_axis: Any = ..., batch_axis: Any = ..., dtype: Any = ...
) -> Any: ...

he_normal = _quaxified(_jax.he_normal, _he_normal)

def _he_uniform(
    in_axis: Any = ..., out_axis: Any = ..., batch_axis: Any = ..., dtype: Any = ...
) -> Any: ...

he_uniform = _quaxified(_jax.he_uniform, _he_uniform)

def _kaiming_normal(
    in_axis: Any = ..., out_axis: Any = ..., batch_axis: Any = ..., dtype: Any = ...
) -> Any: ...

kaiming_normal = _quaxified(_jax.kaiming_normal, _kaiming_normal)

def _kaiming_uniform(
    in_axis: Any = ..., out_axis: Any = ..., batch_axis: Any = ..., dtype: Any = ...
) -> Any: ...

kaiming_uniform = _quaxified(_jax.kaiming_uniform, _kaiming_uniform)

def _lecun_normal(
    in_axis: Any = ..., out_axis: Any = ..., batch_axis: Any = ..., dtype: Any = ...
) -> Any: ...

lecun_normal = _quaxified(_jax.lecun_normal, _lecun_normal)

def _lecun_uniform(
    in_axis: Any = ..., out_axis: Any = ..., batch_axis: Any = ..., dtype: Any = ...
) -> Any: ...

lecun_uniform = _quaxified(_jax.lecun_uniform, _lecun_uniform)

def _normal(stddev: Any = ..., dtype: Any = ...) -> Any: ...

normal = _quaxified(_jax.normal, _normal)

def _ones(key: Any, shape: Any, dtype: Any = ..., out_sharding: Any = ...) -> Any: ...

ones = _quaxified(_jax.ones, _ones)

def _orthogonal(scale: Any = ..., column_axis: Any = ..., dtype: Any = ...) -> Any: ...

orthogonal = _quaxified(_jax.orthogonal, _orthogonal)

def _truncated_normal(
    stddev: Any = ..., dtype: Any = ..., lower: Any = ..., upper: Any = ...
) -> Any: ...

truncated_normal = _quaxified(_jax.truncated_normal, _truncated_normal)

def _uniform(scale: Any = ..., dtype: Any = ...) -> Any: ...

uniform = _quaxified(_jax.uniform, _uniform)

def _variance_scaling(
    scale: Any,
    mode: Any,
    distribution: Any,
    in_axis: Any = ...,
    out_axis: Any = ...,
    batch_axis: Any = ...,
    dtype: Any = ...,
) -> Any: ...

variance_scaling = _quaxified(_jax.variance_scaling, _variance_scaling)

def _xavier_normal(
    in_axis: Any = ..., out_axis: Any = ..., batch_axis: Any = ..., dtype: Any = ...
) -> Any: ...

xavier_normal = _quaxified(_jax.xavier_normal, _xavier_normal)

def _xavier_uniform(
    in_axis: Any = ..., out_axis: Any = ..., batch_axis: Any = ..., dtype: Any = ...
) -> Any: ...

xavier_uniform = _quaxified(_jax.xavier_uniform, _xavier_uniform)

def _zeros(key: Any, shape: Any, dtype: Any = ..., out_sharding: Any = ...) -> Any: ...

zeros = _quaxified(_jax.zeros, _zeros)

def __getattr__(name: str) -> Any: ...
