import pickle
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_checks import agrees, assert_same
from _core_types import Box, Doubled, LowRank, Opaque, Warned, dense, make_lowrank, matrix

from duckarray.core import materialization, quaxify, value_of

X = jnp.arange(3.0)


def negated(x):
    return -x


class Point(NamedTuple):
    x: object
    y: object


def test_any_tree_goes_in_and_comes_out():
    def program(tree, *, scale):
        return Point(tree["a"][0] * scale, {"n": None, "b": tree["b"], "s": "name"})

    got = quaxify(program)({"a": [Box(X)], "b": X}, scale=2.0)
    assert isinstance(got, Point)
    np.testing.assert_allclose(got.x.array, 2 * X)
    assert got.y["b"] is X
    assert (got.y["n"], got.y["s"]) == (None, "name")


def test_what_is_returned_as_it_came_is_the_same_object():
    values = (Box(X), X, np.ones(2), 3, 2.5, "s", None, object(), Opaque(X))
    got = quaxify(lambda *args: args)(*values)
    assert all(a is b for a, b in zip(got, values, strict=True))


def test_plain_arrays_keep_their_own_types_beside_a_value():
    def program(box, x, n, s):
        return type(x), type(n), type(s), isinstance(jnp.sin(n), jax.Array)

    assert quaxify(program)(Box(X), X, np.ones(2, np.float32), 3) == (
        type(X),
        np.ndarray,
        int,
        True,
    )


def test_python_control_flow_runs_on_dense_values_beside_a_value():
    def program(box, x):
        if jnp.sum(x) > 0:
            x = x * float(jnp.max(x))
        return jnp.compress(x > 1.0, x), int(jnp.argmax(x)), jnp.nonzero(x)[0], bool(x[0] == 0)

    (some, place, nonzero, first) = quaxify(program)(Box(X), X)
    np.testing.assert_allclose(some, [2.0, 4.0])
    np.testing.assert_array_equal(nonzero, [1, 2])
    assert (place, first) == (2, True)


def test_a_value_made_dense_is_concrete():
    assert quaxify(lambda x: bool(jnp.sum(jnp.sin(x)) > 0))(Doubled(X / 2)) is True
    assert quaxify(lambda x: float(x.sum()))(Doubled(X)) == 6.0
    assert quaxify(lambda x: int(x[2]))(Doubled(X)) == 4


def test_the_truth_of_a_value_respects_the_policy():
    from duckarray.core import MaterializeError

    value = Box(jnp.float32(2.0))
    assert quaxify(bool)(value) is True
    with materialization("error"), pytest.raises(MaterializeError, match="concrete value"):
        quaxify(bool)(value)


def test_a_method_may_be_decorated():
    class Model:
        scale = 3.0

        @quaxify
        def apply(self, x):
            """Scales."""
            return x * self.scale

        @staticmethod
        @quaxify
        def double(x):
            return x * 2.0

        @classmethod
        @quaxify
        def triple(cls, x):
            return x * cls.scale

    np.testing.assert_allclose(Model().apply(Box(X)).array, 3 * X)
    np.testing.assert_allclose(Model.apply(Model(), Box(X)).array, 3 * X)
    np.testing.assert_allclose(Model.double(Box(X)).array, 2 * X)
    np.testing.assert_allclose(Model.triple(Box(X)).array, 3 * X)
    assert Model.apply.__doc__ == "Scales."


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (True, (True, True)),
        (False, (False, False)),
        (lambda v: isinstance(v, Box), (True, False)),
        ((False, (True, False), False), (True, False)),
        ((False, (lambda v: isinstance(v, Opaque), True), False), (False, True)),
    ],
    ids=["all", "none", "a function", "a prefix", "a prefix of functions"],
)
def test_filter_spec_says_which_values_take_part(spec, expected):
    seen = []

    def program(x, y):
        seen.extend(not isinstance(v, Box | Opaque) for v in (x, y))
        return x, y

    box, opaque = Box(X), Opaque(X)
    got = quaxify(program, filter_spec=spec)(box, opaque)
    assert tuple(seen) == expected
    assert got[0] is box
    assert got[1] is opaque


def test_nested_quaxify_orders_the_types():
    def program(x, y):
        inner = quaxify(lambda y: jnp.negative(y))
        return jnp.negative(x), inner(y)

    run = quaxify(program, filter_spec=lambda v: isinstance(v, Box))
    x, y = run(Box(X), Opaque(X))
    np.testing.assert_allclose(x.array, -X)
    np.testing.assert_allclose(y.array, -X)


def test_quaxify_inside_jit_inside_quaxify_agrees():
    program = quaxify(lambda x: jax.jit(quaxify(lambda y: jnp.sin(y) + 1.0))(x))
    assert_same(program(Doubled(X)), jnp.sin(2 * X) + 1.0)
    assert_same(quaxify(quaxify(jnp.sin))(Doubled(X)), jnp.sin(2 * X))


def test_value_of_gives_the_value_inside_and_outside():
    box = Box(X, "u")
    assert quaxify(lambda x: value_of(x).tag)(box) == "u"
    assert value_of(box) is box
    assert value_of(X) is X


def test_the_array_inside_has_shape_dtype_and_methods():
    def program(x):
        assert isinstance(x, jax.Array)
        assert (x.shape, x.dtype, x.ndim, x.size, len(x)) == ((3, 3), jnp.float32, 2, 9, 3)
        return x.T + x.at[0, 0].set(1.0) + x[None, 0] + x.reshape(-1)[:3].astype(jnp.float32)[None]

    agrees(lambda x: program(x), Doubled(matrix()))
    agrees(program, make_lowrank())


def test_waiting_for_a_value_gives_it_back_as_waiting_for_the_array_does():
    for wait in (lambda x: x.block_until_ready(), lambda x: jax.block_until_ready([x])[0]):
        with materialization("error"):
            got = quaxify(lambda x, wait=wait: (wait(x) is x, x.block_until_ready() * 2.0))(Box(X))
        assert got[0]
        np.testing.assert_allclose(got[1].array, 2 * X)
    with pytest.raises(AttributeError, match="'block_until_ready' method is not available"):
        jax.jit(quaxify(lambda x: x.block_until_ready()))(Box(X))


def test_name_doc_and_repr_are_those_of_the_function():
    def named(x):
        """Does nothing."""
        return x

    run = quaxify(named)
    assert (run.__name__, run.__doc__, run.__wrapped__) == ("named", "Does nothing.", named)
    assert repr(run).startswith("quaxify(<function")


def test_a_quaxified_function_is_a_pytree_with_the_function_as_child():
    import equinox as eqx

    run = quaxify(eqx.nn.Linear(2, 3, key=jax.random.key(0)))
    doubled = jax.tree.map(lambda x: 2 * x, run)
    np.testing.assert_allclose(doubled(jnp.ones(2)), 2 * run(jnp.ones(2)), rtol=1e-6)
    run = jax.jit(lambda run, x: run(x))(run, jnp.ones(2))
    assert run.shape == (3,)


def test_a_quaxified_module_level_function_survives_pickle():
    np.testing.assert_allclose(pickle.loads(pickle.dumps(quaxify(negated)))(Box(X)).array, -X)


@pytest.mark.parametrize("x", [None, "text", 3, object(), np.arange(2), X, negated])
def test_what_is_no_tree_goes_in_and_comes_out_as_it_is(x):
    seen = []

    def program(x, box):
        seen.append(x)
        return x

    assert quaxify(program)(x, Box(X)) is x
    assert seen[0] is x


def test_without_a_value_the_program_runs_as_it_is():
    calls = []

    def program(x):
        calls.append(type(x))
        return jnp.sin(x)

    np.testing.assert_allclose(quaxify(program)(X), np.sin(X), rtol=1e-6)
    assert calls == [type(X)]


def test_something_that_is_not_callable_is_refused():
    with pytest.raises(TypeError, match=r"takes a function, but got a `int`[^$]*Pass the function"):
        quaxify(3)


def test_an_array_in_the_place_of_a_function_is_named_by_its_shape():
    with pytest.raises(TypeError, match=r"^`quaxify\(f32\[2,500\]\)` takes a function"):
        quaxify(jnp.ones((2, 500)))
    with pytest.raises(TypeError, match=r"^`quaxify\(Opaque f32\[2\]\)` takes a function"):
        quaxify(Opaque(jnp.ones(2)))


def test_a_value_outside_quaxify_is_refused_with_advice():
    for call in (lambda: jnp.sin(Warned(X)), lambda: jnp.add(X, Warned(X))):
        with pytest.raises(
            TypeError, match=r"`Warned f32\[3\]` was passed[^$]*`quaxify\(fn\)\(x\)`"
        ):
            call()


def test_reductions_and_contractions_of_many_kinds_agree(any_value):
    def program(x):
        return (
            jnp.einsum("ij,kj->ik", x, x),
            x @ jnp.ones(3),
            jnp.ones((2, 3)) @ x,
            x.mean(0),
            jnp.linalg.norm(x + 1.0),
            jax.nn.softmax(x),
            jnp.sort(x, axis=0),
            jnp.concatenate([x, jnp.ones((1, 3))]),
        )

    assert_same(quaxify(program)(any_value), program(dense(any_value)))


def test_lowrank_products_never_build_the_matrix():
    w = LowRank(*make_lowrank().__dict__.values())
    with materialization("error"):
        got = quaxify(lambda w, x: (w @ x, x @ w, w.T @ x, jnp.dot(w, x)))(w, X)
    m = dense(w)
    assert_same(got, (m @ X, X @ m, m.T @ X, m @ X))


@pytest.mark.parametrize(
    ("convert", "want"), [(bool, True), (int, 6), (float, 6.0), (complex, 6 + 0j)]
)
def test_a_value_that_is_known_converts_to_a_python_number(convert, want):
    got = []
    quaxify(lambda x: got.append(convert(x)))(Doubled(jnp.asarray(3.0)))
    assert got == [want]
    assert type(got[0]) is convert


def test_a_known_value_of_an_integer_is_an_index():
    assert quaxify(lambda x: [5, 7, 9][x])(Doubled(jnp.asarray(1))) == 9


def test_a_traced_value_does_not_convert():
    with pytest.raises(jax.errors.ConcretizationTypeError):
        jax.jit(quaxify(float))(Doubled(jnp.asarray(1.0)))
