# `duckarray.core.random`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax import random as _jax
from jax.random import (
    random_gamma_p as random_gamma_p,
)

from duckarray.core._signatures import quaxified as _quaxified

PRNGKey = _quaxified(_jax.PRNGKey)
ball = _quaxified(_jax.ball)
bernoulli = _quaxified(_jax.bernoulli)
beta = _quaxified(_jax.beta)
binomial = _quaxified(_jax.binomial)
bits = _quaxified(_jax.bits)
categorical = _quaxified(_jax.categorical)
cauchy = _quaxified(_jax.cauchy)
chisquare = _quaxified(_jax.chisquare)
choice = _quaxified(_jax.choice)
clone = _quaxified(_jax.clone)
dirichlet = _quaxified(_jax.dirichlet)
double_sided_maxwell = _quaxified(_jax.double_sided_maxwell)
exponential = _quaxified(_jax.exponential)
f = _quaxified(_jax.f)
fold_in = _quaxified(_jax.fold_in)
gamma = _quaxified(_jax.gamma)
generalized_normal = _quaxified(_jax.generalized_normal)
geometric = _quaxified(_jax.geometric)
gumbel = _quaxified(_jax.gumbel)
key = _quaxified(_jax.key)
key_data = _quaxified(_jax.key_data)
key_dtype = _quaxified(_jax.key_dtype)
key_impl = _quaxified(_jax.key_impl)
laplace = _quaxified(_jax.laplace)
loggamma = _quaxified(_jax.loggamma)
logistic = _quaxified(_jax.logistic)
lognormal = _quaxified(_jax.lognormal)
maxwell = _quaxified(_jax.maxwell)
multinomial = _quaxified(_jax.multinomial)
multivariate_normal = _quaxified(_jax.multivariate_normal)
normal = _quaxified(_jax.normal)
orthogonal = _quaxified(_jax.orthogonal)
pareto = _quaxified(_jax.pareto)
permutation = _quaxified(_jax.permutation)
poisson = _quaxified(_jax.poisson)
rademacher = _quaxified(_jax.rademacher)
randint = _quaxified(_jax.randint)
rayleigh = _quaxified(_jax.rayleigh)
split = _quaxified(_jax.split)
t = _quaxified(_jax.t)
triangular = _quaxified(_jax.triangular)
truncated_normal = _quaxified(_jax.truncated_normal)
uniform = _quaxified(_jax.uniform)
wald = _quaxified(_jax.wald)
weibull_min = _quaxified(_jax.weibull_min)
wrap_key_data = _quaxified(_jax.wrap_key_data)

def __getattr__(name: str) -> Any: ...
