"""The table of 112 `jax.numpy` expressions: how many stay sparse, next to JAX's own BCOO.

Run it as `python packages/sparse/benchmarks/bench_table.py`. The expressions, and what becomes of
each, are those of `tests/test_table.py`, where each is a test. An expression of JAX's counts where
it runs under `sparsify` on `BCOO` and gives the right numbers, sparse or dense.
"""

import importlib.util
import inspect
import warnings
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jax.experimental import sparse as jax_sparse

from duckarray import sparse
from duckarray.core import MaterializeError, materialization, materialize, quaxify


def table() -> Any:
    """The module of the tests."""
    path = Path(__file__).resolve().parent.parent / "tests" / "test_table.py"
    spec = importlib.util.spec_from_file_location("test_table", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def same(got: Any, want: Any) -> bool:
    return got.shape == want.shape and np.allclose(got, want, rtol=2e-5, atol=2e-5)


def ours(program: Any, given: list[Any], want: Any) -> str:
    """What becomes of an expression where nothing may be made dense."""
    try:
        with materialization("error"):
            out = jax.jit(quaxify(program))(*given)
    except MaterializeError:
        return "refused"
    if not same(materialize(out), want):
        return "wrong"
    return "sparse" if isinstance(out, sparse.Sparse) else "dense"


def jaxs(program: Any, given: list[Any], want: Any) -> str:
    try:
        out = jax_sparse.sparsify(program)(*given)
    except Exception:
        return "raises"
    is_sparse = isinstance(out, jax_sparse.JAXSparse)
    return "runs" if same(out.todense() if is_sparse else out, want) else "wrong"


def main() -> None:
    tests = table()
    kinds: list[str] = []
    theirs: list[str] = []
    bcoo = {name: jax_sparse.BCOO.fromdense(tests.ARRAYS[name]) for name in tests.SPARSE}
    warnings.simplefilter("ignore")
    for group in tests.GROUPS.values():
        for _, program in group.values():
            names = list(inspect.signature(program).parameters)
            want = program(*[tests.ARRAYS[n] for n in names])
            kinds.append(ours(program, [tests.VALUES[n] for n in names], want))
            given = [bcoo.get(n, tests.ARRAYS[n]) for n in names]
            theirs.append(jaxs(program, given, want))
    count = {kind: kinds.count(kind) for kind in ("sparse", "dense", "refused", "wrong")}
    kept = count["sparse"] + count["dense"]
    print(f"expressions: {len(kinds)}  (goal 112)")
    print(f"sparse or legitimately dense: {kept}  (goal at least 95), {count['sparse']} sparse")
    print(f"refused with a reason: {count['refused']}; wrong: {count['wrong']}  (goal 0)")
    print("silently dense: 0  (nothing may be made dense here, and what is is an error)")
    print(f"BCOO under `sparsify`: {theirs.count('runs')} run, {theirs.count('wrong')} wrong")


if __name__ == "__main__":
    main()
