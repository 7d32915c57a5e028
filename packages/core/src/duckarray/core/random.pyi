# `duckarray.core.random`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax import random as _jax
from jax.random import (
    random_gamma_p as random_gamma_p,
)

from duckarray.core._signatures import quaxified as _quaxified

def _PRNGKey(seed: Any, *, impl: Any = ...) -> Any: ...

PRNGKey = _quaxified(_jax.PRNGKey, _PRNGKey)

def _ball(key: Any, d: Any, p: Any = ..., shape: Any = ..., dtype: Any = ...) -> Any: ...

ball = _quaxified(_jax.ball, _ball)

def _bernoulli(
    key: Any, p: Any = ..., shape: Any = ..., mode: Any = ..., *, out_sharding: Any = ...
) -> Any: ...

bernoulli = _quaxified(_jax.bernoulli, _bernoulli)

def _beta(key: Any, a: Any, b: Any, shape: Any = ..., dtype: Any = ...) -> Any: ...

beta = _quaxified(_jax.beta, _beta)

def _binomial(key: Any, n: Any, p: Any, shape: Any = ..., dtype: Any = ...) -> Any: ...

binomial = _quaxified(_jax.binomial, _binomial)

def _bits(key: Any, shape: Any = ..., dtype: Any = ..., *, out_sharding: Any = ...) -> Any: ...

bits = _quaxified(_jax.bits, _bits)

def _categorical(
    key: Any, logits: Any, axis: Any = ..., shape: Any = ..., replace: Any = ..., mode: Any = ...
) -> Any: ...

categorical = _quaxified(_jax.categorical, _categorical)

def _cauchy(key: Any, shape: Any = ..., dtype: Any = ...) -> Any: ...

cauchy = _quaxified(_jax.cauchy, _cauchy)

def _chisquare(key: Any, df: Any, shape: Any = ..., dtype: Any = ...) -> Any: ...

chisquare = _quaxified(_jax.chisquare, _chisquare)

def _choice(
    key: Any,
    a: Any,
    shape: Any = ...,
    replace: Any = ...,
    p: Any = ...,
    axis: Any = ...,
    mode: Any = ...,
) -> Any: ...

choice = _quaxified(_jax.choice, _choice)

def _clone(key: Any) -> Any: ...

clone = _quaxified(_jax.clone, _clone)

def _dirichlet(key: Any, alpha: Any, shape: Any = ..., dtype: Any = ...) -> Any: ...

dirichlet = _quaxified(_jax.dirichlet, _dirichlet)

def _double_sided_maxwell(
    key: Any, loc: Any, scale: Any, shape: Any = ..., dtype: Any = ...
) -> Any: ...

double_sided_maxwell = _quaxified(_jax.double_sided_maxwell, _double_sided_maxwell)

def _exponential(key: Any, shape: Any = ..., dtype: Any = ...) -> Any: ...

exponential = _quaxified(_jax.exponential, _exponential)

def _f(key: Any, dfnum: Any, dfden: Any, shape: Any = ..., dtype: Any = ...) -> Any: ...

f = _quaxified(_jax.f, _f)

def _fold_in(key: Any, data: Any) -> Any: ...

fold_in = _quaxified(_jax.fold_in, _fold_in)

def _gamma(key: Any, a: Any, shape: Any = ..., dtype: Any = ...) -> Any: ...

gamma = _quaxified(_jax.gamma, _gamma)

def _generalized_normal(key: Any, p: Any, shape: Any = ..., dtype: Any = ...) -> Any: ...

generalized_normal = _quaxified(_jax.generalized_normal, _generalized_normal)

def _geometric(key: Any, p: Any, shape: Any = ..., dtype: Any = ...) -> Any: ...

geometric = _quaxified(_jax.geometric, _geometric)

def _gumbel(
    key: Any, shape: Any = ..., dtype: Any = ..., mode: Any = ..., *, out_sharding: Any = ...
) -> Any: ...

gumbel = _quaxified(_jax.gumbel, _gumbel)

def _key(seed: Any, *, impl: Any = ...) -> Any: ...

key = _quaxified(_jax.key, _key)

def _key_data(keys: Any) -> Any: ...

key_data = _quaxified(_jax.key_data, _key_data)

def _key_impl(keys: Any) -> Any: ...

key_impl = _quaxified(_jax.key_impl, _key_impl)

def _laplace(key: Any, shape: Any = ..., dtype: Any = ...) -> Any: ...

laplace = _quaxified(_jax.laplace, _laplace)

def _loggamma(key: Any, a: Any, shape: Any = ..., dtype: Any = ...) -> Any: ...

loggamma = _quaxified(_jax.loggamma, _loggamma)

def _logistic(key: Any, shape: Any = ..., dtype: Any = ...) -> Any: ...

logistic = _quaxified(_jax.logistic, _logistic)

def _lognormal(key: Any, sigma: Any = ..., shape: Any = ..., dtype: Any = ...) -> Any: ...

lognormal = _quaxified(_jax.lognormal, _lognormal)

def _maxwell(key: Any, shape: Any = ..., dtype: Any = ...) -> Any: ...

maxwell = _quaxified(_jax.maxwell, _maxwell)

def _multinomial(
    key: Any, n: Any, p: Any, *, shape: Any = ..., dtype: Any = ..., unroll: Any = ...
) -> Any: ...

multinomial = _quaxified(_jax.multinomial, _multinomial)

def _multivariate_normal(
    key: Any, mean: Any, cov: Any, shape: Any = ..., dtype: Any = ..., method: Any = ...
) -> Any: ...

multivariate_normal = _quaxified(_jax.multivariate_normal, _multivariate_normal)

def _normal(key: Any, shape: Any = ..., dtype: Any = ..., *, out_sharding: Any = ...) -> Any: ...

normal = _quaxified(_jax.normal, _normal)

def _orthogonal(key: Any, n: Any, shape: Any = ..., dtype: Any = ..., m: Any = ...) -> Any: ...

orthogonal = _quaxified(_jax.orthogonal, _orthogonal)

def _pareto(key: Any, b: Any, shape: Any = ..., dtype: Any = ...) -> Any: ...

pareto = _quaxified(_jax.pareto, _pareto)

def _permutation(
    key: Any, x: Any, axis: Any = ..., independent: Any = ..., *, out_sharding: Any = ...
) -> Any: ...

permutation = _quaxified(_jax.permutation, _permutation)

def _poisson(key: Any, lam: Any, shape: Any = ..., dtype: Any = ...) -> Any: ...

poisson = _quaxified(_jax.poisson, _poisson)

def _rademacher(key: Any, shape: Any = ..., dtype: Any = ...) -> Any: ...

rademacher = _quaxified(_jax.rademacher, _rademacher)

def _randint(
    key: Any, shape: Any, minval: Any, maxval: Any, dtype: Any = ..., *, out_sharding: Any = ...
) -> Any: ...

randint = _quaxified(_jax.randint, _randint)

def _rayleigh(key: Any, scale: Any, shape: Any = ..., dtype: Any = ...) -> Any: ...

rayleigh = _quaxified(_jax.rayleigh, _rayleigh)

def _split(key: Any, num: Any = ...) -> Any: ...

split = _quaxified(_jax.split, _split)

def _t(key: Any, df: Any, shape: Any = ..., dtype: Any = ...) -> Any: ...

t = _quaxified(_jax.t, _t)

def _triangular(
    key: Any, left: Any, mode: Any, right: Any, shape: Any = ..., dtype: Any = ...
) -> Any: ...

triangular = _quaxified(_jax.triangular, _triangular)

def _truncated_normal(
    key: Any, lower: Any, upper: Any, shape: Any = ..., dtype: Any = ..., *, out_sharding: Any = ...
) -> Any: ...

truncated_normal = _quaxified(_jax.truncated_normal, _truncated_normal)

def _uniform(
    key: Any,
    shape: Any = ...,
    dtype: Any = ...,
    minval: Any = ...,
    maxval: Any = ...,
    *,
    out_sharding: Any = ...,
) -> Any: ...

uniform = _quaxified(_jax.uniform, _uniform)

def _wald(key: Any, mean: Any, shape: Any = ..., dtype: Any = ...) -> Any: ...

wald = _quaxified(_jax.wald, _wald)

def _weibull_min(
    key: Any, scale: Any, concentration: Any, shape: Any = ..., dtype: Any = ...
) -> Any: ...

weibull_min = _quaxified(_jax.weibull_min, _weibull_min)

def _wrap_key_data(key_bits_array: Any, *, impl: Any = ...) -> Any: ...

wrap_key_data = _quaxified(_jax.wrap_key_data, _wrap_key_data)

def __getattr__(name: str) -> Any: ...
