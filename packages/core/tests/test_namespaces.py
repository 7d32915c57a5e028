"""JAX's modules with every function quaxified."""

import contextlib
import importlib
import inspect
import pickle
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _core_types import Box, Doubled, dense, matrix

import duckarray.core
from duckarray.core import ArrayValue, bind, families, register
from duckarray.core import lax as dlax
from duckarray.core import nn as dnn
from duckarray.core import numpy as dnp
from duckarray.core import random as drandom
from duckarray.core import scipy as dscipy

pytestmark = pytest.mark.any_jax

MODULES = {
    "numpy": "numpy",
    "numpy.linalg": "numpy.linalg",
    "numpy.fft": "numpy.fft",
    "lax": "lax",
    "lax.linalg": "lax.linalg",
    "nn": "nn",
    "nn.initializers": "nn.initializers",
    "scipy": "scipy",
    "scipy.special": "scipy.special",
    "scipy.stats": "scipy.stats",
    "scipy.stats.norm": "scipy.stats.norm",
    "scipy.sparse.linalg": "scipy.sparse.linalg",
    "random": "random",
    "linalg": "numpy.linalg",
    "fft": "numpy.fft",
}


def words(text: str) -> list[str]:
    return text.split()


# Every function of the array API standard 2024.12 and 2025.12, with arguments for it.
X = np.array([[0.5, -1.5, 2.0], [0.25, 0.75, -0.5]], np.float32)
I = np.array([[6, 3, 5], [1, 2, 4]], np.int32)  # noqa: E741
B = X > 0
S = np.array([[2.0, 0.5], [0.5, 1.0]], np.float32)  # symmetric and positive definite
V = np.array([1.0, 2.0, -1.0], np.float32)
C = (X[:, :2] + 1j * X[:, 1:]).astype(np.complex64)
A = {
    **dict.fromkeys(
        words(
            "abs atan asinh ceil cos cosh exp expm1 floor isfinite isinf isnan negative positive"
            " round sign signbit sin sinh sqrt square tan tanh trunc cumulative_sum cumulative_prod"
            " max mean min prod std sum var argmax argmin argsort sort count_nonzero flip squeeze"
            " copy asarray zeros_like ones_like empty_like diff matrix_transpose"
        ),
        (X,),
    ),
    **dict.fromkeys(words("acos asin atanh log1p"), (X / 3,)),
    **dict.fromkeys(words("acosh log log2 log10 reciprocal"), (np.abs(X) + 1,)),
    **dict.fromkeys(
        words(
            "add atan2 copysign divide equal floor_divide greater greater_equal hypot less"
            " less_equal logaddexp maximum minimum multiply nextafter not_equal remainder subtract"
        ),
        (X, X[::-1]),
    ),
    **dict.fromkeys(
        words("bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift"),
        (I, I[::-1]),
    ),
    **dict.fromkeys(words("logical_and logical_or logical_xor"), (B, B[::-1])),
    **dict.fromkeys(words("conj imag real"), (C,)),
    **dict.fromkeys(words("all any logical_not nonzero"), (B,)),
    **dict.fromkeys(words("unique_all unique_counts unique_inverse unique_values"), (I,)),
    "bitwise_invert": (I,),
    "clip": (X, -1.0, 1.0),
    "pow": (np.abs(X), X),
    "matmul": (X, X.T),
    "tensordot": (X, X.T, 1),
    "vecdot": (X, X),
    "broadcast_arrays": (X, X),
    "broadcast_to": (X, (2, 2, 3)),
    "concat": ([X, X],),
    "stack": ([X, X],),
    "expand_dims": (X, 1),
    "moveaxis": (X, 0, 1),
    "permute_dims": (X, (1, 0)),
    "repeat": (X, 2),
    "reshape": (X, (3, 2)),
    "roll": (X, 1),
    "tile": (X, (1, 2)),
    "unstack": (X,),
    "astype": (X, np.float16),
    "searchsorted": (np.sort(V), V),
    "take": (X, np.array([1, 0]), 1),
    "take_along_axis": (X, np.array([[1], [0]]), 1),
    "where": (B, X, 0.0),
    "full_like": (X, 2.0),
    "isin": (I, I[:, :1]),
    "tril": (X,),
    "triu": (X,),
    "meshgrid": (V, V),
    "linalg.cholesky": (S,),
    "linalg.cross": (V, V[::-1]),
    "linalg.det": (S,),
    "linalg.diagonal": (S,),
    "linalg.eigh": (S,),
    "linalg.eigvalsh": (S,),
    "linalg.inv": (S,),
    "linalg.matmul": (S, S),
    "linalg.matrix_norm": (S,),
    "linalg.matrix_power": (S, 3),
    "linalg.matrix_rank": (S,),
    "linalg.matrix_transpose": (S,),
    "linalg.outer": (V, V),
    "linalg.pinv": (S,),
    "linalg.qr": (S,),
    "linalg.slogdet": (S,),
    "linalg.solve": (S, S),
    "linalg.svd": (S,),
    "linalg.svdvals": (S,),
    "linalg.tensordot": (S, S),
    "linalg.trace": (S,),
    "linalg.vecdot": (S, S),
    "linalg.vector_norm": (S,),
    **{f"fft.{n}": (X,) for n in words("fft rfft ifft irfft hfft ihfft")},
    **{f"fft.{n}": (X,) for n in words("fftn ifftn rfftn fftshift ifftshift")},
    "fft.irfftn": (C,),
}
OPTIONS = {"cumulative_sum": {"axis": 0}, "cumulative_prod": {"axis": 1}}
CREATION = {
    "arange": (3,),
    "empty": ((0, 2),),
    "eye": (2,),
    "from_dlpack": (jnp.ones(2),),
    "full": ((2,), 1.5),
    "linspace": (0.0, 1.0, 3),
    "ones": (2,),
    "zeros": (2,),
    "fft.fftfreq": (4,),
    "fft.rfftfreq": (4,),
}
OTHER = (
    "finfo iinfo isdtype __array_namespace_info__ e inf nan newaxis pi bool int8 int16 int32 int64"
)
OTHER += " uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"


class Plain(ArrayValue):
    """Has no rules."""

    array: jax.Array
    materialization = "allow"

    def materialize(self):
        return self.array


class Thin(Plain):
    """Has a rule for everything of one operand or two."""


@register(*families.elementwise_unary, *families.reductions, *families.cumulative)
def _unary(x: Thin, *, primitive, **params):
    return Thin(bind(primitive, x.array, **params))


@register(*families.elementwise_binary, commutative=False)
def _binary(x: Thin, y: Thin, *, primitive, **params):
    return Thin(bind(primitive, x.array, y.array, **params))


def arrays(tree):
    is_value = lambda x: isinstance(x, ArrayValue)
    return jax.tree.map(lambda x: x.array if isinstance(x, Plain) else x, tree, is_leaf=is_value)


def find(module, name):
    for part in name.split("."):
        module = getattr(module, part)
    return module


@pytest.mark.parametrize("name", MODULES)
def test_a_module_has_the_public_names_of_that_of_jax(name):
    ours = importlib.import_module(f"duckarray.core.{name}")
    theirs = importlib.import_module(f"jax.{MODULES[name]}")
    public = lambda module: [n for n in dir(module) if not n.startswith("_")]
    assert public(ours) == public(theirs)
    assert ours.__all__ == public(theirs)
    for attribute in public(theirs):
        got, want = getattr(ours, attribute), getattr(theirs, attribute)
        if isinstance(want, ModuleType):
            assert got.__name__ == f"{ours.__name__}.{attribute}"
        else:
            assert getattr(got, "__wrapped__", got) is want or got is want
            assert getattr(ours, attribute) is got


# The standard leaves these open: signs of vectors, the order of unique values, what is in memory.
OPEN = {"linalg.qr", "linalg.svd", "unique_values", "empty_like"}


@pytest.mark.parametrize("name", A)
def test_a_function_of_the_array_api_agrees_with_that_of_jax_and_of_numpy(name):
    args, options = A[name], OPTIONS.get(name, {})
    is_array = lambda x: isinstance(x, np.ndarray)
    wants = [jax.tree.leaves(find(jnp, name)(*args, **options))]
    if name not in OPEN:
        with np.errstate(all="ignore"), contextlib.suppress(AttributeError):  # of an older NumPy
            wants.append(jax.tree.leaves(find(np, name)(*args, **options)))
    for kind in (Plain, Thin):
        values = jax.tree.map(lambda x, k=kind: k(jnp.asarray(x)) if is_array(x) else x, args)
        got = jax.tree.leaves(find(dnp, name)(*values, **options))
        for want in wants:
            assert len(got) == len(want)
            for g, w in zip(got, want, strict=True):
                np.testing.assert_allclose(g, w, rtol=1e-4, atol=1e-5)


def test_functions_of_shapes_and_dtypes_are_those_of_the_array_api():
    x = Plain(jnp.ones((2, 1), jnp.float16))
    assert dnp.broadcast_shapes(x.shape, (3,)) == (2, 3)
    with jax.numpy_dtype_promotion("standard"):
        assert dnp.result_type(x, jnp.float32) == np.float32
        assert dnp.result_type(x, 2.0) == np.float16
    assert dnp.can_cast(x.dtype, jnp.float32)
    assert not dnp.can_cast(jnp.float32, x.dtype)
    assert dnp.isdtype(x.dtype, "real floating")
    ours, theirs = dnp.__array_namespace_info__(), jnp.__array_namespace_info__()
    for ask in ("capabilities", "default_device", "default_dtypes", "devices", "dtypes"):
        assert getattr(ours, ask)() == getattr(theirs, ask)(), ask


@pytest.mark.parametrize("name", CREATION)
def test_a_function_that_makes_an_array_makes_a_plain_one(name):
    got, want = find(dnp, name)(*CREATION[name]), find(jnp, name)(*CREATION[name])
    assert isinstance(got, jax.Array)
    np.testing.assert_array_equal(got, want)


def test_what_is_no_function_is_that_of_jax():
    for name in OTHER.split():
        assert hasattr(dnp, name), name
    assert dnp.float32 is jnp.float32
    assert dnp.ndarray is jnp.ndarray
    assert dnp.pi == np.pi
    assert dlax.Precision is jax.lax.Precision
    assert dlax.add_p is jax.lax.add_p
    with pytest.raises(AttributeError, match=r"'duckarray.core.numpy' has no attribute 'sinn'"):
        dnp.sinn  # noqa: B018


def test_functions_about_arrays_take_values():
    x = Plain(jnp.ones((2, 3), jnp.bfloat16))
    assert (dnp.shape(x), dnp.ndim(x), dnp.size(x)) == ((2, 3), 2, 6)
    assert dnp.result_type(x, 1.0) == jnp.bfloat16
    assert dnp.can_cast(jnp.float32, jnp.float64)
    assert dnp.issubdtype(x.dtype, dnp.floating)
    assert not dnp.iscomplexobj(x)
    assert dnp.finfo(x.dtype).bits == 16


def test_a_value_keeps_its_type_where_its_rules_do():
    x = Box(matrix(), "m")
    out = dnp.transpose(dnp.multiply(x, x))
    assert isinstance(out, Box)
    np.testing.assert_allclose(dense(out), np.asarray(matrix()).T ** 2, rtol=1e-6)
    assert isinstance(dnp.asarray(x), Box)


def test_methods_of_ufuncs_take_values():
    x = Plain(jnp.asarray(V))
    np.testing.assert_allclose(dnp.add.reduce(x), V.sum())
    np.testing.assert_allclose(dnp.multiply.outer(x, x), np.outer(V, V))
    np.testing.assert_allclose(dnp.add.at(x, 0, 5.0, inplace=False), [6.0, 2.0, -1.0])
    assert (dnp.add.nin, dnp.add.identity) == (2, 0)


def test_functions_of_functions_take_values():
    x = Doubled(jnp.asarray(V))
    d = 2 * V
    total, partial_sums = dlax.scan(lambda c, y: (c + y, c + y), 0.0, x)
    np.testing.assert_allclose(total, d.sum())
    np.testing.assert_allclose(partial_sums, d.cumsum())
    np.testing.assert_allclose(dlax.cond(True, jnp.sin, jnp.cos, x), np.sin(d), rtol=1e-5)
    out = dlax.while_loop(lambda c: c.sum() < 30, lambda c: c * 2, x)
    np.testing.assert_allclose(dense(out), 8 * d)
    closed_over = dlax.map(lambda i: x[i] + 1, jnp.arange(3))
    np.testing.assert_allclose(closed_over, d + 1)
    np.testing.assert_allclose(dnp.vectorize(lambda y: y + 1)(x), d + 1)
    assert dnn.initializers.ones(jax.random.key(0), (2,)).shape == (2,)


def test_other_modules_take_values():
    x = Doubled(jnp.asarray(V))
    d = 2 * V
    np.testing.assert_allclose(dnn.relu(x), np.maximum(d, 0))
    want = np.exp(-(d**2) / 2) / np.sqrt(2 * np.pi)
    np.testing.assert_allclose(dscipy.stats.norm.pdf(x), want, rtol=1e-5)
    np.testing.assert_allclose(dscipy.special.logsumexp(x), np.log(np.exp(d).sum()), rtol=1e-5)
    key = jax.random.key(0)
    np.testing.assert_allclose(
        drandom.normal(key, (3,)) * x, jax.random.normal(key, (3,)) * d, rtol=1e-6
    )
    np.testing.assert_allclose(duckarray.core.linalg.norm(x), np.linalg.norm(d), rtol=1e-6)


def test_they_may_be_used_inside_quaxify_and_in_transforms():
    x = Doubled(jnp.asarray(V))
    d = 2 * V
    got = duckarray.core.quaxify(lambda y: dnp.sin(y) + dnp.cos(x))(x)
    np.testing.assert_allclose(got, np.sin(d) + np.cos(d), rtol=1e-5)
    grad = jax.grad(lambda v: dnp.sum(dnp.sin(v)))(x)
    np.testing.assert_allclose(grad.half, 2 * np.cos(d), rtol=1e-5)
    np.testing.assert_allclose(jax.jit(dnp.exp)(x), np.exp(d), rtol=1e-5)


class Model:
    activation = dnp.tanh


def test_a_function_is_documented_signed_pickled_and_bound_as_that_of_jax():
    assert inspect.signature(dnp.sum) == inspect.signature(jnp.sum)
    assert dnp.sum.__doc__ == jnp.sum.__doc__
    assert (dnp.sum.__name__, dnp.sum.__module__) == ("sum", jnp.sum.__module__)
    assert repr(dnp.linalg.solve) == "<function duckarray.core.numpy.linalg.solve>"
    for function in (dnp.sum, dnp.add, dnp.linalg.solve, dscipy.stats.norm.pdf):
        assert pickle.loads(pickle.dumps(function)) is function
    with pytest.raises(TypeError):
        Model().activation(1.0)  # bound, as a function of JAX would be


def test_importing_core_imports_none_of_them():
    program = (
        "import sys, duckarray.core as c; assert 'numpy' in dir(c);"
        "assert not {n for n in sys.modules if n.startswith(('jax.scipy.s', 'duckarray.core.nu'))};"
        "import duckarray.core.scipy.stats.norm as norm; assert norm.pdf;"
        "assert c.lax.scan and c.fft.fft"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_type_checkers_are_told_of_each_module_in_a_module():
    folder = Path(duckarray.core.__file__).parent
    stubs = {f"{path.parent.name}.{path.stem}" for path in folder.glob("*/*.pyi")}
    for name in ("numpy", "lax", "nn", "scipy"):
        theirs = pkgutil.iter_modules(importlib.import_module(f"jax.{name}").__path__)
        assert {f"{name}.{m.name}" for m in theirs if not m.name.startswith("_")} <= stubs


@pytest.mark.parametrize(
    "name", ["numpy", "lax", "nn", "scipy.special", "numpy.linalg", "numpy.fft", "random"]
)
def test_type_checkers_are_told_of_each_function(name):
    module = importlib.import_module(f"duckarray.core.{name}")
    base = Path(duckarray.core.__file__).parent.joinpath(*name.split("."))
    file = base / "__init__.pyi" if base.is_dir() else base.with_suffix(".pyi")
    told = set(re.findall(r"^(\w+) = _quaxified\(", file.read_text("utf-8"), re.MULTILINE))
    assert len(told) > 15
    there = {n for n in told if hasattr(module, n)}
    assert len(there) > 0.9 * len(told)  # another JAX has others
    assert all(callable(getattr(module, n)) for n in there)


@pytest.mark.parametrize("name", ["linalg", "fft"])
def test_type_checkers_are_told_that_a_module_is_one_of_numpy(name):
    text = Path(duckarray.core.__file__).with_name(f"{name}.pyi").read_text("utf-8")
    assert f"from duckarray.core.numpy.{name} import *" in text


def test_type_checkers_are_told_parameters_by_the_names_of_jax():
    text = Path(duckarray.core.__file__).parent.joinpath("numpy", "__init__.pyi").read_text("utf-8")
    (told,) = re.findall(r"^def _sum\((.*?)\) -> Any: \.\.\.", text, re.MULTILINE | re.DOTALL)
    names = re.findall(r"(\w+): Any", told)
    assert names == list(inspect.signature(jnp.sum).parameters)
    assert set(re.findall(r": Any = (\S+?)(?:,|$)", told)) == {"..."}


def test_what_reads_the_memory_of_an_array_is_given_the_dense_one(tmp_path):
    x = Doubled(jnp.array([1.0, 2.5]))
    np.testing.assert_array_equal(dnp.from_dlpack(x), [2.0, 5.0])
    assert dnp.array_repr(x).endswith("([2., 5.], dtype=float32)")
    assert dnp.array_str(x) == "[2. 5.]"
    dnp.save(tmp_path / "x.npy", x)
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), [2.0, 5.0])
    assert "Array" in duckarray.core.quaxify(dnp.array_repr)(x)


def test_objects_that_are_indexed_take_values():
    x = Doubled(jnp.array([1.0, 2.5]))
    np.testing.assert_array_equal(dense(dnp.r_[x, 0.0, x]), [2.0, 5.0, 0.0, 2.0, 5.0])
    np.testing.assert_array_equal(dense(dnp.c_[x, x]), [[2.0, 2.0], [5.0, 5.0]])
    np.testing.assert_array_equal(dnp.mgrid[0:3], [0, 1, 2])
    assert dnp.s_[1:2] == slice(1, 2)
    assert pickle.loads(pickle.dumps(dnp.r_)) is dnp.r_
    assert repr(dnp.c_) == "<object duckarray.core.numpy.c_>"
    assert dnp.r_.__doc__ == jnp.r_.__doc__
    with pytest.raises(AttributeError):
        dnp.r_.nothing  # noqa: B018


def test_dtypes_stay_those_of_jax_and_convert_values_under_quaxify():
    x = Doubled(jnp.array([1, 2]))
    with pytest.raises(TypeError, match=r"outside `quaxify`[^$]*Wrap the function"):
        dnp.float32(x)
    out = duckarray.core.quaxify(dnp.float32)(x)
    assert out.dtype == np.float32
    np.testing.assert_array_equal(dense(out), [2.0, 4.0])


def test_a_value_inside_quaxify_gives_its_bytes():
    x = Doubled(jnp.array([1.0, 2.5]))
    want = np.array([2.0, 5.0], np.float32).tobytes()
    assert duckarray.core.quaxify(lambda x: x.tobytes())(x) == want == x.tobytes()
