# `duckarray.core.scipy.special`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax.scipy import special as _jax

from duckarray.core._signatures import quaxified as _quaxified

def _bernoulli(n: Any) -> Any: ...

bernoulli = _quaxified(_jax.bernoulli, _bernoulli)

def _bessel_jn(z: Any, *, v: Any, n_iter: Any = ...) -> Any: ...

bessel_jn = _quaxified(_jax.bessel_jn, _bessel_jn)

def _beta(a: Any, b: Any) -> Any: ...

beta = _quaxified(_jax.beta, _beta)

def _betainc(a: Any, b: Any, x: Any) -> Any: ...

betainc = _quaxified(_jax.betainc, _betainc)

def _betaln(a: Any, b: Any) -> Any: ...

betaln = _quaxified(_jax.betaln, _betaln)

def _digamma(x: Any) -> Any: ...

digamma = _quaxified(_jax.digamma, _digamma)

def _entr(x: Any) -> Any: ...

entr = _quaxified(_jax.entr, _entr)

def _erf(x: Any) -> Any: ...

erf = _quaxified(_jax.erf, _erf)

def _erfc(x: Any) -> Any: ...

erfc = _quaxified(_jax.erfc, _erfc)

def _erfinv(x: Any) -> Any: ...

erfinv = _quaxified(_jax.erfinv, _erfinv)

def _exp1(x: Any) -> Any: ...

exp1 = _quaxified(_jax.exp1, _exp1)

def _expi(x: Any) -> Any: ...

expi = _quaxified(_jax.expi, _expi)

def _expit(x: Any) -> Any: ...

expit = _quaxified(_jax.expit, _expit)

def _expn(n: Any, x: Any) -> Any: ...

expn = _quaxified(_jax.expn, _expn)

def _factorial(n: Any, exact: Any = ...) -> Any: ...

factorial = _quaxified(_jax.factorial, _factorial)

def _fresnel(x: Any) -> Any: ...

fresnel = _quaxified(_jax.fresnel, _fresnel)

def _gamma(x: Any) -> Any: ...

gamma = _quaxified(_jax.gamma, _gamma)

def _gammainc(a: Any, x: Any) -> Any: ...

gammainc = _quaxified(_jax.gammainc, _gammainc)

def _gammaincc(a: Any, x: Any) -> Any: ...

gammaincc = _quaxified(_jax.gammaincc, _gammaincc)

def _gammaln(x: Any) -> Any: ...

gammaln = _quaxified(_jax.gammaln, _gammaln)

def _gammasgn(x: Any) -> Any: ...

gammasgn = _quaxified(_jax.gammasgn, _gammasgn)

def _hyp1f1(a: Any, b: Any, x: Any) -> Any: ...

hyp1f1 = _quaxified(_jax.hyp1f1, _hyp1f1)

def _hyp2f1(a: Any, b: Any, c: Any, x: Any) -> Any: ...

hyp2f1 = _quaxified(_jax.hyp2f1, _hyp2f1)

def _i0(x: Any) -> Any: ...

i0 = _quaxified(_jax.i0, _i0)

def _i0e(x: Any) -> Any: ...

i0e = _quaxified(_jax.i0e, _i0e)

def _i1(x: Any) -> Any: ...

i1 = _quaxified(_jax.i1, _i1)

def _i1e(x: Any) -> Any: ...

i1e = _quaxified(_jax.i1e, _i1e)

def _kl_div(p: Any, q: Any) -> Any: ...

kl_div = _quaxified(_jax.kl_div, _kl_div)

def _log_ndtr(x: Any, series_order: Any = ...) -> Any: ...

log_ndtr = _quaxified(_jax.log_ndtr, _log_ndtr)

def _log_softmax(x: Any, /, *, axis: Any = ...) -> Any: ...

log_softmax = _quaxified(_jax.log_softmax, _log_softmax)

def _loggamma(x: Any) -> Any: ...

loggamma = _quaxified(_jax.loggamma, _loggamma)

def _logit(x: Any) -> Any: ...

logit = _quaxified(_jax.logit, _logit)

def _logsumexp(
    a: Any,
    axis: Any = ...,
    b: Any = ...,
    keepdims: Any = ...,
    return_sign: Any = ...,
    where: Any = ...,
) -> Any: ...

logsumexp = _quaxified(_jax.logsumexp, _logsumexp)

def _multigammaln(a: Any, d: Any) -> Any: ...

multigammaln = _quaxified(_jax.multigammaln, _multigammaln)

def _ndtr(x: Any) -> Any: ...

ndtr = _quaxified(_jax.ndtr, _ndtr)

def _ndtri(p: Any) -> Any: ...

ndtri = _quaxified(_jax.ndtri, _ndtri)

def _poch(z: Any, m: Any) -> Any: ...

poch = _quaxified(_jax.poch, _poch)

def _polygamma(n: Any, x: Any) -> Any: ...

polygamma = _quaxified(_jax.polygamma, _polygamma)

def _rel_entr(p: Any, q: Any) -> Any: ...

rel_entr = _quaxified(_jax.rel_entr, _rel_entr)

def _sici(x: Any) -> Any: ...

sici = _quaxified(_jax.sici, _sici)

def _softmax(x: Any, /, *, axis: Any = ...) -> Any: ...

softmax = _quaxified(_jax.softmax, _softmax)

def _spence(x: Any) -> Any: ...

spence = _quaxified(_jax.spence, _spence)

def _sph_harm_y(
    n: Any, m: Any, theta: Any, phi: Any, diff_n: Any = ..., n_max: Any = ...
) -> Any: ...

sph_harm_y = _quaxified(_jax.sph_harm_y, _sph_harm_y)

def _xlog1py(x: Any, y: Any) -> Any: ...

xlog1py = _quaxified(_jax.xlog1py, _xlog1py)

def _xlogy(x: Any, y: Any) -> Any: ...

xlogy = _quaxified(_jax.xlogy, _xlogy)

def _zeta(x: Any, q: Any = ...) -> Any: ...

zeta = _quaxified(_jax.zeta, _zeta)

def __getattr__(name: str) -> Any: ...
