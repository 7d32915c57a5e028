"""The public names, and how they are called, which do not change within a version."""

import inspect

import pytest

from duckarray import structured

pytestmark = pytest.mark.any_jax

# Constructors and functions with their parameters; a star before those passed by name only.
_SIGNATURES = {
    "Identity": "n dtype * batch_shape",
    "Diagonal": "diagonal",
    "Tridiagonal": "lower diagonal upper",
    "Banded": "ab lower upper rows",
    "Triangular": "matrix lower unit_diagonal",
    "Symmetric": "matrix lower",
    "Permutation": "permutation dtype",
    "Toeplitz": "c r",
    "Circulant": "c",
    "Kronecker": "*factors",
    "BlockDiagonal": "*blocks",
    "LowRank": "u v",
    "DiagonalPlusLowRank": "diagonal u v",
    "jacobian": "f x",
    "detect": "matrix",
    "check": "",
    "toeplitz_solve": "a b * method tol maxiter",
    "to_lineax": "a * tags",
    "from_lineax": "operator",
    "structured_solver": "",
}


def _parameters(function):
    found, starred = [], False
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            name, starred = f"*{name}", True
        elif parameter.kind is parameter.KEYWORD_ONLY and not starred:
            found, starred = [*found, "*"], True
        found.append(name)
    return " ".join(found)


@pytest.mark.parametrize("name", _SIGNATURES)
def test_a_public_name_takes_what_it_always_took(name):
    assert _parameters(getattr(structured, name)) == _SIGNATURES[name]


def test_there_are_no_other_public_names():
    others = {"Structured"}
    public = {name for name in vars(structured) if not name.startswith("_")}
    functions = {n for n in public if not inspect.ismodule(getattr(structured, n))}
    assert functions == {*_SIGNATURES, *others}


@pytest.mark.parametrize("name", [name for name in _SIGNATURES if name[0].isupper()])
def test_each_type_is_structured(name):
    assert issubclass(getattr(structured, name), structured.Structured)
