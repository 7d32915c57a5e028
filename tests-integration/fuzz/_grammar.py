"""The grammar: expressions over `jnp` and `lax`, by what they need of their operands.

In braces stand operands and numbers that are drawn: `{a}` any array, `{x}` one of floating-point or
complex numbers, `{m}` a matrix, `{q}` a square one, `{b}` a boolean, `{i}` an integer; `{ax}` an
axis of the first operand, `{pax}` one counted from the front, `{c}` a number, `{n}` a small
integer, `{shape}` another shape of the same size, `{wide}` one to broadcast to, `{perm}` an order
of the axes, `{sl}` an index. `{a0}` is the same operand wherever it stands in an expression, `{a}`
another each time. What JAX refuses for dense arrays is drawn again.
"""

ELEMENTWISE = """
-{a} | abs({a}) | jnp.tanh({x}) | jnp.sin({x}) | jnp.exp(-abs({x})) | jnp.sqrt(abs({x}))
{a} ** 2 | {a} * {a} | 1 / (2 + {x0} * {x0}) | jnp.sign({a}) | jnp.log1p(abs({x}))
lax.integer_pow({a}, 3) | jax.nn.relu({a}) | jax.nn.gelu({x}) | jax.nn.silu({x})
jnp.clip({a}, -1, 1) | jnp.isfinite({x}) | jnp.where({a0} > 0, {a0}, 0) | {a}.astype('float32')
{a}.astype('int32') | {a}.astype(bool) | {a}.astype('bfloat16') | {a} * {c} | {c} * {a}
{a} + {c} | {c} - {a} | {x} / {c} | {c} / (3 + {x}) | jnp.maximum({a}, 0) | jnp.minimum({c}, {a})
jnp.logical_not({a}) | {a} > {c} | {a} == {a} | jnp.floor({x}) | jnp.round({x})
lax.logistic({x}) | lax.stop_gradient({a}) | jnp.conj({a}) | jnp.real({a}) | jnp.imag({a})
{a} % 2 | jnp.where({b}, {c}, {a}) | jnp.expm1({x}) | lax.erf({x}) | jnp.cbrt({x})
lax.rsqrt(1 + abs({x})) | jnp.nan_to_num({a}) | jnp.square({a}) | +{a} | {a} * 0 | {a} ** 0
{x} ** 0.5 | jnp.abs({x}) ** 1.5 | 2.0 ** {x} | jnp.heaviside({x}, 0.5) | ~{b} | {i} << 1
jnp.zeros_like({a}) | jnp.ones_like({a}) | jnp.full_like({a}, {c})
lax.bitcast_convert_type({i}, 'float32') | lax.reduce_precision({x}, 8, 10) | jnp.hypot({x}, 1.0)
jnp.sinc({x}) | lax.exp2({x}) | jnp.fabs({x})
"""

BINARY = """
{a} + {a} | {a} - {a} | {a} * {a} | {x} / (1.5 + abs({x})) | jnp.maximum({a}, {a}) | {a} < {a}
jnp.minimum({a}, {a}) | jnp.arctan2({x}, {x}) | jnp.where({a} > {a}, {a}, {a}) | {a} == {a}
jnp.where({b}, {a}, {a}) | jnp.logaddexp({x}, {x}) | jnp.hypot({x}, {x})
jnp.logical_and({a}, {a}) | {x} ** {i} | abs({x}) ** {x} | lax.select({b}, {a}, {a}) | {a} != {a}
{a} >= {a} | {b} ^ {b} | jnp.select([{b}, {b}], [{a}, {a}], {a}) | lax.clamp({a}, {a}, {a})
jnp.nextafter({x}, {x}) | lax.complex({x}, {x}) | lax.add({a}, {a}) | lax.mul({a}, {a})
lax.sub({a}, {a}) | jnp.copysign({x}, {x}) | {a} * {a}[..., None] | {a}[None] + {a}
jnp.add({a}, {a}[..., :1]) | jnp.where({b}, {a}, {a}[..., :1])
"""

REDUCTIONS = """
jnp.sum({a}) | jnp.sum({a}, axis={ax}) | jnp.sum({a}, axis={ax}, keepdims=True) | jnp.mean({a})
jnp.mean({a}, axis={ax}) | jnp.max({a}) | jnp.max({a}, axis={ax}, keepdims=True) | jnp.prod({a})
jnp.min({a}, axis={ax}) | jnp.prod({a}, axis={ax}) | jnp.any({a}, axis={ax}) | jnp.all({a})
jnp.argmax({a}, axis={ax}) | jnp.argmin({a}) | jnp.var({x}, axis={ax}) | jnp.std({x} + {x})
jax.nn.logsumexp({x}, axis={ax}) | jnp.linalg.norm({x}, axis={ax}) | jnp.count_nonzero({a})
jnp.sum({a}, where={b}) | jnp.median({x}, axis={ax}) | jnp.ptp({a}, axis={ax})
jnp.average({x}, axis={ax}) | jax.nn.softmax({x}, axis={ax}) | jnp.cumsum({a}, axis={ax})
jnp.cumprod({a}, axis={ax}) | lax.cummax({a}, axis={pax})
lax.cumsum({a}, axis={pax}, reverse=True) | lax.cumlogsumexp({x}, axis={pax})
jnp.sort({a}, axis={ax}) | jnp.argsort({a}, axis={ax}) | lax.top_k({a}, 2)[0]
jnp.flip(jnp.sort({a})) | lax.reduce({a0}, jnp.zeros((), {a0}.dtype), lax.add, ({pax},))
jnp.diff({a}, axis={ax})
lax.reduce_window({x0}, -jnp.inf, lax.max, (1,) * {x0}.ndim, (1,) * {x0}.ndim, 'VALID')
lax.sort(({a}, {a}), dimension={pax}, num_keys=1)[1] | jnp.quantile({x}, 0.3)
jnp.nansum({a}, axis={ax})
"""

CONTRACTIONS = """
{m} @ {m} | {a} @ {a} | {m0} @ {m0}.T | {m0}.T @ {m0} | {m}.T @ {m} | jnp.dot({a}, {a})
jnp.einsum('ij,jk->ki', {m}, {m}) | jnp.einsum('...i,...i->...', {a}, {a})
jnp.einsum('ij->j', {m}) | jnp.einsum('ii->i', {q}) | jnp.einsum('ii', {q})
jnp.tensordot({a}, {a}, 1) | jnp.vdot({a}, {a}) | jnp.outer({a}, {a}) | jnp.inner({a}, {a})
jnp.kron({m}, {m}[:1, :2]) | jnp.einsum('ij,ij->i', {m}, {m})
lax.dot_general({m}, {m}, (((0,), (0,)), ((), ())))
lax.dot_general({m}, {m}, (((1,), (1,)), ((0,), (0,))))
jnp.einsum('ij,kl->ijkl', {m}[:2], {m}[:, :2]) | jnp.matmul({a}, jnp.swapaxes({a}, -1, -2))
jnp.einsum('ij,jk,kl->il', {q}, {q}, {q}) | jnp.einsum('bij,bjk->bik', {a}, {a})
jnp.vecdot({a}, {a}) | lax.dot({m}, {m}, preferred_element_type='float32')
jnp.convolve({a}.ravel(), {a}.ravel()[:3]) | jnp.correlate({a}.ravel(), {a}.ravel()[:2])
jnp.matvec({a}, {a}) | jnp.vecmat({a}, {a}) | jnp.trace({a})
lax.conv_general_dilated({m}[None, None], {m}[None, None, :2, :2], (1, 1), 'SAME')
jnp.linalg.multi_dot([{q}, {q}, {m}]) | jnp.cross({a}[..., :3], {a}[..., :3])
"""

SHAPES = """
{a}.reshape({shape}) | {a}.T | jnp.swapaxes({a}, 0, -1) | jnp.transpose({a}, {perm}) | {a}.ravel()
{a}[{sl}] | {a}[0] | {a}[..., -1] | {a}[::-1] | {a}[..., 1:] | {a}[None] | {a}[..., None]
{a}[:, {n}] | jnp.concatenate([{a}, {a}], axis={ax}) | jnp.stack([{a}, {a}], axis={ax})
jnp.flip({a}, {ax}) | jnp.pad({a}, 1) | jnp.pad({a0}, [(0, 1)] * {a0}.ndim, constant_values={c})
jnp.pad({a}, 1, mode='edge') | lax.pad({a0}, jnp.zeros((), {a0}.dtype), [(-1, 1, 1)] * {a0}.ndim)
jnp.roll({a}, {n}, {ax}) | jnp.tile({a}, 2) | jnp.repeat({a}, 2, axis={ax})
jnp.broadcast_to({a}, {wide}) | jnp.expand_dims({a}, {ax}) | jnp.squeeze({a}[None], 0)
jnp.split({a}, 2, axis={ax})[1] | jnp.tril({m}) | jnp.triu({m}, 1) | jnp.diagonal({a})
jnp.diag({a}) | jnp.take({a}, jnp.array([0, -1]), axis={ax}) | {a}[jnp.array([2, 0, 0])]
{a}[:, jnp.array([1, 1])] | {a}[jnp.array([0, 1]), jnp.array([1, 0])] | {a}[jnp.array(1)]
jnp.rot90({m}) | {a}.at[0].set({c}) | {a}.at[..., 1].add(1) | {a}.at[jnp.array([0, 0])].add({c})
{a}.at[1:].multiply(2) | {a}.at[0].set({a}[1]) | {a}.at[jnp.array([1, 0])].set({a}[:2])
{a}.at[:, 0].max(0) | {a}.at[jnp.array([9])].get(mode='fill', fill_value=0)
lax.dynamic_slice({m}, (1, 0), (2, 2)) | lax.dynamic_update_slice({m}, {m}[:2, :2], (1, 1))
{a}[jnp.minimum({i}, 1)] | lax.dynamic_index_in_dim({a}, 1, {pax})
lax.dynamic_slice_in_dim({a}, 1, 2, {pax}) | lax.rev({a}, ({pax},))
jnp.take_along_axis({a0}, jnp.argsort({a0}, axis=-1), axis=-1) | jnp.moveaxis({a}, 0, -1)
jnp.atleast_2d({a}) | jnp.hstack([{a}, {a}]) | jnp.vstack([{a}, {a}])
jnp.column_stack([{a}, {a}]) | jnp.array_split({a}, 3)[0]
jnp.meshgrid({a}.ravel()[:2], {a}.ravel()[:3])[0] | jnp.fill_diagonal({q}, {c}, inplace=False)
jnp.unstack({a})[0] | jnp.append({a}, {a}) | jnp.delete({a}, 0, axis={ax})
jnp.insert({a}, 1, 0, axis={ax}) | jnp.searchsorted(jnp.sort({a}.ravel()), {a})
jnp.where({b}, {a}, jnp.zeros_like({a})) | {a}.at[{b}].set(0) | jnp.broadcast_arrays({a}, {a})[0]
jnp.trim_zeros(jnp.ones(3))
lax.broadcast_in_dim({a0}, (2, *{a0}.shape), tuple(range(1, {a0}.ndim + 1)))
jnp.ravel({a}, order='F') | jnp.block([[{m0}, {m1}], [{m1}, {m0}]]) | lax.expand_dims({a}, (0,))
jnp.resize({a}, (3, 2)) | jnp.bincount(abs({i}).ravel(), length=4) | jax.nn.one_hot({i}, 3)
"""

LINALG = """
jnp.linalg.solve({q0} + 6 * jnp.eye({q0}.shape[-1]), {m})
jnp.linalg.inv({q0} + 6 * jnp.eye({q0}.shape[-1])) | jnp.linalg.det({q})
jnp.linalg.slogdet({q0} + 6 * jnp.eye({q0}.shape[-1]))[1] | jnp.linalg.matrix_power({q}, 3)
jnp.linalg.cholesky({q0} @ {q0}.T + 9 * jnp.eye({q0}.shape[-1]))
jnp.linalg.eigvalsh({q0} + {q0}.T) | jnp.linalg.svd({m}, compute_uv=False) | jnp.linalg.norm({m})
jnp.linalg.matrix_norm({m}, ord=1) | jnp.linalg.trace({q})
jax.scipy.linalg.solve_triangular(jnp.tril({q0}) + 6 * jnp.eye({q0}.shape[-1]), {m}, lower=True)
jax.scipy.linalg.expm({q} / 8) | jnp.linalg.solve({q0} + 6 * jnp.eye({q0}.shape[-1]), {m}[:, 0])
jnp.linalg.pinv({q0} + 6 * jnp.eye({q0}.shape[-1]))
jnp.linalg.lstsq({q0} + 6 * jnp.eye({q0}.shape[-1]), {m})[0]
jax.scipy.linalg.cho_solve((jnp.tril({q0}) + 6 * jnp.eye({q0}.shape[-1]), True), {m})
jnp.linalg.solve({q}, {m}) | jnp.linalg.inv({q}) | abs(jnp.linalg.qr({q})[1])
jnp.linalg.slogdet({q}) | jax.scipy.linalg.block_diag({m}, {m}) | abs(jnp.fft.fft({x}))
jnp.fft.irfft(jnp.fft.rfft({x}))
"""

# `{f0}` is a function with steps of its own. What it takes and gives is said in `_generate`.
CONTROL = {
    "jit": "jax.jit({f0})({args})",
    "checkpoint": "jax.checkpoint({f0})({args})",
    "call": "{f0}({args})",
    "named": "jax.named_call({f0}, name='named')({args})",
    "custom_jvp": "custom_jvp({f0})({args})",
    "custom_vjp": "custom_vjp({f0})({args})",
    "cond": "lax.cond({pred}, {f0}, {f1}, {args})",
    "switch": "lax.switch({n}, [{f0}, {f1}, {f0}], {args})",
    "scan": "lax.scan({f0}, {carry}, {xs})",
    "scan_none": "lax.scan({f0}, {carry}, None, length=2)",
    "fori": "lax.fori_loop(0, 3, lambda _, c: {f0}(c), {carry})",
    "while": "lax.while_loop(lambda t: t[0] < 2, lambda t: (t[0] + 1, {f0}(t[1])), (0, {carry}))",
    "map": "lax.map({f0}, {xs})",
    "vmap": "jax.vmap({f0})({xs})",
    "vmap_last": "jax.vmap({f0}, in_axes=-1, out_axes=-1)({xs_last})",
    "vmap_one": "jax.vmap({f0}, in_axes=(0, None))({xs}, {rest})",
    "grad": "jax.grad(lambda *a: loss({f0}(*a)))({args})",
    "grad_jit": "jax.grad(jax.jit(lambda *a: loss({f0}(*a))))({args})",
    "grad_grad": "jax.grad(lambda *a: loss(jax.grad(lambda *b: loss({f0}(*b)))(*a)))({args})",
    "jvp": "jax.jvp({f0}, ({carry},), ({tangent},))",
    "vjp": "jax.vjp({f0}, {carry})[1](jnp.ones_like({f0}({carry})))[0]",
    "linearize": "jax.linearize({f0}, {carry})[1]({tangent})",
    "jacfwd": "jax.jacfwd({f0})({carry})",
    "jacrev": "jax.jacrev({f0})({carry})",
    "associative_scan": "lax.associative_scan({op}, {xs})",
    "remat_grad": "jax.grad(lambda *a: loss(jax.checkpoint({f0})(*a)))({args})",
    "custom_grad": "jax.grad(lambda *a: loss(custom_vjp({f0})(*a)))({args})",
}


def expressions(text: str) -> tuple[str, ...]:
    """The entries of one of the tables above."""
    return tuple(
        part.strip() for line in text.splitlines() for part in line.split(" | ") if part.strip()
    )


# How often each kind is drawn.
WEIGHTS = {
    "ELEMENTWISE": 5,
    "BINARY": 6,
    "REDUCTIONS": 4,
    "CONTRACTIONS": 5,
    "SHAPES": 7,
    "LINALG": 2,
    "CONTROL": 5,
}
