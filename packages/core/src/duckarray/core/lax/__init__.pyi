# `duckarray.core.lax`, made by `tools/make_stubs.py`: do not edit.
from typing import Any

from jax import lax as _jax
from jax.lax import (
    AccuracyMode as AccuracyMode,
)
from jax.lax import (
    ConvDimensionNumbers as ConvDimensionNumbers,
)
from jax.lax import (
    ConvGeneralDilatedDimensionNumbers as ConvGeneralDilatedDimensionNumbers,
)
from jax.lax import (
    DotAlgorithm as DotAlgorithm,
)
from jax.lax import (
    DotAlgorithmPreset as DotAlgorithmPreset,
)
from jax.lax import (
    DotDimensionNumbers as DotDimensionNumbers,
)
from jax.lax import (
    FftType as FftType,
)
from jax.lax import (
    GatherDimensionNumbers as GatherDimensionNumbers,
)
from jax.lax import (
    GatherScatterMode as GatherScatterMode,
)
from jax.lax import (
    Precision as Precision,
)
from jax.lax import (
    PrecisionLike as PrecisionLike,
)
from jax.lax import (
    RaggedDotDimensionNumbers as RaggedDotDimensionNumbers,
)
from jax.lax import (
    RandomAlgorithm as RandomAlgorithm,
)
from jax.lax import (
    RoundingMethod as RoundingMethod,
)
from jax.lax import (
    ScatterDimensionNumbers as ScatterDimensionNumbers,
)
from jax.lax import (
    Tolerance as Tolerance,
)
from jax.lax import (
    abs_p as abs_p,
)
from jax.lax import (
    acos_p as acos_p,
)
from jax.lax import (
    acosh_p as acosh_p,
)
from jax.lax import (
    add_p as add_p,
)
from jax.lax import (
    after_all_p as after_all_p,
)
from jax.lax import (
    all_gather_p as all_gather_p,
)
from jax.lax import (
    all_to_all_p as all_to_all_p,
)
from jax.lax import (
    and_p as and_p,
)
from jax.lax import (
    approx_top_k_p as approx_top_k_p,
)
from jax.lax import (
    argmax_p as argmax_p,
)
from jax.lax import (
    argmin_p as argmin_p,
)
from jax.lax import (
    asin_p as asin_p,
)
from jax.lax import (
    asinh_p as asinh_p,
)
from jax.lax import (
    atan2_p as atan2_p,
)
from jax.lax import (
    atan_p as atan_p,
)
from jax.lax import (
    atanh_p as atanh_p,
)
from jax.lax import (
    axis_index_p as axis_index_p,
)
from jax.lax import (
    bessel_i0e_p as bessel_i0e_p,
)
from jax.lax import (
    bessel_i1e_p as bessel_i1e_p,
)
from jax.lax import (
    bitcast_convert_type_p as bitcast_convert_type_p,
)
from jax.lax import (
    broadcast_in_dim_p as broadcast_in_dim_p,
)
from jax.lax import (
    cbrt_p as cbrt_p,
)
from jax.lax import (
    ceil_p as ceil_p,
)
from jax.lax import (
    clamp_p as clamp_p,
)
from jax.lax import (
    clz_p as clz_p,
)
from jax.lax import (
    complex_p as complex_p,
)
from jax.lax import (
    concatenate_p as concatenate_p,
)
from jax.lax import (
    cond_p as cond_p,
)
from jax.lax import (
    conj_p as conj_p,
)
from jax.lax import (
    conv_general_dilated_p as conv_general_dilated_p,
)
from jax.lax import (
    convert_element_type_p as convert_element_type_p,
)
from jax.lax import (
    copy_p as copy_p,
)
from jax.lax import (
    cos_p as cos_p,
)
from jax.lax import (
    cosh_p as cosh_p,
)
from jax.lax import (
    create_token_p as create_token_p,
)
from jax.lax import (
    cumlogsumexp_p as cumlogsumexp_p,
)
from jax.lax import (
    cummax_p as cummax_p,
)
from jax.lax import (
    cummin_p as cummin_p,
)
from jax.lax import (
    cumprod_p as cumprod_p,
)
from jax.lax import (
    cumsum_p as cumsum_p,
)
from jax.lax import (
    device_put_p as device_put_p,
)
from jax.lax import (
    digamma_p as digamma_p,
)
from jax.lax import (
    div_p as div_p,
)
from jax.lax import (
    dot_general_p as dot_general_p,
)
from jax.lax import (
    dynamic_slice_p as dynamic_slice_p,
)
from jax.lax import (
    dynamic_update_slice_p as dynamic_update_slice_p,
)
from jax.lax import (
    eq_p as eq_p,
)
from jax.lax import (
    eq_to_p as eq_to_p,
)
from jax.lax import (
    erf_inv_p as erf_inv_p,
)
from jax.lax import (
    erf_p as erf_p,
)
from jax.lax import (
    erfc_p as erfc_p,
)
from jax.lax import (
    exp2_p as exp2_p,
)
from jax.lax import (
    exp_p as exp_p,
)
from jax.lax import (
    expm1_p as expm1_p,
)
from jax.lax import (
    fft_p as fft_p,
)
from jax.lax import (
    floor_p as floor_p,
)
from jax.lax import (
    gather_p as gather_p,
)
from jax.lax import (
    ge_p as ge_p,
)
from jax.lax import (
    gt_p as gt_p,
)
from jax.lax import (
    igamma_grad_a_p as igamma_grad_a_p,
)
from jax.lax import (
    igamma_p as igamma_p,
)
from jax.lax import (
    igammac_p as igammac_p,
)
from jax.lax import (
    imag_p as imag_p,
)
from jax.lax import (
    integer_pow_p as integer_pow_p,
)
from jax.lax import (
    iota_p as iota_p,
)
from jax.lax import (
    is_finite_p as is_finite_p,
)
from jax.lax import (
    le_p as le_p,
)
from jax.lax import (
    le_to_p as le_to_p,
)
from jax.lax import (
    lgamma_p as lgamma_p,
)
from jax.lax import (
    linear_solve_p as linear_solve_p,
)
from jax.lax import (
    log1p_p as log1p_p,
)
from jax.lax import (
    log_p as log_p,
)
from jax.lax import (
    logistic_p as logistic_p,
)
from jax.lax import (
    lt_p as lt_p,
)
from jax.lax import (
    lt_to_p as lt_to_p,
)
from jax.lax import (
    max_p as max_p,
)
from jax.lax import (
    min_p as min_p,
)
from jax.lax import (
    mul_p as mul_p,
)
from jax.lax import (
    mulhi_p as mulhi_p,
)
from jax.lax import (
    ne_p as ne_p,
)
from jax.lax import (
    neg_p as neg_p,
)
from jax.lax import (
    nextafter_p as nextafter_p,
)
from jax.lax import (
    not_p as not_p,
)
from jax.lax import (
    optimization_barrier_p as optimization_barrier_p,
)
from jax.lax import (
    or_p as or_p,
)
from jax.lax import (
    pad_p as pad_p,
)
from jax.lax import (
    pmax_p as pmax_p,
)
from jax.lax import (
    pmin_p as pmin_p,
)
from jax.lax import (
    polygamma_p as polygamma_p,
)
from jax.lax import (
    population_count_p as population_count_p,
)
from jax.lax import (
    pow_p as pow_p,
)
from jax.lax import (
    ppermute_p as ppermute_p,
)
from jax.lax import (
    psum_p as psum_p,
)
from jax.lax import (
    ragged_all_to_all_p as ragged_all_to_all_p,
)
from jax.lax import (
    real_p as real_p,
)
from jax.lax import (
    reduce_and_p as reduce_and_p,
)
from jax.lax import (
    reduce_max_p as reduce_max_p,
)
from jax.lax import (
    reduce_min_p as reduce_min_p,
)
from jax.lax import (
    reduce_or_p as reduce_or_p,
)
from jax.lax import (
    reduce_p as reduce_p,
)
from jax.lax import (
    reduce_precision_p as reduce_precision_p,
)
from jax.lax import (
    reduce_prod_p as reduce_prod_p,
)
from jax.lax import (
    reduce_sum_p as reduce_sum_p,
)
from jax.lax import (
    reduce_window_max_p as reduce_window_max_p,
)
from jax.lax import (
    reduce_window_min_p as reduce_window_min_p,
)
from jax.lax import (
    reduce_window_p as reduce_window_p,
)
from jax.lax import (
    reduce_window_sum_p as reduce_window_sum_p,
)
from jax.lax import (
    reduce_xor_p as reduce_xor_p,
)
from jax.lax import (
    regularized_incomplete_beta_p as regularized_incomplete_beta_p,
)
from jax.lax import (
    rem_p as rem_p,
)
from jax.lax import (
    reshape_p as reshape_p,
)
from jax.lax import (
    rev_p as rev_p,
)
from jax.lax import (
    rng_bit_generator_p as rng_bit_generator_p,
)
from jax.lax import (
    rng_uniform_p as rng_uniform_p,
)
from jax.lax import (
    round_p as round_p,
)
from jax.lax import (
    rsqrt_p as rsqrt_p,
)
from jax.lax import (
    scan_p as scan_p,
)
from jax.lax import (
    scatter_add_p as scatter_add_p,
)
from jax.lax import (
    scatter_max_p as scatter_max_p,
)
from jax.lax import (
    scatter_min_p as scatter_min_p,
)
from jax.lax import (
    scatter_mul_p as scatter_mul_p,
)
from jax.lax import (
    scatter_p as scatter_p,
)
from jax.lax import (
    scatter_sub_p as scatter_sub_p,
)
from jax.lax import (
    select_and_gather_add_p as select_and_gather_add_p,
)
from jax.lax import (
    select_and_scatter_add_p as select_and_scatter_add_p,
)
from jax.lax import (
    select_and_scatter_p as select_and_scatter_p,
)
from jax.lax import (
    select_n_p as select_n_p,
)
from jax.lax import (
    sharding_constraint_p as sharding_constraint_p,
)
from jax.lax import (
    shift_left_p as shift_left_p,
)
from jax.lax import (
    shift_right_arithmetic_p as shift_right_arithmetic_p,
)
from jax.lax import (
    shift_right_logical_p as shift_right_logical_p,
)
from jax.lax import (
    sign_p as sign_p,
)
from jax.lax import (
    sin_p as sin_p,
)
from jax.lax import (
    sinh_p as sinh_p,
)
from jax.lax import (
    slice_p as slice_p,
)
from jax.lax import (
    sort_p as sort_p,
)
from jax.lax import (
    split_p as split_p,
)
from jax.lax import (
    sqrt_p as sqrt_p,
)
from jax.lax import (
    square_p as square_p,
)
from jax.lax import (
    squeeze_p as squeeze_p,
)
from jax.lax import (
    stack_p as stack_p,
)
from jax.lax import (
    stage_p as stage_p,
)
from jax.lax import (
    stop_gradient_p as stop_gradient_p,
)
from jax.lax import (
    sub_p as sub_p,
)
from jax.lax import (
    tan_p as tan_p,
)
from jax.lax import (
    tanh_p as tanh_p,
)
from jax.lax import (
    tile_p as tile_p,
)
from jax.lax import (
    top_k_p as top_k_p,
)
from jax.lax import (
    transpose_p as transpose_p,
)
from jax.lax import (
    unstack_p as unstack_p,
)
from jax.lax import (
    while_p as while_p,
)
from jax.lax import (
    xor_p as xor_p,
)
from jax.lax import (
    zeta_p as zeta_p,
)

from duckarray.core._signatures import quaxified as _quaxified

from . import linalg as linalg

abs = _quaxified(_jax.abs)
acos = _quaxified(_jax.acos)
acosh = _quaxified(_jax.acosh)
add = _quaxified(_jax.add)
after_all = _quaxified(_jax.after_all)
all_gather = _quaxified(_jax.all_gather)
all_to_all = _quaxified(_jax.all_to_all)
approx_max_k = _quaxified(_jax.approx_max_k)
approx_min_k = _quaxified(_jax.approx_min_k)
argmax = _quaxified(_jax.argmax)
argmin = _quaxified(_jax.argmin)
asin = _quaxified(_jax.asin)
asinh = _quaxified(_jax.asinh)
associative_scan = _quaxified(_jax.associative_scan)
atan = _quaxified(_jax.atan)
atan2 = _quaxified(_jax.atan2)
atanh = _quaxified(_jax.atanh)
axis_index = _quaxified(_jax.axis_index)
axis_size = _quaxified(_jax.axis_size)
batch_matmul = _quaxified(_jax.batch_matmul)
bessel_i0e = _quaxified(_jax.bessel_i0e)
bessel_i1e = _quaxified(_jax.bessel_i1e)
betainc = _quaxified(_jax.betainc)
bitcast_convert_type = _quaxified(_jax.bitcast_convert_type)
bitwise_and = _quaxified(_jax.bitwise_and)
bitwise_not = _quaxified(_jax.bitwise_not)
bitwise_or = _quaxified(_jax.bitwise_or)
bitwise_xor = _quaxified(_jax.bitwise_xor)
broadcast = _quaxified(_jax.broadcast)
broadcast_in_dim = _quaxified(_jax.broadcast_in_dim)
broadcast_like = _quaxified(_jax.broadcast_like)
broadcast_shapes = _quaxified(_jax.broadcast_shapes)
broadcast_to_rank = _quaxified(_jax.broadcast_to_rank)
broadcasted_iota = _quaxified(_jax.broadcasted_iota)
cbrt = _quaxified(_jax.cbrt)
ceil = _quaxified(_jax.ceil)
clamp = _quaxified(_jax.clamp)
clz = _quaxified(_jax.clz)
collapse = _quaxified(_jax.collapse)
complex = _quaxified(_jax.complex)
composite = _quaxified(_jax.composite)
concatenate = _quaxified(_jax.concatenate)
cond = _quaxified(_jax.cond)
conj = _quaxified(_jax.conj)
conv = _quaxified(_jax.conv)
conv_dimension_numbers = _quaxified(_jax.conv_dimension_numbers)
conv_general_dilated = _quaxified(_jax.conv_general_dilated)
conv_general_dilated_local = _quaxified(_jax.conv_general_dilated_local)
conv_general_dilated_patches = _quaxified(_jax.conv_general_dilated_patches)
conv_general_permutations = _quaxified(_jax.conv_general_permutations)
conv_general_shape_tuple = _quaxified(_jax.conv_general_shape_tuple)
conv_shape_tuple = _quaxified(_jax.conv_shape_tuple)
conv_transpose = _quaxified(_jax.conv_transpose)
conv_transpose_shape_tuple = _quaxified(_jax.conv_transpose_shape_tuple)
conv_with_general_padding = _quaxified(_jax.conv_with_general_padding)
convert_element_type = _quaxified(_jax.convert_element_type)
cos = _quaxified(_jax.cos)
cosh = _quaxified(_jax.cosh)
create_token = _quaxified(_jax.create_token)
cumlogsumexp = _quaxified(_jax.cumlogsumexp)
cummax = _quaxified(_jax.cummax)
cummin = _quaxified(_jax.cummin)
cumprod = _quaxified(_jax.cumprod)
cumsum = _quaxified(_jax.cumsum)
custom_linear_solve = _quaxified(_jax.custom_linear_solve)
custom_root = _quaxified(_jax.custom_root)
dce_sink = _quaxified(_jax.dce_sink)
digamma = _quaxified(_jax.digamma)
div = _quaxified(_jax.div)
dot = _quaxified(_jax.dot)
dot_general = _quaxified(_jax.dot_general)
dtype = _quaxified(_jax.dtype)
dynamic_index_in_dim = _quaxified(_jax.dynamic_index_in_dim)
dynamic_slice = _quaxified(_jax.dynamic_slice)
dynamic_slice_in_dim = _quaxified(_jax.dynamic_slice_in_dim)
dynamic_update_index_in_dim = _quaxified(_jax.dynamic_update_index_in_dim)
dynamic_update_slice = _quaxified(_jax.dynamic_update_slice)
dynamic_update_slice_in_dim = _quaxified(_jax.dynamic_update_slice_in_dim)
empty = _quaxified(_jax.empty)
eq = _quaxified(_jax.eq)
erf = _quaxified(_jax.erf)
erf_inv = _quaxified(_jax.erf_inv)
erfc = _quaxified(_jax.erfc)
exp = _quaxified(_jax.exp)
exp2 = _quaxified(_jax.exp2)
expand_dims = _quaxified(_jax.expand_dims)
expm1 = _quaxified(_jax.expm1)
fft = _quaxified(_jax.fft)
floor = _quaxified(_jax.floor)
fori_loop = _quaxified(_jax.fori_loop)
full = _quaxified(_jax.full)
full_like = _quaxified(_jax.full_like)
gather = _quaxified(_jax.gather)
ge = _quaxified(_jax.ge)
gt = _quaxified(_jax.gt)
igamma = _quaxified(_jax.igamma)
igamma_grad_a = _quaxified(_jax.igamma_grad_a)
igammac = _quaxified(_jax.igammac)
imag = _quaxified(_jax.imag)
index_in_dim = _quaxified(_jax.index_in_dim)
index_take = _quaxified(_jax.index_take)
integer_pow = _quaxified(_jax.integer_pow)
iota = _quaxified(_jax.iota)
is_finite = _quaxified(_jax.is_finite)
le = _quaxified(_jax.le)
lgamma = _quaxified(_jax.lgamma)
log = _quaxified(_jax.log)
log1p = _quaxified(_jax.log1p)
logistic = _quaxified(_jax.logistic)
lt = _quaxified(_jax.lt)
map = _quaxified(_jax.map)
max = _quaxified(_jax.max)
min = _quaxified(_jax.min)
mul = _quaxified(_jax.mul)
mulhi = _quaxified(_jax.mulhi)
ne = _quaxified(_jax.ne)
neg = _quaxified(_jax.neg)
nextafter = _quaxified(_jax.nextafter)
optimization_barrier = _quaxified(_jax.optimization_barrier)
pad = _quaxified(_jax.pad)
padtype_to_pads = _quaxified(_jax.padtype_to_pads)
pbroadcast = _quaxified(_jax.pbroadcast)
pcast = _quaxified(_jax.pcast)
platform_dependent = _quaxified(_jax.platform_dependent)
pmax = _quaxified(_jax.pmax)
pmean = _quaxified(_jax.pmean)
pmin = _quaxified(_jax.pmin)
polygamma = _quaxified(_jax.polygamma)
population_count = _quaxified(_jax.population_count)
pow = _quaxified(_jax.pow)
ppermute = _quaxified(_jax.ppermute)
pshuffle = _quaxified(_jax.pshuffle)
psum = _quaxified(_jax.psum)
psum_scatter = _quaxified(_jax.psum_scatter)
pswapaxes = _quaxified(_jax.pswapaxes)
ragged_all_to_all = _quaxified(_jax.ragged_all_to_all)
ragged_dot = _quaxified(_jax.ragged_dot)
ragged_dot_general = _quaxified(_jax.ragged_dot_general)
random_gamma_grad = _quaxified(_jax.random_gamma_grad)
real = _quaxified(_jax.real)
reciprocal = _quaxified(_jax.reciprocal)
reduce = _quaxified(_jax.reduce)
reduce_and = _quaxified(_jax.reduce_and)
reduce_max = _quaxified(_jax.reduce_max)
reduce_min = _quaxified(_jax.reduce_min)
reduce_or = _quaxified(_jax.reduce_or)
reduce_precision = _quaxified(_jax.reduce_precision)
reduce_prod = _quaxified(_jax.reduce_prod)
reduce_sum = _quaxified(_jax.reduce_sum)
reduce_window = _quaxified(_jax.reduce_window)
reduce_window_shape_tuple = _quaxified(_jax.reduce_window_shape_tuple)
reduce_xor = _quaxified(_jax.reduce_xor)
rem = _quaxified(_jax.rem)
reshape = _quaxified(_jax.reshape)
rev = _quaxified(_jax.rev)
rng_bit_generator = _quaxified(_jax.rng_bit_generator)
rng_uniform = _quaxified(_jax.rng_uniform)
round = _quaxified(_jax.round)
rsqrt = _quaxified(_jax.rsqrt)
scaled_dot = _quaxified(_jax.scaled_dot)
scan = _quaxified(_jax.scan)
scatter = _quaxified(_jax.scatter)
scatter_add = _quaxified(_jax.scatter_add)
scatter_apply = _quaxified(_jax.scatter_apply)
scatter_max = _quaxified(_jax.scatter_max)
scatter_min = _quaxified(_jax.scatter_min)
scatter_mul = _quaxified(_jax.scatter_mul)
scatter_sub = _quaxified(_jax.scatter_sub)
select = _quaxified(_jax.select)
select_n = _quaxified(_jax.select_n)
shape_as_value = _quaxified(_jax.shape_as_value)
shift_left = _quaxified(_jax.shift_left)
shift_right_arithmetic = _quaxified(_jax.shift_right_arithmetic)
shift_right_logical = _quaxified(_jax.shift_right_logical)
sign = _quaxified(_jax.sign)
sin = _quaxified(_jax.sin)
sinh = _quaxified(_jax.sinh)
slice = _quaxified(_jax.slice)
slice_in_dim = _quaxified(_jax.slice_in_dim)
sort = _quaxified(_jax.sort)
sort_key_val = _quaxified(_jax.sort_key_val)
split = _quaxified(_jax.split)
sqrt = _quaxified(_jax.sqrt)
square = _quaxified(_jax.square)
squeeze = _quaxified(_jax.squeeze)
stack = _quaxified(_jax.stack)
stage = _quaxified(_jax.stage)
stop_gradient = _quaxified(_jax.stop_gradient)
sub = _quaxified(_jax.sub)
switch = _quaxified(_jax.switch)
tan = _quaxified(_jax.tan)
tanh = _quaxified(_jax.tanh)
tile = _quaxified(_jax.tile)
top_k = _quaxified(_jax.top_k)
transpose = _quaxified(_jax.transpose)
unstack = _quaxified(_jax.unstack)
while_loop = _quaxified(_jax.while_loop)
with_sharding_constraint = _quaxified(_jax.with_sharding_constraint)
zeta = _quaxified(_jax.zeta)

def __getattr__(name: str) -> Any: ...
