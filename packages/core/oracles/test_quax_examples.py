"""The examples in Quax's own wheel, unedited, on `duckarray.core.quax` in its place."""

import importlib
import importlib.machinery
import importlib.util
import sys
import types

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import duckarray.core.quax
from duckarray.core import quaxify

_found = importlib.machinery.PathFinder.find_spec("quax")  # without running Quax
if _found is None:
    pytest.skip("Quax is not installed", allow_module_level=True)
_FOLDER = _found.submodule_search_locations[0]

# Two of them take helpers from here, which are about versions of JAX alone.
_spec = importlib.util.spec_from_file_location("quax._compat", f"{_FOLDER}/_compat.py")
_compat = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_compat)
sys.modules["quax"] = duckarray.core.quax
sys.modules["quax._compat"] = _compat
_package = types.ModuleType("quax_examples")
_package.__path__ = [f"{_FOLDER}/examples"]
sys.modules["quax_examples"] = _package


def example(name):
    return importlib.import_module(f"quax_examples.{name}")


def test_names_of_a_layer():
    named = example("named")
    rows, columns = named.Axis(4), named.Axis(3)
    linear = eqx.nn.Linear(3, 4, key=jax.random.key(0))
    layer = eqx.tree_at(
        lambda x: (x.bias, x.weight),
        linear,
        (
            named.NamedArray(linear.bias, (rows,)),
            named.NamedArray(linear.weight, (rows, columns)),
        ),
    )
    vector = np.array([1.0, -2.0, 0.5], "float32")
    got = quaxify(layer)(named.NamedArray(jnp.asarray(vector), (columns,)))
    assert got.axes == (rows,)
    want = np.asarray(linear.weight) @ vector + np.asarray(linear.bias)
    np.testing.assert_allclose(got.array, want, rtol=1e-6)


def test_keys_may_be_chosen_but_not_added():
    prng = example("prng")
    one, other = prng.ThreeFry(0), prng.ThreeFry(1)
    chosen = quaxify(jnp.where)(jnp.array(False), one, other)
    np.testing.assert_array_equal(chosen.value, other.value)
    with pytest.raises(TypeError):
        quaxify(lambda x, y: x + y)(one, 1)
    numbers = prng.normal(one, shape=(1000,))
    assert abs(float(jnp.mean(numbers))) < 0.1
    assert 0.9 < float(jnp.std(numbers)) < 1.1


def test_a_sparse_matrix_meets_arrays_and_another():
    sparse = example("sparse")
    indices = jnp.array([[0, 0], [1, 2]])
    x = sparse.BCOO(jnp.array([2.0, 3.0]), indices, (2, 3), allow_materialise=False)
    dense = np.array([[2.0, 0.0, 0.0], [0.0, 0.0, 3.0]])
    got = quaxify(lambda x: x + jnp.ones((2, 3)))(x)
    np.testing.assert_allclose(got, dense + 1)
    both = quaxify(lax.add)(x, x)
    assert isinstance(both, sparse.BCOO)
    np.testing.assert_allclose(both.enable_materialise().materialise(), 2 * dense)


def test_a_product_with_a_tridiagonal_matrix():
    matrices = example("structured_matrices")
    upper, main, lower = (jnp.array(x) for x in ([1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0]))
    x = matrices.TridiagonalMatrix(lower_diag=lower, main_diag=main, upper_diag=upper)
    vector = np.array([1.0, -1.0, 2.0], "float32")
    want = np.diag(main) + np.diag(upper, 1) + np.diag(lower, -1)
    np.testing.assert_allclose(quaxify(jnp.dot)(x, vector), want @ vector, rtol=1e-6)


def test_units_pass_through_a_program():
    unitful = example("unitful")
    x = unitful.Unitful(jnp.array([3.0, 4.0]), {unitful.meters: 1})
    got = quaxify(jax.jit(lambda x: x * x))(x)
    assert got.units == {unitful.meters: 2}
    np.testing.assert_allclose(got.array, [9.0, 16.0])


def test_a_product_with_zeros_is_zeros():
    zero = example("zero")
    got = quaxify(jnp.matmul)(zero.Zero((2, 3), jnp.float32), jnp.ones((3, 4)))
    assert isinstance(got, zero.Zero)
    assert got.shape == (2, 4)


def test_a_layer_with_low_rank_updates():
    lora = example("lora")
    linear = eqx.nn.Linear(3, 4, key=jax.random.key(0))
    layer = lora.loraify(linear, rank=2, stop_gradient=False, key=jax.random.key(1))
    vector = jnp.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(quaxify(layer)(vector), linear(vector), rtol=1e-5)
    weight = eqx.tree_at(lambda w: w.b, layer.weight, jnp.ones_like(layer.weight.b))
    dense = np.asarray(weight._w + weight.a @ weight.b)
    got = quaxify(lambda w, x: w @ x)(weight, vector)
    np.testing.assert_allclose(got, dense @ np.asarray(vector), rtol=1e-5)
