"""Compares what a program gave on values with what it gave on dense arrays."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import tree_util as jtu

from duckarray.core._materialize import materialize, replace_children
from duckarray.core._summary import summarize
from duckarray.core._value import Value, dense_aval, is_value

from ._discover import subjects
from ._subject import Subject


class Mismatch(AssertionError):  # noqa: N818  # a finding, which pytest shows as a failure
    """A check of the kit found something wrong."""


def require(condition: bool, text: str) -> None:
    """Raises a `Mismatch` unless `condition` holds."""
    if not condition:
        raise Mismatch(text)


class Comparison:
    """Compares results, with the oracles of some subjects for values of their types.

    Nothing is expected to be more precise than numbers of `dtype` are, or than those of the size of
    `scale` that cancel.
    """

    def __init__(self, *subjects: Subject, dtype: str = "float64", scale: float = 1e-3) -> None:
        self._scale = scale
        self._refuses = tuple(kind for subject in subjects for kind in subject.refuses)
        self._eps = eps(dtype) if jnp.issubdtype(dtype, jnp.inexact) else 0.0
        self._rtol = max(subject.rtol for subject in subjects)
        self._dense: dict[type, Callable[[Any], Any]] = {}
        for subject in subjects:
            for case in subject.cases[:1]:
                self._dense[type(subject.value(case))] = subject.dense

    def numbers(self, x: Any) -> Any:
        """The NumPy array that a result stands for, by a subject's oracle where one knows it."""
        oracle = self._dense.get(type(x))
        if oracle is None or not _is_complete(x):
            try:
                return np.asarray(materialize(x))
            except Exception as error:
                oracle = _oracle_of_installed(type(x))
                if oracle is None or not self._is_refusal(error):
                    raise
        # A child of another subject's type may have no dense form but what its oracle gives.
        return np.asarray(oracle(replace_children(x, self._child)))

    def _child(self, x: Any) -> Any:
        if type(x) in self._dense:
            return self.numbers(x)
        try:
            return materialize(x)
        except Exception as error:
            if not self._is_refusal(error):
                raise
            oracle = _oracle_of_installed(type(x))
            # Else the oracle of what it is in has to know what to do with it.
            return x if oracle is None else oracle(replace_children(x, self._child))

    def _is_refusal(self, error: Exception) -> bool:
        """Whether a subject, or one that is installed, counts it as an answer."""
        if isinstance(error, self._refuses):
            return True
        return any(isinstance(error, subject.refuses) for subject in subjects().values())

    def same(self, got: Any, want: Any, struct: Any = None, *, loose: float = 1.0) -> None:
        """Raises a `Mismatch` unless `got` is `want` in structure, shapes, dtypes and numbers.

        `struct` holds what is expected where it is not said by `want`: weak types.
        """
        struct = jax.eval_shape(lambda: want) if struct is None else struct
        self.alike(got, struct)
        pairs = zip(_leaves(got), jtu.tree_leaves_with_path(want), strict=True)
        for x, (path, y) in pairs:
            self._same_numbers(x, y, jtu.keystr(path), loose)

    def alike(self, got: Any, struct: Any) -> None:
        """Raises a `Mismatch` unless `got` has the structure, shapes, dtypes and weak types."""
        structure = _structure(got)
        want = _structure(struct)
        require(structure == want, f"the result is of structure {structure}, not {want}")
        for x, (path, s) in zip(_leaves(got), jtu.tree_leaves_with_path(struct), strict=True):
            where = jtu.keystr(path)
            have, need = describe(_aval(x)), describe(s)
            require(have == need, f"result{where} is {have}, dense JAX gives {need}")
            if isinstance(x, Value):
                try:
                    have = describe(jax.eval_shape(materialize, x))
                except Exception as error:
                    if self._is_refusal(error):
                        continue
                    raise
                text = f"result{where} says it is {need}, but is {have} once materialized"
                require(have == need, text)

    def _same_numbers(self, x: Any, y: Any, where: str, loose: float) -> None:
        if jnp.issubdtype(jnp.result_type(y), jax.dtypes.extended):
            x, y = jax.random.key_data(x), jax.random.key_data(y)
        if jnp.result_type(y) == jax.dtypes.float0:
            return
        dtype = jnp.dtype(jnp.result_type(y))
        have, need = np.asarray(self.numbers(x)), np.asarray(y)
        require(have.shape == need.shape, f"result{where} is {have.shape}, not {need.shape}")
        if not jnp.issubdtype(dtype, jnp.inexact):
            right = have.astype(dtype) == need
        else:
            right = self._close(have, need, dtype, loose)
        if not np.all(right):
            at = tuple(int(i) for i in np.argwhere(~np.asarray(right))[0])
            n, of = int(np.sum(~np.asarray(right))), need.size
            kind = summarize(x) if isinstance(x, Value) else "array"
            raise Mismatch(
                f"result{where} ({kind}) has {n} wrong numbers of {of}: at {list(at)} it is"
                f" {have[at]}, dense JAX gives {need[at]}"
            )

    def _close(self, have: Any, need: Any, dtype: Any, loose: float) -> Any:
        wide = np.complex128 if jnp.issubdtype(dtype, jnp.complexfloating) else np.float64
        have, need = have.astype(wide), need.astype(wide)
        ratio = max(eps(dtype), self._eps) / eps("float32")
        rtol = self._rtol * loose * min(max(ratio, 1e-4), 2000)
        finite = np.abs(need[np.isfinite(need)])
        atol = rtol * (finite.max(initial=0.0) + self._scale)
        with np.errstate(all="ignore"):
            whole = np.isclose(have, need, rtol=rtol, atol=atol, equal_nan=True)
            if wide == np.float64:
                return whole
            # Beside an infinite part the other one is rounded like any number.
            parts = [
                np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
                for a, b in ((have.real, need.real), (have.imag, need.imag))
            ]
            return whole | (parts[0] & parts[1])


def _oracle_of_installed(cls: type) -> Callable[[Any], Any] | None:
    """The oracle of an installed subject of this type: results may be of another than is tested."""
    for subject in subjects().values():
        if type(subject.value(subject.cases[0])) is cls:
            return subject.dense
    return None


def with_notes(error: Exception) -> str:
    """The message of an error and its notes, save that JAX has shortened its traceback."""
    notes = [n for n in getattr(error, "__notes__", []) if "JAX_TRACEBACK_FILTERING" not in n]
    return "\n".join([str(error), *notes])


def eps(dtype: Any) -> float:
    """The distance from one to the next number of a floating-point or complex dtype."""
    info: Any = jnp.finfo
    return float(info(dtype).eps)


def take_apart(tree: Any) -> tuple[list[Any], Any]:
    """The leaves and the structure of a tree."""
    return jtu.tree_flatten(tree)


def _structure(tree: Any) -> Any:
    return jtu.tree_structure(tree, is_leaf=is_value)


def _leaves(tree: Any) -> list[Any]:
    return jtu.tree_leaves(tree, is_leaf=is_value)


def _is_complete(value: Any) -> bool:
    return all(isinstance(x, jax.Array | np.ndarray) for x in jtu.tree_leaves(value))


def _aval(x: Any) -> Any:
    if isinstance(x, jax.ShapeDtypeStruct):
        return x
    return dense_aval(x) if hasattr(x, "dtype") else jax.typeof(x)


def describe(aval: Any) -> str:
    """An abstract value in a few letters, such as `weak f32[3]`."""
    return f"{'weak ' if getattr(aval, 'weak_type', False) else ''}{summarize(aval)}"
