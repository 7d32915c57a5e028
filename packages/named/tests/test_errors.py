"""What is refused, and what the message advises."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import duckarray.named as n
from duckarray.core import quaxify
from duckarray.named import Axis, AxisNameError, NamedArray

pytestmark = pytest.mark.any_jax

A = NamedArray(jnp.arange(6.0).reshape(2, 3), "batch d")


def test_more_names_than_axes():
    with pytest.raises(AxisNameError, match=r"names 3 axes[\s\S]*\(2, 3\) has 2[\s\S]*`None`"):
        NamedArray(A.array, "a b c")


def test_a_name_that_stands_twice():
    with pytest.raises(AxisNameError, match=r"'a' stands twice[\s\S]*another name"):
        NamedArray(A.array, "a a")


def test_what_is_no_name():
    with pytest.raises(AxisNameError, match=r"'1st' cannot be[\s\S]*identifier"):
        NamedArray(A.array, ("1st", "b"))


def test_what_is_no_array():
    with pytest.raises(TypeError, match=r"no axes to name[\s\S]*jnp\.asarray"):
        NamedArray([1.0, 2.0], "a")


def test_an_axis_of_another_size():
    with pytest.raises(AxisNameError, match=r"Axis\('batch', 4\)[\s\S]*size 2[\s\S]*'batch'"):
        NamedArray(A.array, (Axis("batch", 4), "d"))


def test_a_name_that_is_not_there():
    with pytest.raises(AxisNameError, match=r"no axis 'seq' among \(batch, d\)[\s\S]*rename"):
        n.sum(A, "seq")
    with pytest.raises(AxisNameError, match=r"no axis 'seq' among \(batch, d\)"):
        A.isel(seq=0)
    with pytest.raises(AxisNameError, match=r"no axis 'seq' among \(batch, d\)"):
        A.rename(seq="time")


def test_sizes_that_differ():
    with pytest.raises(AxisNameError, match=r"'d' has 3 entries[\s\S]*but 4[\s\S]*isel"):
        A + NamedArray(jnp.ones(4), "d")


def test_operands_without_a_name_in_common():
    with pytest.raises(AxisNameError, match=r"no name in common[\s\S]*outer\(op, a, b\)"):
        A + NamedArray(jnp.ones(4), "time")


def test_an_array_without_names_and_of_other_rank():
    with pytest.raises(AxisNameError, match=r"shape \(3,\) without names[\s\S]*NamedArray\(y, 'd'"):
        A + jnp.ones(3)


def test_a_shared_name_missing_from_out():
    s = NamedArray(jnp.ones((4, 3)), "s d")
    with pytest.raises(AxisNameError, match=r"axis 's'[\s\S]*y\.rename\(s="):
        n.dot(s, s, over="d", out="")
    with pytest.raises(AxisNameError, match=r"has the axes \(s, t\)[\s\S]*once"):
        n.dot(s, s.rename(s="t"), over="d", out="s")


def test_a_matrix_plus_its_transpose_is_caught_inside():
    square = NamedArray(jnp.ones((3, 3)), "a b")
    with pytest.raises(AxisNameError, match=r"\(a, b\) and \(b, a\)[\s\S]*one order"):
        quaxify(lambda x: x + x.T)(square)


def test_a_contraction_of_two_names_is_caught_inside():
    w = NamedArray(jnp.ones((3, 4)), "hidden out")
    with pytest.raises(AxisNameError, match=r"'d' of \(batch, d\) and axis 'hidden'[\s\S]*rename"):
        quaxify(jnp.matmul)(A, w)


@pytest.mark.parametrize(
    "change",
    [jnp.sum, lambda x: x.sum(0), lambda x: x[:1], lambda x: x.T],
    ids=["scalar", "row", "part", "transposed"],
)
def test_an_array_changed_without_its_names_says_so(change):
    stale = jax.tree.map(change, A)
    for use in (lambda x: x.dims, lambda x: x + 1, quaxify(jnp.sin)):
        with pytest.raises(AxisNameError, match=r"batch=2, d=3[\s\S]*jax\.tree\.map[\s\S]*anew"):
            use(stale)
    assert "of other axes" in repr(stale)


def test_sizes_of_a_tree_tell_the_paths():
    tree = {"a": A, "b": NamedArray(jnp.ones(5), "d")}
    with pytest.raises(AxisNameError, match=r"'d' has 3 entries in \['a'\] but 5 in \['b'\]"):
        n.sizes(tree)
    assert n.sizes({"a": A}) == {"batch": 2, "d": 3}


def test_an_axis_that_cannot_be_split_so():
    with pytest.raises(AxisNameError, match=r"do not multiply to 3[\s\S]*-1"):
        A.unflatten("d", x=2, y=2)
    with pytest.raises(AxisNameError, match=r"do not multiply to 3"):
        A.split("d", h=2)


def test_joining_what_has_other_names():
    with pytest.raises(AxisNameError, match=r"cannot be brought into the order"):
        n.concat([A, A.rename(d="e")], "batch")
    with pytest.raises(AxisNameError, match=r"nothing to join"):
        n.stack([], "new")
    with pytest.raises(AxisNameError, match=r"have that axis already[\s\S]*concat"):
        n.stack([A, A], "d")


def test_rules_for_a_mesh_that_it_does_not_have():
    mesh = jax.make_mesh((1,), ("data",))
    with pytest.raises(AxisNameError, match=r"'model'[\s\S]*\('data',\)[\s\S]*make_mesh"):
        n.shard(A, {"d": "model"}, mesh)
    with pytest.raises(ValueError, match=r"no mesh[\s\S]*set_mesh"):
        n.shard(A, {"d": "model"})
    with pytest.raises(AxisNameError, match=r"two axes[\s\S]*'data'"):
        n.pspec(A, {"batch": "data", "d": "data"})


def test_check_names_what_is_wrong():
    @n.check(x="batch d", y="d", out="batch")
    def f(x, y):
        return n.dot(x, y, over="d")

    assert f(A, NamedArray(jnp.ones(3), "d")).dims == ("batch",)
    with pytest.raises(AxisNameError, match=r"argument `x` of `f` has the axes \(d, batch\)"):
        f(A.transpose_to("d batch"), NamedArray(jnp.ones(3), "d"))
    with pytest.raises(AxisNameError, match=r"'d' of `f` has 3 entries in argument `x` but 4"):
        f(A, NamedArray(jnp.ones(4), "d"))
    with pytest.raises(TypeError, match=r"no parameter of that name"):
        n.check(z="a")(f)


def test_vmap_over_what_nobody_has():
    with pytest.raises(AxisNameError, match=r"no argument has an axis of that name"):
        n.vmap(lambda x: x, over="time")(A)


@pytest.mark.parametrize("name", ["scan", "map"])
def test_an_axis_that_not_all_have(name):
    xs = A, NamedArray(jnp.zeros(3), "d")
    call = {
        "scan": lambda: n.scan(lambda c, x: (c, x[0]), "batch", 0.0, xs),
        "map": lambda: n.map(lambda x: x[0], "batch", xs),
    }[name]
    with pytest.raises(AxisNameError, match=rf"`{name}\(..., 'batch'\)`: not all of `xs` have"):
        call()


def test_several_axes_for_a_function_along_one():
    with pytest.raises(AxisNameError, match=r"`argmax\(a, 'batch d'\)` goes along one axis, but 2"):
        n.argmax(A, "batch d")


def test_several_arrays_of_integers_in_one_index():
    with pytest.raises(AxisNameError, match=r"one array of integers"):
        A.isel(batch=np.array([0]), d=np.array([0]))


def test_a_carry_that_comes_back_without_names():
    with pytest.raises(AxisNameError, match=r"leaves as[\s\S]*without names"):
        n.scan(lambda c, x: (c.array, None), "batch", NamedArray(jnp.zeros(3), "d"), A)


@pytest.mark.parametrize("at", [2, -3])
def test_an_integer_that_is_no_place_of_its_axis(at):
    with pytest.raises(
        IndexError, match=r"not among the 2 entries of axis 'batch'[\s\S]*0 to 1, or from -1 to -2"
    ):
        A.isel(batch=at)


@pytest.mark.parametrize("dims", [3, None, 1.5])
def test_what_are_no_names(dims):
    for call in (lambda: NamedArray(A.array, dims), lambda: A.transpose_to(dims)):
        with pytest.raises(AxisNameError, match=r"expected, but got[\s\S]*\"batch seq d\""):
            call()


@pytest.mark.parametrize("size", [None, "3", 2.0, -1])
def test_an_axis_whose_size_is_no_number_of_entries(size):
    with pytest.raises(AxisNameError, match=r"is an integer, not negative[\s\S]*'batch'"):
        NamedArray(A.array, (Axis("batch", size), "d"))


@pytest.mark.parametrize("a", [None, "text", [1.0, 2.0]], ids=["none", "text", "list"])
@pytest.mark.parametrize("dims", [None, "d"])
def test_reductions_of_what_is_no_array(a, dims):
    names = "sum prod mean var std max min any all logsumexp argmax sort cumsum flip softmax"
    for name in names.split():
        match = (
            rf"`{name}\(a, \.\.\.\)` takes an array, but got a `{type(a).__name__}`[\s\S]*asarray"
        )
        with pytest.raises(TypeError, match=match):
            getattr(n, name)(a, dims)


def test_reductions_take_what_jax_takes():
    for got in (n.sum(6.0), n.max(np.float32(6)), n.sum(np.ones((2, 3)))):
        assert got == 6


@pytest.mark.parametrize("function", ["concat", "stack"])
def test_joining_what_are_no_named_arrays(function):
    join = getattr(n, function)
    for given, got in ((3, "int"), (A, "NamedArray"), (iter([A]), "list_iterator")):
        with pytest.raises(TypeError, match=rf"a list of arrays, but got a `{got}`[\s\S]*\[a, b\]"):
            join(given, "new")
    with pytest.raises(
        TypeError, match=r"`arrays\[1\]` goes by[\s\S]*shape \(2, 3\)[\s\S]*NamedArray"
    ):
        join([A, np.ones((2, 3))], "batch")


@pytest.mark.parametrize(
    ("call", "asked"),
    [
        (lambda a: n.flatten(a, "a b", "c"), r"flatten\(a, 'a b', 'c'\)"),
        (lambda a: n.unflatten(a, "a", b=2), r"unflatten\('a', b=2\)"),
        (lambda a: n.split(a, "a", b=2), r"split\(a, 'a', \.\.\.\)"),
        (lambda a: n.rename(a, a="b"), r"rename\(a, \.\.\.\)"),
        (lambda a: n.outer(jnp.add, A, a), r"outer\(function, x, y\)"),
    ],
    ids=["flatten", "unflatten", "split", "rename", "outer"],
)
def test_axes_of_what_has_no_names(call, asked):
    with pytest.raises(
        TypeError, match=rf"`{asked}` goes by[\s\S]*got a `int`\.[\s\S]*name the axes"
    ):
        call(1)
    with pytest.raises(TypeError, match=rf"`{asked}` goes by[\s\S]*of shape \(4,\)[\s\S]*name the"):
        call(np.ones(4))


@pytest.mark.parametrize("pattern", [None, 3])
def test_a_pattern_that_is_no_text(pattern):
    with pytest.raises(TypeError, match=rf"`einsum\({pattern}, \.\.\.\)` takes[\s\S]*\"batch s d"):
        n.einsum(pattern, A)


@pytest.mark.parametrize(
    "nothing", [None, "text", {"a": 1}, {1}], ids=["none", "text", "dict", "set"]
)
@pytest.mark.parametrize(
    "call",
    [
        lambda x: n.take(x, jnp.array([0]), "batch"),
        lambda x: n.take(A, x, "batch"),
        lambda x: n.take_along(x, A, "batch"),
        lambda x: n.take_along(A, x, "batch"),
        lambda x: n.dot(x, A, over="d"),
        lambda x: n.dot(A, x, over="d"),
        lambda x: n.where(x, A, A),
        lambda x: n.where(A > 0, x, A),
        lambda x: n.where(A > 0, A, x),
    ],
    ids=["take", "take_at", "along", "along_at", "dot", "dot_with", "where", "where_x", "where_y"],
)
def test_what_is_no_array_is_refused_with_what_to_pass(call, nothing):
    with pytest.raises(
        TypeError, match=rf"got a `{type(nothing).__name__}`[\s\S]*Pass a `NamedArray`"
    ):
        call(nothing)
