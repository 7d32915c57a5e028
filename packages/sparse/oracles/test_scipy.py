"""SciPy's own tests of sparse arrays, run on `Sparse` through a thin adapter.

`scipy_not_passing.txt` lists by name what does not pass, and why; what fails and is not in it fails
here, and so does what is in it and passes. The adapter passes every operation to `Sparse` under
`quaxify`; what SciPy's base class would compute by itself is switched off, so that no test passes by
SciPy's own code.
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
jax.config.update("jax_disable_most_optimizations", True)  # programs run once, on a few numbers
tb.supported_dtypes = [np.bool_, np.int64, np.float64, np.complex128]  # those SciPy computes with
LINES = (Path(__file__).parent / "scipy_not_passing.txt").read_text().splitlines()
LISTED = dict(line.split(": ", 1) for line in LINES if line and not line.startswith("#"))
# Of SciPy's base class: what holds results or picks a format.
_KEPT = {"asformat", "todense", "_ascontainer", "_container"}


def unwrap(x):
    if isinstance(x, Adapter):
        return x.inner
    if tb.issparse(x):
        return sparse.from_scipy(x)
    return x if isinstance(x, int | float | complex | bool) else jnp.asarray(x)


def wrap(x):
    if isinstance(x, sparse.Sparse):
        return Adapter(x) if x.ndim in (1, 2) else np.asarray(materialize(x))
    return np.asarray(x)[()]


def call(f, *xs):
    """`f` of what stands behind adapters; nothing may be made dense."""
    promotion = jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow")
    with materialization("error"), promotion[0], promotion[1]:
        try:
            return wrap(quaxify(f)(*map(unwrap, xs)))
        except TypeError as error:  # NumPy and SciPy raise another class for shapes
            if "shape" in str(error) or "unknown axis size" in str(error):
                raise ValueError(f"inconsistent shapes, dimension mismatch: {error}") from error
            raise


def binary(f):
    def apply(self, other):
        if not isinstance(other, np.ndarray) and not np.isscalar(other) and not tb.issparse(other):
            if not isinstance(other, list | tuple):
                return NotImplemented
            other = np.asarray(other)
        return call(f, self, other)

    return apply


def parts_of(index, shape):
    """An index as JAX takes it. What is out of range JAX clips, and so NumPy is asked about it."""
    parts = index if isinstance(index, tuple) else (index,)
    parts = tuple(p.toarray() if tb.issparse(p) else p for p in parts)
    parts = tuple(np.asarray(p) if isinstance(p, list) else p for p in parts)
    if any(isinstance(p, np.ndarray) and p.size == 0 and p.dtype.kind == "f" for p in parts):
        parts = tuple(p.astype(int) if isinstance(p, np.ndarray) else p for p in parts)
    return parts, np.broadcast_to(False, shape)[parts].shape


class Adapter(_spbase, sparray):
    """A `Sparse` behind the interface of `scipy.sparse`."""

    format = "csr"

    def __init__(self, arg, shape=None, dtype=None, copy=False):
        if isinstance(arg, Adapter):
            arg = arg.inner
        if not isinstance(arg, sparse.Sparse):
            made = tb.csr_array(arg, shape=shape, dtype=dtype)
            arg = sparse.from_scipy(made.asfptype() if made.dtype == np.float16 else made)
        self.inner = arg if dtype is None else arg.astype(dtype)

    shape = property(lambda self: self.inner.shape)
    _shape = _shape_as_2d = shape
    ndim = property(lambda self: self.inner.ndim)
    dtype = property(lambda self: np.dtype(self.inner.dtype))
    data = property(lambda self: np.asarray(self.inner.data))
    indices = property(lambda self: np.asarray(self.inner.indices))
    indptr = property(lambda self: np.asarray(self.inner.indptr))
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
    dot = binary(lambda x, y: x * y if jnp.ndim(y) == 0 else x @ y)
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
        parts, shape = parts_of(index, self.shape)
        if len(shape) > 2:
            raise IndexError("Only 1D or 2D arrays are sparse in SciPy")
        out = call(lambda x: x[parts], self)
        return Adapter(sparse.from_dense(out)) if isinstance(out, np.ndarray) else out

    def __setitem__(self, index, value):
        parts, shape = parts_of(index, self.shape)
        value = value.toarray() if tb.issparse(value) else np.asarray(value)
        if not np.can_cast(value.dtype, self.dtype, "same_kind") and value.dtype.kind == "c":
            raise TypeError("a complex number has no place among real ones")
        if [n for n in value.shape if n != 1] == [n for n in shape if n != 1]:
            value = value.reshape(shape)  # a column is assigned to a column
        self.inner = self.inner.at[parts].set(value.astype(self.dtype))

    def setdiag(self, values, k=0):
        n = min(self.shape[0] + min(k, 0), self.shape[1] - max(k, 0))
        if not -self.shape[0] < k < self.shape[1]:
            raise ValueError("k exceeds array dimensions")
        values = np.asarray(values)
        n = min(n, len(values)) if values.ndim else n
        at = np.arange(n)
        self[at + max(-k, 0), at + max(k, 0)] = values[:n] if values.ndim else values

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
        if tuple(shape) == self.shape and not copy:
            return self
        return call(lambda x: jnp.reshape(x, shape, order=order), self)

    def diagonal(self, k=0):
        return call(lambda x: jnp.diagonal(x, k), self)

    def trace(self, offset=0):
        return call(lambda x: jnp.trace(x, offset), self)

    def power(self, n, dtype=None):
        if not np.isscalar(n):
            raise NotImplementedError("SciPy knows powers by a number alone")
        return call(lambda x: (x if dtype is None else x.astype(dtype)) ** n, self)

    def count_nonzero(self, axis=None):
        return call(lambda x: jnp.count_nonzero(x, axis=axis), self)

    def nonzero(self):
        return tb.coo_array(self.inner.to_scipy()).nonzero()

    def _getnnz(self, axis=None):
        if axis is None:
            return self.nnz
        stored = sparse.Sparse(jnp.ones(self.nnz, int), self.inner.pattern)
        return call(lambda x: x.sum(axis), Adapter(stored))

    getnnz = _getnnz


def _reduction(name):
    function = getattr(jnp, name)
    low = name in ("max", "argmax")

    def apply(self, axis=None, dtype=None, out=None, explicit=False):
        for a in np.atleast_1d([] if axis is None else axis):
            if not isinstance(a, np.integer):
                raise TypeError("axis must be an integer")
            if not -self.ndim <= a < self.ndim:
                raise ValueError("axis out of range")
        if name.startswith("arg") and 0 in (self.shape if axis is None else [self.shape[axis]]):
            raise ValueError(f"Cannot apply {name} to what is empty")
        x = self.inner
        if explicit:  # among stored entries alone: the fill is what never wins
            if axis is None and not x.nnz:
                raise ValueError(f"Cannot apply {name} to what is empty")
            info = np.iinfo if x.dtype.kind == "i" else np.finfo
            x = sparse.Sparse(x.data, x.pattern, info(x.dtype).min if low else info(x.dtype).max)
        kwargs = {} if dtype is None else {"dtype": dtype}
        got = call(lambda x: function(x, axis=axis, **kwargs), Adapter(x))
        got = got.toarray() if tb.issparse(got) else np.asarray(got)
        if explicit and axis is not None:
            got = np.where(self.getnnz(axis) > 0, got, 0)
        if out is not None:
            if not isinstance(out, np.ndarray) or out.shape != got.shape:
                raise ValueError("output parameter: wrong dimensions, or no array")
            out[...] = got
            return out
        extreme = got.ndim and not name.startswith("arg") and name not in ("sum", "mean")
        return tb.coo_array(got) if extreme else got[()]

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
Adapter.tocsr = lambda self, copy=False: self.copy() if copy else self


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
    math_dtypes = (np.int64, np.float64, np.complex128)


TestSparse.init_class()


@pytest.fixture(autouse=True)
def _listed(request):
    reason = LISTED.get(request.node.name)
    if reason is not None:
        request.node.add_marker(pytest.mark.xfail(reason=reason, strict=True))


def test_every_name_in_the_list_is_that_of_a_test(request):
    names = {item.name for item in request.session.items}
    if len(names) > 100:  # all of them were asked for
        assert not set(LISTED) - names
