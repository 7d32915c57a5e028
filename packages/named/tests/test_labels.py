"""Programs written by position: the answer is that of arrays, and names are carried along."""

import ast

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from duckarray.core import materialization, quaxify
from duckarray.named import NamedArray, dims

X = np.random.default_rng(1).normal(size=(2, 3, 4)).astype("float32")
A = NamedArray(jnp.asarray(X), "batch seq d")
SQUARE = NamedArray(jnp.asarray(X[0, :, :3]), "a b")


def layer_norm(x):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    return (x - mean) / jnp.sqrt(jnp.var(x, axis=-1, keepdims=True) + 1e-6)


def heads(x):
    return x.reshape(2, 3, 2, 2).transpose(0, 2, 1, 3)


PROGRAMS = {
    "layer norm": (layer_norm, "batch seq d"),
    "softmax": (lambda x: jax.nn.softmax(x, axis=-1), "batch seq d"),
    "relu": (jax.nn.relu, "batch seq d"),
    "attention": (lambda x: jax.nn.softmax(x @ x.mT) @ x, "batch seq d"),
    "heads": (heads, "batch None seq None"),
    "ravel": (jnp.ravel, "None"),
    "flattened rows": (lambda x: x.reshape(2, 12), "batch None"),
    "unit axis": (lambda x: x.reshape(2, 1, 3, 4), "batch None seq d"),
    "squeezed": (lambda x: x[:, :1].squeeze(1), "batch d"),
    "index": (lambda x: x[:, 1], "batch d"),
    "rows of integers": (lambda x: x[:, jnp.array([2, 0])], "batch None d"),
    "updated": (lambda x: x.at[:, 0].set(0.0), "batch seq d"),
    "scatter add": (lambda x: x.at[:, jnp.array([1, 1])].add(1.0), "batch seq d"),
    "swapped": (lambda x: jnp.swapaxes(x, 0, 2), "d seq batch"),
    "moved": (lambda x: jnp.moveaxis(x, 0, 1), "seq batch d"),
    "argmax": (lambda x: x.argmax(1), "batch d"),
    "cumsum": (lambda x: jnp.cumsum(x, 1), "batch seq d"),
    "sort": (lambda x: jnp.sort(x, 1), "batch seq d"),
    "top k": (lambda x: lax.top_k(x, 2)[0], "batch seq d"),
    "where": (lambda x: jnp.where(x > 0, x, 0.0), "batch seq d"),
    "pad": (lambda x: jnp.pad(x, ((0, 0), (1, 1), (0, 0))), "batch seq d"),
    "concatenate": (lambda x: jnp.concatenate([x, x], 1), "batch seq d"),
    "stack": (lambda x: jnp.stack([x, x], 1), "batch None seq d"),
    "split": (lambda x: jnp.split(x, 2, axis=2)[1], "batch seq d"),
    "einsum": (lambda x: jnp.einsum("bsd,bsd->bs", x, x), "batch seq"),
    "gram": (lambda x: jnp.einsum("bsd,bsd->b", x, x), "batch"),
    "tensordot": (lambda x: jnp.tensordot(x, jnp.ones((4, 5)), 1), "batch seq None"),
    "expanded": (lambda x: x[:, None] * jnp.ones((2, 5, 1, 1)), "batch None seq d"),
    "vmap": (jax.vmap(lambda x: x @ jnp.ones((4, 2))), "batch seq None"),
    "vmap of rows": (jax.vmap(jax.vmap(jnp.cumsum)), "batch seq d"),
    "scan of rows": (lambda x: lax.scan(lambda c, r: (c + r, r * 2), x[0], x)[1], "batch seq d"),
    "carry": (lambda x: lax.scan(lambda c, r: (c + r, None), x[0], x)[0], "seq d"),
    "fori": (lambda x: lax.fori_loop(0, 3, lambda i, c: c * 0.5 + x, x), "batch seq d"),
    "cond": (lambda x: lax.cond(x[0, 0, 0] > 0, jnp.sin, jnp.cos, x), "batch seq d"),
    "while": (lambda x: lax.while_loop(lambda c: c.sum() < 50, lambda c: c + 1, x), "batch seq d"),
    "checkpoint": (jax.checkpoint(layer_norm), "batch seq d"),
    "gradient": (jax.grad(lambda x: (layer_norm(x) ** 3).sum()), "batch seq d"),
    "jvp": (lambda x: jax.jvp(jnp.sin, (x,), (x,))[1], "batch seq d"),
    "associative scan": (lambda x: lax.associative_scan(jnp.add, x, axis=1), "batch seq d"),
    "map": (lambda x: lax.map(lambda r: r.sum(0), x), "batch d"),
    "fft": (lambda x: jnp.fft.fft(x, axis=1).real, "batch seq d"),
    "norms": (lambda x: jnp.linalg.norm(x, axis=-1), "batch seq"),
    "conv": (lambda x: lax.conv(x, jnp.ones((5, 3, 2)), (1,), "VALID"), "batch None d"),
    "singular values": (lambda x: jnp.linalg.svd(x, compute_uv=False), "batch None"),
    "eigenvalues": (lambda x: jnp.linalg.eigvalsh(x @ x.mT), "batch None"),
    "least squares": (lambda x: jnp.linalg.qr(x.mT)[1], "batch None None"),
}


@pytest.mark.parametrize("jit", [False, True], ids=["eager", "jit"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_by_position_keeps_the_right_names(name, jit):
    program, names = PROGRAMS[name]
    run = jax.jit(quaxify(program)) if jit else quaxify(program)
    with materialization("error"):
        got = run(A)
    assert " ".join(map(str, got.dims)) == names
    np.testing.assert_allclose(got.array, program(jnp.asarray(X)), rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["layer norm", "attention", "heads", "scan of rows", "gradient"])
def test_names_add_nothing_to_the_program(name):
    program, _ = PROGRAMS[name]

    def shapes(jaxpr):
        return [(e.primitive.name, [v.aval for v in e.outvars]) for e in jaxpr.eqns]

    plain = jax.make_jaxpr(program)(A.array)
    named = jax.make_jaxpr(lambda x: quaxify(program)(x).array)(A)
    assert shapes(named.jaxpr) == shapes(plain.jaxpr)


def test_a_row_of_anonymous_axes_takes_the_other_names():
    assert quaxify(jnp.add)(A, jnp.ones((2, 3, 4))).dims == A.dims
    half = NamedArray(A.array, ("batch", None, None))
    assert quaxify(jnp.add)(half, NamedArray(A.array, (None, "seq", None))).dims == (
        "batch",
        "seq",
        None,
    )


@pytest.mark.parametrize(
    ("shape", "to", "want"),
    [
        ((6, 4), (6, 2, 2), ("x", None, None)),
        ((6, 4), (2, 3, 4), (None, None, "y")),
        ((4, 4), (4, 4), ("x", "y")),
        ((4, 4), (2, 2, 4), (None, None, "y")),
        ((2, 6), (4, 3), (None, None)),
        ((1, 5), (5,), ("y",)),
        ((5, 1), (1, 5), (None, "x")),
        ((0, 5), (5, 0), (None, None)),
    ],
)
def test_a_reshape_keeps_only_axes_that_stay_whole(shape, to, want):
    got = quaxify(lambda x: x.reshape(to))(NamedArray(jnp.zeros(shape), "x y"))
    assert got.dims == want


@pytest.mark.parametrize("order", ["a b", "b a"])
def test_branches_and_carries_in_another_order_come_into_the_first(order):
    other = SQUARE.transpose_to("b a")

    def choose(p, x, y):
        return lax.cond(p, lambda x, y: x, lambda x, y: y, x, y)

    for p in (True, False):
        got = jax.jit(quaxify(choose))(jnp.array(p), SQUARE, other)
        np.testing.assert_array_equal(got.unwrap("a b"), SQUARE.array)  # the same, either way
    turned = quaxify(lambda x, y: lax.fori_loop(0, 1, lambda i, c: y * 1.0, x))(SQUARE, other)
    np.testing.assert_array_equal(turned.transpose_to(order).array,
                                  SQUARE.transpose_to(order).array)  # fmt: skip


def test_vmap_outside_takes_the_name_off_and_puts_it_back():
    seen = []

    def row(x):
        seen.append(dims(x))
        return x * 2

    assert jax.vmap(quaxify(row))(A).dims == A.dims
    assert seen == [("seq", "d")]
    assert jax.vmap(quaxify(row), in_axes=1)(A).dims == ("seq", "batch", "d")
    assert seen[1] == ("batch", "d")
    assert jax.vmap(quaxify(jnp.sum))(A).dims == ("batch",)


def test_vmap_of_a_square_never_gives_a_wrong_name():
    assert jax.vmap(quaxify(jnp.sin), in_axes=1)(SQUARE).dims in (("b", "a"), (None, None))


def test_scan_outside_over_a_named_axis():
    carry, ys = lax.scan(lambda c, r: (quaxify(jnp.add)(c, r), quaxify(jnp.sin)(r)),
                         NamedArray(jnp.zeros((3, 4)), "seq d"), A)  # fmt: skip
    assert carry.dims == ("seq", "d")
    assert ys.dims == A.dims
    np.testing.assert_allclose(carry.array, X.sum(0), rtol=1e-5)


def test_a_compiled_function_is_traced_once_for_each_naming():
    traces = []

    @jax.jit
    def double(x):
        traces.append(x.dims)
        return x * 2

    for _ in range(3):
        double(A)
        double(A.rename(seq="time"))
    assert traces == [("batch", "seq", "d"), ("batch", "time", "d")]


def test_jacobians_are_not_nested():
    jacobian = jax.jacfwd(quaxify(lambda x: x.sum(1)))(SQUARE)
    want = jax.jacfwd(lambda x: x.sum(1))(SQUARE.array)
    np.testing.assert_allclose(jax.tree.leaves(jacobian)[0], want)
    inside = quaxify(jax.jacfwd(lambda x: x.sum(1)))(SQUARE)
    np.testing.assert_allclose(np.asarray(inside), want)


@pytest.mark.parametrize("dims", ["a b", ("a", None), (None, None), ("None", "b"), ("None", None)])
def test_what_is_shown_makes_the_names_again(dims):
    x = NamedArray(jnp.ones((2, 3)), dims)
    shown = ast.literal_eval(repr(x).removeprefix("NamedArray(f32[2,3], ").removesuffix(")"))
    assert NamedArray(jnp.ones((2, 3)), shown).dims == x.dims
