"""Making sparse arrays, taking them elsewhere, plans, traced places, solves."""

import io
import pickle
import re

import jax
import jax.numpy as jnp
import lineax
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg
from jax import lax
from jax.experimental import sparse as jax_sparse

from duckarray import sparse
from duckarray.core import MaterializeError, materialization, materialize, quaxify
from duckarray.sparse import DynamicPattern, Pattern, Sparse, _superlu

pytestmark = pytest.mark.any_jax


@pytest.mark.parametrize("dtype", ["float32", "int32", "bool", "complex64", "float16", "bfloat16"])
@pytest.mark.parametrize("shape", [(3, 4), (5,), (2, 3, 4), (0, 4), (4, 0), (1, 1)])
def test_from_dense_and_back(shape, dtype):
    rng = np.random.default_rng(0)
    dense = jnp.asarray(rng.integers(0, 2, shape)).astype(dtype)
    a = sparse.from_dense(dense)
    assert (a.shape, a.dtype, a.nnz) == (shape, dense.dtype, int(np.sum(np.asarray(dense) != 0)))
    np.testing.assert_array_equal(a.to_dense(), dense)


def test_constructors_are_those_of_scipy():
    key = jax.random.key(0)
    b = np.arange(6.0, dtype="float32").reshape(2, 3)
    s = scipy.sparse
    pairs = [
        (sparse.eye(3, 5, 1), s.eye_array(3, 5, k=1)),
        (sparse.eye(2, k=4), s.coo_array((2, 2))),
        (
            sparse.diags([[1.0, 2.0], [3.0, 4.0, 5.0]], [1, 0]),
            s.diags_array([[1.0, 2.0], [3.0, 4.0, 5.0]], offsets=[1, 0]),
        ),
        (sparse.kron(sparse.eye(2), b), s.kron(s.eye_array(2), b)),
        (sparse.kron(b, sparse.from_dense(b)), s.kron(s.coo_array(b), b)),
        (sparse.hstack([sparse.eye(2), b]), s.hstack([s.eye_array(2), s.coo_array(b)])),
        (sparse.vstack([b, sparse.eye(3)]), s.vstack([s.coo_array(b), s.eye_array(3)])),
        (
            sparse.block_array([[sparse.eye(2), None], [None, b]]),
            s.block_array([[s.eye_array(2), None], [None, s.coo_array(b)]]),
        ),
    ]
    for ours, theirs in pairs:
        np.testing.assert_array_equal(ours.to_dense(), theirs.toarray())
    drawn = sparse.random(key, (40, 50), density=0.1)
    assert drawn.nnz == 200
    assert 0 <= float(drawn.data.min()) <= float(drawn.data.max()) < 1
    other = sparse.random(jax.random.key(1), (40, 50), density=0.1)
    assert drawn.pattern != other.pattern


def test_patterns_of_each_format_are_one():
    coo = Pattern.coo([1, 0, 2], [1, 0, 3], shape=(3, 4))
    csr = Pattern.csr([0, 1, 2, 3], [0, 1, 3], (3, 4))
    assert coo.canonical == csr == Sparse(jnp.ones(3), coo).pattern
    assert hash(coo.canonical) == hash(csr)
    assert coo.digest != csr.digest  # for it says how data is ordered
    dia = Sparse(jnp.array([1.0, 2.0, 3.0]), Pattern.dia([0, -1], (2, 2)))
    np.testing.assert_array_equal(dia.to_dense(), [[1, 0], [3, 2]])
    assert pickle.loads(pickle.dumps(csr)) == csr
    np.testing.assert_array_equal(csr.indptr, [0, 1, 2, 3])


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
def test_to_scipy_and_back(matrices, layout):
    a, _, dense, _ = matrices
    matrix = a.to_scipy(layout)
    assert matrix.format == layout
    np.testing.assert_array_equal(matrix.toarray(), dense)
    np.testing.assert_array_equal(sparse.from_scipy(matrix).to_dense(), dense)


def test_duplicates_from_elsewhere_are_summed():
    coo = scipy.sparse.coo_array((np.ones(3), ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    np.testing.assert_array_equal(sparse.from_scipy(coo).to_dense(), [[0, 2], [1, 0]])
    indices = jnp.array([[0, 1], [0, 1], [1, 0], [2, 2]])  # the last one is padding
    bcoo = jax_sparse.BCOO((jnp.ones(4), indices), shape=(2, 2))
    got = sparse.from_bcoo(bcoo)
    assert got.nnz == got.nse == 2
    np.testing.assert_array_equal(got.to_dense(), [[0, 2], [1, 0]])


def test_formats_of_jax_and_files(matrices, tmp_path):
    a, _, dense, _ = matrices
    np.testing.assert_array_equal(a.to_bcoo().todense(), dense)
    np.testing.assert_array_equal(a.to_bcsr().todense(), dense)
    np.testing.assert_array_equal(sparse.from_bcoo(a.to_bcsr()).to_dense(), dense)
    sparse.save_npz(tmp_path / "a.npz", a)
    np.testing.assert_array_equal(scipy.sparse.load_npz(tmp_path / "a.npz").toarray(), dense)
    np.testing.assert_array_equal(sparse.load_npz(tmp_path / "a.npz").to_dense(), dense)
    file = io.BytesIO()
    sparse.mmwrite(file, a)
    read = sparse.mmread(io.BytesIO(file.getvalue()))
    np.testing.assert_allclose(read.to_dense(), dense, rtol=1e-6)


def test_it_prints_what_it_is():
    a = Sparse(jnp.ones(2), Pattern.coo([0, 1], [2, 0], (2, 3)))
    assert repr(a) == "Sparse(f32[2,3], nnz=2, 33.3%)\n. . x\nx . ."
    large = sparse.eye(100_000, dtype="int32")
    assert repr(large) == "Sparse(i32[100000,100000], nnz=100000, 0.001%)"
    assert "fill=1.0" in repr(quaxify(jnp.cos)(a))


def test_fills_are_followed():
    a = sparse.eye(3)
    program = {
        "exp": (jnp.exp, 1.0),
        "plus": (lambda x: x + 2, 2.0),
        "equal": (lambda x: x == 0, True),
        "log": (jnp.log, -np.inf),
        "over": (lambda x: x / 0, np.nan),
        "two": (lambda x: jnp.exp(x) + jnp.cos(x), 2.0),
    }
    for name, (function, fill) in program.items():
        out = quaxify(function)(a)
        assert isinstance(out, Sparse), name
        np.testing.assert_array_equal(out.fill, fill, err_msg=name)
        np.testing.assert_allclose(out.to_dense(), function(jnp.eye(3)), rtol=1e-6)
    assert out.nnz == 3


@pytest.mark.filterwarnings("error")
def test_fills_that_are_not_finite_or_overflow():
    nan, inf = np.nan, np.inf
    dense = jnp.array([[1.0, inf, inf], [inf, inf, inf]])
    a = sparse.from_dense(dense, fill=inf)
    assert a.nnz == 1
    difference = quaxify(lambda a: a - a)(a)
    np.testing.assert_array_equal(difference.fill, nan)
    np.testing.assert_array_equal(quaxify(lambda a: a.sum(0))(a), [inf, inf, inf])
    np.testing.assert_array_equal(quaxify(lambda a: a.min(1))(a), [1, inf])
    with materialization("error"), pytest.raises(MaterializeError, match="dot_general"):
        quaxify(lambda a: a @ jnp.ones(3))(a)
    with materialization("allow"):
        np.testing.assert_array_equal(quaxify(lambda a: a @ jnp.ones(3))(a), [inf, inf])
    large = sparse.from_dense(jnp.full(5, 1e38), fill=1e38)
    assert quaxify(lambda a: a.sum())(large) == inf
    assert quaxify(jnp.square)(large).fill == inf
    # Of small integers products wrap around, and numbers of fills do not fit into the dtype.
    bits = sparse.from_dense(jnp.full(300, 3, "int8"), fill=3)
    evens = sparse.from_dense(jnp.full(256, 2, "int8"), fill=2)
    product = quaxify(lambda a: lax.reduce(a, np.int8(1), lax.mul, (0,)))
    want = int(np.prod(np.full(300, 3, "int8"), dtype="int8"))
    assert (int(product(bits)), int(product(evens))) == (want, 0)


def test_an_array_without_axes_is_a_number():
    s, a = sparse.from_dense(jnp.asarray(3.0)), sparse.eye(2)
    out = quaxify(lambda s, a: (s * jnp.ones(2), a * s, s + 1))(s, a)
    np.testing.assert_array_equal(out[0], [3, 3])
    assert isinstance(out[1], Sparse)
    np.testing.assert_array_equal(out[1].to_dense(), 3 * np.eye(2))
    assert materialize(out[2]) == 4


def test_a_traced_fill_has_a_gradient():
    def loss(s):
        return quaxify(lambda a, s: jnp.sum((a + s) ** 2))(sparse.eye(3), s)

    # 6 unstored s, 3 stored 1 + s
    np.testing.assert_allclose(jax.jit(jax.grad(loss))(2.0), 2 * (6 * 2 + 3 * 3))


def test_plans_are_made_once_and_forgotten_when_there_are_too_many():
    def program(a, b):
        return (a + b) @ (a.T * b.T)

    a, b = (sparse.random(jax.random.key(k), (64, 64), density=0.05) for k in (8, 9))
    jax.jit(quaxify(program))(a, b)
    made = sparse.plan_statistics().made
    jax.jit(lambda a, b: quaxify(program)(a, b))(a, b)
    quaxify(program)(2 * a, b)
    assert sparse.plan_statistics().made == made
    before = sparse.plan_memory(200_000)
    try:
        for k in range(40):
            c = sparse.random(jax.random.key(100 + k), (64, 64), density=0.05)
            jax.eval_shape(quaxify(program), c, b)
            assert sparse.plan_statistics().nbytes <= 200_000
        assert sparse.plan_statistics().made > made + 40
        np.testing.assert_allclose(
            quaxify(program)(a, b).to_dense(),
            program(a.to_dense(), b.to_dense()),
            rtol=1e-4,
            atol=1e-5,
        )
    finally:
        sparse.plan_memory(before)


def test_a_program_is_traced_once_for_equal_patterns():
    traced = []

    @jax.jit
    def program(a):
        traced.append(a)
        return a.data * 2

    for _ in range(3):
        program(Sparse(jnp.ones(2), Pattern.coo([0, 1], [1, 0], (2, 2))))
    assert len(traced) == 1


def test_branches_and_loops_join_patterns(matrices):
    a, b, x, y = matrices
    branch = jax.jit(quaxify(lambda p, a, b: lax.cond(p, lambda: a, lambda: b)))
    for p, want in ((True, x), (False, y)):
        out = branch(p, a, b)
        assert out.nnz == np.sum((x != 0) | (y != 0))
        np.testing.assert_array_equal(out.to_dense(), want)
    grown = quaxify(lambda a, b: lax.fori_loop(0, 3, lambda _, c: c + b, a))(a, b)
    assert isinstance(grown, Sparse)
    np.testing.assert_allclose(grown.to_dense(), x + 3 * y, rtol=1e-6)


def test_traced_places(system):
    _, s = system
    dense, x = jnp.asarray(s.toarray()), jnp.arange(20.0)
    capacity = s.nnz + 3

    @jax.jit
    def program(dense, x):
        a = sparse.from_dense(dense, pattern=DynamicPattern(capacity))
        f = quaxify(lambda a, x: (a * 2 + a, a.T, a * x[None], jnp.sin(a), a @ x, x @ a, a.sum(0)))
        return f(a, x)

    want = lambda a, x: (a * 3, a.T, a * x[None], jnp.sin(a), a @ x, x @ a, a.sum(0))
    got = program(dense, x)
    assert int(got[0].pattern.count) == s.nnz
    assert got[0].nnz == 2 * capacity
    for one, expected in zip(materialize(got), want(dense, x), strict=True):
        np.testing.assert_allclose(one, expected, rtol=1e-4, atol=1e-4)
    gradient = jax.grad(lambda d: jnp.sum(program(d, x)[4] ** 2))(dense)
    np.testing.assert_allclose(
        gradient, jnp.where(dense != 0, 2 * jnp.outer(dense @ x, x), 0), rtol=1e-3
    )


def test_traced_places_of_another_fill():
    for fill, want in ((1.0, [2, np.nan, 0]), (np.nan, [1, 2, 1])):
        x = jnp.array([1.0, 2.0, np.nan, 1.0])
        a = jax.jit(
            lambda x, fill=fill: sparse.from_dense(x, pattern=DynamicPattern(3), fill=fill)
        )(x)
        np.testing.assert_array_equal(a.data, want)
        np.testing.assert_array_equal(a.to_dense(), x)


def test_a_cotangent_of_other_places_is_read_at_those_of_the_operand():
    f = jax.custom_vjp(lambda x, y: jnp.sum(x) + jnp.sum(y))
    f.defvjp(lambda x, y: (f(x, y), (x, y)), lambda xy, g: (xy[1], xy[0]))
    loss = lambda a, b: quaxify(f)(Sparse(a, *rest_of_a), Sparse(b, *rest_of_b))
    sort = jax.jit(lambda *coo: DynamicPattern(2).sort(*coo, shape=(2, 3)))
    a, *rest_of_a = sort(jnp.array([1.0, 2.0]), jnp.array([0, 1]), jnp.array([0, 1]))
    b, *rest_of_b = sort(jnp.array([5.0, 7.0]), jnp.array([0, 1]), jnp.array([2, 1]))
    with materialization("allow"):
        got = jax.grad(loss, (0, 1))(a, b)  # only the last places are the same
    np.testing.assert_array_equal(got, [[0, 7], [0, 2]])


def test_a_cotangent_of_the_same_places_is_that_of_the_data():
    f = jax.custom_vjp(lambda x: jnp.sum(x))
    f.defvjp(lambda x: (f(x), x), lambda x, g: (x * 3,))
    pattern = sparse.from_dense(np.array([[1, 0, 0], [0, 1, 0]])).pattern
    data, fill = jnp.array([1.0, 2.0]), jnp.array(1.5)
    with materialization("error"):
        got = jax.grad(lambda data: quaxify(f)(Sparse(data, pattern)))(data)
    np.testing.assert_array_equal(got, [3, 6])
    with materialization("allow"):
        loss = lambda data, fill: quaxify(f)(Sparse(data, pattern, fill))
        got = jax.grad(loss, (0, 1))(data, fill)
    np.testing.assert_array_equal(got[0], [3, 6])
    assert got[1] == 4 * 3 * 1.5


def test_traced_indices_are_sorted_and_summed():
    rows, cols = jnp.array([2, 0, 2, 9]), jnp.array([1, 3, 1, 0])  # the last is outside
    data = jnp.array([1.0, 2.0, 4.0, 8.0])

    @jax.jit
    def make(data, rows, cols):
        return Sparse(*DynamicPattern(6).sort(data, rows, cols, shape=(3, 4)))

    out = make(data, rows, cols)
    assert int(out.pattern.count) == 2
    want = np.zeros((3, 4))
    want[0, 3], want[2, 1] = 2, 5
    np.testing.assert_array_equal(out.to_dense(), want)


def test_solves_are_those_of_scipy(system):
    a, s = system
    b = np.random.default_rng(1).standard_normal((20, 3)).astype("float32")
    want = scipy.sparse.linalg.spsolve(s.tocsc(), b)
    for got in (
        sparse.solve(a, b),
        jax.jit(sparse.solve)(a, b),
        quaxify(jnp.linalg.solve)(a, b),
        jax.vmap(sparse.factor(a).solve, in_axes=1, out_axes=1)(b),
        sparse.solve(a, b, solver=lineax.GMRES(rtol=1e-6, atol=1e-6)),
    ):
        np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-4)


def test_one_factorisation_serves_all_right_hand_sides_and_the_gradient(system):
    a, _ = system
    a = 1.5 * a
    before = _superlu.factorisations[0]
    f = sparse.factor(a)

    def loss(b):
        return jnp.sum(f.solve(b) ** 2)

    jax.vmap(jax.grad(loss))(jnp.eye(20)[:4])
    f.logdet()
    assert _superlu.factorisations[0] == before + 1


def test_gradients_of_solves_and_determinants(system):
    a, s = system
    dense, b = jnp.asarray(s.toarray()), jnp.arange(20.0)
    at = a.pattern.indices

    def loss(solve):
        return lambda a, b: jnp.sum(jnp.sin(solve(a, b)))

    got = jax.jit(jax.grad(loss(sparse.solve), argnums=(0, 1)))(a, b)
    want = jax.grad(loss(jnp.linalg.solve), argnums=(0, 1))(dense, b)
    np.testing.assert_allclose(got[0].data, want[0][at], rtol=2e-3, atol=1e-3)
    np.testing.assert_allclose(got[1], want[1], rtol=1e-3, atol=1e-3)
    sign, value = sparse.factor(a).slogdet()
    want_sign, want_value = np.linalg.slogdet(s.toarray())
    np.testing.assert_allclose((sign, value), (want_sign, want_value), rtol=1e-4)
    gradient = jax.grad(lambda a: sparse.factor(a).logdet())(a)
    inverse = np.linalg.inv(s.toarray())
    np.testing.assert_allclose(gradient.data, inverse.T[at], rtol=1e-3, atol=1e-4)


def test_a_batch_of_systems_of_one_pattern(system):
    a, s = system
    b = jnp.arange(20.0)
    stack = Sparse(jnp.stack([a.data, 2 * a.data]), a.pattern)
    got = jax.vmap(sparse.solve, in_axes=(0, None))(stack, b)
    want = np.linalg.solve(s.toarray(), np.arange(20.0))
    np.testing.assert_allclose(got, [want, want / 2], rtol=1e-3, atol=1e-3)


def test_a_singular_matrix_gives_nan():
    a = sparse.from_dense(jnp.array([[1.0, 1.0], [1.0, 1.0]]))
    assert np.isnan(sparse.solve(a, jnp.ones(2))).all()
    assert sparse.factor(a).logdet() == -np.inf


def test_the_second_difference_has_the_closed_form_of_its_determinant_and_spectrum():
    n = 12
    a = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], (n, n))
    np.testing.assert_allclose(sparse.factor(a).logdet(), np.log(n + 1), rtol=1e-5)
    k = 3
    mode = np.sin(np.pi * k * np.arange(1, n + 1) / (n + 1)).astype("float32")
    eigenvalue = 2 - 2 * np.cos(np.pi * k / (n + 1))
    np.testing.assert_allclose(quaxify(jnp.matmul)(a, mode), eigenvalue * mode, atol=1e-6)


def test_second_derivatives_of_solves_and_determinants(system):
    a, s = system
    b = jnp.arange(20.0) / 20

    def along(value):
        # Of t: the second derivative of value(a + t a^T o pattern) at zero.
        return jax.grad(jax.grad(value))(0.0)

    change = jnp.asarray(s.toarray().T)[a.pattern.indices]
    of_dense = jnp.zeros((20, 20)).at[a.pattern.indices].set(change)

    def moved(t):
        return Sparse(a.data + t * change, a.pattern)

    with materialization("allow"):
        got = along(lambda t: sparse.factor(moved(t)).logdet())
    inverse = np.linalg.inv(s.toarray()) @ np.asarray(of_dense)
    np.testing.assert_allclose(got, -np.trace(inverse @ inverse), rtol=1e-3)
    with materialization("error"), pytest.raises(MaterializeError, match="second derivative"):
        along(lambda t: sparse.factor(moved(t)).logdet())
    got = along(lambda t: jnp.sum(sparse.solve(moved(t), b)))
    want = 2 * np.sum(inverse @ inverse @ np.linalg.solve(s.toarray(), b))
    np.testing.assert_allclose(got, want, rtol=1e-3)


def test_dtypes_of_systems(system):
    a, s = system
    b = np.linspace(0, 1, 20).astype("float32")
    made = _superlu.factorisations[0]
    with jax.numpy_dtype_promotion("standard"):
        got = sparse.factor(3 * a).solve(b + 2j * b)  # by the factors of the real matrix
    assert _superlu.factorisations[0] == made + 1
    want = np.linalg.solve(3 * s.toarray(), np.stack([b, 2 * b], 1))
    np.testing.assert_allclose(got, want[:, 0] + 1j * want[:, 1], rtol=1e-3, atol=1e-4)
    with jax.enable_x64(True), jax.numpy_dtype_promotion("standard"):
        wide = sparse.factor(a).solve(jnp.asarray(b, "float64"))
        assert wide.dtype == "float64"
        exact = np.linalg.solve(s.toarray().astype("float64"), b.astype("float64"))
        np.testing.assert_allclose(wide, exact, rtol=1e-9, atol=1e-12)
    with jax.numpy_dtype_promotion("standard"):
        for dtype in ("int32", "bool", "bfloat16"):
            np.testing.assert_array_equal(sparse.solve(sparse.eye(3, dtype=dtype), b[:3]), b[:3])
    none = sparse.from_dense(jnp.zeros((0, 0)))
    assert sparse.factor(none).slogdet() == (1, 0)  # the empty product
    assert sparse.solve(none, jnp.zeros(0)).shape == (0,)


def test_plans_for_patterns_that_pass_by_are_bounded_too():
    sparse.plan_memory(before := sparse.plan_memory(0))
    try:
        for k in range(12):  # each plan is that nothing is left, but its key keeps the pattern
            if k == 6:
                sparse.plan_memory(50_000)
            a = sparse.random(jax.random.key(k), (1000,), density=0.9)
            jax.eval_shape(quaxify(lambda x: x[:0]), a)
            if k < 6:
                assert sparse.plan_statistics().nbytes > (k + 1) * 900 * 12
            else:
                assert sparse.plan_statistics().nbytes <= 50_000
    finally:
        sparse.plan_memory(before)


def test_updates_outside_of_quaxify_may_add_places():
    a = sparse.eye(3)
    dense = np.eye(3, dtype="float32")
    cases = {
        "set": lambda x: x.at[0, 1].set(5.0),
        "add": lambda x: x.at[1].add(2.0),
        "multiply": lambda x: x.at[:, 2].multiply(3.0),
        "max": lambda x: x.at[[0, 2], [2, 1]].max(7.0),
        "mask": lambda x: x.at[np.eye(3, dtype=bool)].divide(2.0),
    }
    for name, update in cases.items():
        got = update(a)
        assert isinstance(got, Sparse), name
        np.testing.assert_array_equal(got.to_dense(), update(jnp.asarray(dense)), err_msg=name)
    assert a.at[1, 1].get() == 1
    assert re.match("Sparse", repr(a.at))
    with materialization("allow"):
        applied = a.at[0].apply(lambda x: 2 * x + 1)
    np.testing.assert_array_equal(materialize(applied), [[3, 1, 1], [0, 1, 0], [0, 0, 1]])


@pytest.mark.parametrize("program", [lambda x: x, lambda x: x + 1.5, lambda x: x - 2 * x.T])
def test_numbers_of_a_weak_type_do_not_widen_what_they_meet(program):
    a = Sparse(jnp.full(2, 0.5), Pattern.coo([0, 1], [1, 2], (3, 3)))  # as `jnp.full` makes them
    half = jnp.ones((3, 3), "float16")

    def sorted_and_added(x):
        return jnp.sort(program(x)) + half

    dense = jnp.full((3, 3), 0.0).at[jnp.array([0, 1]), jnp.array([1, 2])].set(0.5)
    assert sorted_and_added(dense).dtype == "float16"
    with materialization("allow"):
        got = quaxify(sorted_and_added)(a)
    assert got.dtype == "float16"
    np.testing.assert_array_equal(got, sorted_and_added(dense))


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e4m3b11fnuz", "float8_e5m2"])
def test_extremes_of_types_without_infinities(dtype):
    dense = np.array([[0.0, -1.0], [-3.0, -2.0]])
    a = sparse.from_dense(jnp.asarray(dense).astype(dtype))
    for name in ("max", "min", "argmax", "argmin"):
        for axis in (0, 1):
            got = quaxify(getattr(jnp, name))(a, axis=axis)
            np.testing.assert_array_equal(
                np.asarray(got, "float32"), getattr(np, name)(dense, axis)
            )


@pytest.mark.parametrize("name", ["max", "min", "sum", "prod"])
@pytest.mark.parametrize("dtype", ["int8", "float32", "complex64"])
def test_a_reduction_of_no_entries_is_that_of_jax(name, dtype):
    reduce = getattr(jax.lax, f"reduce_{name}")
    for shape, axes in (((3, 0), (1,)), ((0,), (0,)), ((2, 3, 0), (2,))):
        dense = jnp.zeros(shape, dtype)
        got = quaxify(lambda x, axes=axes: reduce(x, axes))(sparse.from_dense(dense))
        np.testing.assert_array_equal(np.asarray(materialize(got)), reduce(dense, axes))


def test_infinities_with_imaginary_parts_have_extremes():
    low, high = complex(-np.inf, -1), complex(np.inf, 1)
    dense = np.array([[low, low], [high, high]], "complex64")
    a = sparse.from_dense(jnp.asarray(dense))
    lows, highs = (materialize(quaxify(f)(a, axis=1)) for f in (jnp.max, jnp.min))
    np.testing.assert_array_equal(np.stack([lows, highs]), [[low, high]] * 2)


def test_a_complex_product_asked_for_as_real_numbers_is_its_real_part():
    x, y = np.array([[1 + 2j, 0], [3j, 1 - 1j]]), np.array([[2 - 1j, 1j], [0, 3 + 1j]])
    a = sparse.from_dense(jnp.asarray(x, "complex64"))
    for other in (jnp.asarray(y, "complex64"), sparse.from_dense(jnp.asarray(y, "complex64"))):

        def product(x, y):
            return jnp.matmul(x, y, preferred_element_type="float32")

        np.testing.assert_array_equal(materialize(quaxify(product)(a, other)), (x @ y).real)
        np.testing.assert_array_equal(materialize(quaxify(product)(other, a)), (y @ x).real)


@pytest.mark.parametrize("transform", [lambda f: f, jax.jit], ids=["eager", "jit"])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32"])
@pytest.mark.parametrize("divide", [jnp.floor_divide, jnp.mod, lax.div, lax.rem, jnp.divmod])
def test_integers_off_the_stored_entries_are_divided_as_in_jax(divide, dtype, transform):
    a = jnp.array([[0, 3, 0], [0, 0, 4]], dtype)
    divisor = jnp.array([[0, 0, 2], [1, 0, 0]], dtype)
    with materialization("allow"):
        for d in (divisor, sparse.from_dense(divisor), divisor[:1], divisor[:, 2:], divisor[0, 0]):
            got = materialize(quaxify(transform(divide))(sparse.from_dense(a), d))
            expected = divide(a, materialize(d) if d.ndim else jnp.full(a.shape, d))
            jax.tree.map(np.testing.assert_array_equal, got, expected)
