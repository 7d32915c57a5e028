"""Trees with values of every type, written and read: they come back the same, or there is an error.

`.npz`, which `equinox` does not use, has a checksum; `equinox`'s file of leaves has none, so that a
changed number cannot be noticed there, only a changed shape, dtype or length.
"""

import copy
import io
import pickle
import threading

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from fuzz._arguments import known
from safetensors import SafetensorError
from safetensors.numpy import load, save

from duckarray.core import materialization, quaxify

SUBJECTS = {name: subject for name, (_, subject) in known().items()}
every_type = pytest.mark.parametrize("name", SUBJECTS)


def _tree(name, seed=0):
    """Values of the type, of arrays of NumPy, among other leaves."""
    subject = SUBJECTS[name]
    values = [subject.value(case, seed) for case in subject.cases[:2]]
    return jax.tree.map(np.asarray, {"values": values, "array": np.arange(3.0) + seed, "step": 7})


def _same(got, want):
    assert jax.tree.structure(got) == jax.tree.structure(want)
    for x, y in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        assert x.dtype == y.dtype
        np.testing.assert_array_equal(np.asarray(x), np.asarray(y))


@every_type
@pytest.mark.parametrize(
    "again",
    [copy.deepcopy, copy.copy, lambda tree: pickle.loads(pickle.dumps(tree))],
    ids=["deepcopy", "copy", "pickle"],
)
def test_copies_are_the_same(name, again):
    _same(again(_tree(name)), _tree(name))


@every_type
def test_a_deep_copy_shares_nothing(name):
    tree = _tree(name)
    again = copy.deepcopy(tree)
    for x, y in zip(jax.tree.leaves(again), jax.tree.leaves(tree), strict=True):
        assert not x.size or not np.shares_memory(x, y)


@every_type
def test_equinox_reads_the_leaves_that_it_wrote(name):
    file = io.BytesIO()
    eqx.tree_serialise_leaves(file, _tree(name))
    file.seek(0)
    _same(eqx.tree_deserialise_leaves(file, _tree(name, seed=1)), _tree(name))


@every_type
def test_equinox_refuses_a_file_that_is_cut_or_of_another_structure(name):
    file = io.BytesIO()
    eqx.tree_serialise_leaves(file, _tree(name))
    whole = file.getvalue()
    for length in (0, 5, 60, len(whole) - 3):
        with pytest.raises((EOFError, ValueError, RuntimeError, OSError)):
            eqx.tree_deserialise_leaves(io.BytesIO(whole[:length]), _tree(name))
    other = jax.tree.map(lambda x: np.zeros((*x.shape, 2), x.dtype), _tree(name))
    with pytest.raises((RuntimeError, ValueError)):
        eqx.tree_deserialise_leaves(io.BytesIO(whole), other)


@every_type
def test_safetensors_hold_the_leaves_by_their_paths(name):
    tree = _tree(name)
    paths, structure = jax.tree.flatten_with_path(tree)
    tensors = {jax.tree_util.keystr(path): x for path, x in paths}
    assert len(tensors) == len(paths)  # no two leaves have one path
    data = save(tensors)
    read = load(data)
    _same(structure.unflatten([read[key] for key in tensors]), tree)
    for length in (0, 7, 30, len(data) - 1):
        with pytest.raises(SafetensorError):
            load(data[:length])


@pytest.mark.long
@every_type
def test_orbax_restores_what_it_saved(name, tmp_path):
    orbax = pytest.importorskip("orbax.checkpoint")
    tree, target = _tree(name), _tree(name, seed=1)
    with orbax.StandardCheckpointer() as checkpointer:
        if not all(x.size for x in jax.tree.leaves(tree) if isinstance(x, np.ndarray)):
            with pytest.raises(ValueError, match="zero size"):
                checkpointer.save(tmp_path / "tree", tree)
            return
        checkpointer.save(tmp_path / "tree", tree)
        checkpointer.wait_until_finished()
        _same(checkpointer.restore(tmp_path / "tree", target), tree)


def test_threads_do_not_see_each_other():
    """Each runs its own types; what one thread finds out of a type is right for all."""
    names = ["lora", "named", "sparse", "zeros", "diagonal", "kronecker"]
    wrong: list[str] = []
    start = threading.Barrier(4)

    def work(of: list[str]) -> None:
        start.wait()
        for name in of:
            subject = SUBJECTS[name]
            case = subject.cases[0]
            with materialization("allow"):
                got = quaxify(lambda x: jnp.sum(2 * x))(subject.value(case))
            want = 2 * np.asarray(subject.dense(subject.value(case))).sum()
            oracle = subject.dense(got) if type(got) is type(subject.value(case)) else got
            if not np.allclose(np.asarray(oracle), want, rtol=1e-3, atol=1e-4):
                wrong.append(f"{name}: {got} is not {want}")

    threads = [threading.Thread(target=work, args=(names[i:] + names[:i],)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
