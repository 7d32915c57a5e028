# `duckarray.core.nn`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax import nn as _jax

from duckarray.core._signatures import quaxified as _quaxified

from . import initializers as initializers

def _celu(x: Any, alpha: Any = ...) -> Any: ...

celu = _quaxified(_jax.celu, _celu)

def _dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    bias: Any = ...,
    mask: Any = ...,
    *,
    scale: Any = ...,
    is_causal: Any = ...,
    query_seq_lengths: Any = ...,
    key_value_seq_lengths: Any = ...,
    local_window_size: Any = ...,
    implementation: Any = ...,
    return_residual: Any = ...,
) -> Any: ...

dot_product_attention = _quaxified(_jax.dot_product_attention, _dot_product_attention)

def _elu(x: Any, alpha: Any = ...) -> Any: ...

elu = _quaxified(_jax.elu, _elu)

def _gelu(x: Any, approximate: Any = ...) -> Any: ...

gelu = _quaxified(_jax.gelu, _gelu)

def _get_scaled_dot_general_config(mode: Any, global_scale: Any = ...) -> Any: ...

get_scaled_dot_general_config = _quaxified(
    _jax.get_scaled_dot_general_config, _get_scaled_dot_general_config
)

def _glu(x: Any, axis: Any = ...) -> Any: ...

glu = _quaxified(_jax.glu, _glu)

def _hard_sigmoid(x: Any) -> Any: ...

hard_sigmoid = _quaxified(_jax.hard_sigmoid, _hard_sigmoid)

def _hard_silu(x: Any) -> Any: ...

hard_silu = _quaxified(_jax.hard_silu, _hard_silu)

def _hard_swish(x: Any) -> Any: ...

hard_swish = _quaxified(_jax.hard_swish, _hard_swish)

def _hard_tanh(x: Any) -> Any: ...

hard_tanh = _quaxified(_jax.hard_tanh, _hard_tanh)

def _identity(x: Any) -> Any: ...

identity = _quaxified(_jax.identity, _identity)

def _leaky_relu(x: Any, negative_slope: Any = ...) -> Any: ...

leaky_relu = _quaxified(_jax.leaky_relu, _leaky_relu)

def _log1mexp(x: Any) -> Any: ...

log1mexp = _quaxified(_jax.log1mexp, _log1mexp)

def _log_sigmoid(x: Any) -> Any: ...

log_sigmoid = _quaxified(_jax.log_sigmoid, _log_sigmoid)

def _log_softmax(x: Any, axis: Any = ..., where: Any = ...) -> Any: ...

log_softmax = _quaxified(_jax.log_softmax, _log_softmax)

def _logmeanexp(x: Any, axis: Any = ..., where: Any = ..., keepdims: Any = ...) -> Any: ...

logmeanexp = _quaxified(_jax.logmeanexp, _logmeanexp)

def _logsumexp(
    a: Any,
    axis: Any = ...,
    b: Any = ...,
    keepdims: Any = ...,
    return_sign: Any = ...,
    where: Any = ...,
) -> Any: ...

logsumexp = _quaxified(_jax.logsumexp, _logsumexp)

def _mish(x: Any) -> Any: ...

mish = _quaxified(_jax.mish, _mish)

def _one_hot(x: Any, num_classes: Any, *, dtype: Any = ..., axis: Any = ...) -> Any: ...

one_hot = _quaxified(_jax.one_hot, _one_hot)

def _relu(x: Any) -> Any: ...

relu = _quaxified(_jax.relu, _relu)

def _relu6(x: Any) -> Any: ...

relu6 = _quaxified(_jax.relu6, _relu6)

def _scaled_dot_general(
    lhs: Any,
    rhs: Any,
    dimension_numbers: Any,
    preferred_element_type: Any = ...,
    configs: Any = ...,
    implementation: Any = ...,
) -> Any: ...

scaled_dot_general = _quaxified(_jax.scaled_dot_general, _scaled_dot_general)

def _scaled_matmul(
    lhs: Any, rhs: Any, lhs_scales: Any, rhs_scales: Any, preferred_element_type: Any = ...
) -> Any: ...

scaled_matmul = _quaxified(_jax.scaled_matmul, _scaled_matmul)

def _selu(x: Any) -> Any: ...

selu = _quaxified(_jax.selu, _selu)

def _sigmoid(x: Any) -> Any: ...

sigmoid = _quaxified(_jax.sigmoid, _sigmoid)

def _silu(x: Any) -> Any: ...

silu = _quaxified(_jax.silu, _silu)

def _soft_sign(x: Any) -> Any: ...

soft_sign = _quaxified(_jax.soft_sign, _soft_sign)

def _softmax(x: Any, axis: Any = ..., where: Any = ...) -> Any: ...

softmax = _quaxified(_jax.softmax, _softmax)

def _softplus(x: Any) -> Any: ...

softplus = _quaxified(_jax.softplus, _softplus)

def _sparse_plus(x: Any) -> Any: ...

sparse_plus = _quaxified(_jax.sparse_plus, _sparse_plus)

def _sparse_sigmoid(x: Any) -> Any: ...

sparse_sigmoid = _quaxified(_jax.sparse_sigmoid, _sparse_sigmoid)

def _squareplus(x: Any, b: Any = ...) -> Any: ...

squareplus = _quaxified(_jax.squareplus, _squareplus)

def _standardize(
    x: Any,
    axis: Any = ...,
    mean: Any = ...,
    variance: Any = ...,
    epsilon: Any = ...,
    where: Any = ...,
) -> Any: ...

standardize = _quaxified(_jax.standardize, _standardize)

def _swish(x: Any) -> Any: ...

swish = _quaxified(_jax.swish, _swish)

def _tanh(x: Any, /) -> Any: ...

tanh = _quaxified(_jax.tanh, _tanh)

def __getattr__(name: str) -> Any: ...
