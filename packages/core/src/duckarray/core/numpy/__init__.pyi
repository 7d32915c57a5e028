# `duckarray.core.numpy`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax import numpy as _jax
from jax.numpy import (
    ComplexWarning as ComplexWarning,
)
from jax.numpy import (
    bfloat16 as bfloat16,
)
from jax.numpy import (
    bool as bool,
)
from jax.numpy import (
    bool_ as bool_,
)
from jax.numpy import (
    c_ as c_,
)
from jax.numpy import (
    cdouble as cdouble,
)
from jax.numpy import (
    character as character,
)
from jax.numpy import (
    complex64 as complex64,
)
from jax.numpy import (
    complex128 as complex128,
)
from jax.numpy import (
    complex_ as complex_,
)
from jax.numpy import (
    complexfloating as complexfloating,
)
from jax.numpy import (
    csingle as csingle,
)
from jax.numpy import (
    double as double,
)
from jax.numpy import (
    dtype as dtype,
)
from jax.numpy import (
    e as e,
)
from jax.numpy import (
    euler_gamma as euler_gamma,
)
from jax.numpy import (
    finfo as finfo,
)
from jax.numpy import (
    flexible as flexible,
)
from jax.numpy import (
    float4_e2m1fn as float4_e2m1fn,
)
from jax.numpy import (
    float8_e3m4 as float8_e3m4,
)
from jax.numpy import (
    float8_e4m3 as float8_e4m3,
)
from jax.numpy import (
    float8_e4m3b11fnuz as float8_e4m3b11fnuz,
)
from jax.numpy import (
    float8_e4m3fn as float8_e4m3fn,
)
from jax.numpy import (
    float8_e4m3fnuz as float8_e4m3fnuz,
)
from jax.numpy import (
    float8_e5m2 as float8_e5m2,
)
from jax.numpy import (
    float8_e5m2fnuz as float8_e5m2fnuz,
)
from jax.numpy import (
    float8_e8m0fnu as float8_e8m0fnu,
)
from jax.numpy import (
    float16 as float16,
)
from jax.numpy import (
    float32 as float32,
)
from jax.numpy import (
    float64 as float64,
)
from jax.numpy import (
    float_ as float_,
)
from jax.numpy import (
    floating as floating,
)
from jax.numpy import (
    generic as generic,
)
from jax.numpy import (
    iinfo as iinfo,
)
from jax.numpy import (
    index_exp as index_exp,
)
from jax.numpy import (
    inexact as inexact,
)
from jax.numpy import (
    inf as inf,
)
from jax.numpy import (
    int2 as int2,
)
from jax.numpy import (
    int4 as int4,
)
from jax.numpy import (
    int8 as int8,
)
from jax.numpy import (
    int16 as int16,
)
from jax.numpy import (
    int32 as int32,
)
from jax.numpy import (
    int64 as int64,
)
from jax.numpy import (
    int_ as int_,
)
from jax.numpy import (
    integer as integer,
)
from jax.numpy import (
    mgrid as mgrid,
)
from jax.numpy import (
    nan as nan,
)
from jax.numpy import (
    ndarray as ndarray,
)
from jax.numpy import (
    number as number,
)
from jax.numpy import (
    object_ as object_,
)
from jax.numpy import (
    ogrid as ogrid,
)
from jax.numpy import (
    pi as pi,
)
from jax.numpy import (
    r_ as r_,
)
from jax.numpy import (
    s_ as s_,
)
from jax.numpy import (
    signedinteger as signedinteger,
)
from jax.numpy import (
    single as single,
)
from jax.numpy import (
    ufunc as ufunc,
)
from jax.numpy import (
    uint as uint,
)
from jax.numpy import (
    uint2 as uint2,
)
from jax.numpy import (
    uint4 as uint4,
)
from jax.numpy import (
    uint8 as uint8,
)
from jax.numpy import (
    uint16 as uint16,
)
from jax.numpy import (
    uint32 as uint32,
)
from jax.numpy import (
    uint64 as uint64,
)
from jax.numpy import (
    unsignedinteger as unsignedinteger,
)

from duckarray.core._signatures import quaxified as _quaxified

from . import fft as fft
from . import linalg as linalg

def _abs(x: Any, /) -> Any: ...

abs = _quaxified(_jax.abs, _abs)

def _absolute(x: Any, /) -> Any: ...

absolute = _quaxified(_jax.absolute, _absolute)

def _acos(x: Any, /) -> Any: ...

acos = _quaxified(_jax.acos, _acos)

def _acosh(x: Any, /) -> Any: ...

acosh = _quaxified(_jax.acosh, _acosh)

def _add(*args: Any, out: Any = ..., where: Any = ...) -> Any: ...

add = _quaxified(_jax.add, _add)

def _all(
    a: Any, axis: Any = ..., out: Any = ..., keepdims: Any = ..., *, where: Any = ...
) -> Any: ...

all = _quaxified(_jax.all, _all)

def _allclose(a: Any, b: Any, rtol: Any = ..., atol: Any = ..., equal_nan: Any = ...) -> Any: ...

allclose = _quaxified(_jax.allclose, _allclose)

def _amax(
    a: Any,
    axis: Any = ...,
    out: Any = ...,
    keepdims: Any = ...,
    initial: Any = ...,
    where: Any = ...,
) -> Any: ...

amax = _quaxified(_jax.amax, _amax)

def _amin(
    a: Any,
    axis: Any = ...,
    out: Any = ...,
    keepdims: Any = ...,
    initial: Any = ...,
    where: Any = ...,
) -> Any: ...

amin = _quaxified(_jax.amin, _amin)

def _angle(z: Any, deg: Any = ...) -> Any: ...

angle = _quaxified(_jax.angle, _angle)

def _any(
    a: Any, axis: Any = ..., out: Any = ..., keepdims: Any = ..., *, where: Any = ...
) -> Any: ...

any = _quaxified(_jax.any, _any)

def _append(arr: Any, values: Any, axis: Any = ...) -> Any: ...

append = _quaxified(_jax.append, _append)

def _apply_along_axis(func1d: Any, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any: ...

apply_along_axis = _quaxified(_jax.apply_along_axis, _apply_along_axis)

def _apply_over_axes(func: Any, a: Any, axes: Any) -> Any: ...

apply_over_axes = _quaxified(_jax.apply_over_axes, _apply_over_axes)

def _arange(
    start: Any,
    stop: Any = ...,
    step: Any = ...,
    dtype: Any = ...,
    *,
    device: Any = ...,
    out_sharding: Any = ...,
) -> Any: ...

arange = _quaxified(_jax.arange, _arange)

def _arccos(x: Any, /) -> Any: ...

arccos = _quaxified(_jax.arccos, _arccos)

def _arccosh(x: Any, /) -> Any: ...

arccosh = _quaxified(_jax.arccosh, _arccosh)

def _arcsin(x: Any, /) -> Any: ...

arcsin = _quaxified(_jax.arcsin, _arcsin)

def _arcsinh(x: Any, /) -> Any: ...

arcsinh = _quaxified(_jax.arcsinh, _arcsinh)

def _arctan(x: Any, /) -> Any: ...

arctan = _quaxified(_jax.arctan, _arctan)

def _arctan2(x1: Any, x2: Any, /) -> Any: ...

arctan2 = _quaxified(_jax.arctan2, _arctan2)

def _arctanh(x: Any, /) -> Any: ...

arctanh = _quaxified(_jax.arctanh, _arctanh)

def _argmax(a: Any, axis: Any = ..., out: Any = ..., keepdims: Any = ...) -> Any: ...

argmax = _quaxified(_jax.argmax, _argmax)

def _argmin(a: Any, axis: Any = ..., out: Any = ..., keepdims: Any = ...) -> Any: ...

argmin = _quaxified(_jax.argmin, _argmin)

def _argpartition(a: Any, kth: Any, axis: Any = ...) -> Any: ...

argpartition = _quaxified(_jax.argpartition, _argpartition)

def _argsort(
    a: Any,
    axis: Any = ...,
    *,
    kind: Any = ...,
    order: Any = ...,
    stable: Any = ...,
    descending: Any = ...,
    dtype: Any = ...,
) -> Any: ...

argsort = _quaxified(_jax.argsort, _argsort)

def _argwhere(a: Any, *, size: Any = ..., fill_value: Any = ...) -> Any: ...

argwhere = _quaxified(_jax.argwhere, _argwhere)

def _around(a: Any, decimals: Any = ..., out: Any = ...) -> Any: ...

around = _quaxified(_jax.around, _around)

def _array(
    object: Any,
    dtype: Any = ...,
    copy: Any = ...,
    order: Any = ...,
    ndmin: Any = ...,
    *,
    device: Any = ...,
    out_sharding: Any = ...,
) -> Any: ...

array = _quaxified(_jax.array, _array)

def _array_equal(a1: Any, a2: Any, equal_nan: Any = ...) -> Any: ...

array_equal = _quaxified(_jax.array_equal, _array_equal)

def _array_equiv(a1: Any, a2: Any) -> Any: ...

array_equiv = _quaxified(_jax.array_equiv, _array_equiv)

def _array_repr(
    arr: Any, max_line_width: Any = ..., precision: Any = ..., suppress_small: Any = ...
) -> Any: ...

array_repr = _quaxified(_jax.array_repr, _array_repr)

def _array_split(ary: Any, indices_or_sections: Any, axis: Any = ...) -> Any: ...

array_split = _quaxified(_jax.array_split, _array_split)

def _array_str(
    a: Any, max_line_width: Any = ..., precision: Any = ..., suppress_small: Any = ...
) -> Any: ...

array_str = _quaxified(_jax.array_str, _array_str)

def _asarray(
    a: Any,
    dtype: Any = ...,
    order: Any = ...,
    *,
    copy: Any = ...,
    device: Any = ...,
    out_sharding: Any = ...,
) -> Any: ...

asarray = _quaxified(_jax.asarray, _asarray)

def _asin(x: Any, /) -> Any: ...

asin = _quaxified(_jax.asin, _asin)

def _asinh(x: Any, /) -> Any: ...

asinh = _quaxified(_jax.asinh, _asinh)

def _astype(x: Any, dtype: Any, /, *, copy: Any = ..., device: Any = ...) -> Any: ...

astype = _quaxified(_jax.astype, _astype)

def _atan(x: Any, /) -> Any: ...

atan = _quaxified(_jax.atan, _atan)

def _atan2(x1: Any, x2: Any, /) -> Any: ...

atan2 = _quaxified(_jax.atan2, _atan2)

def _atanh(x: Any, /) -> Any: ...

atanh = _quaxified(_jax.atanh, _atanh)

def _atleast_1d(*arys: Any) -> Any: ...

atleast_1d = _quaxified(_jax.atleast_1d, _atleast_1d)

def _atleast_2d(*arys: Any) -> Any: ...

atleast_2d = _quaxified(_jax.atleast_2d, _atleast_2d)

def _atleast_3d(*arys: Any) -> Any: ...

atleast_3d = _quaxified(_jax.atleast_3d, _atleast_3d)

def _average(
    a: Any, axis: Any = ..., weights: Any = ..., returned: Any = ..., keepdims: Any = ...
) -> Any: ...

average = _quaxified(_jax.average, _average)

def _bartlett(M: Any) -> Any: ...

bartlett = _quaxified(_jax.bartlett, _bartlett)

def _bincount(x: Any, weights: Any = ..., minlength: Any = ..., *, length: Any = ...) -> Any: ...

bincount = _quaxified(_jax.bincount, _bincount)

def _bitwise_and(*args: Any, out: Any = ..., where: Any = ...) -> Any: ...

bitwise_and = _quaxified(_jax.bitwise_and, _bitwise_and)

def _bitwise_count(x: Any, /) -> Any: ...

bitwise_count = _quaxified(_jax.bitwise_count, _bitwise_count)

def _bitwise_invert(x: Any, /) -> Any: ...

bitwise_invert = _quaxified(_jax.bitwise_invert, _bitwise_invert)

def _bitwise_left_shift(x: Any, y: Any, /) -> Any: ...

bitwise_left_shift = _quaxified(_jax.bitwise_left_shift, _bitwise_left_shift)

def _bitwise_not(x: Any, /) -> Any: ...

bitwise_not = _quaxified(_jax.bitwise_not, _bitwise_not)

def _bitwise_or(*args: Any, out: Any = ..., where: Any = ...) -> Any: ...

bitwise_or = _quaxified(_jax.bitwise_or, _bitwise_or)

def _bitwise_right_shift(x1: Any, x2: Any, /) -> Any: ...

bitwise_right_shift = _quaxified(_jax.bitwise_right_shift, _bitwise_right_shift)

def _bitwise_xor(*args: Any, out: Any = ..., where: Any = ...) -> Any: ...

bitwise_xor = _quaxified(_jax.bitwise_xor, _bitwise_xor)

def _blackman(M: Any) -> Any: ...

blackman = _quaxified(_jax.blackman, _blackman)

def _block(arrays: Any) -> Any: ...

block = _quaxified(_jax.block, _block)

def _broadcast_arrays(*args: Any) -> Any: ...

broadcast_arrays = _quaxified(_jax.broadcast_arrays, _broadcast_arrays)

def _broadcast_shapes(*shapes: Any) -> Any: ...

broadcast_shapes = _quaxified(_jax.broadcast_shapes, _broadcast_shapes)

def _broadcast_to(array: Any, shape: Any, *, out_sharding: Any = ...) -> Any: ...

broadcast_to = _quaxified(_jax.broadcast_to, _broadcast_to)

def _can_cast(from_: Any, to: Any, casting: Any = ...) -> Any: ...

can_cast = _quaxified(_jax.can_cast, _can_cast)

def _cbrt(x: Any, /) -> Any: ...

cbrt = _quaxified(_jax.cbrt, _cbrt)

def _ceil(x: Any, /) -> Any: ...

ceil = _quaxified(_jax.ceil, _ceil)

def _choose(a: Any, choices: Any, out: Any = ..., mode: Any = ...) -> Any: ...

choose = _quaxified(_jax.choose, _choose)

def _clip(arr: Any = ..., /, min: Any = ..., max: Any = ...) -> Any: ...

clip = _quaxified(_jax.clip, _clip)

def _column_stack(tup: Any) -> Any: ...

column_stack = _quaxified(_jax.column_stack, _column_stack)

def _compress(
    condition: Any,
    a: Any,
    axis: Any = ...,
    *,
    size: Any = ...,
    fill_value: Any = ...,
    out: Any = ...,
) -> Any: ...

compress = _quaxified(_jax.compress, _compress)

def _concat(arrays: Any, /, *, axis: Any = ...) -> Any: ...

concat = _quaxified(_jax.concat, _concat)

def _concatenate(arrays: Any, axis: Any = ..., dtype: Any = ...) -> Any: ...

concatenate = _quaxified(_jax.concatenate, _concatenate)

def _conj(x: Any, /) -> Any: ...

conj = _quaxified(_jax.conj, _conj)

def _conjugate(x: Any, /) -> Any: ...

conjugate = _quaxified(_jax.conjugate, _conjugate)

def _convolve(
    a: Any, v: Any, mode: Any = ..., *, precision: Any = ..., preferred_element_type: Any = ...
) -> Any: ...

convolve = _quaxified(_jax.convolve, _convolve)

def _copy(a: Any, order: Any = ...) -> Any: ...

copy = _quaxified(_jax.copy, _copy)

def _copysign(x1: Any, x2: Any, /) -> Any: ...

copysign = _quaxified(_jax.copysign, _copysign)

def _corrcoef(x: Any, y: Any = ..., rowvar: Any = ..., dtype: Any = ...) -> Any: ...

corrcoef = _quaxified(_jax.corrcoef, _corrcoef)

def _correlate(
    a: Any, v: Any, mode: Any = ..., *, precision: Any = ..., preferred_element_type: Any = ...
) -> Any: ...

correlate = _quaxified(_jax.correlate, _correlate)

def _cos(x: Any, /) -> Any: ...

cos = _quaxified(_jax.cos, _cos)

def _cosh(x: Any, /) -> Any: ...

cosh = _quaxified(_jax.cosh, _cosh)

def _count_nonzero(a: Any, axis: Any = ..., keepdims: Any = ...) -> Any: ...

count_nonzero = _quaxified(_jax.count_nonzero, _count_nonzero)

def _cov(
    m: Any,
    y: Any = ...,
    rowvar: Any = ...,
    bias: Any = ...,
    ddof: Any = ...,
    fweights: Any = ...,
    aweights: Any = ...,
    dtype: Any = ...,
) -> Any: ...

cov = _quaxified(_jax.cov, _cov)

def _cross(
    a: Any, b: Any, axisa: Any = ..., axisb: Any = ..., axisc: Any = ..., axis: Any = ...
) -> Any: ...

cross = _quaxified(_jax.cross, _cross)

def _cumprod(a: Any, axis: Any = ..., dtype: Any = ..., out: Any = ...) -> Any: ...

cumprod = _quaxified(_jax.cumprod, _cumprod)

def _cumsum(a: Any, axis: Any = ..., dtype: Any = ..., out: Any = ...) -> Any: ...

cumsum = _quaxified(_jax.cumsum, _cumsum)

def _cumulative_prod(
    x: Any, /, *, axis: Any = ..., dtype: Any = ..., include_initial: Any = ...
) -> Any: ...

cumulative_prod = _quaxified(_jax.cumulative_prod, _cumulative_prod)

def _cumulative_sum(
    x: Any, /, *, axis: Any = ..., dtype: Any = ..., include_initial: Any = ...
) -> Any: ...

cumulative_sum = _quaxified(_jax.cumulative_sum, _cumulative_sum)

def _deg2rad(x: Any, /) -> Any: ...

deg2rad = _quaxified(_jax.deg2rad, _deg2rad)

def _degrees(x: Any, /) -> Any: ...

degrees = _quaxified(_jax.degrees, _degrees)

def _delete(arr: Any, obj: Any, axis: Any = ..., *, assume_unique_indices: Any = ...) -> Any: ...

delete = _quaxified(_jax.delete, _delete)

def _diag(v: Any, k: Any = ...) -> Any: ...

diag = _quaxified(_jax.diag, _diag)

def _diag_indices(n: Any, ndim: Any = ...) -> Any: ...

diag_indices = _quaxified(_jax.diag_indices, _diag_indices)

def _diag_indices_from(arr: Any) -> Any: ...

diag_indices_from = _quaxified(_jax.diag_indices_from, _diag_indices_from)

def _diagflat(v: Any, k: Any = ...) -> Any: ...

diagflat = _quaxified(_jax.diagflat, _diagflat)

def _diagonal(a: Any, offset: Any = ..., axis1: Any = ..., axis2: Any = ...) -> Any: ...

diagonal = _quaxified(_jax.diagonal, _diagonal)

def _diff(a: Any, n: Any = ..., axis: Any = ..., prepend: Any = ..., append: Any = ...) -> Any: ...

diff = _quaxified(_jax.diff, _diff)

def _digitize(x: Any, bins: Any, right: Any = ..., *, method: Any = ...) -> Any: ...

digitize = _quaxified(_jax.digitize, _digitize)

def _divide(x1: Any, x2: Any, /) -> Any: ...

divide = _quaxified(_jax.divide, _divide)

def _divmod(x1: Any, x2: Any, /) -> Any: ...

divmod = _quaxified(_jax.divmod, _divmod)

def _dot(
    a: Any,
    b: Any,
    *,
    precision: Any = ...,
    preferred_element_type: Any = ...,
    out_sharding: Any = ...,
) -> Any: ...

dot = _quaxified(_jax.dot, _dot)

def _dsplit(ary: Any, indices_or_sections: Any) -> Any: ...

dsplit = _quaxified(_jax.dsplit, _dsplit)

def _dstack(tup: Any, dtype: Any = ...) -> Any: ...

dstack = _quaxified(_jax.dstack, _dstack)

def _ediff1d(ary: Any, to_end: Any = ..., to_begin: Any = ...) -> Any: ...

ediff1d = _quaxified(_jax.ediff1d, _ediff1d)

def _einsum(
    subscripts: Any,
    /,
    *operands: Any,
    out: Any = ...,
    optimize: Any = ...,
    precision: Any = ...,
    preferred_element_type: Any = ...,
    _dot_general: Any = ...,
    out_sharding: Any = ...,
) -> Any: ...

einsum = _quaxified(_jax.einsum, _einsum)

def _einsum_path(subscripts: Any, /, *operands: Any, optimize: Any = ...) -> Any: ...

einsum_path = _quaxified(_jax.einsum_path, _einsum_path)

def _empty(shape: Any, dtype: Any = ..., *, device: Any = ..., out_sharding: Any = ...) -> Any: ...

empty = _quaxified(_jax.empty, _empty)

def _empty_like(
    prototype: Any, dtype: Any = ..., shape: Any = ..., *, device: Any = ...
) -> Any: ...

empty_like = _quaxified(_jax.empty_like, _empty_like)

def _equal(x: Any, y: Any, /) -> Any: ...

equal = _quaxified(_jax.equal, _equal)

def _exp(x: Any, /) -> Any: ...

exp = _quaxified(_jax.exp, _exp)

def _exp2(x: Any, /) -> Any: ...

exp2 = _quaxified(_jax.exp2, _exp2)

def _expand_dims(a: Any, axis: Any) -> Any: ...

expand_dims = _quaxified(_jax.expand_dims, _expand_dims)

def _expm1(x: Any, /) -> Any: ...

expm1 = _quaxified(_jax.expm1, _expm1)

def _extract(condition: Any, arr: Any, *, size: Any = ..., fill_value: Any = ...) -> Any: ...

extract = _quaxified(_jax.extract, _extract)

def _eye(N: Any, M: Any = ..., k: Any = ..., dtype: Any = ..., *, device: Any = ...) -> Any: ...

eye = _quaxified(_jax.eye, _eye)

def _fabs(x: Any, /) -> Any: ...

fabs = _quaxified(_jax.fabs, _fabs)

def _fill_diagonal(a: Any, val: Any, wrap: Any = ..., *, inplace: Any = ...) -> Any: ...

fill_diagonal = _quaxified(_jax.fill_diagonal, _fill_diagonal)

def _flatnonzero(a: Any, *, size: Any = ..., fill_value: Any = ...) -> Any: ...

flatnonzero = _quaxified(_jax.flatnonzero, _flatnonzero)

def _flip(m: Any, axis: Any = ...) -> Any: ...

flip = _quaxified(_jax.flip, _flip)

def _fliplr(m: Any) -> Any: ...

fliplr = _quaxified(_jax.fliplr, _fliplr)

def _flipud(m: Any) -> Any: ...

flipud = _quaxified(_jax.flipud, _flipud)

def _float_power(x: Any, y: Any, /) -> Any: ...

float_power = _quaxified(_jax.float_power, _float_power)

def _floor(x: Any, /) -> Any: ...

floor = _quaxified(_jax.floor, _floor)

def _floor_divide(x1: Any, x2: Any, /) -> Any: ...

floor_divide = _quaxified(_jax.floor_divide, _floor_divide)

def _fmax(x1: Any, x2: Any) -> Any: ...

fmax = _quaxified(_jax.fmax, _fmax)

def _fmin(x1: Any, x2: Any) -> Any: ...

fmin = _quaxified(_jax.fmin, _fmin)

def _fmod(x1: Any, x2: Any, /) -> Any: ...

fmod = _quaxified(_jax.fmod, _fmod)

def _frexp(x: Any, /) -> Any: ...

frexp = _quaxified(_jax.frexp, _frexp)

def _from_dlpack(x: Any, /, *, device: Any = ..., copy: Any = ...) -> Any: ...

from_dlpack = _quaxified(_jax.from_dlpack, _from_dlpack)

def _frombuffer(buffer: Any, dtype: Any = ..., count: Any = ..., offset: Any = ...) -> Any: ...

frombuffer = _quaxified(_jax.frombuffer, _frombuffer)

def _fromfile(*args: Any, **kwargs: Any) -> Any: ...

fromfile = _quaxified(_jax.fromfile, _fromfile)

def _fromfunction(function: Any, shape: Any, *, dtype: Any = ..., **kwargs: Any) -> Any: ...

fromfunction = _quaxified(_jax.fromfunction, _fromfunction)

def _fromiter(*args: Any, **kwargs: Any) -> Any: ...

fromiter = _quaxified(_jax.fromiter, _fromiter)

def _frompyfunc(func: Any, /, nin: Any, nout: Any, *, identity: Any = ...) -> Any: ...

frompyfunc = _quaxified(_jax.frompyfunc, _frompyfunc)

def _fromstring(string: Any, dtype: Any = ..., count: Any = ..., *, sep: Any) -> Any: ...

fromstring = _quaxified(_jax.fromstring, _fromstring)

def _full(shape: Any, fill_value: Any, dtype: Any = ..., *, device: Any = ...) -> Any: ...

full = _quaxified(_jax.full, _full)

def _full_like(
    a: Any, fill_value: Any, dtype: Any = ..., shape: Any = ..., *, device: Any = ...
) -> Any: ...

full_like = _quaxified(_jax.full_like, _full_like)

def _gcd(x1: Any, x2: Any) -> Any: ...

gcd = _quaxified(_jax.gcd, _gcd)

def _geomspace(
    start: Any, stop: Any, num: Any = ..., endpoint: Any = ..., dtype: Any = ..., axis: Any = ...
) -> Any: ...

geomspace = _quaxified(_jax.geomspace, _geomspace)

def _get_printoptions() -> Any: ...

get_printoptions = _quaxified(_jax.get_printoptions, _get_printoptions)

def _gradient(f: Any, *varargs: Any, axis: Any = ..., edge_order: Any = ...) -> Any: ...

gradient = _quaxified(_jax.gradient, _gradient)

def _greater(x: Any, y: Any, /) -> Any: ...

greater = _quaxified(_jax.greater, _greater)

def _greater_equal(x: Any, y: Any, /) -> Any: ...

greater_equal = _quaxified(_jax.greater_equal, _greater_equal)

def _hamming(M: Any) -> Any: ...

hamming = _quaxified(_jax.hamming, _hamming)

def _hanning(M: Any) -> Any: ...

hanning = _quaxified(_jax.hanning, _hanning)

def _heaviside(x1: Any, x2: Any, /) -> Any: ...

heaviside = _quaxified(_jax.heaviside, _heaviside)

def _histogram(
    a: Any, bins: Any = ..., range: Any = ..., weights: Any = ..., density: Any = ...
) -> Any: ...

histogram = _quaxified(_jax.histogram, _histogram)

def _histogram2d(
    x: Any, y: Any, bins: Any = ..., range: Any = ..., weights: Any = ..., density: Any = ...
) -> Any: ...

histogram2d = _quaxified(_jax.histogram2d, _histogram2d)

def _histogram_bin_edges(a: Any, bins: Any = ..., range: Any = ..., weights: Any = ...) -> Any: ...

histogram_bin_edges = _quaxified(_jax.histogram_bin_edges, _histogram_bin_edges)

def _histogramdd(
    sample: Any, bins: Any = ..., range: Any = ..., weights: Any = ..., density: Any = ...
) -> Any: ...

histogramdd = _quaxified(_jax.histogramdd, _histogramdd)

def _hsplit(ary: Any, indices_or_sections: Any) -> Any: ...

hsplit = _quaxified(_jax.hsplit, _hsplit)

def _hstack(tup: Any, dtype: Any = ...) -> Any: ...

hstack = _quaxified(_jax.hstack, _hstack)

def _hypot(x1: Any, x2: Any, /) -> Any: ...

hypot = _quaxified(_jax.hypot, _hypot)

def _i0(x: Any) -> Any: ...

i0 = _quaxified(_jax.i0, _i0)

def _identity(n: Any, dtype: Any = ...) -> Any: ...

identity = _quaxified(_jax.identity, _identity)

def _imag(val: Any, /) -> Any: ...

imag = _quaxified(_jax.imag, _imag)

def _indices(dimensions: Any, dtype: Any = ..., sparse: Any = ...) -> Any: ...

indices = _quaxified(_jax.indices, _indices)

def _inner(a: Any, b: Any, *, precision: Any = ..., preferred_element_type: Any = ...) -> Any: ...

inner = _quaxified(_jax.inner, _inner)

def _insert(arr: Any, obj: Any, values: Any, axis: Any = ...) -> Any: ...

insert = _quaxified(_jax.insert, _insert)

def _interp(
    x: Any, xp: Any, fp: Any, left: Any = ..., right: Any = ..., period: Any = ...
) -> Any: ...

interp = _quaxified(_jax.interp, _interp)

def _intersect1d(
    ar1: Any,
    ar2: Any,
    assume_unique: Any = ...,
    return_indices: Any = ...,
    *,
    size: Any = ...,
    fill_value: Any = ...,
) -> Any: ...

intersect1d = _quaxified(_jax.intersect1d, _intersect1d)

def _invert(x: Any, /) -> Any: ...

invert = _quaxified(_jax.invert, _invert)

def _isclose(a: Any, b: Any, rtol: Any = ..., atol: Any = ..., equal_nan: Any = ...) -> Any: ...

isclose = _quaxified(_jax.isclose, _isclose)

def _iscomplex(x: Any) -> Any: ...

iscomplex = _quaxified(_jax.iscomplex, _iscomplex)

def _iscomplexobj(x: Any) -> Any: ...

iscomplexobj = _quaxified(_jax.iscomplexobj, _iscomplexobj)

def _isdtype(dtype: Any, kind: Any) -> Any: ...

isdtype = _quaxified(_jax.isdtype, _isdtype)

def _isfinite(x: Any, /) -> Any: ...

isfinite = _quaxified(_jax.isfinite, _isfinite)

def _isin(
    element: Any,
    test_elements: Any,
    assume_unique: Any = ...,
    invert: Any = ...,
    *,
    method: Any = ...,
) -> Any: ...

isin = _quaxified(_jax.isin, _isin)

def _isinf(x: Any, /) -> Any: ...

isinf = _quaxified(_jax.isinf, _isinf)

def _isnan(x: Any, /) -> Any: ...

isnan = _quaxified(_jax.isnan, _isnan)

def _isneginf(x: Any, /, out: Any = ...) -> Any: ...

isneginf = _quaxified(_jax.isneginf, _isneginf)

def _isposinf(x: Any, /, out: Any = ...) -> Any: ...

isposinf = _quaxified(_jax.isposinf, _isposinf)

def _isreal(x: Any) -> Any: ...

isreal = _quaxified(_jax.isreal, _isreal)

def _isrealobj(x: Any) -> Any: ...

isrealobj = _quaxified(_jax.isrealobj, _isrealobj)

def _isscalar(element: Any) -> Any: ...

isscalar = _quaxified(_jax.isscalar, _isscalar)

def _issubdtype(arg1: Any, arg2: Any) -> Any: ...

issubdtype = _quaxified(_jax.issubdtype, _issubdtype)

def _iterable(y: Any) -> Any: ...

iterable = _quaxified(_jax.iterable, _iterable)

def _ix_(*args: Any) -> Any: ...

ix_ = _quaxified(_jax.ix_, _ix_)

def _kaiser(M: Any, beta: Any) -> Any: ...

kaiser = _quaxified(_jax.kaiser, _kaiser)

def _kron(a: Any, b: Any) -> Any: ...

kron = _quaxified(_jax.kron, _kron)

def _lcm(x1: Any, x2: Any) -> Any: ...

lcm = _quaxified(_jax.lcm, _lcm)

def _ldexp(x1: Any, x2: Any, /) -> Any: ...

ldexp = _quaxified(_jax.ldexp, _ldexp)

def _left_shift(x: Any, y: Any, /) -> Any: ...

left_shift = _quaxified(_jax.left_shift, _left_shift)

def _less(x: Any, y: Any, /) -> Any: ...

less = _quaxified(_jax.less, _less)

def _less_equal(x: Any, y: Any, /) -> Any: ...

less_equal = _quaxified(_jax.less_equal, _less_equal)

def _lexsort(keys: Any, axis: Any = ...) -> Any: ...

lexsort = _quaxified(_jax.lexsort, _lexsort)

def _linspace(
    start: Any,
    stop: Any,
    num: Any = ...,
    endpoint: Any = ...,
    retstep: Any = ...,
    dtype: Any = ...,
    axis: Any = ...,
    *,
    device: Any = ...,
) -> Any: ...

linspace = _quaxified(_jax.linspace, _linspace)

def _load(file: Any, *args: Any, **kwargs: Any) -> Any: ...

load = _quaxified(_jax.load, _load)

def _log(x: Any, /) -> Any: ...

log = _quaxified(_jax.log, _log)

def _log10(x: Any, /) -> Any: ...

log10 = _quaxified(_jax.log10, _log10)

def _log1p(x: Any, /) -> Any: ...

log1p = _quaxified(_jax.log1p, _log1p)

def _log2(x: Any, /) -> Any: ...

log2 = _quaxified(_jax.log2, _log2)

def _logaddexp(*args: Any, out: Any = ..., where: Any = ...) -> Any: ...

logaddexp = _quaxified(_jax.logaddexp, _logaddexp)

def _logaddexp2(*args: Any, out: Any = ..., where: Any = ...) -> Any: ...

logaddexp2 = _quaxified(_jax.logaddexp2, _logaddexp2)

def _logical_and(*args: Any, out: Any = ..., where: Any = ...) -> Any: ...

logical_and = _quaxified(_jax.logical_and, _logical_and)

def _logical_not(x: Any, /) -> Any: ...

logical_not = _quaxified(_jax.logical_not, _logical_not)

def _logical_or(*args: Any, out: Any = ..., where: Any = ...) -> Any: ...

logical_or = _quaxified(_jax.logical_or, _logical_or)

def _logical_xor(*args: Any, out: Any = ..., where: Any = ...) -> Any: ...

logical_xor = _quaxified(_jax.logical_xor, _logical_xor)

def _logspace(
    start: Any,
    stop: Any,
    num: Any = ...,
    endpoint: Any = ...,
    base: Any = ...,
    dtype: Any = ...,
    axis: Any = ...,
) -> Any: ...

logspace = _quaxified(_jax.logspace, _logspace)

def _mask_indices(n: Any, mask_func: Any, k: Any = ..., *, size: Any = ...) -> Any: ...

mask_indices = _quaxified(_jax.mask_indices, _mask_indices)

def _matmul(
    a: Any,
    b: Any,
    *,
    precision: Any = ...,
    preferred_element_type: Any = ...,
    out_sharding: Any = ...,
) -> Any: ...

matmul = _quaxified(_jax.matmul, _matmul)

def _matrix_transpose(x: Any, /) -> Any: ...

matrix_transpose = _quaxified(_jax.matrix_transpose, _matrix_transpose)

def _matvec(x1: Any, x2: Any, /) -> Any: ...

matvec = _quaxified(_jax.matvec, _matvec)

def _max(
    a: Any,
    axis: Any = ...,
    out: Any = ...,
    keepdims: Any = ...,
    initial: Any = ...,
    where: Any = ...,
) -> Any: ...

max = _quaxified(_jax.max, _max)

def _maximum(*args: Any, out: Any = ..., where: Any = ...) -> Any: ...

maximum = _quaxified(_jax.maximum, _maximum)

def _mean(
    a: Any,
    axis: Any = ...,
    dtype: Any = ...,
    out: Any = ...,
    keepdims: Any = ...,
    *,
    where: Any = ...,
) -> Any: ...

mean = _quaxified(_jax.mean, _mean)

def _median(
    a: Any, axis: Any = ..., out: Any = ..., overwrite_input: Any = ..., keepdims: Any = ...
) -> Any: ...

median = _quaxified(_jax.median, _median)

def _meshgrid(*xi: Any, copy: Any = ..., sparse: Any = ..., indexing: Any = ...) -> Any: ...

meshgrid = _quaxified(_jax.meshgrid, _meshgrid)

def _min(
    a: Any,
    axis: Any = ...,
    out: Any = ...,
    keepdims: Any = ...,
    initial: Any = ...,
    where: Any = ...,
) -> Any: ...

min = _quaxified(_jax.min, _min)

def _minimum(*args: Any, out: Any = ..., where: Any = ...) -> Any: ...

minimum = _quaxified(_jax.minimum, _minimum)

def _mod(x1: Any, x2: Any, /) -> Any: ...

mod = _quaxified(_jax.mod, _mod)

def _modf(x: Any, /, out: Any = ...) -> Any: ...

modf = _quaxified(_jax.modf, _modf)

def _moveaxis(a: Any, source: Any, destination: Any) -> Any: ...

moveaxis = _quaxified(_jax.moveaxis, _moveaxis)

def _multiply(*args: Any, out: Any = ..., where: Any = ...) -> Any: ...

multiply = _quaxified(_jax.multiply, _multiply)

def _nan_to_num(
    x: Any, copy: Any = ..., nan: Any = ..., posinf: Any = ..., neginf: Any = ...
) -> Any: ...

nan_to_num = _quaxified(_jax.nan_to_num, _nan_to_num)

def _nanargmax(a: Any, axis: Any = ..., out: Any = ..., keepdims: Any = ...) -> Any: ...

nanargmax = _quaxified(_jax.nanargmax, _nanargmax)

def _nanargmin(a: Any, axis: Any = ..., out: Any = ..., keepdims: Any = ...) -> Any: ...

nanargmin = _quaxified(_jax.nanargmin, _nanargmin)

def _nancumprod(a: Any, axis: Any = ..., dtype: Any = ..., out: Any = ...) -> Any: ...

nancumprod = _quaxified(_jax.nancumprod, _nancumprod)

def _nancumsum(a: Any, axis: Any = ..., dtype: Any = ..., out: Any = ...) -> Any: ...

nancumsum = _quaxified(_jax.nancumsum, _nancumsum)

def _nanmax(
    a: Any,
    axis: Any = ...,
    out: Any = ...,
    keepdims: Any = ...,
    initial: Any = ...,
    where: Any = ...,
) -> Any: ...

nanmax = _quaxified(_jax.nanmax, _nanmax)

def _nanmean(
    a: Any, axis: Any = ..., dtype: Any = ..., out: Any = ..., keepdims: Any = ..., where: Any = ...
) -> Any: ...

nanmean = _quaxified(_jax.nanmean, _nanmean)

def _nanmedian(
    a: Any, axis: Any = ..., out: Any = ..., overwrite_input: Any = ..., keepdims: Any = ...
) -> Any: ...

nanmedian = _quaxified(_jax.nanmedian, _nanmedian)

def _nanmin(
    a: Any,
    axis: Any = ...,
    out: Any = ...,
    keepdims: Any = ...,
    initial: Any = ...,
    where: Any = ...,
) -> Any: ...

nanmin = _quaxified(_jax.nanmin, _nanmin)

def _nanpercentile(
    a: Any,
    q: Any,
    axis: Any = ...,
    out: Any = ...,
    overwrite_input: Any = ...,
    method: Any = ...,
    keepdims: Any = ...,
    *,
    weights: Any = ...,
) -> Any: ...

nanpercentile = _quaxified(_jax.nanpercentile, _nanpercentile)

def _nanprod(
    a: Any,
    axis: Any = ...,
    dtype: Any = ...,
    out: Any = ...,
    keepdims: Any = ...,
    initial: Any = ...,
    where: Any = ...,
) -> Any: ...

nanprod = _quaxified(_jax.nanprod, _nanprod)

def _nanquantile(
    a: Any,
    q: Any,
    axis: Any = ...,
    out: Any = ...,
    overwrite_input: Any = ...,
    method: Any = ...,
    keepdims: Any = ...,
    *,
    weights: Any = ...,
) -> Any: ...

nanquantile = _quaxified(_jax.nanquantile, _nanquantile)

def _nanstd(
    a: Any,
    axis: Any = ...,
    dtype: Any = ...,
    out: Any = ...,
    ddof: Any = ...,
    keepdims: Any = ...,
    where: Any = ...,
    mean: Any = ...,
) -> Any: ...

nanstd = _quaxified(_jax.nanstd, _nanstd)

def _nansum(
    a: Any,
    axis: Any = ...,
    dtype: Any = ...,
    out: Any = ...,
    keepdims: Any = ...,
    initial: Any = ...,
    where: Any = ...,
) -> Any: ...

nansum = _quaxified(_jax.nansum, _nansum)

def _nanvar(
    a: Any,
    axis: Any = ...,
    dtype: Any = ...,
    out: Any = ...,
    ddof: Any = ...,
    keepdims: Any = ...,
    where: Any = ...,
    mean: Any = ...,
) -> Any: ...

nanvar = _quaxified(_jax.nanvar, _nanvar)

def _ndim(a: Any) -> Any: ...

ndim = _quaxified(_jax.ndim, _ndim)

def _negative(*args: Any, out: Any = ..., where: Any = ...) -> Any: ...

negative = _quaxified(_jax.negative, _negative)

def _nextafter(x: Any, y: Any, /) -> Any: ...

nextafter = _quaxified(_jax.nextafter, _nextafter)

def _nonzero(a: Any, *, size: Any = ..., fill_value: Any = ...) -> Any: ...

nonzero = _quaxified(_jax.nonzero, _nonzero)

def _not_equal(x: Any, y: Any, /) -> Any: ...

not_equal = _quaxified(_jax.not_equal, _not_equal)

def _ones(shape: Any, dtype: Any = ..., *, device: Any = ..., out_sharding: Any = ...) -> Any: ...

ones = _quaxified(_jax.ones, _ones)

def _ones_like(
    a: Any, dtype: Any = ..., shape: Any = ..., *, device: Any = ..., out_sharding: Any = ...
) -> Any: ...

ones_like = _quaxified(_jax.ones_like, _ones_like)

def _outer(a: Any, b: Any, out: Any = ...) -> Any: ...

outer = _quaxified(_jax.outer, _outer)

def _packbits(a: Any, axis: Any = ..., bitorder: Any = ...) -> Any: ...

packbits = _quaxified(_jax.packbits, _packbits)

def _pad(array: Any, pad_width: Any, mode: Any = ..., **kwargs: Any) -> Any: ...

pad = _quaxified(_jax.pad, _pad)

def _partition(a: Any, kth: Any, axis: Any = ...) -> Any: ...

partition = _quaxified(_jax.partition, _partition)

def _percentile(
    a: Any,
    q: Any,
    axis: Any = ...,
    out: Any = ...,
    overwrite_input: Any = ...,
    method: Any = ...,
    keepdims: Any = ...,
    *,
    weights: Any = ...,
) -> Any: ...

percentile = _quaxified(_jax.percentile, _percentile)

def _permute_dims(a: Any, /, axes: Any) -> Any: ...

permute_dims = _quaxified(_jax.permute_dims, _permute_dims)

def _piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any: ...

piecewise = _quaxified(_jax.piecewise, _piecewise)

def _place(arr: Any, mask: Any, vals: Any, *, inplace: Any = ...) -> Any: ...

place = _quaxified(_jax.place, _place)

def _poly(seq_of_zeros: Any) -> Any: ...

poly = _quaxified(_jax.poly, _poly)

def _polyadd(a1: Any, a2: Any) -> Any: ...

polyadd = _quaxified(_jax.polyadd, _polyadd)

def _polyder(p: Any, m: Any = ...) -> Any: ...

polyder = _quaxified(_jax.polyder, _polyder)

def _polydiv(u: Any, v: Any, *, trim_leading_zeros: Any = ...) -> Any: ...

polydiv = _quaxified(_jax.polydiv, _polydiv)

def _polyfit(
    x: Any, y: Any, deg: Any, rcond: Any = ..., full: Any = ..., w: Any = ..., cov: Any = ...
) -> Any: ...

polyfit = _quaxified(_jax.polyfit, _polyfit)

def _polyint(p: Any, m: Any = ..., k: Any = ...) -> Any: ...

polyint = _quaxified(_jax.polyint, _polyint)

def _polymul(a1: Any, a2: Any, *, trim_leading_zeros: Any = ...) -> Any: ...

polymul = _quaxified(_jax.polymul, _polymul)

def _polysub(a1: Any, a2: Any) -> Any: ...

polysub = _quaxified(_jax.polysub, _polysub)

def _polyval(p: Any, x: Any, *, unroll: Any = ...) -> Any: ...

polyval = _quaxified(_jax.polyval, _polyval)

def _positive(x: Any, /) -> Any: ...

positive = _quaxified(_jax.positive, _positive)

def _pow(x1: Any, x2: Any, /) -> Any: ...

pow = _quaxified(_jax.pow, _pow)

def _power(x1: Any, x2: Any, /) -> Any: ...

power = _quaxified(_jax.power, _power)

def _printoptions(*args: Any, **kwargs: Any) -> Any: ...

printoptions = _quaxified(_jax.printoptions, _printoptions)

def _prod(
    a: Any,
    axis: Any = ...,
    dtype: Any = ...,
    out: Any = ...,
    keepdims: Any = ...,
    initial: Any = ...,
    where: Any = ...,
    promote_integers: Any = ...,
) -> Any: ...

prod = _quaxified(_jax.prod, _prod)

def _promote_types(a: Any, b: Any) -> Any: ...

promote_types = _quaxified(_jax.promote_types, _promote_types)

def _ptp(a: Any, axis: Any = ..., out: Any = ..., keepdims: Any = ...) -> Any: ...

ptp = _quaxified(_jax.ptp, _ptp)

def _put(a: Any, ind: Any, v: Any, mode: Any = ..., *, inplace: Any = ...) -> Any: ...

put = _quaxified(_jax.put, _put)

def _put_along_axis(
    arr: Any, indices: Any, values: Any, axis: Any, inplace: Any = ..., *, mode: Any = ...
) -> Any: ...

put_along_axis = _quaxified(_jax.put_along_axis, _put_along_axis)

def _quantile(
    a: Any,
    q: Any,
    axis: Any = ...,
    out: Any = ...,
    overwrite_input: Any = ...,
    method: Any = ...,
    keepdims: Any = ...,
    *,
    weights: Any = ...,
) -> Any: ...

quantile = _quaxified(_jax.quantile, _quantile)

def _rad2deg(x: Any, /) -> Any: ...

rad2deg = _quaxified(_jax.rad2deg, _rad2deg)

def _radians(x: Any, /) -> Any: ...

radians = _quaxified(_jax.radians, _radians)

def _ravel(a: Any, order: Any = ..., *, out_sharding: Any = ...) -> Any: ...

ravel = _quaxified(_jax.ravel, _ravel)

def _ravel_multi_index(
    multi_index: Any, dims: Any, mode: Any = ..., order: Any = ..., *, dtype: Any = ...
) -> Any: ...

ravel_multi_index = _quaxified(_jax.ravel_multi_index, _ravel_multi_index)

def _real(val: Any, /) -> Any: ...

real = _quaxified(_jax.real, _real)

def _reciprocal(x: Any, /) -> Any: ...

reciprocal = _quaxified(_jax.reciprocal, _reciprocal)

def _remainder(x1: Any, x2: Any, /) -> Any: ...

remainder = _quaxified(_jax.remainder, _remainder)

def _repeat(
    a: Any,
    repeats: Any,
    axis: Any = ...,
    *,
    total_repeat_length: Any = ...,
    out_sharding: Any = ...,
) -> Any: ...

repeat = _quaxified(_jax.repeat, _repeat)

def _reshape(
    a: Any, shape: Any, order: Any = ..., *, copy: Any = ..., out_sharding: Any = ...
) -> Any: ...

reshape = _quaxified(_jax.reshape, _reshape)

def _resize(a: Any, new_shape: Any) -> Any: ...

resize = _quaxified(_jax.resize, _resize)

def _result_type(*args: Any) -> Any: ...

result_type = _quaxified(_jax.result_type, _result_type)

def _right_shift(x1: Any, x2: Any, /) -> Any: ...

right_shift = _quaxified(_jax.right_shift, _right_shift)

def _rint(x: Any, /) -> Any: ...

rint = _quaxified(_jax.rint, _rint)

def _roll(a: Any, shift: Any, axis: Any = ...) -> Any: ...

roll = _quaxified(_jax.roll, _roll)

def _rollaxis(a: Any, axis: Any, start: Any = ...) -> Any: ...

rollaxis = _quaxified(_jax.rollaxis, _rollaxis)

def _roots(p: Any, *, strip_zeros: Any = ...) -> Any: ...

roots = _quaxified(_jax.roots, _roots)

def _rot90(m: Any, k: Any = ..., axes: Any = ...) -> Any: ...

rot90 = _quaxified(_jax.rot90, _rot90)

def _round(a: Any, decimals: Any = ..., out: Any = ...) -> Any: ...

round = _quaxified(_jax.round, _round)

def _save(file: Any, arr: Any, allow_pickle: Any = ...) -> Any: ...

save = _quaxified(_jax.save, _save)

def _savez(file: Any, *args: Any, allow_pickle: Any = ..., **kwds: Any) -> Any: ...

savez = _quaxified(_jax.savez, _savez)

def _searchsorted(
    a: Any, v: Any, side: Any = ..., sorter: Any = ..., *, method: Any = ...
) -> Any: ...

searchsorted = _quaxified(_jax.searchsorted, _searchsorted)

def _select(condlist: Any, choicelist: Any, default: Any = ...) -> Any: ...

select = _quaxified(_jax.select, _select)

def _set_printoptions(*args: Any, **kwargs: Any) -> Any: ...

set_printoptions = _quaxified(_jax.set_printoptions, _set_printoptions)

def _setdiff1d(
    ar1: Any, ar2: Any, assume_unique: Any = ..., *, size: Any = ..., fill_value: Any = ...
) -> Any: ...

setdiff1d = _quaxified(_jax.setdiff1d, _setdiff1d)

def _setxor1d(
    ar1: Any, ar2: Any, assume_unique: Any = ..., *, size: Any = ..., fill_value: Any = ...
) -> Any: ...

setxor1d = _quaxified(_jax.setxor1d, _setxor1d)

def _shape(a: Any) -> Any: ...

shape = _quaxified(_jax.shape, _shape)

def _sign(x: Any, /) -> Any: ...

sign = _quaxified(_jax.sign, _sign)

def _signbit(x: Any, /) -> Any: ...

signbit = _quaxified(_jax.signbit, _signbit)

def _sin(x: Any, /) -> Any: ...

sin = _quaxified(_jax.sin, _sin)

def _sinc(x: Any, /) -> Any: ...

sinc = _quaxified(_jax.sinc, _sinc)

def _sinh(x: Any, /) -> Any: ...

sinh = _quaxified(_jax.sinh, _sinh)

def _size(a: Any, axis: Any = ...) -> Any: ...

size = _quaxified(_jax.size, _size)

def _sort(
    a: Any,
    axis: Any = ...,
    *,
    kind: Any = ...,
    order: Any = ...,
    stable: Any = ...,
    descending: Any = ...,
) -> Any: ...

sort = _quaxified(_jax.sort, _sort)

def _sort_complex(a: Any) -> Any: ...

sort_complex = _quaxified(_jax.sort_complex, _sort_complex)

def _spacing(x: Any, /) -> Any: ...

spacing = _quaxified(_jax.spacing, _spacing)

def _split(ary: Any, indices_or_sections: Any, axis: Any = ...) -> Any: ...

split = _quaxified(_jax.split, _split)

def _sqrt(x: Any, /) -> Any: ...

sqrt = _quaxified(_jax.sqrt, _sqrt)

def _square(x: Any, /) -> Any: ...

square = _quaxified(_jax.square, _square)

def _squeeze(a: Any, axis: Any = ...) -> Any: ...

squeeze = _quaxified(_jax.squeeze, _squeeze)

def _stack(arrays: Any, axis: Any = ..., out: Any = ..., dtype: Any = ...) -> Any: ...

stack = _quaxified(_jax.stack, _stack)

def _std(
    a: Any,
    axis: Any = ...,
    dtype: Any = ...,
    out: Any = ...,
    ddof: Any = ...,
    keepdims: Any = ...,
    *,
    where: Any = ...,
    mean: Any = ...,
    correction: Any = ...,
) -> Any: ...

std = _quaxified(_jax.std, _std)

def _subtract(*args: Any, out: Any = ..., where: Any = ...) -> Any: ...

subtract = _quaxified(_jax.subtract, _subtract)

def _sum(
    a: Any,
    axis: Any = ...,
    dtype: Any = ...,
    out: Any = ...,
    keepdims: Any = ...,
    initial: Any = ...,
    where: Any = ...,
    promote_integers: Any = ...,
) -> Any: ...

sum = _quaxified(_jax.sum, _sum)

def _swapaxes(a: Any, axis1: Any, axis2: Any) -> Any: ...

swapaxes = _quaxified(_jax.swapaxes, _swapaxes)

def _take(
    a: Any,
    indices: Any,
    axis: Any = ...,
    out: Any = ...,
    mode: Any = ...,
    unique_indices: Any = ...,
    indices_are_sorted: Any = ...,
    fill_value: Any = ...,
) -> Any: ...

take = _quaxified(_jax.take, _take)

def _take_along_axis(
    arr: Any, indices: Any, axis: Any = ..., mode: Any = ..., fill_value: Any = ...
) -> Any: ...

take_along_axis = _quaxified(_jax.take_along_axis, _take_along_axis)

def _tan(x: Any, /) -> Any: ...

tan = _quaxified(_jax.tan, _tan)

def _tanh(x: Any, /) -> Any: ...

tanh = _quaxified(_jax.tanh, _tanh)

def _tensordot(
    a: Any,
    b: Any,
    axes: Any = ...,
    *,
    precision: Any = ...,
    preferred_element_type: Any = ...,
    out_sharding: Any = ...,
) -> Any: ...

tensordot = _quaxified(_jax.tensordot, _tensordot)

def _tile(A: Any, reps: Any) -> Any: ...

tile = _quaxified(_jax.tile, _tile)

def _trace(
    a: Any, offset: Any = ..., axis1: Any = ..., axis2: Any = ..., dtype: Any = ..., out: Any = ...
) -> Any: ...

trace = _quaxified(_jax.trace, _trace)

def _transpose(a: Any, axes: Any = ...) -> Any: ...

transpose = _quaxified(_jax.transpose, _transpose)

def _trapezoid(y: Any, x: Any = ..., dx: Any = ..., axis: Any = ...) -> Any: ...

trapezoid = _quaxified(_jax.trapezoid, _trapezoid)

def _tri(N: Any, M: Any = ..., k: Any = ..., dtype: Any = ...) -> Any: ...

tri = _quaxified(_jax.tri, _tri)

def _tril(m: Any, k: Any = ...) -> Any: ...

tril = _quaxified(_jax.tril, _tril)

def _tril_indices(n: Any, k: Any = ..., m: Any = ...) -> Any: ...

tril_indices = _quaxified(_jax.tril_indices, _tril_indices)

def _tril_indices_from(arr: Any, k: Any = ...) -> Any: ...

tril_indices_from = _quaxified(_jax.tril_indices_from, _tril_indices_from)

def _trim_zeros(filt: Any, trim: Any = ..., axis: Any = ...) -> Any: ...

trim_zeros = _quaxified(_jax.trim_zeros, _trim_zeros)

def _triu(m: Any, k: Any = ...) -> Any: ...

triu = _quaxified(_jax.triu, _triu)

def _triu_indices(n: Any, k: Any = ..., m: Any = ...) -> Any: ...

triu_indices = _quaxified(_jax.triu_indices, _triu_indices)

def _triu_indices_from(arr: Any, k: Any = ...) -> Any: ...

triu_indices_from = _quaxified(_jax.triu_indices_from, _triu_indices_from)

def _true_divide(x1: Any, x2: Any, /) -> Any: ...

true_divide = _quaxified(_jax.true_divide, _true_divide)

def _trunc(x: Any) -> Any: ...

trunc = _quaxified(_jax.trunc, _trunc)

def _union1d(ar1: Any, ar2: Any, *, size: Any = ..., fill_value: Any = ...) -> Any: ...

union1d = _quaxified(_jax.union1d, _union1d)

def _unique(
    ar: Any,
    return_index: Any = ...,
    return_inverse: Any = ...,
    return_counts: Any = ...,
    axis: Any = ...,
    *,
    equal_nan: Any = ...,
    size: Any = ...,
    fill_value: Any = ...,
    sorted: Any = ...,
) -> Any: ...

unique = _quaxified(_jax.unique, _unique)

def _unique_all(x: Any, /, *, size: Any = ..., fill_value: Any = ...) -> Any: ...

unique_all = _quaxified(_jax.unique_all, _unique_all)

def _unique_counts(x: Any, /, *, size: Any = ..., fill_value: Any = ...) -> Any: ...

unique_counts = _quaxified(_jax.unique_counts, _unique_counts)

def _unique_inverse(x: Any, /, *, size: Any = ..., fill_value: Any = ...) -> Any: ...

unique_inverse = _quaxified(_jax.unique_inverse, _unique_inverse)

def _unique_values(x: Any, /, *, size: Any = ..., fill_value: Any = ...) -> Any: ...

unique_values = _quaxified(_jax.unique_values, _unique_values)

def _unpackbits(a: Any, axis: Any = ..., count: Any = ..., bitorder: Any = ...) -> Any: ...

unpackbits = _quaxified(_jax.unpackbits, _unpackbits)

def _unravel_index(indices: Any, shape: Any) -> Any: ...

unravel_index = _quaxified(_jax.unravel_index, _unravel_index)

def _unstack(x: Any, /, *, axis: Any = ...) -> Any: ...

unstack = _quaxified(_jax.unstack, _unstack)

def _unwrap(p: Any, discont: Any = ..., axis: Any = ..., period: Any = ...) -> Any: ...

unwrap = _quaxified(_jax.unwrap, _unwrap)

def _vander(x: Any, N: Any = ..., increasing: Any = ...) -> Any: ...

vander = _quaxified(_jax.vander, _vander)

def _var(
    a: Any,
    axis: Any = ...,
    dtype: Any = ...,
    out: Any = ...,
    ddof: Any = ...,
    keepdims: Any = ...,
    *,
    where: Any = ...,
    mean: Any = ...,
    correction: Any = ...,
) -> Any: ...

var = _quaxified(_jax.var, _var)

def _vdot(a: Any, b: Any, *, precision: Any = ..., preferred_element_type: Any = ...) -> Any: ...

vdot = _quaxified(_jax.vdot, _vdot)

def _vecdot(
    x1: Any, x2: Any, /, *, axis: Any = ..., precision: Any = ..., preferred_element_type: Any = ...
) -> Any: ...

vecdot = _quaxified(_jax.vecdot, _vecdot)

def _vecmat(x1: Any, x2: Any, /) -> Any: ...

vecmat = _quaxified(_jax.vecmat, _vecmat)

def _vectorize(pyfunc: Any, *, excluded: Any = ..., signature: Any = ...) -> Any: ...

vectorize = _quaxified(_jax.vectorize, _vectorize)

def _vsplit(ary: Any, indices_or_sections: Any) -> Any: ...

vsplit = _quaxified(_jax.vsplit, _vsplit)

def _vstack(tup: Any, dtype: Any = ...) -> Any: ...

vstack = _quaxified(_jax.vstack, _vstack)

def _where(
    condition: Any, x: Any = ..., y: Any = ..., /, *, size: Any = ..., fill_value: Any = ...
) -> Any: ...

where = _quaxified(_jax.where, _where)

def _zeros(shape: Any, dtype: Any = ..., *, device: Any = ..., out_sharding: Any = ...) -> Any: ...

zeros = _quaxified(_jax.zeros, _zeros)

def _zeros_like(
    a: Any, dtype: Any = ..., shape: Any = ..., *, device: Any = ..., out_sharding: Any = ...
) -> Any: ...

zeros_like = _quaxified(_jax.zeros_like, _zeros_like)

def __getattr__(name: str) -> Any: ...
