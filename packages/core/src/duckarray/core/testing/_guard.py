"""Makes building the dense array of a type a failure, for the while."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from duckarray.core._materialize import materialization

from ._compare import Mismatch


@contextmanager
def never_dense(cls: Any) -> Iterator[None]:
    """Raises a `Mismatch` where a value of this class is made dense.

    Deriving the shape from `materialize`, as `ArrayValue.aval` does, evaluates it abstractly and
    is permitted.
    """
    state = threading.local()
    methods = {name: getattr(cls, name) for name in ("materialize", "aval")}
    own = {name: cls.__dict__[name] for name in methods if name in cls.__dict__}

    def materialize(self: Any) -> Any:
        if not getattr(state, "asked_for_aval", False):
            raise Mismatch(f"`{cls.__name__}.materialize` was called: the dense array was built")
        return methods["materialize"](self)

    def aval(self: Any) -> Any:
        before, state.asked_for_aval = getattr(state, "asked_for_aval", False), True
        try:
            return methods["aval"](self)
        finally:
            state.asked_for_aval = before

    cls.materialize, cls.aval = materialize, aval
    try:
        with materialization("error"):
            yield
    finally:
        for name in methods:
            if name in own:
                setattr(cls, name, own[name])
            else:
                delattr(cls, name)
