"""The public names, and how they are called, which do not change within a version."""

import inspect

import pytest

from duckarray import zeros

pytestmark = pytest.mark.any_jax

_SIGNATURES = {
    "Full": "value shape dtype weak_type",
    "Zeros": "shape dtype weak_type",
    "Ones": "shape dtype weak_type",
    "zeros_like": "x",
    "ones_like": "x",
    "full_like": "x value",
    "is_zero": "x",
    "semantics": "mode",
    "vjp": "fun *primals has_aux",
    "jvp": "fun primals tangents has_aux",
    "grad": "fun argnums has_aux",
}


def _parameters(function):
    stars = {inspect.Parameter.VAR_POSITIONAL: "*"}
    found = inspect.signature(function).parameters.items()
    return " ".join(f"{stars.get(parameter.kind, '')}{name}" for name, parameter in found)


@pytest.mark.parametrize("name", _SIGNATURES)
def test_a_public_name_takes_what_it_always_took(name):
    got = _parameters(getattr(zeros, name)).split()
    assert got[: len(_SIGNATURES[name].split())] == _SIGNATURES[name].split()


def test_there_are_no_other_public_names():
    public = {name for name in vars(zeros) if not name.startswith("_")}
    assert {n for n in public if not inspect.ismodule(getattr(zeros, n))} == set(_SIGNATURES)
