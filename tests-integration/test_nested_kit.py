"""The conformance kit on adapters of quantized weights, of adapted weights, and with magnitudes."""

import jax.numpy as jnp
import numpy as np
import pytest

from duckarray.core.testing import Case, Subject, check, subjects
from duckarray.lora import LoraArray
from duckarray.quant import QuantArray, quantize

QUANT = subjects()["quant"]
CASES = [((4, 4), "float32"), ((2, 4, 4), "float32"), ((4, 4), "bfloat16")]
# Of the calls some, for one shape, where time is short.
SOME = ["contract/*/f32-4x4*"]
SOME += [f"agreement/{call}/f32-4x4*" for call in ("matmul", "add_row", "mul_row", "vmap_last")]


def _make(case):
    *batch, m, n = case.shape
    w, a, b, scale, a2, b2, magnitude = case.arrays(
        case.shape, (*batch, m, 2), (*batch, 2, n), (*batch,), (*batch, m, 1), (*batch, 1, n), (n,)
    )
    kind = case.variant
    if kind in ("int8", "int8-dora"):
        w = quantize(w, "int8")
    if kind in ("int4", "int4-lora"):
        w = quantize(w, "int4", group_size=2, symmetric=False)
    if kind == "nf4":
        w = quantize(w, "nf4", group_size=2, axis=-1, double_quant=True)
    if kind in ("lora", "int4-lora"):
        w = LoraArray(w, a2, b2)
    return LoraArray(w, a, b, scale, jnp.abs(magnitude) if kind.endswith("dora") else None)


def _wide(x):
    x = np.asarray(x)
    return x.astype("complex128" if x.dtype.kind == "c" else "float64")


def _dense(x):
    """The array by NumPy, in double precision, from the inside out."""
    if isinstance(x, QuantArray):
        return QUANT.dense(x)
    if not isinstance(x, LoraArray):
        return _wide(x)
    letters = "ABCDEFGH"[: x.w.ndim]
    rows, columns = (
        "".join(letters[i] for i in range(x.w.ndim) if i - x.w.ndim in axes)
        for axes in (x.rows, x.columns)
    )
    batch = "".join(c for c in letters if c not in rows + columns)
    of = f"{batch},{batch}{rows}r,{batch}r{columns}->{letters}"
    v = _dense(x.w) + np.einsum(of, *map(_wide, (x.scale, x.a, x.b)))
    if x.magnitude is None:
        return v
    magnitude = _wide(x.magnitude)
    over = [letters.index(c) for c in columns]
    if any(magnitude.shape[i] != 1 for i in over):
        over = [letters.index(c) for c in rows]
    norm = np.sqrt(np.sum(v**2, tuple(over), keepdims=True))
    return magnitude * np.divide(v, norm, out=np.zeros_like(v), where=norm != 0)


def _table(case):
    (table,) = case.arrays(case.shape)
    scheme, group = ("int8", None) if case.variant == "int8" else ("int4", 2)
    return quantize(table, scheme, group_size=group, axis=-1)


_NO_GRADIENT = {
    "contract/derivative/f32*": "the norm is a constant to the gradient, by its definition"
}
_ROUNDED = "what is written is quantized"


def _lora(name, failures=None):
    cases = tuple(Case(shape, dtype, variant=name) for shape, dtype in CASES)
    return Subject(f"lora-on-{name}", _make, _dense, cases, expected_failures=failures or {})


EMBEDDING = Subject(
    "embedding",
    _table,
    QUANT.dense,
    (Case((4, 4), variant="int8"), Case((4, 4), variant="int4"), Case((6, 4), variant="int8")),
    expected_failures={"agreement/dynamic_update*": _ROUNDED},
)
NESTED = [_lora("int4-lora"), EMBEDDING]
MORE = [*map(_lora, ("int8", "int4", "nf4", "lora")), _lora("int8-dora", _NO_GRADIENT)]


@pytest.mark.parametrize("subject", NESTED, ids=lambda s: s.name)
def test_nested_values_pass_some_of_the_kit(subject):
    results = check(subject, only=SOME)
    assert len(results) > 10
    assert results.ok, str(results)


@pytest.mark.long
@pytest.mark.parametrize("family", ["contract", "agreement", "economy", "transforms", "pairs"])
@pytest.mark.parametrize("subject", NESTED + MORE, ids=lambda s: s.name)
def test_nested_values_pass_the_kit(subject, family):
    results = check(subject, families=[family])
    assert results.ok, str(results)
