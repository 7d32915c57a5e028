"""What is refused, and what the messages advise."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from duckarray.core import materialize
from duckarray.quant import (
    KVCache,
    QuantArray,
    Reordered,
    Rule,
    Scheme,
    UnusedRuleError,
    quantize,
    quantize_tree,
    zeros,
)
from duckarray.quant._layout import Layout

W = jnp.ones((6, 4))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: quantize(W, "int7"), ValueError, r"no scheme 'int7'[\s\S]*\"nf4\""),
        (lambda: quantize(W, "int4", group_size=4), ValueError, r"6 entries[\s\S]*divides 6"),
        (lambda: quantize(W, "int4", group_size=0), ValueError, r"group_size=0[\s\S]*=64"),
        (lambda: quantize(W, "mxfp4", group_size=64), ValueError, r"groups of 32 by def[\s\S]*out"),
        (lambda: quantize(W, "nf4", symmetric=False), ValueError, r"symmetric\.\n.*int4"),
        (lambda: quantize(W, "nvfp4", double_quant=True), ValueError, r"eight bits already"),
        (lambda: quantize(W, "int8", scale_dtype="int8"), ValueError, r"no dtype for scales"),
        (lambda: quantize(W, "int8", axis=2), ValueError, r"no such axis[\s\S]*axis=-2"),
        (lambda: quantize(W, "int8", channel_axes=(0,)), ValueError, r"axis 0, along which"),
        (lambda: quantize(W, "int8", calibration="best"), ValueError, r"'best'[\s\S]*\"mse\""),
        (lambda: quantize(W, "nf4", calibration="hqq", group_size=2), ValueError, r"zero points"),
        (
            lambda: quantize(W, "int8", calibration="percentile", percentile=0),
            ValueError,
            r"percentile=0[\s\S]*99\.9",
        ),
        (lambda: quantize(jnp.ones((2, 2), int), "int8"), TypeError, r"int32[\s\S]*astype"),
        (lambda: quantize([[1.0]], "int8"), TypeError, r"`list`[\s\S]*jnp\.asarray"),
        (lambda: quantize(jnp.float32(1), "int8"), ValueError, r"no axis[\s\S]*four bytes"),
        (
            lambda: quantize(W.at[2, 1].set(jnp.nan).at[3, 0].set(jnp.inf), "int8"),
            ValueError,
            r"2 of the 24[\s\S]*first at \(2, 1\)[\s\S]*nan_to_num",
        ),
        (lambda: Scheme("nf4", activations="int8"), ValueError, r"symmetric integers[\s\S]*w8a8"),
        (lambda: Rule("(", "int8"), ValueError, r"no regular expression[\s\S]*attn"),
        (lambda: Rule(3, "int8"), TypeError, r"pattern is text"),
        (lambda: quantize_tree({"w": W}, Rule(".*", "int8")), TypeError, r"a list of `Rule`s"),
        (
            lambda: quantize_tree({"a": {"w": W}}, [Rule(".*", "int4", group_size=64)]),
            ValueError,
            r"`a\.w`[\s\S]*group_size=64[\s\S]*6 entries",
        ),
        (
            lambda: QuantArray(W, jnp.ones(4), None, "int8"),
            TypeError,
            r"dtype int8, but got float32[\s\S]*quantize\(array",
        ),
        (
            lambda: QuantArray(jnp.ones((6, 4), jnp.int8), jnp.ones(3), None, "int8"),
            ValueError,
            r"shape \(1, 3\), not \(1, 4\)",
        ),
        (
            lambda: QuantArray(jnp.ones((6, 4), jnp.int8), jnp.ones(4, int), None, "int8"),
            TypeError,
            r"no floating-point dtype",
        ),
        (
            lambda: QuantArray(jnp.ones((6, 4), jnp.uint8), jnp.ones(4), None, "uint8"),
            ValueError,
            r"needs a zero point",
        ),
        (
            lambda: QuantArray(
                jnp.ones((6, 4), jnp.int8),
                jnp.ones(4),
                None,
                "int8",
                Layout((-1, -1), 1, 1, "float32"),
            ),
            ValueError,
            r"2 axes have no such layout[\s\S]*quantize\(array",
        ),
    ],
)
def test_bad_input_is_refused_with_advice(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_rules_that_fit_nothing_are_named_with_what_there_is():
    rules = [Rule(".*", "int8"), Rule("b", "int4")]
    with pytest.raises(UnusedRuleError, match=r"Rule\('b'[\s\S]*\n  a\.w") as caught:
        quantize_tree({"a": {"w": W}, "b": W}, rules)
    assert caught.value.rules == (rules[1],)
    assert caught.value.available == ("a.w", "b")


@pytest.mark.parametrize(
    ("model", "summed"),
    [
        ({"layers": [{"weight": W}]}, -1),  # PyTorch: [out, in]
        ({"dense": {"kernel": W}}, -2),  # Flax: [in, out]
        ({"linear": {"w": W}}, -2),  # Haiku
        ({"tokens": {"embedding": W}}, -1),
        ({"embed": {"value": W}}, -1),
        ({"patch_embed": {"proj": {"kernel": W}}}, -2),
        ({"conv1": {"weight": jnp.ones((6, 4, 3, 3))}}, 1),
    ],
)
def test_scales_are_shared_along_the_axis_that_names_say_is_summed_over(model, summed):
    (q,) = jax.tree.leaves(
        quantize_tree(model, [Rule(".*", "int8")]), is_leaf=lambda x: isinstance(x, QuantArray)
    )
    assert q.scale.size == q.size // q.shape[summed]


@pytest.mark.parametrize("size", [1e5, 1e-9])
def test_scales_that_their_dtype_cannot_hold_are_refused(size):
    with pytest.raises(ValueError, match=r"'float16'\)`: the scales[\s\S]*bfloat16"):
        quantize(W * size, "nf4", group_size=3, scale_dtype="float16")
    fine = [
        quantize(W * size, "nf4", group_size=3, scale_dtype="bfloat16"),
        quantize(W * size, "nf4", group_size=3, scale_dtype="float16", double_quant=True),
    ]
    if size > 1:
        fine.append(quantize(W * size, "int4", group_size=3, scale_dtype="float16"))
    for q in fine:
        np.testing.assert_allclose(materialize(q), W * size, rtol=5e-3)


def test_a_range_whose_length_overflows_has_a_scale():
    w = 3e38 * np.array([[1.0, -1.0], [-1.0, 1.0], [0.5, 0.5]], "float32")
    got = np.asarray(materialize(quantize(jnp.asarray(w), "int8", symmetric=False)))
    np.testing.assert_allclose(got / 3e38, w / 3e38, atol=0.01)


def test_under_jit_numbers_are_not_looked_at():
    assert jax.jit(lambda w: quantize(w, "int8").codes)(W.at[0, 0].set(jnp.nan)).shape == (6, 4)


@pytest.mark.parametrize("name", [None, 3, [], {}, jnp.ones(2)])
def test_what_is_no_name_of_a_scheme_is_refused(name):
    with pytest.raises(ValueError, match=r'there is no scheme[\s\S]*Pass one of "int8"'):
        Scheme(name)


@pytest.mark.parametrize("array", [None, [1, 0]], ids=["none", "list"])
def test_what_is_no_array_is_not_reordered(array):
    got = type(array).__name__
    with pytest.raises(TypeError, match=rf"takes an array, but got a `{got}`[\s\S]*quantize\(w"):
        Reordered(array, jnp.array([1, 0]))


@pytest.mark.parametrize(
    ("cache", "keys", "values", "text"),
    [
        ((None, None), W, W, r"holds a `NoneType` as its keys[\s\S]*KVCache\.zeros\("),
        ((W, 3), W, W, r"holds a `int` as its values[\s\S]*KVCache\.zeros\("),
        ((W, W), None, W, r"its keys are a `NoneType`[\s\S]*append\(k\[None\]"),
        ((W, W), W, [1.0], r"its values are a `list`[\s\S]*append\(k\[None\]"),
    ],
    ids=["no-cache", "no-values", "keys", "values"],
)
def test_what_is_no_array_is_not_appended(cache, keys, values, text):
    with pytest.raises(TypeError, match=text):
        KVCache(*cache).append(keys, values, 0)


@pytest.mark.parametrize("make", [zeros, KVCache.zeros], ids=["zeros", "cache"])
@pytest.mark.parametrize(
    ("shape", "error"),
    [
        ({2: 3, 4: 5}, TypeError),
        ({2, 4}, TypeError),
        ({2: 3}.keys(), TypeError),
        (b"ab", TypeError),
        ("ab", TypeError),
        (None, TypeError),
        (3, TypeError),
        ((2.0, 4), TypeError),
        ((2, None), TypeError),
        ((2, -4), ValueError),
    ],
    ids=str,
)
def test_what_is_no_shape_is_refused(make, shape, error):
    with pytest.raises(error, match=r"takes a shape, but this is none[\s\S]*`x\.shape`"):
        make(shape)
