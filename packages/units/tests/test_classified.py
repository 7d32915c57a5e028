"""Every primitive of JAX is answered for: by a rule, by core, or by a refusal that says why."""

import pytest
from jax import lax
from jax.extend.core import Primitive, primitives

from duckarray.core import extend, families
from duckarray.units._rules._common import several
from duckarray.units._rules._refused import REFUSED
from duckarray.units._value import Quantity


def _all_primitives():
    found = {}
    for module in (primitives, lax):
        for value in vars(module).values():
            if isinstance(value, Primitive):
                found[value.name] = value
    for names in vars(families).values():
        if isinstance(names, tuple):
            found.update({getattr(p, "name", p): p for p in names})
    return found


PRIMITIVES = _all_primitives()


def is_classified(name, primitive):
    """Whether something other than chance decides what this primitive does with a quantity."""
    if name in several or name in REFUSED or name in families.creation:
        return True
    if not isinstance(primitive, Primitive):  # of another version of JAX
        return extend.treatments().get(name) in ("reinterpret", "leafwise", "never")
    if primitive in families.creation:
        return True
    return any(extend.is_answered(primitive, *(Quantity,) * n) for n in (1, 2))


def test_every_primitive_is_classified():
    unknown = sorted(n for n, p in PRIMITIVES.items() if not is_classified(n, p))
    assert not unknown, "give these a rule, or a reason in `_rules/_refused.py`"


def test_a_primitive_nobody_classified_would_be_found():
    assert not is_classified("brand_new", Primitive("brand_new"))
    assert not set(several) & set(REFUSED)
    assert all(len(reason) > 10 for reason in REFUSED.values())


@pytest.mark.any_jax
def test_what_core_makes_dense_is_refused_or_has_a_rule():
    dense = {name for name, t in extend.treatments().items() if t == "materialize"}
    assert not sorted(dense - set(several) - set(REFUSED))
