"""`duckarray.core.tree`: values as leaves, parts of trees, and what trees hold."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_types import Box, Doubled, Length, LowRank, Opaque, Quantized, Zero, dense, numbers

from duckarray.core import ArrayValue, MaterializeError, materialization, materialize, tree

pytestmark = pytest.mark.any_jax

W, A, B, BIAS = map(jnp.asarray, numbers(0, (4, 6), (4, 2), (2, 6), (6,)))
CODES, SCALE = jnp.ones((4, 6), jnp.int8), jnp.float32(0.5)


def model():
    return {"w": LowRank(W, A, B), "q": LowRank(Quantized(CODES, SCALE), A, B), "bias": BIAS}


def arrays(part):
    return [id(x) for x in jax.tree.leaves(part)]


def test_map_gives_values_whole():
    got = tree.map(lambda x, n: (type(x).__name__, n), model(), {"w": 1, "q": 2, "bias": 3})
    assert got["w"] == ("LowRank", 1)
    assert got["q"] == ("LowRank", 2)
    assert got["bias"][1] == 3


def test_map_stops_where_is_leaf_says_so_too():
    got = tree.map(type, {"a": [Box(BIAS)], "b": (1,)}, is_leaf=lambda x: isinstance(x, list))
    assert got == {"a": list, "b": (int,)}


def test_paths_end_at_values():
    wanted = ["['bias']", "['q']", "['w']"]
    named = tree.map_with_path(lambda path, x: jax.tree_util.keystr(path), model())
    assert sorted(named.values()) == wanted
    for found in (tree.leaves_with_path(model()), tree.flatten_with_path(model())[0]):
        assert [jax.tree_util.keystr(path) for path, _ in found] == wanted
        assert [type(x) is LowRank for _, x in found] == [False, True, True]


def test_flatten_and_unflatten_are_inverse():
    whole = model()
    leaves, structure = tree.flatten(whole)
    assert list(map(id, leaves)) == list(map(id, tree.leaves(whole)))
    assert [type(x) is LowRank for x in leaves] == [False, True, True]
    assert structure == tree.structure(whole) == jax.tree.structure({"w": 0, "q": 0, "bias": 0})
    assert tree.unflatten(structure, leaves)["q"] is whole["q"]


def test_partition_by_type_takes_whole_values_and_those_inside_others():
    whole = model()
    selected, rest = tree.partition(whole, LowRank)
    assert arrays(selected) == arrays([whole["q"], whole["w"]])
    assert arrays(rest) == arrays(BIAS)
    selected, rest = tree.partition(whole, Quantized)
    assert arrays(selected) == arrays([CODES, SCALE])
    assert len(jax.tree.leaves(rest)) == 6


def test_partition_by_several_types_and_by_a_type_that_is_no_value():
    whole = [Zero(jnp.zeros((3, 0))), Doubled(BIAS), len, "text", A]
    selected, rest = tree.partition(whole, (Zero, str, jax.Array))
    assert arrays(selected) == arrays([whole[0], "text", A])
    assert selected[2] is None
    assert rest[2] is len
    assert rest[1].half is BIAS


@pytest.mark.parametrize("names", [["a", "b"], ("a", "b")])
def test_partition_by_fields(names):
    whole = model()
    selected, rest = tree.partition(whole, {LowRank: names})
    assert [x.shape for x in jax.tree.leaves(selected)] == [(4, 2), (2, 6)] * 2
    assert selected["w"].w is None
    assert selected["w"].a is A
    assert rest["w"].a is None
    assert rest["q"].w.codes is CODES


def test_fields_of_values_inside_values_are_found_and_a_field_is_taken_whole():
    whole = model()
    selected, _ = tree.partition(whole, {Quantized: "scale", LowRank: "a"})
    assert arrays(selected) == arrays([SCALE, A, A])
    selected, _ = tree.partition(whole, {LowRank: "w"})
    assert arrays(selected) == arrays([CODES, SCALE, W])


def test_of_a_type_inside_itself_only_the_outer_value_is_meant():
    twice = LowRank(LowRank(W, A, B), A + 1, B + 1)
    selected, _ = tree.partition(twice, {LowRank: ["a", "b"]})
    assert arrays(selected) == arrays([twice.a, twice.b])


def test_partition_by_predicate_gives_it_values_whole():
    seen = []

    def is_matrix(x):
        seen.append(type(x))
        return x.ndim == 2

    selected, rest = tree.partition(model(), is_matrix)
    assert seen.count(LowRank) == 2
    assert len(seen) == 3
    assert len(jax.tree.leaves(selected)) == 7
    assert arrays(rest) == arrays(BIAS)


def test_partition_by_a_tree_of_bools_and_by_a_mask():
    whole = model()
    selected, _ = tree.partition(whole, {"w": False, "q": False, "bias": True})
    assert arrays(selected) == arrays(BIAS)
    selected, _ = tree.partition(whole, tree.mask(whole, {LowRank: "b"}))
    assert arrays(selected) == arrays([B, B])
    assert arrays(tree.partition(whole, True)[0]) == arrays(whole)


@pytest.mark.parametrize("what", [LowRank, {LowRank: "a"}, Quantized, lambda x: x.ndim < 2, False])
@pytest.mark.parametrize("put_together", [tree.combine, eqx.combine])
@pytest.mark.parametrize("order", [1, -1])
def test_combine_undoes_partition(what, put_together, order):
    whole = model()
    parts = tree.partition(whole, what)[::order]
    again = put_together(*parts)
    assert arrays(again) == arrays(whole)
    assert jax.tree.structure(again) == jax.tree.structure(whole)


def test_the_parts_work_under_jit_and_grad():
    whole = {"w": LowRank(W, A, B), "bias": BIAS}
    selected, rest = tree.partition(whole, {LowRank: ["a", "b"]})

    @jax.jit
    def loss(selected):
        params = materialize(tree.combine(selected, rest))
        return jnp.sum(params["w"]) + jnp.sum(params["bias"])

    gradient = jax.grad(loss)(selected)
    np.testing.assert_allclose(gradient["w"].a, np.tile(np.sum(B, axis=1), (4, 1)), rtol=1e-5)
    assert len(jax.tree.leaves(gradient)) == 2


def test_holes_are_no_leaves():
    _, rest = tree.partition(model(), LowRank)
    assert [x is BIAS for x in tree.leaves(rest)] == [True]
    assert tree.map(jnp.shape, rest)["bias"] == (6,)
    assert tree.summary(rest).total.count == 1


def test_two_arrays_in_one_place_are_refused():
    with pytest.raises(ValueError, match=r"same place, \['a'\]\.half[^$]*None"):
        tree.combine({"a": Doubled(BIAS)}, {"a": Doubled(BIAS)})


@pytest.mark.parametrize(
    ("what", "error", "match"),
    [
        (3.0, ValueError, "does not fit the tree: 3.0 is not a bool"),
        ("w", ValueError, "does not fit the tree"),
        (None, TypeError, r"by None of type `NoneType`[^$]*Pass a type"),
        ({"w": True}, ValueError, r"does not fit the tree[^$]*Each bool"),
        (lambda x: "yes", TypeError, r"returned 'yes' for f32\[6\][^$]*whether to select"),
        ({LowRank: "c"}, ValueError, r"`LowRank`, which has none[^$]*`w`, `a`, `b`"),
        ({Box: "tag"}, ValueError, r"which is static[^$]*`array`"),
        ({dict: "w"}, TypeError, r"`dict`, which is not a type of values[^$]*by a function"),
    ],
)
def test_a_selection_that_means_nothing_is_refused(what, error, match):
    with pytest.raises(error, match=match):
        tree.partition(model(), what)


def test_mask_says_it_for_each_array():
    got = tree.mask(model(), {LowRank: "a"})
    assert jax.tree.structure(got) == jax.tree.structure(model())
    assert (got["w"].w, got["w"].a, got["w"].b) == (False, True, False)
    assert (got["q"].w.codes, got["bias"]) == (False, False)


def test_labels_are_those_of_the_first_selection():
    got = tree.labels(
        model(), {"adapter": {LowRank: ["a", "b"]}, "weight": LowRank}, default="rest"
    )
    assert jax.tree.leaves(got) == [
        "rest",
        *["weight"] * 2,
        *["adapter"] * 2,
        "weight",
        *["adapter"] * 2,
    ]


def test_unify_keeps_what_agrees():
    x, y = LowRank(Quantized(CODES, SCALE), A, B), LowRank(W, A + 1, B)
    with materialization("allow"):
        got = tree.unify({"w": x}, {"w": y})
    assert [type(t["w"]) for t in got] == [LowRank, LowRank]
    assert jax.tree.structure(got[0]) == jax.tree.structure(got[1])
    np.testing.assert_allclose(got[0]["w"].w, 0.5 * np.ones((4, 6)))
    assert arrays(got[1]) == arrays(y)


def test_unify_asks_for_a_common_type():
    km, m = Length(BIAS, 1000.0), Length(BIAS, 1.0)
    got = tree.unify([km], [m])
    assert [t[0].scale for t in got] == [1.0, 1.0]
    np.testing.assert_allclose(got[0][0].array, 1000 * np.asarray(BIAS))


def test_unify_makes_dense_what_differs_under_the_policy():
    trees = (2.0, Doubled(BIAS)), (3.0, BIAS)
    got = tree.unify(*trees)
    np.testing.assert_allclose(got[0][1], 2 * np.asarray(BIAS))
    assert [t[0] for t in got] == [2.0, 3.0]
    with materialization("error"), pytest.raises(MaterializeError, match=r"tree\.unify"):
        tree.unify(*trees)


def test_depth_counts_values_around_one_another():
    assert tree.depth(BIAS) == 0
    assert tree.depth([Doubled(BIAS)]) == 1
    assert tree.depth({"x": Box(LowRank(Quantized(CODES, SCALE), A, B)), "y": Box(A)}) == 3


def test_one_level_is_taken_off():
    inner = LowRank(W, A, B)
    got = tree.materialize({"x": Box(inner), "y": Doubled(BIAS), "n": 3})
    assert arrays(got["x"]) == arrays(inner)
    assert type(got["x"]) is LowRank
    np.testing.assert_allclose(got["y"], 2 * np.asarray(BIAS))
    assert got["n"] == 3


def test_levels_are_taken_off_until_arrays_are_left():
    x = Box(Box(LowRank(W, A, B)))
    assert type(tree.materialize(x, levels=2)) is LowRank
    np.testing.assert_allclose(tree.materialize(x, levels=5), dense(x), rtol=1e-5)


def test_a_level_around_what_cannot_be_dense_comes_off():
    assert type(tree.materialize(Box(Opaque(BIAS)))) is Opaque


def test_flatten_one_level_undone():
    x = LowRank(Quantized(CODES, SCALE), A, B)
    children, around = tree.flatten_one_level(x)
    assert [type(c) is Quantized for c in children] == [True, False, False]
    assert arrays(tree.unflatten(around, children)) == arrays(x)
    with pytest.raises(TypeError, match=r"got a `list`[^$]*tree\.leaves"):
        tree.flatten_one_level([x])


def test_summary_counts_what_is_stood_for_and_what_is_stored():
    whole = {"w": LowRank(W, A, B), "q": LowRank(Quantized(CODES, SCALE), A + 1, B + 1)}
    got = {row.type: row for row in tree.summary({**whole, "bias": BIAS, "name": "x"}).rows}
    numbers_ = lambda row: (row.count, row.parameters, row.stored, row.bytes, row.dense_bytes)
    assert numbers_(got["array"]) == (1, 6, 6, 24, 24)
    assert numbers_(got["LowRank"]) == (1, 24, 24 + 8 + 12, 4 * 44, 96)
    # int8 codes of one byte each, one float32 scale
    assert numbers_(got["LowRank over Quantized"]) == (1, 24, 25 + 20, 24 + 4 + 80, 96)


def test_summary_counts_a_shared_array_once():
    shared = LowRank(W, A, B)
    total = tree.summary([shared, shared, LowRank(W, A + 1, B + 1), W, BIAS, BIAS]).total
    assert total.count == 3
    assert total.parameters == 24 + 24 + 6
    assert total.stored == 44 + 20 + 6
    assert total.bytes == 4 * total.stored


def test_summary_of_abstract_trees_and_of_parts():
    abstract = jax.eval_shape(lambda: LowRank(W, A, B))
    assert tree.summary(abstract).total.parameters == 24
    selected, _ = tree.partition(LowRank(W, A, B), {LowRank: ["a", "b"]})
    assert tree.summary(selected).total.parameters == 20


def test_summary_prints_a_table():
    lines = str(tree.summary([Zero(jnp.zeros((1000, 1000, 0))), BIAS])).splitlines()
    assert lines[0].split() == [
        "type",
        "count",
        "parameters",
        "stored",
        "bytes",
        "bytes",
        "if",
        "dense",
    ]
    assert lines[2].split() == ["Zero", "1", "1,000,000", "0", "0", "4,000,000"]
    assert lines[-1].split() == ["total", "2", "1,000,006", "6", "24", "4,000,024"]
    assert len({len(line) for line in lines}) == 1
    assert str(tree.summary(None)).splitlines()[-1].split() == ["total", *"00000"]


def test_a_field_of_the_base_of_all_values_is_no_selection():
    with pytest.raises(TypeError, match=r"base of all values[^$]*`\{MyArray: 'a'\}`"):
        tree.partition({"w": LowRank(W, A, B)}, {ArrayValue: "a"})


@pytest.mark.parametrize("name", ["combine", "unify"])
def test_what_takes_several_trees_says_what_is_wrong_with_them(name):
    function = getattr(tree, name)
    with pytest.raises(
        TypeError, match=rf"`tree\.{name}\(\)` was given no trees[^$]*first, second"
    ):
        function()
    message = r"at \['q'\]\[0\]: the first has `\{'w': \*\}`, the one at 2 has `\[\*\]`[^$]*alike"
    with pytest.raises(ValueError, match=message):
        function({"q": [{"w": 1}]}, {"q": [{"w": None if name == "combine" else 2}]}, {"q": [[3]]})


def test_trees_that_are_split_further_where_one_has_none_are_combined():
    assert tree.combine(None, {"a": 1}) == {"a": 1}
