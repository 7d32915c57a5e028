"""SciPy's own tests of sparse arrays, run on `Sparse` through a thin adapter.

Run it as `python -m pytest -q -c packages/sparse/benchmarks/oracle.ini
packages/sparse/benchmarks/oracle_scipy.py`. `oracle_scipy.txt` lists by name what does not pass,
and why; what fails and is not listed there fails here too.

The adapter passes every operation to `Sparse` under `quaxify`. What SciPy's base class would
compute by itself is switched off, so that no test passes by SciPy's own code.
"""

import operator
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.sparse.tests.test_base as tb
from scipy.sparse._base import _spbase, sparray

from duckarray import sparse
from duckarray.core import materialization, materialize, quaxify

jax.config.update("jax_enable_x64", True)
tb.supported_dtypes = [np.bool_, np.int32, np.int64, np.float32, np.float64, np.complex128]
LISTED = {
    line.split(":")[0].strip()
    for line in (Path(__file__).parent / "oracle_scipy.txt").read_text().splitlines()
    if line and not line.startswith("#")
}
_KEPT = {"asformat", "todense", "_get_index_dtype", "_asindices", "maxprint", "_validate_indices"}


def unwrap(x):
    if isinstance(x, Adapter):
        return x.inner
    if tb.issparse(x):
        return sparse.from_scipy(x)
    return x if isinstance(x, int | float | complex | bool) else jnp.asarray(x)


def wrap(x):
    if isinstance(x, sparse.Sparse):
        zero = x.fill_constant is not None and x.fill_constant.is_zero
        return Adapter(x) if zero and x.ndim in (1, 2) else np.asarray(materialize(x))
    return np.asarray(x)[()]


def call(f, *xs):
    with materialization("error"), jax.numpy_rank_promotion("allow"):
        return wrap(quaxify(f)(*map(unwrap, xs)))


def binary(f):
    return lambda self, other: call(f, self, other)


class Adapter(_spbase, sparray):
    """A `Sparse` behind the interface of `scipy.sparse`."""

    format = "csr"
    _shape: tuple[int, ...]

    def __init__(self, arg, shape=None, dtype=None, copy=False):
        if isinstance(arg, Adapter):
            arg = arg.inner
        if not isinstance(arg, sparse.Sparse):
            made = tb.csr_array(arg, shape=shape, dtype=dtype)
            arg = sparse.from_scipy(made.asfptype() if made.dtype == np.float16 else made)
        self.inner = arg if dtype is None else arg.astype(dtype)

    shape = property(lambda self: self.inner.shape)
    _shape_as_2d = shape
    ndim = property(lambda self: self.inner.ndim)
    dtype = property(lambda self: np.dtype(self.inner.dtype))
    data = property(lambda self: np.asarray(self.inner.data))
    nnz = property(lambda self: self.inner.nnz)
    size = nnz
    T = property(lambda self: self.transpose())
    real = property(lambda self: call(jnp.real, self))
    imag = property(lambda self: call(jnp.imag, self))

    __add__ = __radd__ = binary(operator.add)
    __sub__ = binary(operator.sub)
    __rsub__ = binary(lambda x, y: y - x)
    __mul__ = __rmul__ = binary(operator.mul)
    __truediv__ = binary(operator.truediv)
    __rtruediv__ = binary(lambda x, y: y / x)
    __pow__ = binary(operator.pow)
    __matmul__ = binary(operator.matmul)
    __rmatmul__ = binary(lambda x, y: y @ x)
    __eq__, __ne__ = binary(operator.eq), binary(operator.ne)
    __lt__, __le__ = binary(operator.lt), binary(operator.le)
    __gt__, __ge__ = binary(operator.gt), binary(operator.ge)
    multiply = binary(operator.mul)
    maximum, minimum = binary(jnp.maximum), binary(jnp.minimum)
    dot = binary(jnp.matmul)
    __hash__ = None

    def __abs__(self):
        return call(abs, self)

    def __neg__(self):
        return call(operator.neg, self)

    def __round__(self, ndigits=0):
        return call(lambda x: jnp.round(x, ndigits), self)

    def __bool__(self):
        if self.shape == (1, 1):
            return bool(self.toarray()[0, 0])
        raise ValueError("the truth value of an array with more than one entry is ambiguous")

    def __len__(self):
        raise TypeError("sparse array length is ambiguous; use getnnz()")

    def __iter__(self):
        return (self[i] for i in range(self.shape[0]))

    def __getitem__(self, index):
        parts = index if isinstance(index, tuple) else (index,)
        parts = tuple(p.toarray() if tb.issparse(p) else p for p in parts)
        out = call(lambda x: x[parts], self)
        return Adapter(sparse.from_dense(out)) if isinstance(out, np.ndarray) else out

    def __setitem__(self, index, value):
        parts = index if isinstance(index, tuple) else (index,)
        parts = tuple(p.toarray() if tb.issparse(p) else p for p in parts)
        value = value.toarray() if tb.issparse(value) else np.asarray(value)
        self.inner = self.inner.at[parts].set(value.astype(self.dtype))

    def toarray(self, order=None, out=None):
        dense = np.array(self.inner.to_dense(), order=order or "C")
        if out is not None:
            out[...] = dense
            return out
        return dense

    def copy(self):
        return Adapter(self.inner)

    def astype(self, dtype, casting="unsafe", copy=True):
        return call(lambda x: x.astype(dtype), self)

    def transpose(self, axes=None, copy=False):
        if axes not in (None, (1, 0)):
            raise ValueError("sparse arrays are transposed whole")
        return call(jnp.transpose, self)

    def conj(self, copy=True):
        return call(jnp.conj, self)

    conjugate = conj

    def reshape(self, *shape, order="C", copy=False):
        shape = shape[0] if isinstance(shape[0], tuple | list) else shape
        return call(lambda x: jnp.reshape(x, shape, order=order), self)

    def diagonal(self, k=0):
        return call(lambda x: jnp.diagonal(x, k), self)

    def trace(self, offset=0):
        return call(lambda x: jnp.trace(x, offset), self)

    def power(self, n, dtype=None):
        return call(lambda x: (x if dtype is None else x.astype(dtype)) ** n, self)

    def count_nonzero(self, axis=None):
        return call(lambda x: jnp.count_nonzero(x, axis=axis), self)

    def nonzero(self):
        return tb.coo_array(self.inner.to_scipy()).nonzero()

    def _getnnz(self, axis=None):
        if axis is None:
            return self.nnz
        stored = sparse.Sparse(jnp.ones(self.nnz, int), self.inner.pattern)
        return call(lambda x: x.sum(axis), stored)

    getnnz = _getnnz


def _reduction(name):
    function = getattr(jnp, name)

    def apply(self, axis=None, dtype=None, out=None, **options):
        kwargs = {} if dtype is None else {"dtype": dtype}
        got = call(lambda x: function(x, axis=axis, **kwargs), self)
        got = got.toarray() if tb.issparse(got) else np.asarray(got)
        if out is not None:
            out[...] = got
            return out
        return got[()] if got.ndim == 0 or name in ("sum", "mean") else tb.coo_array(got)

    return apply


REDUCTIONS = "sum mean max min argmax argmin nanmax nanmin"
UNARY = "sin tan arcsin arctan sinh tanh arcsinh sign rint floor ceil sqrt expm1 log1p"
FORMATS = "csr csc coo dia bsr lil dok"


def _unary(name):
    return lambda self: call(getattr(jnp, name), self)


for _name in REDUCTIONS.split():
    setattr(Adapter, _name, _reduction(_name))
for _name in UNARY.split():
    setattr(Adapter, _name, _unary(_name))
for _format in FORMATS.split():
    setattr(Adapter, f"to{_format}", lambda self, *a, f=_format, **k: self.inner.to_scipy(f))


def _switched_off(name):
    def refuse(self, *args, **kwargs):
        raise NotImplementedError(f"the adapter has no `{name}`")

    return refuse


for _name in dir(_spbase):
    own = _name in Adapter.__dict__ or _name.startswith("__") or _name in _KEPT
    if not own and callable(getattr(_spbase, _name)):
        setattr(Adapter, _name, _switched_off(_name))


class TestSparse(tb.sparse_test_class()):
    """Every test SciPy has for its own formats."""

    spcreator = Adapter
    math_dtypes = (np.int32, np.float64, np.complex128)


TestSparse.init_class()


@pytest.fixture(autouse=True)
def _listed(request):
    if request.node.name.split("[")[0] in LISTED:
        request.node.add_marker(pytest.mark.xfail(reason="listed in oracle_scipy.txt"))
