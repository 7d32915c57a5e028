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

def _abs(x: Any) -> Any: ...

abs = _quaxified(_jax.abs, _abs)

def _acos(x: Any) -> Any: ...

acos = _quaxified(_jax.acos, _acos)

def _acosh(x: Any) -> Any: ...

acosh = _quaxified(_jax.acosh, _acosh)

def _add(x: Any, y: Any) -> Any: ...

add = _quaxified(_jax.add, _add)

def _after_all(*operands: Any) -> Any: ...

after_all = _quaxified(_jax.after_all, _after_all)

def _all_gather(
    x: Any,
    axis_name: Any,
    *,
    axis_index_groups: Any = ...,
    axis: Any = ...,
    tiled: Any = ...,
    to: Any = ...,
) -> Any: ...

all_gather = _quaxified(_jax.all_gather, _all_gather)

def _all_to_all(
    x: Any,
    axis_name: Any,
    split_axis: Any,
    concat_axis: Any,
    *,
    axis_index_groups: Any = ...,
    tiled: Any = ...,
) -> Any: ...

all_to_all = _quaxified(_jax.all_to_all, _all_to_all)

def _approx_max_k(
    operand: Any,
    k: Any,
    reduction_dimension: Any = ...,
    recall_target: Any = ...,
    reduction_input_size_override: Any = ...,
    aggregate_to_topk: Any = ...,
) -> Any: ...

approx_max_k = _quaxified(_jax.approx_max_k, _approx_max_k)

def _approx_min_k(
    operand: Any,
    k: Any,
    reduction_dimension: Any = ...,
    recall_target: Any = ...,
    reduction_input_size_override: Any = ...,
    aggregate_to_topk: Any = ...,
) -> Any: ...

approx_min_k = _quaxified(_jax.approx_min_k, _approx_min_k)

def _argmax(operand: Any, axis: Any, index_dtype: Any) -> Any: ...

argmax = _quaxified(_jax.argmax, _argmax)

def _argmin(operand: Any, axis: Any, index_dtype: Any) -> Any: ...

argmin = _quaxified(_jax.argmin, _argmin)

def _asin(x: Any) -> Any: ...

asin = _quaxified(_jax.asin, _asin)

def _asinh(x: Any) -> Any: ...

asinh = _quaxified(_jax.asinh, _asinh)

def _associative_scan(fn: Any, elems: Any, reverse: Any = ..., axis: Any = ...) -> Any: ...

associative_scan = _quaxified(_jax.associative_scan, _associative_scan)

def _atan(x: Any) -> Any: ...

atan = _quaxified(_jax.atan, _atan)

def _atan2(x: Any, y: Any) -> Any: ...

atan2 = _quaxified(_jax.atan2, _atan2)

def _atanh(x: Any) -> Any: ...

atanh = _quaxified(_jax.atanh, _atanh)

def _axis_index(axis_name: Any) -> Any: ...

axis_index = _quaxified(_jax.axis_index, _axis_index)

def _axis_size(axis_name: Any) -> Any: ...

axis_size = _quaxified(_jax.axis_size, _axis_size)

def _batch_matmul(lhs: Any, rhs: Any, precision: Any = ...) -> Any: ...

batch_matmul = _quaxified(_jax.batch_matmul, _batch_matmul)

def _bessel_i0e(x: Any) -> Any: ...

bessel_i0e = _quaxified(_jax.bessel_i0e, _bessel_i0e)

def _bessel_i1e(x: Any) -> Any: ...

bessel_i1e = _quaxified(_jax.bessel_i1e, _bessel_i1e)

def _betainc(a: Any, b: Any, x: Any) -> Any: ...

betainc = _quaxified(_jax.betainc, _betainc)

def _bitcast_convert_type(operand: Any, new_dtype: Any) -> Any: ...

bitcast_convert_type = _quaxified(_jax.bitcast_convert_type, _bitcast_convert_type)

def _bitwise_and(x: Any, y: Any) -> Any: ...

bitwise_and = _quaxified(_jax.bitwise_and, _bitwise_and)

def _bitwise_not(x: Any) -> Any: ...

bitwise_not = _quaxified(_jax.bitwise_not, _bitwise_not)

def _bitwise_or(x: Any, y: Any) -> Any: ...

bitwise_or = _quaxified(_jax.bitwise_or, _bitwise_or)

def _bitwise_xor(x: Any, y: Any) -> Any: ...

bitwise_xor = _quaxified(_jax.bitwise_xor, _bitwise_xor)

def _broadcast(operand: Any, sizes: Any, *, out_sharding: Any = ...) -> Any: ...

broadcast = _quaxified(_jax.broadcast, _broadcast)

def _broadcast_in_dim(
    operand: Any, shape: Any, broadcast_dimensions: Any, *, out_sharding: Any = ...
) -> Any: ...

broadcast_in_dim = _quaxified(_jax.broadcast_in_dim, _broadcast_in_dim)

def _broadcast_like(arr: Any, like_arr: Any) -> Any: ...

broadcast_like = _quaxified(_jax.broadcast_like, _broadcast_like)

def _broadcast_shapes(*shapes: Any) -> Any: ...

broadcast_shapes = _quaxified(_jax.broadcast_shapes, _broadcast_shapes)

def _broadcast_to_rank(x: Any, rank: Any) -> Any: ...

broadcast_to_rank = _quaxified(_jax.broadcast_to_rank, _broadcast_to_rank)

def _broadcasted_iota(
    dtype: Any, shape: Any, dimension: Any, *, out_sharding: Any = ...
) -> Any: ...

broadcasted_iota = _quaxified(_jax.broadcasted_iota, _broadcasted_iota)

def _cbrt(x: Any, *, accuracy: Any = ...) -> Any: ...

cbrt = _quaxified(_jax.cbrt, _cbrt)

def _ceil(x: Any) -> Any: ...

ceil = _quaxified(_jax.ceil, _ceil)

def _clamp(min: Any, x: Any, max: Any) -> Any: ...

clamp = _quaxified(_jax.clamp, _clamp)

def _clz(x: Any) -> Any: ...

clz = _quaxified(_jax.clz, _clz)

def _collapse(operand: Any, start_dimension: Any, stop_dimension: Any = ...) -> Any: ...

collapse = _quaxified(_jax.collapse, _collapse)

def _complex(x: Any, y: Any) -> Any: ...

complex = _quaxified(_jax.complex, _complex)

def _composite(decomposition: Any, name: Any, version: Any = ...) -> Any: ...

composite = _quaxified(_jax.composite, _composite)

def _concatenate(operands: Any, dimension: Any) -> Any: ...

concatenate = _quaxified(_jax.concatenate, _concatenate)

def _cond(pred: Any, true_fun: Any, false_fun: Any, *operands: Any, operand: Any = ...) -> Any: ...

cond = _quaxified(_jax.cond, _cond)

def _conj(x: Any) -> Any: ...

conj = _quaxified(_jax.conj, _conj)

def _conv(
    lhs: Any,
    rhs: Any,
    window_strides: Any,
    padding: Any,
    precision: Any = ...,
    preferred_element_type: Any = ...,
) -> Any: ...

conv = _quaxified(_jax.conv, _conv)

def _conv_dimension_numbers(lhs_shape: Any, rhs_shape: Any, dimension_numbers: Any) -> Any: ...

conv_dimension_numbers = _quaxified(_jax.conv_dimension_numbers, _conv_dimension_numbers)

def _conv_general_dilated(
    lhs: Any,
    rhs: Any,
    window_strides: Any,
    padding: Any,
    lhs_dilation: Any = ...,
    rhs_dilation: Any = ...,
    dimension_numbers: Any = ...,
    feature_group_count: Any = ...,
    batch_group_count: Any = ...,
    precision: Any = ...,
    preferred_element_type: Any = ...,
    out_sharding: Any = ...,
) -> Any: ...

conv_general_dilated = _quaxified(_jax.conv_general_dilated, _conv_general_dilated)

def _conv_general_dilated_local(
    lhs: Any,
    rhs: Any,
    window_strides: Any,
    padding: Any,
    filter_shape: Any,
    lhs_dilation: Any = ...,
    rhs_dilation: Any = ...,
    dimension_numbers: Any = ...,
    precision: Any = ...,
) -> Any: ...

conv_general_dilated_local = _quaxified(
    _jax.conv_general_dilated_local, _conv_general_dilated_local
)

def _conv_general_dilated_patches(
    lhs: Any,
    filter_shape: Any,
    window_strides: Any,
    padding: Any,
    lhs_dilation: Any = ...,
    rhs_dilation: Any = ...,
    dimension_numbers: Any = ...,
    precision: Any = ...,
    preferred_element_type: Any = ...,
) -> Any: ...

conv_general_dilated_patches = _quaxified(
    _jax.conv_general_dilated_patches, _conv_general_dilated_patches
)

def _conv_general_permutations(dimension_numbers: Any) -> Any: ...

conv_general_permutations = _quaxified(_jax.conv_general_permutations, _conv_general_permutations)

def _conv_general_shape_tuple(
    lhs_shape: Any, rhs_shape: Any, window_strides: Any, padding: Any, dimension_numbers: Any
) -> Any: ...

conv_general_shape_tuple = _quaxified(_jax.conv_general_shape_tuple, _conv_general_shape_tuple)

def _conv_shape_tuple(
    lhs_shape: Any, rhs_shape: Any, strides: Any, pads: Any, batch_group_count: Any = ...
) -> Any: ...

conv_shape_tuple = _quaxified(_jax.conv_shape_tuple, _conv_shape_tuple)

def _conv_transpose(
    lhs: Any,
    rhs: Any,
    strides: Any,
    padding: Any,
    rhs_dilation: Any = ...,
    dimension_numbers: Any = ...,
    transpose_kernel: Any = ...,
    precision: Any = ...,
    preferred_element_type: Any = ...,
    use_consistent_padding: Any = ...,
) -> Any: ...

conv_transpose = _quaxified(_jax.conv_transpose, _conv_transpose)

def _conv_transpose_shape_tuple(
    lhs_shape: Any, rhs_shape: Any, window_strides: Any, padding: Any, dimension_numbers: Any
) -> Any: ...

conv_transpose_shape_tuple = _quaxified(
    _jax.conv_transpose_shape_tuple, _conv_transpose_shape_tuple
)

def _conv_with_general_padding(
    lhs: Any,
    rhs: Any,
    window_strides: Any,
    padding: Any,
    lhs_dilation: Any,
    rhs_dilation: Any,
    precision: Any = ...,
    preferred_element_type: Any = ...,
) -> Any: ...

conv_with_general_padding = _quaxified(_jax.conv_with_general_padding, _conv_with_general_padding)

def _convert_element_type(operand: Any, new_dtype: Any) -> Any: ...

convert_element_type = _quaxified(_jax.convert_element_type, _convert_element_type)

def _cos(x: Any, *, accuracy: Any = ...) -> Any: ...

cos = _quaxified(_jax.cos, _cos)

def _cosh(x: Any) -> Any: ...

cosh = _quaxified(_jax.cosh, _cosh)

def _create_token(_: Any = ...) -> Any: ...

create_token = _quaxified(_jax.create_token, _create_token)

def _cumlogsumexp(operand: Any, axis: Any = ..., reverse: Any = ...) -> Any: ...

cumlogsumexp = _quaxified(_jax.cumlogsumexp, _cumlogsumexp)

def _cummax(operand: Any, axis: Any = ..., reverse: Any = ...) -> Any: ...

cummax = _quaxified(_jax.cummax, _cummax)

def _cummin(operand: Any, axis: Any = ..., reverse: Any = ...) -> Any: ...

cummin = _quaxified(_jax.cummin, _cummin)

def _cumprod(operand: Any, axis: Any = ..., reverse: Any = ...) -> Any: ...

cumprod = _quaxified(_jax.cumprod, _cumprod)

def _cumsum(operand: Any, axis: Any = ..., reverse: Any = ...) -> Any: ...

cumsum = _quaxified(_jax.cumsum, _cumsum)

def _custom_linear_solve(
    matvec: Any,
    b: Any,
    solve: Any,
    transpose_solve: Any = ...,
    symmetric: Any = ...,
    has_aux: Any = ...,
) -> Any: ...

custom_linear_solve = _quaxified(_jax.custom_linear_solve, _custom_linear_solve)

def _custom_root(
    f: Any, initial_guess: Any, solve: Any, tangent_solve: Any, has_aux: Any = ...
) -> Any: ...

custom_root = _quaxified(_jax.custom_root, _custom_root)

def _dce_sink(val: Any, *, prevent_mlir_dce: Any = ...) -> Any: ...

dce_sink = _quaxified(_jax.dce_sink, _dce_sink)

def _digamma(x: Any) -> Any: ...

digamma = _quaxified(_jax.digamma, _digamma)

def _div(x: Any, y: Any) -> Any: ...

div = _quaxified(_jax.div, _div)

def _dot(
    lhs: Any,
    rhs: Any,
    *,
    dimension_numbers: Any = ...,
    precision: Any = ...,
    preferred_element_type: Any = ...,
    out_sharding: Any = ...,
) -> Any: ...

dot = _quaxified(_jax.dot, _dot)

def _dot_general(
    lhs: Any,
    rhs: Any,
    dimension_numbers: Any,
    precision: Any = ...,
    preferred_element_type: Any = ...,
    *,
    out_sharding: Any = ...,
) -> Any: ...

dot_general = _quaxified(_jax.dot_general, _dot_general)

def _dtype(x: Any) -> Any: ...

dtype = _quaxified(_jax.dtype, _dtype)

def _dynamic_index_in_dim(
    operand: Any,
    index: Any,
    axis: Any = ...,
    keepdims: Any = ...,
    *,
    allow_negative_indices: Any = ...,
) -> Any: ...

dynamic_index_in_dim = _quaxified(_jax.dynamic_index_in_dim, _dynamic_index_in_dim)

def _dynamic_slice(
    operand: Any, start_indices: Any, slice_sizes: Any, *, allow_negative_indices: Any = ...
) -> Any: ...

dynamic_slice = _quaxified(_jax.dynamic_slice, _dynamic_slice)

def _dynamic_slice_in_dim(
    operand: Any,
    start_index: Any,
    slice_size: Any,
    axis: Any = ...,
    *,
    allow_negative_indices: Any = ...,
) -> Any: ...

dynamic_slice_in_dim = _quaxified(_jax.dynamic_slice_in_dim, _dynamic_slice_in_dim)

def _dynamic_update_index_in_dim(
    operand: Any, update: Any, index: Any, axis: Any, *, allow_negative_indices: Any = ...
) -> Any: ...

dynamic_update_index_in_dim = _quaxified(
    _jax.dynamic_update_index_in_dim, _dynamic_update_index_in_dim
)

def _dynamic_update_slice(
    operand: Any, update: Any, start_indices: Any, *, allow_negative_indices: Any = ...
) -> Any: ...

dynamic_update_slice = _quaxified(_jax.dynamic_update_slice, _dynamic_update_slice)

def _dynamic_update_slice_in_dim(
    operand: Any, update: Any, start_index: Any, axis: Any, *, allow_negative_indices: Any = ...
) -> Any: ...

dynamic_update_slice_in_dim = _quaxified(
    _jax.dynamic_update_slice_in_dim, _dynamic_update_slice_in_dim
)

def _empty(shape: Any, dtype: Any, *, out_sharding: Any = ...) -> Any: ...

empty = _quaxified(_jax.empty, _empty)

def _eq(x: Any, y: Any) -> Any: ...

eq = _quaxified(_jax.eq, _eq)

def _erf(x: Any) -> Any: ...

erf = _quaxified(_jax.erf, _erf)

def _erf_inv(x: Any) -> Any: ...

erf_inv = _quaxified(_jax.erf_inv, _erf_inv)

def _erfc(x: Any) -> Any: ...

erfc = _quaxified(_jax.erfc, _erfc)

def _exp(x: Any, *, accuracy: Any = ...) -> Any: ...

exp = _quaxified(_jax.exp, _exp)

def _exp2(x: Any, *, accuracy: Any = ...) -> Any: ...

exp2 = _quaxified(_jax.exp2, _exp2)

def _expand_dims(array: Any, dimensions: Any) -> Any: ...

expand_dims = _quaxified(_jax.expand_dims, _expand_dims)

def _expm1(x: Any, *, accuracy: Any = ...) -> Any: ...

expm1 = _quaxified(_jax.expm1, _expm1)

def _fft(x: Any, fft_type: Any, fft_lengths: Any) -> Any: ...

fft = _quaxified(_jax.fft, _fft)

def _floor(x: Any) -> Any: ...

floor = _quaxified(_jax.floor, _floor)

def _fori_loop(
    lower: Any, upper: Any, body_fun: Any, init_val: Any, *, unroll: Any = ...
) -> Any: ...

fori_loop = _quaxified(_jax.fori_loop, _fori_loop)

def _full(shape: Any, fill_value: Any, dtype: Any = ..., *, sharding: Any = ...) -> Any: ...

full = _quaxified(_jax.full, _full)

def _full_like(
    x: Any, fill_value: Any, dtype: Any = ..., shape: Any = ..., sharding: Any = ...
) -> Any: ...

full_like = _quaxified(_jax.full_like, _full_like)

def _gather(
    operand: Any,
    start_indices: Any,
    dimension_numbers: Any,
    slice_sizes: Any,
    *,
    unique_indices: Any = ...,
    indices_are_sorted: Any = ...,
    mode: Any = ...,
    fill_value: Any = ...,
) -> Any: ...

gather = _quaxified(_jax.gather, _gather)

def _ge(x: Any, y: Any) -> Any: ...

ge = _quaxified(_jax.ge, _ge)

def _gt(x: Any, y: Any) -> Any: ...

gt = _quaxified(_jax.gt, _gt)

def _igamma(a: Any, x: Any) -> Any: ...

igamma = _quaxified(_jax.igamma, _igamma)

def _igamma_grad_a(a: Any, x: Any) -> Any: ...

igamma_grad_a = _quaxified(_jax.igamma_grad_a, _igamma_grad_a)

def _igammac(a: Any, x: Any) -> Any: ...

igammac = _quaxified(_jax.igammac, _igammac)

def _imag(x: Any) -> Any: ...

imag = _quaxified(_jax.imag, _imag)

def _index_in_dim(operand: Any, index: Any, axis: Any = ..., keepdims: Any = ...) -> Any: ...

index_in_dim = _quaxified(_jax.index_in_dim, _index_in_dim)

def _index_take(src: Any, idxs: Any, axes: Any) -> Any: ...

index_take = _quaxified(_jax.index_take, _index_take)

def _integer_pow(x: Any, y: Any) -> Any: ...

integer_pow = _quaxified(_jax.integer_pow, _integer_pow)

def _iota(dtype: Any, size: Any) -> Any: ...

iota = _quaxified(_jax.iota, _iota)

def _is_finite(x: Any) -> Any: ...

is_finite = _quaxified(_jax.is_finite, _is_finite)

def _le(x: Any, y: Any) -> Any: ...

le = _quaxified(_jax.le, _le)

def _lgamma(x: Any) -> Any: ...

lgamma = _quaxified(_jax.lgamma, _lgamma)

def _log(x: Any, *, accuracy: Any = ...) -> Any: ...

log = _quaxified(_jax.log, _log)

def _log1p(x: Any, *, accuracy: Any = ...) -> Any: ...

log1p = _quaxified(_jax.log1p, _log1p)

def _logistic(x: Any, *, accuracy: Any = ...) -> Any: ...

logistic = _quaxified(_jax.logistic, _logistic)

def _lt(x: Any, y: Any) -> Any: ...

lt = _quaxified(_jax.lt, _lt)

def _map(f: Any, xs: Any, *, batch_size: Any = ...) -> Any: ...

map = _quaxified(_jax.map, _map)

def _max(x: Any, y: Any) -> Any: ...

max = _quaxified(_jax.max, _max)

def _min(x: Any, y: Any) -> Any: ...

min = _quaxified(_jax.min, _min)

def _mul(x: Any, y: Any, *, out_dtype: Any = ...) -> Any: ...

mul = _quaxified(_jax.mul, _mul)

def _ne(x: Any, y: Any) -> Any: ...

ne = _quaxified(_jax.ne, _ne)

def _neg(x: Any) -> Any: ...

neg = _quaxified(_jax.neg, _neg)

def _nextafter(x1: Any, x2: Any) -> Any: ...

nextafter = _quaxified(_jax.nextafter, _nextafter)

def _optimization_barrier(operand: Any, /) -> Any: ...

optimization_barrier = _quaxified(_jax.optimization_barrier, _optimization_barrier)

def _pad(operand: Any, padding_value: Any, padding_config: Any) -> Any: ...

pad = _quaxified(_jax.pad, _pad)

def _padtype_to_pads(
    in_shape: Any, window_shape: Any, window_strides: Any, padding: Any
) -> Any: ...

padtype_to_pads = _quaxified(_jax.padtype_to_pads, _padtype_to_pads)

def _pbroadcast(x: Any, axis_name: Any, source: Any) -> Any: ...

pbroadcast = _quaxified(_jax.pbroadcast, _pbroadcast)

def _pcast(x: Any, axis_name: Any, *, to: Any) -> Any: ...

pcast = _quaxified(_jax.pcast, _pcast)

def _platform_dependent(*args: Any, default: Any = ..., **per_platform: Any) -> Any: ...

platform_dependent = _quaxified(_jax.platform_dependent, _platform_dependent)

def _pmax(x: Any, axis_name: Any, *, axis_index_groups: Any = ...) -> Any: ...

pmax = _quaxified(_jax.pmax, _pmax)

def _pmean(x: Any, axis_name: Any, *, axis_index_groups: Any = ...) -> Any: ...

pmean = _quaxified(_jax.pmean, _pmean)

def _pmin(x: Any, axis_name: Any, *, axis_index_groups: Any = ...) -> Any: ...

pmin = _quaxified(_jax.pmin, _pmin)

def _polygamma(m: Any, x: Any) -> Any: ...

polygamma = _quaxified(_jax.polygamma, _polygamma)

def _population_count(x: Any) -> Any: ...

population_count = _quaxified(_jax.population_count, _population_count)

def _pow(x: Any, y: Any) -> Any: ...

pow = _quaxified(_jax.pow, _pow)

def _ppermute(x: Any, axis_name: Any, perm: Any) -> Any: ...

ppermute = _quaxified(_jax.ppermute, _ppermute)

def _pshuffle(x: Any, axis_name: Any, perm: Any) -> Any: ...

pshuffle = _quaxified(_jax.pshuffle, _pshuffle)

def _psum(x: Any, axis_name: Any, *, axis_index_groups: Any = ...) -> Any: ...

psum = _quaxified(_jax.psum, _psum)

def _psum_scatter(
    x: Any,
    axis_name: Any,
    *,
    scatter_dimension: Any = ...,
    axis_index_groups: Any = ...,
    tiled: Any = ...,
) -> Any: ...

psum_scatter = _quaxified(_jax.psum_scatter, _psum_scatter)

def _pswapaxes(x: Any, axis_name: Any, axis: Any, *, axis_index_groups: Any = ...) -> Any: ...

pswapaxes = _quaxified(_jax.pswapaxes, _pswapaxes)

def _ragged_all_to_all(
    operand: Any,
    output: Any,
    input_offsets: Any,
    send_sizes: Any,
    output_offsets: Any,
    recv_sizes: Any,
    *,
    axis_name: Any,
    axis_index_groups: Any = ...,
) -> Any: ...

ragged_all_to_all = _quaxified(_jax.ragged_all_to_all, _ragged_all_to_all)

def _ragged_dot(
    lhs: Any,
    rhs: Any,
    group_sizes: Any,
    precision: Any = ...,
    preferred_element_type: Any = ...,
    group_offset: Any = ...,
) -> Any: ...

ragged_dot = _quaxified(_jax.ragged_dot, _ragged_dot)

def _ragged_dot_general(
    lhs: Any,
    rhs: Any,
    group_sizes: Any,
    ragged_dot_dimension_numbers: Any,
    precision: Any = ...,
    preferred_element_type: Any = ...,
    group_offset: Any = ...,
) -> Any: ...

ragged_dot_general = _quaxified(_jax.ragged_dot_general, _ragged_dot_general)

def _random_gamma_grad(*args: Any) -> Any: ...

random_gamma_grad = _quaxified(_jax.random_gamma_grad, _random_gamma_grad)

def _real(x: Any) -> Any: ...

real = _quaxified(_jax.real, _real)

def _reciprocal(x: Any) -> Any: ...

reciprocal = _quaxified(_jax.reciprocal, _reciprocal)

def _reduce(
    operands: Any, init_values: Any, computation: Any, dimensions: Any, out_sharding: Any = ...
) -> Any: ...

reduce = _quaxified(_jax.reduce, _reduce)

def _reduce_and(operand: Any, axes: Any) -> Any: ...

reduce_and = _quaxified(_jax.reduce_and, _reduce_and)

def _reduce_max(operand: Any, axes: Any) -> Any: ...

reduce_max = _quaxified(_jax.reduce_max, _reduce_max)

def _reduce_min(operand: Any, axes: Any) -> Any: ...

reduce_min = _quaxified(_jax.reduce_min, _reduce_min)

def _reduce_or(operand: Any, axes: Any) -> Any: ...

reduce_or = _quaxified(_jax.reduce_or, _reduce_or)

def _reduce_precision(operand: Any, exponent_bits: Any, mantissa_bits: Any) -> Any: ...

reduce_precision = _quaxified(_jax.reduce_precision, _reduce_precision)

def _reduce_prod(operand: Any, axes: Any) -> Any: ...

reduce_prod = _quaxified(_jax.reduce_prod, _reduce_prod)

def _reduce_sum(operand: Any, axes: Any, *, out_sharding: Any = ...) -> Any: ...

reduce_sum = _quaxified(_jax.reduce_sum, _reduce_sum)

def _reduce_window(
    operand: Any,
    init_value: Any,
    computation: Any,
    window_dimensions: Any,
    window_strides: Any = ...,
    padding: Any = ...,
    base_dilation: Any = ...,
    window_dilation: Any = ...,
) -> Any: ...

reduce_window = _quaxified(_jax.reduce_window, _reduce_window)

def _reduce_window_shape_tuple(
    operand_shape: Any,
    window_dimensions: Any,
    window_strides: Any,
    padding: Any,
    base_dilation: Any = ...,
    window_dilation: Any = ...,
) -> Any: ...

reduce_window_shape_tuple = _quaxified(_jax.reduce_window_shape_tuple, _reduce_window_shape_tuple)

def _reduce_xor(operand: Any, axes: Any) -> Any: ...

reduce_xor = _quaxified(_jax.reduce_xor, _reduce_xor)

def _rem(x: Any, y: Any) -> Any: ...

rem = _quaxified(_jax.rem, _rem)

def _reshape(
    operand: Any, new_sizes: Any, dimensions: Any = ..., *, out_sharding: Any = ...
) -> Any: ...

reshape = _quaxified(_jax.reshape, _reshape)

def _rev(operand: Any, dimensions: Any) -> Any: ...

rev = _quaxified(_jax.rev, _rev)

def _rng_bit_generator(
    key: Any, shape: Any, dtype: Any = ..., algorithm: Any = ..., *, out_sharding: Any = ...
) -> Any: ...

rng_bit_generator = _quaxified(_jax.rng_bit_generator, _rng_bit_generator)

def _rng_uniform(a: Any, b: Any, shape: Any) -> Any: ...

rng_uniform = _quaxified(_jax.rng_uniform, _rng_uniform)

def _round(x: Any, rounding_method: Any = ...) -> Any: ...

round = _quaxified(_jax.round, _round)

def _rsqrt(x: Any, *, accuracy: Any = ...) -> Any: ...

rsqrt = _quaxified(_jax.rsqrt, _rsqrt)

def _scaled_dot(
    lhs: Any,
    rhs: Any,
    *,
    lhs_scale: Any = ...,
    rhs_scale: Any = ...,
    dimension_numbers: Any = ...,
    preferred_element_type: Any = ...,
) -> Any: ...

scaled_dot = _quaxified(_jax.scaled_dot, _scaled_dot)

def _scan(
    f: Any,
    init: Any,
    xs: Any = ...,
    length: Any = ...,
    reverse: Any = ...,
    unroll: Any = ...,
    _split_transpose: Any = ...,
) -> Any: ...

scan = _quaxified(_jax.scan, _scan)

def _scatter(
    operand: Any,
    scatter_indices: Any,
    updates: Any,
    dimension_numbers: Any,
    *,
    indices_are_sorted: Any = ...,
    unique_indices: Any = ...,
    mode: Any = ...,
) -> Any: ...

scatter = _quaxified(_jax.scatter, _scatter)

def _scatter_add(
    operand: Any,
    scatter_indices: Any,
    updates: Any,
    dimension_numbers: Any,
    *,
    indices_are_sorted: Any = ...,
    unique_indices: Any = ...,
    mode: Any = ...,
) -> Any: ...

scatter_add = _quaxified(_jax.scatter_add, _scatter_add)

def _scatter_apply(
    operand: Any,
    scatter_indices: Any,
    func: Any,
    dimension_numbers: Any,
    *,
    update_shape: Any = ...,
    indices_are_sorted: Any = ...,
    unique_indices: Any = ...,
    mode: Any = ...,
) -> Any: ...

scatter_apply = _quaxified(_jax.scatter_apply, _scatter_apply)

def _scatter_max(
    operand: Any,
    scatter_indices: Any,
    updates: Any,
    dimension_numbers: Any,
    *,
    indices_are_sorted: Any = ...,
    unique_indices: Any = ...,
    mode: Any = ...,
) -> Any: ...

scatter_max = _quaxified(_jax.scatter_max, _scatter_max)

def _scatter_min(
    operand: Any,
    scatter_indices: Any,
    updates: Any,
    dimension_numbers: Any,
    *,
    indices_are_sorted: Any = ...,
    unique_indices: Any = ...,
    mode: Any = ...,
) -> Any: ...

scatter_min = _quaxified(_jax.scatter_min, _scatter_min)

def _scatter_mul(
    operand: Any,
    scatter_indices: Any,
    updates: Any,
    dimension_numbers: Any,
    *,
    indices_are_sorted: Any = ...,
    unique_indices: Any = ...,
    mode: Any = ...,
) -> Any: ...

scatter_mul = _quaxified(_jax.scatter_mul, _scatter_mul)

def _scatter_sub(
    operand: Any,
    scatter_indices: Any,
    updates: Any,
    dimension_numbers: Any,
    *,
    indices_are_sorted: Any = ...,
    unique_indices: Any = ...,
    mode: Any = ...,
) -> Any: ...

scatter_sub = _quaxified(_jax.scatter_sub, _scatter_sub)

def _select(pred: Any, on_true: Any, on_false: Any) -> Any: ...

select = _quaxified(_jax.select, _select)

def _select_n(which: Any, *cases: Any) -> Any: ...

select_n = _quaxified(_jax.select_n, _select_n)

def _shape_as_value(shape: Any) -> Any: ...

shape_as_value = _quaxified(_jax.shape_as_value, _shape_as_value)

def _shift_left(x: Any, y: Any) -> Any: ...

shift_left = _quaxified(_jax.shift_left, _shift_left)

def _shift_right_arithmetic(x: Any, y: Any) -> Any: ...

shift_right_arithmetic = _quaxified(_jax.shift_right_arithmetic, _shift_right_arithmetic)

def _shift_right_logical(x: Any, y: Any) -> Any: ...

shift_right_logical = _quaxified(_jax.shift_right_logical, _shift_right_logical)

def _sign(x: Any) -> Any: ...

sign = _quaxified(_jax.sign, _sign)

def _sin(x: Any, *, accuracy: Any = ...) -> Any: ...

sin = _quaxified(_jax.sin, _sin)

def _sinh(x: Any) -> Any: ...

sinh = _quaxified(_jax.sinh, _sinh)

def _slice(operand: Any, start_indices: Any, limit_indices: Any, strides: Any = ...) -> Any: ...

slice = _quaxified(_jax.slice, _slice)

def _slice_in_dim(
    operand: Any, start_index: Any, limit_index: Any, stride: Any = ..., axis: Any = ...
) -> Any: ...

slice_in_dim = _quaxified(_jax.slice_in_dim, _slice_in_dim)

def _sort(operand: Any, dimension: Any = ..., is_stable: Any = ..., num_keys: Any = ...) -> Any: ...

sort = _quaxified(_jax.sort, _sort)

def _sort_key_val(keys: Any, values: Any, dimension: Any = ..., is_stable: Any = ...) -> Any: ...

sort_key_val = _quaxified(_jax.sort_key_val, _sort_key_val)

def _split(operand: Any, sizes: Any, axis: Any = ...) -> Any: ...

split = _quaxified(_jax.split, _split)

def _sqrt(x: Any, *, accuracy: Any = ...) -> Any: ...

sqrt = _quaxified(_jax.sqrt, _sqrt)

def _square(x: Any) -> Any: ...

square = _quaxified(_jax.square, _square)

def _squeeze(array: Any, dimensions: Any) -> Any: ...

squeeze = _quaxified(_jax.squeeze, _squeeze)

def _stop_gradient(x: Any) -> Any: ...

stop_gradient = _quaxified(_jax.stop_gradient, _stop_gradient)

def _sub(x: Any, y: Any) -> Any: ...

sub = _quaxified(_jax.sub, _sub)

def _switch(index: Any, branches: Any, *operands: Any, operand: Any = ...) -> Any: ...

switch = _quaxified(_jax.switch, _switch)

def _tan(x: Any, *, accuracy: Any = ...) -> Any: ...

tan = _quaxified(_jax.tan, _tan)

def _tanh(x: Any, *, accuracy: Any = ...) -> Any: ...

tanh = _quaxified(_jax.tanh, _tanh)

def _tile(operand: Any, reps: Any) -> Any: ...

tile = _quaxified(_jax.tile, _tile)

def _top_k(operand: Any, k: Any, *, axis: Any = ...) -> Any: ...

top_k = _quaxified(_jax.top_k, _top_k)

def _transpose(operand: Any, permutation: Any) -> Any: ...

transpose = _quaxified(_jax.transpose, _transpose)

def _while_loop(cond_fun: Any, body_fun: Any, init_val: Any) -> Any: ...

while_loop = _quaxified(_jax.while_loop, _while_loop)

def _with_sharding_constraint(x: Any, shardings: Any) -> Any: ...

with_sharding_constraint = _quaxified(_jax.with_sharding_constraint, _with_sharding_constraint)

def _zeta(x: Any, q: Any) -> Any: ...

zeta = _quaxified(_jax.zeta, _zeta)

def __getattr__(name: str) -> Any: ...
