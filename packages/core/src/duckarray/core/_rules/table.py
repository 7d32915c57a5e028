"""What core does with each primitive that carries a program, or that is not array code at all.

A primitive that is neither here nor in `duckarray.core.families` fails a test, for each version of
JAX: a new one is met by a decision, not by accident. Names are those of `primitive.name`.

`core_call` and `call` are of JAX 0.10, where nothing public makes the first; from 0.11 on both are
`eval_jaxpr`. A program compiled ahead of time is not here: it binds no primitive, and JAX refuses
to call it on any tracer, as under `jit`. It is passed `materialize(x)`.
"""

from typing import Literal

Treatment = Literal["reinterpret", "leafwise", "materialize", "never"]

_REINTERPRET = "the program is run with dispatch, in a new primitive of the same kind"
_CALLED = "where nothing outside can want its special rule the program is run, else as materialize"
_LEAFWISE = "identity on the array, so applied to each leaf"
_OPAQUE = "not a program over arrays JAX could run on values: it is given dense arrays"
_COMBINER = "its program combines two scalars: dense arrays, unless the type has a rule"
_REFERENCE = "reads and writes memory, which holds dense arrays"
_LINEAX = (
    "Lineax's own: bound inside a `jit`, where it may yet be differentiated, and its derivative"
    " rule calls the operator's methods outside `quaxify`; `jax.lax.custom_linear_solve`"
    " and what `jax.scipy.sparse.linalg` makes of it run their functions with dispatch"
)
_KERNEL = "occurs only inside kernels, which see no values"
_DENSE = "no operand of it can be a value, or it is made above this interpreter"

_TABLE: dict[Treatment, dict[str, str]] = {
    "reinterpret": {
        _REINTERPRET: (
            "jit closed_call core_call call eval_jaxpr cond while scan remat2 checkpoint"
            " custom_jvp_call custom_vjp_call custom_linear_solve shard_map"
        ),
        _CALLED: "custom_vmap_call linear_call composite call_hi_primitive",
        "prints arrays, and of a value that refuses to be dense what it is": "debug_print",
    },
    "leafwise": {
        _LEAFWISE: (
            "name copy optimization_barrier stop_gradient device_put sharding_constraint pvary"
            " reshard"
        )
    },
    "materialize": {
        _OPAQUE: (
            "pallas_call run_scoped mpmd_map emit_pipeline pipeline_body parallel_loop"
            " custom_fusion"
            " cudnn_fusion inline_mgpu custom_partitioning dot_product_attention_fwd"
            " dot_product_attention_bwd dot_product_attention_fwd_wrapper fusible core_map"
            " dot_product_attention_bwd_wrapper dot_product_attention_fp8_fwd"
            " dot_product_attention_fp8_bwd dot_product_attention_fp8_fwd_wrapper"
            " dot_product_attention_fp8_bwd_wrapper call_exported tpu_custom_call ffi_call"
            " pure_callback io_callback debug_callback buffer_callback inspect_sharding"
            " xla_metadata_call xla_metadata_value compute_on fused_call"
            " program_order remat_opt announce_jaxpr noinline rnn_fwd rnn_bwd scaled_matmul_wrapper"
            " bcoo_dot_general bcoo_dot_general_sampled bcoo_extract bcoo_fromdense"
            " bcoo_sort_indices bcoo_spdot_general bcoo_sum_duplicates bcoo_todense bcoo_transpose"
            " bcsr_dot_general bcsr_extract bcsr_fromdense bcsr_todense coo_fromdense coo_matmat"
            " coo_matvec coo_spmm coo_spmv coo_todense csr_fromdense csr_matmat csr_matvec csr_spmm"
            " csr_spmv csr_todense spsolve todense check shape_assertion dimension_size"
            " dim_as_value"
            " global_array_to_host_local_array host_local_array_to_global_array shard_alike"
            " scan_count unique"
        ),
        _COMBINER: (
            "reduce reduce_window select_and_scatter scatter scatter-add scatter-mul scatter-min"
            " scatter-max scatter-sub argmax argmin"
        ),
        _REFERENCE: (
            "run_state new_ref empty_ref get swap addupdate freeze free_ref accum_grad_in_ref pin"
            " unpin new_box box_get box_set new_log log_extend log_read stage"
        ),
        _LINEAX: "linear_solve",
        "Equinox's own: they compute on arrays, so they are given dense ones": (
            "unvmap_all unvmap_any unvmap_max nonbatchable nontraceable maybe_set select_if_vmap"
            " nondifferentiable_backward vprim noinline dce_sink create_linear consume"
            " assert_consumed_value"
        ),
    },
    "never": {
        _DENSE: (
            "custom_lin custom_jvp_call_jaxpr call_hi_primitive_linearized"
            " platform_index after_all add_dependency"
            " zeros_like empty empty2 create_token symbolic_zeros trace_value tie unreachable"
            " layout_constraint from_edtype to_edtype pack_dtype unpack_dtype vary_unreduced_cast"
            " reduced_vary_cast vary_unreduced_cast_p reduced_vary_cast_p has_memory_space"
            " remove_memory_space with_memory_space_constraint einshape_lo _copysign"
            " stochastic_round prng_join prng_random_bits prng_seed prng_split philox2x32"
            " philox4x32 threefry4x32 all_gather_done all_gather_start all_gather_reduced_start"
            " all_to_all_done all_to_all_start ppermute_done ppermute_start psum_done psum_start"
            " psum_invariant_start reduce_scatter_done reduce_scatter_start pbroadcast_done"
            " pbroadcast_start pbroadcast_dynamic psend precv unreduced_psum_start"
            " unreduced_reduce_scatter_start"
        ),
        _KERNEL: (
            "all_reduce_ffs all_reduce_population_count async_copy_scales_to_tmem"
            " async_copy_smem_to_tmem async_copy_sparse_metadata_to_tmem async_load async_prefetch"
            " async_store_smem async_store_tmem atomic_cas atomic_rmw barrier barrier_arrive"
            " barrier_arrive_and_wait barrier_test barrier_wait bitcast commit_group commit_smem"
            " commit_tmem conv copy_gmem_to_smem copy_smem_to_gmem debug_barrier debug_barrier_p"
            " delay dma_start dma_wait elementwise_inline_asm elementwise_inline_asm_p"
            " get_barrier_semaphore get_global griddepcontrol_launch_dependents"
            " griddepcontrol_wait inline_mgpu_p jaxpr_call layout_cast load log"
            " masked_cummax masked_cummin"
            " masked_cumsum masked_load masked_sort masked_swap matmul_acc_lhs matmul_lhs_fifo"
            " matmul_pop matmul_pop_fifo matmul_push_rhs max_contiguous mgpu_atomic_store mma"
            " mosaic_gpu_p mosaic_gpu_reduce_max mosaic_gpu_reduce_min mosaic_gpu_reduce_prod"
            " mosaic_gpu_reduce_sum mulhi multimem_load_reduce multimem_store multiple_of"
            " num_programs pack pack_elementwise print_layout program_id query_cluster_cancel"
            " relayout sc_fetch_and_add semaphore_read semaphore_signal"
            " semaphore_signal_multicast semaphore_signal_parallel semaphore_wait"
            " set_max_registers set_max_registers_p store tcgen05_commit_arrive tcgen05_mma"
            " thunky.all_gather thunky.all_reduce thunky.all_to_all thunky.async_done"
            " thunky.async_start thunky.call_jax thunky.call_thunky_nested"
            " thunky.collective_group thunky.collective_permute thunky.cond thunky.copy"
            " thunky.custom_call thunky.inline_constant thunky.memset thunky.memzero"
            " thunky.ptx_kernel thunky.reduce_scatter thunky.while try_cluster_cancel unpack"
            " unpack_elementwise wait_gmem_to_smem wait_load_tmem wait_smem_to_gmem wgmma"
            " wgmma_accumulator_deref wgmma_accumulator_deref_p wgmma_accumulator_store"
            " wgmma_accumulator_store_p wgmma_ref wgmma_wait"
        ),
    },
}

treatments: dict[str, tuple[Treatment, str]] = {
    name: (treatment, reason)
    for treatment, reasons in _TABLE.items()
    for reason, names in reasons.items()
    for name in names.split()
}
"""For each name, what core does with it and why."""
