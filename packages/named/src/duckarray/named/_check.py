"""`check`: the names that a function takes and gives, said once and tested at each call."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from ._names import AxisNameError, Dims, DimsLike, names_of, show
from ._value import NamedArray
from ._value import dims as dims_of

F = TypeVar("F", bound=Callable[..., Any])


def check(*, out: DimsLike | None = None, **arguments: DimsLike) -> Callable[[F], F]:
    """Tests the axes of arguments and of the result at each call, and that each has one size.

    It looks at what is known while tracing, so a compiled call pays nothing.

    Args:
        out: the names of the result.
        **arguments: by the name of a parameter, the names of its axes.

    Raises:
        TypeError: on decoration, if the function has no parameter of such a name.
        AxisNameError: at a call, if something has other axes, or a name has two sizes.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.named import NamedArray, check
        >>> @check(x="batch d", out="batch")
        ... def norm(x):
        ...     return (x * x).sum("d")
        >>> norm(NamedArray(jnp.ones((2, 3)), "batch d")).dims
        ('batch',)
    """
    wanted = {name: names_of(dims) for name, dims in arguments.items()}

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        for name in wanted:
            if name not in signature.parameters:
                raise TypeError(
                    f"`check({name}=...)`: `{function.__name__}` has no parameter of that name.\n"
                    f"It has {list(signature.parameters)}; the result is called `out`."
                )

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            sizes: dict[str, tuple[int, str]] = {}
            for name, dims in wanted.items():
                _has(bound.arguments[name], dims, f"argument `{name}`", function, sizes)
            result = function(*args, **kwargs)
            if out is not None:
                _has(result, names_of(out), "the result", function, sizes)
            return result

        return checked  # type: ignore[return-value]

    return decorate


def _has(x: Any, wanted: Dims, what: str, function: Any, sizes: dict[str, Any]) -> None:
    have = dims_of(x)
    if have != wanted:
        raise AxisNameError(
            f"{what} of `{function.__name__}` has the axes {show(have)}, not {show(wanted)}.\n"
            f"Bring it there: `x.transpose_to({' '.join(map(str, wanted))!r})` or `x.rename(...)`.",
            have,
            wanted,
        )
    shape = x.array.shape if isinstance(x, NamedArray) else getattr(x, "shape", ())
    for name, size in zip(wanted, shape, strict=True):
        if name is None:
            continue
        old, first = sizes.setdefault(name, (size, what))
        if old != size:
            raise AxisNameError(
                f"axis {name!r} of `{function.__name__}` has {old} entries in {first} but {size} "
                f"in {what}.\nPass arrays that agree.",
                have,
            )
