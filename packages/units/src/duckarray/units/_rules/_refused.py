"""What answers where no rule is registered: handlers by name, and refusals with their reasons."""

from collections.abc import Sequence
from typing import Any

from duckarray.units._dimension import NUMBER
from duckarray.units._errors import UnitError
from duckarray.units._value import Quantity

from ._common import several

_REFUSED = """`{name}` on a quantity in {unit} ({dimension}): {reason}.
Take the numbers in a unit, `u.strip(x, "{unit}")`, and give the result the unit it has."""

_UNKNOWN = "nothing is known of what it does with units"

_PACKED = "its result packs factors of different units into one array"
_CALLBACK = "a function outside JAX would be given numbers without their unit"
_COMBINER = "the program that combines two entries is not looked into"
_BITS = "the bits of a number mean something else in another unit"
_KERNEL = "a kernel would be given numbers without their unit"
_MEMORY = "memory holds plain arrays"
_OTHER = "a function of another library would be given numbers without their unit"

REFUSED: dict[str, str] = {
    name: reason
    for reason, names in {
        _PACKED: "hessenberg tridiagonal",
        _COMBINER: "reduce reduce_window select_and_scatter argreduce",
        _BITS: "bitcast_convert_type",
        "its scales would have to be units too": "scaled_matmul scaled_matmul_wrapper",
        "a key is made of plain integers": (
            "random_bits random_clone random_fold_in random_seed random_split random_unwrap"
            " random_wrap rng_bit_generator threefry2x32 iota_2x32_shape"
        ),
        "it takes plain integers": "lu_pivots_to_permutation axis_index",
        _CALLBACK: (
            "pure_callback io_callback debug_callback debug_print buffer_callback ffi_call"
            " call_exported tpu_custom_call inspect_sharding"
        ),
        _KERNEL: (
            "pallas_call run_scoped mpmd_map emit_pipeline pipeline_body parallel_loop"
            " custom_fusion cudnn_fusion inline_mgpu custom_partitioning core_map fusible"
            " dot_product_attention_fwd dot_product_attention_bwd"
            " dot_product_attention_fwd_wrapper dot_product_attention_bwd_wrapper"
            " dot_product_attention_fp8_fwd dot_product_attention_fp8_bwd"
            " dot_product_attention_fp8_fwd_wrapper dot_product_attention_fp8_bwd_wrapper"
            " rnn_fwd rnn_bwd"
        ),
        _MEMORY: (
            "run_state new_ref empty_ref get swap addupdate freeze free_ref accum_grad_in_ref pin"
            " unpin new_box box_get box_set new_log log_extend log_read stage"
        ),
        _OTHER: (
            "xla_metadata_call xla_metadata_value compute_on fused_call program_order remat_opt"
            " announce_jaxpr noinline check shape_assertion dimension_size dim_as_value"
            " global_array_to_host_local_array host_local_array_to_global_array scan_count unique"
            " nontraceable dce_sink create_linear consume assert_consumed_value"
            " bcoo_dot_general bcoo_dot_general_sampled bcoo_extract bcoo_fromdense"
            " bcoo_sort_indices bcoo_spdot_general bcoo_sum_duplicates bcoo_todense bcoo_transpose"
            " bcsr_dot_general bcsr_extract bcsr_fromdense bcsr_todense coo_fromdense coo_matmat"
            " coo_matvec coo_spmm coo_spmv coo_todense csr_fromdense csr_matmat csr_matvec csr_spmm"
            " csr_spmv csr_todense spsolve todense shard_alike"
        ),
    }.items()
    for name in names.split()
}
"""Primitives that take only quantities without a dimension, and why."""


def without_rule(primitive: Any, values: list[Any], params: dict[str, Any]) -> Any:
    """What a primitive gives for which no rule is registered: that of its handler, or a refusal."""
    handler = several.get(primitive.name)
    if handler is not None:
        return handler(primitive, values, params)
    return refuse(primitive, values)


def refuse(primitive: Any, values: Sequence[Any]) -> Any:
    """Raises if there is a quantity with a dimension; plain numbers are to be made dense."""
    for x in values:
        if isinstance(x, Quantity) and x.unit.physical is not NUMBER:
            raise UnitError(
                _REFUSED.format(
                    name=primitive,
                    unit=x.unit,
                    dimension=x.unit.dimension,
                    reason=REFUSED.get(primitive.name, _UNKNOWN),
                )
            )
    return NotImplemented
