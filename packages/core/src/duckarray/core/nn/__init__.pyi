# `duckarray.core.nn`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax import nn as _jax

from duckarray.core._signatures import quaxified as _quaxified

from . import initializers as initializers

celu = _quaxified(_jax.celu)
dot_product_attention = _quaxified(_jax.dot_product_attention)
elu = _quaxified(_jax.elu)
gelu = _quaxified(_jax.gelu)
get_scaled_dot_general_config = _quaxified(_jax.get_scaled_dot_general_config)
glu = _quaxified(_jax.glu)
hard_sigmoid = _quaxified(_jax.hard_sigmoid)
hard_silu = _quaxified(_jax.hard_silu)
hard_swish = _quaxified(_jax.hard_swish)
hard_tanh = _quaxified(_jax.hard_tanh)
identity = _quaxified(_jax.identity)
leaky_relu = _quaxified(_jax.leaky_relu)
log1mexp = _quaxified(_jax.log1mexp)
log_sigmoid = _quaxified(_jax.log_sigmoid)
log_softmax = _quaxified(_jax.log_softmax)
logmeanexp = _quaxified(_jax.logmeanexp)
logsumexp = _quaxified(_jax.logsumexp)
mish = _quaxified(_jax.mish)
one_hot = _quaxified(_jax.one_hot)
relu = _quaxified(_jax.relu)
relu6 = _quaxified(_jax.relu6)
scaled_dot_general = _quaxified(_jax.scaled_dot_general)
scaled_matmul = _quaxified(_jax.scaled_matmul)
selu = _quaxified(_jax.selu)
sigmoid = _quaxified(_jax.sigmoid)
silu = _quaxified(_jax.silu)
soft_sign = _quaxified(_jax.soft_sign)
softmax = _quaxified(_jax.softmax)
softplus = _quaxified(_jax.softplus)
sparse_plus = _quaxified(_jax.sparse_plus)
sparse_sigmoid = _quaxified(_jax.sparse_sigmoid)
squareplus = _quaxified(_jax.squareplus)
standardize = _quaxified(_jax.standardize)
swish = _quaxified(_jax.swish)
tanh = _quaxified(_jax.tanh)

def __getattr__(name: str) -> Any: ...
