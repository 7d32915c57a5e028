"""What an array of JAX can be asked, every type can be asked, outside `quaxify` and inside."""

import jax
import jax.numpy as jnp
import pytest

from duckarray.core import materialization, quaxify
from duckarray.core._placement import NOT_OF_VALUES
from duckarray.core.testing import subjects

pytestmark = pytest.mark.any_jax

ARRAY = jnp.ones((2, 2))
NAMES = {n for n in {*dir(jax.Array), *dir(ARRAY)} if not n.startswith("_")} - {"shape", "dtype"}
ARRAYS = {"T", "mT", "real", "imag"}  # what is computed
SAME = {"ndim", "size", "itemsize", "nbytes", "weak_type", "shape", "dtype"}
OWN = {"quant": {"nbytes"}}  # what is stored is what it is about
PLACES = {"device", "sharding", "committed", "is_fully_addressable", "is_fully_replicated"}


def first(subject):
    """The first case, of a matrix if there is one."""
    case = next((case for case in subject.cases if len(case.shape) == 2), subject.cases[0])
    return subject.value(case), subject.array(case)


@pytest.mark.parametrize("name", sorted(subjects()))
def test_each_attribute_is_there_or_says_why_not(name):
    value, array = first(subjects()[name])
    for attribute in NAMES - ARRAYS - NOT_OF_VALUES.keys():
        assert hasattr(value, attribute), attribute
        assert quaxify(lambda x, n=attribute: hasattr(x, n))(value), attribute
    for attribute in SAME - OWN.get(name, set()):
        want = getattr(array, attribute)
        assert getattr(value, attribute) == want, attribute
        assert quaxify(lambda x, n=attribute: getattr(x, n))(value) == want, attribute
    for attribute in PLACES:
        want = getattr(jax.tree.leaves(value)[0], attribute)
        assert getattr(value, attribute) == want, attribute
        assert quaxify(lambda x, n=attribute: getattr(x, n))(value) == want, attribute
    assert value.devices() == quaxify(lambda x: x.devices())(value) == array.devices()
    assert [shard.index for shard in value.addressable_shards] == [
        shard.index for shard in array.addressable_shards
    ]
    for attribute in NOT_OF_VALUES:
        with pytest.raises(AttributeError, match=rf"`{attribute}` is not there for[^$]*(Take|Ask)"):
            getattr(value, attribute)
        with pytest.raises(AttributeError, match=rf"`{attribute}` is not there for[^$]*(Take|Ask)"):
            quaxify(lambda x, n=attribute: getattr(x, n))(value)


@pytest.mark.parametrize("name", sorted(subjects()))
def test_each_property_that_is_an_array_has_its_shape_and_dtype(name):
    value, array = first(subjects()[name])
    names = ARRAYS if array.ndim > 1 else ARRAYS - {"mT"}

    def properties(x):
        arrays = {n: getattr(x, n) for n in names}
        return {n: (a.shape, a.dtype) for n, a in arrays.items()}

    found = []
    with materialization("allow"):
        for function in (properties, quaxify(properties)):
            jax.eval_shape(lambda x, f=function: found.append(f(x)), value)
    jax.eval_shape(lambda x: found.append(properties(x)), array)
    outside, inside, dense = found
    assert outside == inside == dense
