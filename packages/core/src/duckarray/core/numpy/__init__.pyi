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

abs = _quaxified(_jax.abs)
absolute = _quaxified(_jax.absolute)
acos = _quaxified(_jax.acos)
acosh = _quaxified(_jax.acosh)
add = _quaxified(_jax.add)
all = _quaxified(_jax.all)
allclose = _quaxified(_jax.allclose)
amax = _quaxified(_jax.amax)
amin = _quaxified(_jax.amin)
angle = _quaxified(_jax.angle)
any = _quaxified(_jax.any)
append = _quaxified(_jax.append)
apply_along_axis = _quaxified(_jax.apply_along_axis)
apply_over_axes = _quaxified(_jax.apply_over_axes)
arange = _quaxified(_jax.arange)
arccos = _quaxified(_jax.arccos)
arccosh = _quaxified(_jax.arccosh)
arcsin = _quaxified(_jax.arcsin)
arcsinh = _quaxified(_jax.arcsinh)
arctan = _quaxified(_jax.arctan)
arctan2 = _quaxified(_jax.arctan2)
arctanh = _quaxified(_jax.arctanh)
argmax = _quaxified(_jax.argmax)
argmin = _quaxified(_jax.argmin)
argpartition = _quaxified(_jax.argpartition)
argsort = _quaxified(_jax.argsort)
argwhere = _quaxified(_jax.argwhere)
around = _quaxified(_jax.around)
array = _quaxified(_jax.array)
array_equal = _quaxified(_jax.array_equal)
array_equiv = _quaxified(_jax.array_equiv)
array_repr = _quaxified(_jax.array_repr)
array_split = _quaxified(_jax.array_split)
array_str = _quaxified(_jax.array_str)
asarray = _quaxified(_jax.asarray)
asin = _quaxified(_jax.asin)
asinh = _quaxified(_jax.asinh)
astype = _quaxified(_jax.astype)
atan = _quaxified(_jax.atan)
atan2 = _quaxified(_jax.atan2)
atanh = _quaxified(_jax.atanh)
atleast_1d = _quaxified(_jax.atleast_1d)
atleast_2d = _quaxified(_jax.atleast_2d)
atleast_3d = _quaxified(_jax.atleast_3d)
average = _quaxified(_jax.average)
bartlett = _quaxified(_jax.bartlett)
bincount = _quaxified(_jax.bincount)
bitwise_and = _quaxified(_jax.bitwise_and)
bitwise_count = _quaxified(_jax.bitwise_count)
bitwise_invert = _quaxified(_jax.bitwise_invert)
bitwise_left_shift = _quaxified(_jax.bitwise_left_shift)
bitwise_not = _quaxified(_jax.bitwise_not)
bitwise_or = _quaxified(_jax.bitwise_or)
bitwise_right_shift = _quaxified(_jax.bitwise_right_shift)
bitwise_xor = _quaxified(_jax.bitwise_xor)
blackman = _quaxified(_jax.blackman)
block = _quaxified(_jax.block)
broadcast_arrays = _quaxified(_jax.broadcast_arrays)
broadcast_shapes = _quaxified(_jax.broadcast_shapes)
broadcast_to = _quaxified(_jax.broadcast_to)
can_cast = _quaxified(_jax.can_cast)
cbrt = _quaxified(_jax.cbrt)
ceil = _quaxified(_jax.ceil)
choose = _quaxified(_jax.choose)
clip = _quaxified(_jax.clip)
column_stack = _quaxified(_jax.column_stack)
compress = _quaxified(_jax.compress)
concat = _quaxified(_jax.concat)
concatenate = _quaxified(_jax.concatenate)
conj = _quaxified(_jax.conj)
conjugate = _quaxified(_jax.conjugate)
convolve = _quaxified(_jax.convolve)
copy = _quaxified(_jax.copy)
copysign = _quaxified(_jax.copysign)
corrcoef = _quaxified(_jax.corrcoef)
correlate = _quaxified(_jax.correlate)
cos = _quaxified(_jax.cos)
cosh = _quaxified(_jax.cosh)
count_nonzero = _quaxified(_jax.count_nonzero)
cov = _quaxified(_jax.cov)
cross = _quaxified(_jax.cross)
cumprod = _quaxified(_jax.cumprod)
cumsum = _quaxified(_jax.cumsum)
cumulative_prod = _quaxified(_jax.cumulative_prod)
cumulative_sum = _quaxified(_jax.cumulative_sum)
deg2rad = _quaxified(_jax.deg2rad)
degrees = _quaxified(_jax.degrees)
delete = _quaxified(_jax.delete)
diag = _quaxified(_jax.diag)
diag_indices = _quaxified(_jax.diag_indices)
diag_indices_from = _quaxified(_jax.diag_indices_from)
diagflat = _quaxified(_jax.diagflat)
diagonal = _quaxified(_jax.diagonal)
diff = _quaxified(_jax.diff)
digitize = _quaxified(_jax.digitize)
divide = _quaxified(_jax.divide)
divmod = _quaxified(_jax.divmod)
dot = _quaxified(_jax.dot)
dsplit = _quaxified(_jax.dsplit)
dstack = _quaxified(_jax.dstack)
ediff1d = _quaxified(_jax.ediff1d)
einsum = _quaxified(_jax.einsum)
einsum_path = _quaxified(_jax.einsum_path)
empty = _quaxified(_jax.empty)
empty_like = _quaxified(_jax.empty_like)
equal = _quaxified(_jax.equal)
exp = _quaxified(_jax.exp)
exp2 = _quaxified(_jax.exp2)
expand_dims = _quaxified(_jax.expand_dims)
expm1 = _quaxified(_jax.expm1)
extract = _quaxified(_jax.extract)
eye = _quaxified(_jax.eye)
fabs = _quaxified(_jax.fabs)
fill_diagonal = _quaxified(_jax.fill_diagonal)
flatnonzero = _quaxified(_jax.flatnonzero)
flip = _quaxified(_jax.flip)
fliplr = _quaxified(_jax.fliplr)
flipud = _quaxified(_jax.flipud)
float_power = _quaxified(_jax.float_power)
floor = _quaxified(_jax.floor)
floor_divide = _quaxified(_jax.floor_divide)
fmax = _quaxified(_jax.fmax)
fmin = _quaxified(_jax.fmin)
fmod = _quaxified(_jax.fmod)
frexp = _quaxified(_jax.frexp)
from_dlpack = _quaxified(_jax.from_dlpack)
frombuffer = _quaxified(_jax.frombuffer)
fromfile = _quaxified(_jax.fromfile)
fromfunction = _quaxified(_jax.fromfunction)
fromiter = _quaxified(_jax.fromiter)
frompyfunc = _quaxified(_jax.frompyfunc)
fromstring = _quaxified(_jax.fromstring)
full = _quaxified(_jax.full)
full_like = _quaxified(_jax.full_like)
gcd = _quaxified(_jax.gcd)
geomspace = _quaxified(_jax.geomspace)
get_printoptions = _quaxified(_jax.get_printoptions)
gradient = _quaxified(_jax.gradient)
greater = _quaxified(_jax.greater)
greater_equal = _quaxified(_jax.greater_equal)
hamming = _quaxified(_jax.hamming)
hanning = _quaxified(_jax.hanning)
heaviside = _quaxified(_jax.heaviside)
histogram = _quaxified(_jax.histogram)
histogram2d = _quaxified(_jax.histogram2d)
histogram_bin_edges = _quaxified(_jax.histogram_bin_edges)
histogramdd = _quaxified(_jax.histogramdd)
hsplit = _quaxified(_jax.hsplit)
hstack = _quaxified(_jax.hstack)
hypot = _quaxified(_jax.hypot)
i0 = _quaxified(_jax.i0)
identity = _quaxified(_jax.identity)
imag = _quaxified(_jax.imag)
indices = _quaxified(_jax.indices)
inner = _quaxified(_jax.inner)
insert = _quaxified(_jax.insert)
interp = _quaxified(_jax.interp)
intersect1d = _quaxified(_jax.intersect1d)
invert = _quaxified(_jax.invert)
isclose = _quaxified(_jax.isclose)
iscomplex = _quaxified(_jax.iscomplex)
iscomplexobj = _quaxified(_jax.iscomplexobj)
isdtype = _quaxified(_jax.isdtype)
isfinite = _quaxified(_jax.isfinite)
isin = _quaxified(_jax.isin)
isinf = _quaxified(_jax.isinf)
isnan = _quaxified(_jax.isnan)
isneginf = _quaxified(_jax.isneginf)
isposinf = _quaxified(_jax.isposinf)
isreal = _quaxified(_jax.isreal)
isrealobj = _quaxified(_jax.isrealobj)
isscalar = _quaxified(_jax.isscalar)
issubdtype = _quaxified(_jax.issubdtype)
iterable = _quaxified(_jax.iterable)
ix_ = _quaxified(_jax.ix_)
kaiser = _quaxified(_jax.kaiser)
kron = _quaxified(_jax.kron)
lcm = _quaxified(_jax.lcm)
ldexp = _quaxified(_jax.ldexp)
left_shift = _quaxified(_jax.left_shift)
less = _quaxified(_jax.less)
less_equal = _quaxified(_jax.less_equal)
lexsort = _quaxified(_jax.lexsort)
linspace = _quaxified(_jax.linspace)
load = _quaxified(_jax.load)
log = _quaxified(_jax.log)
log10 = _quaxified(_jax.log10)
log1p = _quaxified(_jax.log1p)
log2 = _quaxified(_jax.log2)
logaddexp = _quaxified(_jax.logaddexp)
logaddexp2 = _quaxified(_jax.logaddexp2)
logical_and = _quaxified(_jax.logical_and)
logical_not = _quaxified(_jax.logical_not)
logical_or = _quaxified(_jax.logical_or)
logical_xor = _quaxified(_jax.logical_xor)
logspace = _quaxified(_jax.logspace)
mask_indices = _quaxified(_jax.mask_indices)
matmul = _quaxified(_jax.matmul)
matrix_transpose = _quaxified(_jax.matrix_transpose)
matvec = _quaxified(_jax.matvec)
max = _quaxified(_jax.max)
maximum = _quaxified(_jax.maximum)
mean = _quaxified(_jax.mean)
median = _quaxified(_jax.median)
meshgrid = _quaxified(_jax.meshgrid)
min = _quaxified(_jax.min)
minimum = _quaxified(_jax.minimum)
mod = _quaxified(_jax.mod)
modf = _quaxified(_jax.modf)
moveaxis = _quaxified(_jax.moveaxis)
multiply = _quaxified(_jax.multiply)
nan_to_num = _quaxified(_jax.nan_to_num)
nanargmax = _quaxified(_jax.nanargmax)
nanargmin = _quaxified(_jax.nanargmin)
nancumprod = _quaxified(_jax.nancumprod)
nancumsum = _quaxified(_jax.nancumsum)
nanmax = _quaxified(_jax.nanmax)
nanmean = _quaxified(_jax.nanmean)
nanmedian = _quaxified(_jax.nanmedian)
nanmin = _quaxified(_jax.nanmin)
nanpercentile = _quaxified(_jax.nanpercentile)
nanprod = _quaxified(_jax.nanprod)
nanquantile = _quaxified(_jax.nanquantile)
nanstd = _quaxified(_jax.nanstd)
nansum = _quaxified(_jax.nansum)
nanvar = _quaxified(_jax.nanvar)
ndim = _quaxified(_jax.ndim)
negative = _quaxified(_jax.negative)
nextafter = _quaxified(_jax.nextafter)
nonzero = _quaxified(_jax.nonzero)
not_equal = _quaxified(_jax.not_equal)
ones = _quaxified(_jax.ones)
ones_like = _quaxified(_jax.ones_like)
outer = _quaxified(_jax.outer)
packbits = _quaxified(_jax.packbits)
pad = _quaxified(_jax.pad)
partition = _quaxified(_jax.partition)
percentile = _quaxified(_jax.percentile)
permute_dims = _quaxified(_jax.permute_dims)
piecewise = _quaxified(_jax.piecewise)
place = _quaxified(_jax.place)
poly = _quaxified(_jax.poly)
polyadd = _quaxified(_jax.polyadd)
polyder = _quaxified(_jax.polyder)
polydiv = _quaxified(_jax.polydiv)
polyfit = _quaxified(_jax.polyfit)
polyint = _quaxified(_jax.polyint)
polymul = _quaxified(_jax.polymul)
polysub = _quaxified(_jax.polysub)
polyval = _quaxified(_jax.polyval)
positive = _quaxified(_jax.positive)
pow = _quaxified(_jax.pow)
power = _quaxified(_jax.power)
printoptions = _quaxified(_jax.printoptions)
prod = _quaxified(_jax.prod)
promote_types = _quaxified(_jax.promote_types)
ptp = _quaxified(_jax.ptp)
put = _quaxified(_jax.put)
put_along_axis = _quaxified(_jax.put_along_axis)
quantile = _quaxified(_jax.quantile)
rad2deg = _quaxified(_jax.rad2deg)
radians = _quaxified(_jax.radians)
ravel = _quaxified(_jax.ravel)
ravel_multi_index = _quaxified(_jax.ravel_multi_index)
real = _quaxified(_jax.real)
reciprocal = _quaxified(_jax.reciprocal)
remainder = _quaxified(_jax.remainder)
repeat = _quaxified(_jax.repeat)
reshape = _quaxified(_jax.reshape)
resize = _quaxified(_jax.resize)
result_type = _quaxified(_jax.result_type)
right_shift = _quaxified(_jax.right_shift)
rint = _quaxified(_jax.rint)
roll = _quaxified(_jax.roll)
rollaxis = _quaxified(_jax.rollaxis)
roots = _quaxified(_jax.roots)
rot90 = _quaxified(_jax.rot90)
round = _quaxified(_jax.round)
save = _quaxified(_jax.save)
savez = _quaxified(_jax.savez)
searchsorted = _quaxified(_jax.searchsorted)
select = _quaxified(_jax.select)
set_printoptions = _quaxified(_jax.set_printoptions)
setdiff1d = _quaxified(_jax.setdiff1d)
setxor1d = _quaxified(_jax.setxor1d)
shape = _quaxified(_jax.shape)
sign = _quaxified(_jax.sign)
signbit = _quaxified(_jax.signbit)
sin = _quaxified(_jax.sin)
sinc = _quaxified(_jax.sinc)
sinh = _quaxified(_jax.sinh)
size = _quaxified(_jax.size)
sort = _quaxified(_jax.sort)
sort_complex = _quaxified(_jax.sort_complex)
spacing = _quaxified(_jax.spacing)
split = _quaxified(_jax.split)
sqrt = _quaxified(_jax.sqrt)
square = _quaxified(_jax.square)
squeeze = _quaxified(_jax.squeeze)
stack = _quaxified(_jax.stack)
std = _quaxified(_jax.std)
subtract = _quaxified(_jax.subtract)
sum = _quaxified(_jax.sum)
swapaxes = _quaxified(_jax.swapaxes)
take = _quaxified(_jax.take)
take_along_axis = _quaxified(_jax.take_along_axis)
tan = _quaxified(_jax.tan)
tanh = _quaxified(_jax.tanh)
tensordot = _quaxified(_jax.tensordot)
tile = _quaxified(_jax.tile)
trace = _quaxified(_jax.trace)
transpose = _quaxified(_jax.transpose)
trapezoid = _quaxified(_jax.trapezoid)
tri = _quaxified(_jax.tri)
tril = _quaxified(_jax.tril)
tril_indices = _quaxified(_jax.tril_indices)
tril_indices_from = _quaxified(_jax.tril_indices_from)
trim_zeros = _quaxified(_jax.trim_zeros)
triu = _quaxified(_jax.triu)
triu_indices = _quaxified(_jax.triu_indices)
triu_indices_from = _quaxified(_jax.triu_indices_from)
true_divide = _quaxified(_jax.true_divide)
trunc = _quaxified(_jax.trunc)
union1d = _quaxified(_jax.union1d)
unique = _quaxified(_jax.unique)
unique_all = _quaxified(_jax.unique_all)
unique_counts = _quaxified(_jax.unique_counts)
unique_inverse = _quaxified(_jax.unique_inverse)
unique_values = _quaxified(_jax.unique_values)
unpackbits = _quaxified(_jax.unpackbits)
unravel_index = _quaxified(_jax.unravel_index)
unstack = _quaxified(_jax.unstack)
unwrap = _quaxified(_jax.unwrap)
vander = _quaxified(_jax.vander)
var = _quaxified(_jax.var)
vdot = _quaxified(_jax.vdot)
vecdot = _quaxified(_jax.vecdot)
vecmat = _quaxified(_jax.vecmat)
vectorize = _quaxified(_jax.vectorize)
vsplit = _quaxified(_jax.vsplit)
vstack = _quaxified(_jax.vstack)
where = _quaxified(_jax.where)
zeros = _quaxified(_jax.zeros)
zeros_like = _quaxified(_jax.zeros_like)

def __getattr__(name: str) -> Any: ...
