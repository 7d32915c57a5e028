"""Methods, properties and indexing of values."""

import inspect
from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_types import Box, Doubled, Warned, dense, matrix

from duckarray.core import ArrayValue, MaterializeError, MaterializeWarning, field, quaxify
from duckarray.core._index_update import IndexUpdateRef

pytestmark = pytest.mark.any_jax

X = np.array([[3.0, -1.5, 2.0], [0.5, 4.0, -2.0]], np.float32)

OPERATORS = """
    abs add and bool complex contains divmod eq float floordiv format ge getitem gt index int invert
    iter le len lshift lt matmul mod mul ne neg or pos pow radd rand rdivmod reversed rfloordiv
    rlshift rmatmul rmod rmul ror round rpow rrshift rshift rsub rtruediv rxor setitem sub truediv
    xor array array_priority array_namespace dlpack dlpack_device
"""


class Plain(ArrayValue):
    """Has no rules."""

    array: jax.Array
    materialization = "allow"

    def materialize(self):
        return self.array


def plain(x=X):
    return Plain(jnp.asarray(x))


def agree(got, want):
    got = got.array if isinstance(got, Plain) else dense(got)
    np.testing.assert_allclose(got, want, rtol=1e-5)


def test_a_value_has_all_that_an_array_of_jax_has():
    public = {n for n in dir(jnp.ones(1)) if not n.startswith("_")}
    assert public - set(dir(ArrayValue)) == set()
    assert {f"__{n}__" for n in OPERATORS.split()} <= set(dir(ArrayValue))


METHODS = {
    "all": lambda x: (x > 0).all(0),
    "any": lambda x: (x > 0).any(axis=1),
    "argmax": lambda x: x.argmax(),
    "argmin": lambda x: x.argmin(1),
    "argsort": lambda x: x.argsort(),
    "astype": lambda x: x.astype(np.int32),
    "clip": lambda x: x.clip(-1.0, 1.0),
    "compress": lambda x: x.compress(np.array([True, False]), 0),
    "conj": lambda x: x.conj(),
    "conjugate": lambda x: x.conjugate(),
    "copy": lambda x: x.copy(),
    "cumprod": lambda x: x.cumprod(axis=0),
    "cumsum": lambda x: x.cumsum(1),
    "diagonal": lambda x: x.diagonal(),
    "dot": lambda x: x.dot(X.T),
    "flatten": lambda x: x.flatten(),
    "imag": lambda x: x.imag,
    "max": lambda x: x.max(initial=3.5),
    "mean": lambda x: x.mean(axis=(0, 1)),
    "min": lambda x: x.min(0, keepdims=True),
    "mT": lambda x: x.mT,
    "prod": lambda x: x.prod(),
    "ravel": lambda x: x.ravel(),
    "real": lambda x: x.real,
    "repeat": lambda x: x.repeat(2, axis=0),
    "reshape": lambda x: x.reshape(3, 2),
    "reshape tuple": lambda x: x.reshape((3, -1)),
    "round": lambda x: x.round(),
    "searchsorted": lambda x: x[0].argsort().searchsorted(np.int32(1)),
    "squeeze": lambda x: x[None].squeeze(0),
    "std": lambda x: x.std(ddof=1),
    "sum": lambda x: x.sum(where=np.array([[True], [False]])),
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "T": lambda x: x.T,
    "take": lambda x: x.take(np.array([1, 0]), axis=1),
    "trace": lambda x: x.trace(),
    "transpose": lambda x: x.transpose(1, 0),
    "var": lambda x: x.var(0),
    "view": lambda x: x.view(np.int32),
    "index": lambda x: x[1],
    "slice": lambda x: x[:, ::2],
    "new axis": lambda x: x[..., None, 0],
    "mask": lambda x: x[np.array([False, True])],
    "reversed": lambda x: next(reversed(x)),
    "iteration": lambda x: list(x)[1],
}


@pytest.mark.parametrize("name", METHODS)
def test_a_method_gives_what_that_of_numpy_gives(name):
    agree(METHODS[name](plain()), METHODS[name](X))


def test_those_that_sort_or_look_for_entries():
    agree(plain().sort(), np.sort(X))
    agree(plain().sort(0, descending=True), -np.sort(-X, 0))
    for got, want in zip((plain() > 0).nonzero(), (X > 0).nonzero(), strict=True):
        agree(got, want)
    agree(plain().ptp(), X.max() - X.min())
    agree(plain().argpartition(1)[:, 1], np.argsort(X)[:, 1])
    choices = np.arange(4.0, dtype=np.float32).reshape(2, 2)
    agree(Plain(jnp.array([1, 0])).choose(choices), np.choose([1, 0], choices))


@pytest.mark.parametrize("name", ["sum", "reshape", "astype", "take", "var"])
def test_signature_and_description_are_those_of_jax(name):
    assert inspect.signature(getattr(ArrayValue, name)) == inspect.signature(
        getattr(jax.Array, name)
    )
    assert getattr(ArrayValue, name).__doc__


def test_a_type_keeps_itself_where_its_rules_do():
    x = Box(matrix(), "m")
    for got, want in [(x.T, dense(x).T), (x.sum(0), dense(x).sum(0)), (x * x[0, 0], None)]:
        assert isinstance(got, Box)
        if want is not None:
            agree(got, want)
    assert isinstance(x.at[0], IndexUpdateRef)


UPDATES = {
    "set": lambda x: x.at[0, 1].set(7.0),
    "add": lambda x: x.at[0].add(X[1]),
    "subtract": lambda x: x.at[:, 0].subtract(1.0),
    "multiply": lambda x: x.at[1].multiply(2.0),
    "mul": lambda x: x.at[1].mul(2.0),
    "divide": lambda x: x.at[1].divide(2.0),
    "power": lambda x: x.at[1].power(2.0),
    "min": lambda x: x.at[0].min(0.0),
    "max": lambda x: x.at[...].max(0.0),
    "apply": lambda x: x.at[0].apply(jnp.sin),
    "get": lambda x: x.at[5].get(mode="fill", fill_value=9.0),
}


@pytest.mark.parametrize("name", UPDATES)
def test_an_indexed_update_is_that_of_jax(name):
    agree(UPDATES[name](plain()), UPDATES[name](jnp.asarray(X)))


def test_all_indexed_updates_of_jax_are_there():
    names = {n for n in dir(jnp.ones(1).at[0]) if not n.startswith("_")}
    assert names == UPDATES.keys() | {"array", "index"}
    assert names <= set(dir(IndexUpdateRef))


def test_indices_and_updates_may_be_values():
    value = Plain(jnp.array([1, 0]))
    agree(plain()[value], X[[1, 0]])
    agree(plain().at[0].set(Doubled(jnp.asarray(X[1]))), np.stack([2 * X[1], X[1]]))


def test_length_iteration_and_assignment():
    assert len(plain()) == 2
    assert [float(x) for x in plain()[0]] == [3.0, -1.5, 2.0]
    scalar = Plain(jnp.float32(1.0))
    with pytest.raises(TypeError, match="`len` of `Plain`"):
        len(scalar)
    with pytest.raises(TypeError, match="iteration of `Plain`"):
        iter(scalar)
    with pytest.raises(TypeError, match=r"`Plain` does not support item assignment[^$]*\.at\["):
        plain()[0] = 1.0


def test_conversions_of_scalars():
    x = Plain(jnp.float32(2.5))
    assert (float(x), int(x), complex(x), bool(x)) == (2.5, 2, 2.5 + 0j, True)
    assert x.item() == x.tolist() == 2.5
    assert f"{x:.2f} {x}" == "2.50 Plain(array=f32[])"
    assert [10, 20][Plain(jnp.int32(1))] == 20
    assert plain().tolist() == X.tolist()
    assert plain().tobytes() == X.tobytes()
    assert plain().item(1) == -1.5
    np.testing.assert_array_equal(np.from_dlpack(plain()), X)


def test_conversions_are_subject_to_the_policy():
    class Never(Plain):
        materialization = "error"

    for convert in (float, np.asarray, lambda x: x.tolist(), lambda x: f"{x:.1f}"):
        with pytest.raises(MaterializeError, match="conversion to a concrete value"):
            convert(Never(jnp.float32(1)))
    with pytest.warns(MaterializeWarning, match="conversion"):
        float(Warned(jnp.float32(1)))


def test_attributes_that_say_what_it_is():
    x = Plain(jnp.ones((2, 3), jnp.bfloat16))
    assert (x.itemsize, x.nbytes, x.weak_type) == (2, 12, False)
    assert x.device == jnp.ones(1).device
    assert x.to_device(x.device).shape == (2, 3)
    assert x.block_until_ready() is x


def test_the_array_api_is_asked_for_by_its_version():
    x, version = plain(), jnp.__array_api_version__
    for namespace in (x.__array_namespace__(), x.__array_namespace__(api_version=version)):
        assert namespace.__name__ == "duckarray.core.numpy"
        assert namespace.__array_api_version__ == version
    with pytest.raises(ValueError, match=r"api_version='1999\.1'[^$]*Leave `api_version` out"):
        x.__array_namespace__(api_version="1999.1")


class Hiding(ArrayValue):
    """Its fields have the names of methods and properties of arrays."""

    T: jax.Array
    sum: jax.Array
    at: int = field(static=True)
    size: int = field(static=True)
    mean: float = field(static=True, default=2.0)
    reshape: str = field(static=True, default="default")
    materialization = "allow"

    def materialize(self):
        return self.T + self.sum

    def max(self):
        return "own"


class HidingModule(eqx.Module, ArrayValue):
    T: jax.Array
    sum: jax.Array
    shape: tuple = eqx.field(static=True)
    at: int = eqx.field(static=True, default=3)
    materialization: ClassVar[str] = "allow"

    def materialize(self):
        return self.T + self.sum

    def aval(self):
        return jax.core.ShapedArray(self.shape, jnp.float32)


def test_a_field_named_like_a_method_is_a_field():
    x = Hiding(jnp.ones(2), jnp.zeros(2), at=1, size=9)
    assert (x.at, x.size, x.mean, x.reshape, x.max()) == (1, 9, 2.0, "default", "own")
    y = jax.tree.map(lambda a: a + 1, x)
    np.testing.assert_array_equal(y.T, [2.0, 2.0])
    np.testing.assert_array_equal(y.sum, [1.0, 1.0])
    assert (y.at, y.nbytes) == (1, 8)
    np.testing.assert_array_equal(np.asarray(x + 1.0), [2.0, 2.0])
    with pytest.raises(TypeError, match=r"missing .* 'at' and 'size'"):
        Hiding(jnp.ones(2), jnp.zeros(2))


def test_also_in_a_subclass_and_in_a_module_of_equinox():
    class Further(Hiding):
        T: jax.Array
        argmax: int = field(static=True, default=5)

    assert Further(jnp.ones(2), jnp.zeros(2), 1, 2).argmax == 5
    x = HidingModule(jnp.ones(2), jnp.zeros(2), (2,))
    assert (x.shape, x.at) == ((2,), 3)
    np.testing.assert_array_equal(jax.tree.map(lambda a: 2 * a, x).T, [2.0, 2.0])
    np.testing.assert_array_equal(x.min(), 1.0)
    with pytest.raises(TypeError, match="'shape'"):
        HidingModule(jnp.ones(2), jnp.zeros(2))


def test_methods_work_inside_quaxify_on_what_the_program_makes():
    inner = Doubled(jnp.asarray(X))
    got = quaxify(lambda x: inner.T @ x + inner.at[0, 0].set(0.0).sum())(plain())
    d = 2 * X
    np.testing.assert_allclose(got, d.T @ X + d.sum() - d[0, 0], rtol=1e-5)
