"""Products that sum over axes given by name."""

import string
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ._by_name import expanded, quaxified
from ._names import AxisNameError, Dims, DimsLike, absent, names_of, show, without_repetition
from ._value import NamedArray, require_arrays, require_named
from ._value import dims as dims_of

_NOT_IN_OUT = """`dot(..., over={over!r}, out={out!r})`: both operands have {names}, which the \
result is not to have: the entries of one would only meet the same entries of the other.
Rename it in one of them, `y.rename({name}="other_{name}")`, or sum over it: `over="{both}"`."""

_WRONG_OUT = """`dot(..., out={out!r})`: the product has the axes {have}.
Say each of them once, in any order."""

_ANONYMOUS = """`{function}` goes by names, but an operand has the axes {dims}.
Name every axis first: `NamedArray(x, ...)`."""

_PATTERN = """`einsum({pattern!r}, ...)`: {problem}.
Write the names of each operand, as in `einsum("batch s d, batch t d -> batch s t", q, k)`."""

_NO_PATTERN = """`einsum({pattern!r}, ...)` takes a pattern as text first, but got a `{type}`.
Write the names of each operand, as in `einsum("batch s d, batch t d -> batch s t", q, k)`."""


def dot(x: Any, y: Any, *, over: DimsLike, out: DimsLike | None = None, **options: Any) -> Any:
    """The product of two arrays, summed over the axes `over`, matched over all others they share.

    It is one `dot_general`, with a transpose only if `out` asks for an order that it does not give.

    Args:
        x: a `NamedArray`.
        y: another.
        over: the names to sum over; both have them.
        out: the names of the result, in order. Left out: those shared, then the rest of `x`, then
            the rest of `y`.
        **options: those of `jax.lax.dot_general` (`precision`, `preferred_element_type` …).

    Raises:
        AxisNameError: if an operand has no axis of a name in `over`; if `out` leaves out an axis
            that both have (else the diagonal would be taken without a word) or any other.
        TypeError: if an operand is no array.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.named import NamedArray, dot
        >>> q = NamedArray(jnp.ones((2, 5, 4)), "batch q d")
        >>> k = NamedArray(jnp.ones((2, 7, 4)), "batch k d")
        >>> dot(q, k, over="d", out="batch q k").sizes
        {'batch': 2, 'q': 5, 'k': 7}
    """
    require_arrays("dot(x, y, over=...)", x=x, y=y)
    left, right, summed = dims_of(x), dims_of(y), names_of(over)
    for dims in (left, right):
        _all_named(dims, "dot")
        for name in summed:
            if name not in dims:
                raise absent(name, dims, f"`dot(..., over={over!r})`")
    shared = tuple(d for d in left if d in right and d not in summed)
    rest_x = tuple(d for d in left if d not in right)
    rest_y = tuple(d for d in right if d not in left)
    wanted: Dims | None = None
    if out is not None:
        wanted = without_repetition(names_of(out))
        dropped = [d for d in shared if d not in wanted]
        if dropped:
            text = _NOT_IN_OUT.format(
                over=over,
                out=out,
                names=f"the axis {dropped[0]!r}" if len(dropped) == 1 else f"the axes {dropped}",
                name=dropped[0],
                both=" ".join(map(str, (*summed, *dropped))),
            )
            raise AxisNameError(text, left, right)
        if set(wanted) != {*shared, *rest_x, *rest_y}:
            text = _WRONG_OUT.format(out=out, have=show((*shared, *rest_x, *rest_y)))
            raise AxisNameError(text, left, right)
        shared = tuple(d for d in wanted if d in shared)
        if rest_x and rest_y and wanted.index(rest_y[0]) < wanted.index(rest_x[0]):
            x, y, left, right = y, x, right, left
    numbers = (
        (_places(left, summed), _places(right, summed)),
        (_places(left, shared), _places(right, shared)),
    )

    def product(x: Any, y: Any) -> Any:
        dtype = jnp.result_type(x, y)
        return lax.dot_general(x.astype(dtype), y.astype(dtype), numbers, **options)

    result = quaxified(product, x, y)
    if wanted is None or dims_of(result) == wanted:
        return result
    have = dims_of(result)
    return quaxified(lambda z: jnp.transpose(z, [have.index(d) for d in wanted]), result)


def _places(dims: Dims, names: Dims) -> tuple[int, ...]:
    return tuple(dims.index(name) for name in names)


def _all_named(dims: Dims, function: str) -> None:
    if None in dims:
        raise AxisNameError(_ANONYMOUS.format(function=function, dims=show(dims)), dims)


def einsum(pattern: str, *operands: Any, **options: Any) -> Any:
    """Sums of products written with the names of the axes.

    Args:
        pattern: as in `"batch s d, batch t d -> batch s t"`. An operand with names is brought into
            the order written; one without takes the names written.
        *operands: arrays, with names or without.
        **options: those of `jax.numpy.einsum`.

    Raises:
        AxisNameError: if a name is not an axis of its operand, or the result has one that no
            operand has.
        TypeError: if `pattern` is no text, or an operand no array.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.named import NamedArray, einsum
        >>> w = NamedArray(jnp.ones((4, 3)), "d out")
        >>> einsum("batch d, d out -> batch out", jnp.ones((2, 4)), w).dims
        ('batch', 'out')
    """
    if not isinstance(pattern, str):
        raise TypeError(_NO_PATTERN.format(pattern=pattern, type=type(pattern).__name__))
    inputs, arrow, result = pattern.partition("->")
    written = [names_of(part) for part in inputs.split(",")]
    if not arrow or len(written) != len(operands):
        problem = f"it says {len(written)} operands" if arrow else "it has no `->`"
        raise AxisNameError(
            _PATTERN.format(pattern=pattern, problem=f"{problem}, not {len(operands)}")
        )
    out = without_repetition(names_of(result))
    every = list(dict.fromkeys(name for names in written for name in names))
    for name in out:
        if name not in every:
            problem = f"no operand has the axis {name!r} of the result"
            raise AxisNameError(_PATTERN.format(pattern=pattern, problem=problem), out)
    letters = dict(zip(every, string.ascii_letters, strict=False))
    ordered = [_in_order(x, names) for x, names in zip(operands, written, strict=True)]
    text = ",".join("".join(letters[d] for d in names) for names in written)
    text += "->" + "".join(letters[d] for d in out)
    summed = quaxified(lambda *xs: jnp.einsum(text, *xs, **options), *(x.array for x in ordered))
    return NamedArray(summed, out) if out else summed


def _in_order(x: Any, names: Dims) -> NamedArray:
    return x.transpose_to(names) if isinstance(x, NamedArray) else NamedArray(x, names)


def outer(function: Callable[[Any, Any], Any], x: NamedArray, y: NamedArray) -> Any:
    """`function` of each entry of `x` with each of `y`, which have no name in common.

    Args:
        function: of two arrays, entry by entry, such as `jnp.multiply` or `operator.add`.
        x: a `NamedArray`; its axes come first.
        y: another.

    Raises:
        AxisNameError: if they share a name.
        TypeError: if one of them is no `NamedArray`.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.named import NamedArray, outer
        >>> outer(jnp.multiply, NamedArray(jnp.ones(2), "a"), NamedArray(jnp.ones(3), "b")).dims
        ('a', 'b')
    """
    for operand in (x, y):
        require_named(operand, "outer(function, x, y)")
    both = [d for d in x.dims if d in y.dims]
    if both:
        raise AxisNameError(
            f"`outer` of {x!r} and {y!r}: both have the axes {both}.\n"
            f"Rename one of them, or use the operator, which matches what both have.",
            x.dims,
            y.dims,
        )
    for dims in (x.dims, y.dims):
        _all_named(dims, "outer")
    sizes = {**x.sizes, **y.sizes}
    out = (*x.dims, *y.dims)
    return quaxified(function, expanded(x, out, sizes), expanded(y, out, sizes))


def sizes(tree: Any) -> dict[str, int]:
    """The sizes of all axes in a tree, each name having one.

    Args:
        tree: anything with named arrays in it; other leaves do not count.

    Raises:
        AxisNameError: if a name has two sizes, with the paths of both.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray.named import NamedArray, sizes
        >>> sizes([NamedArray(jnp.ones((2, 3)), "batch d"), NamedArray(jnp.ones(3), "d")])
        {'batch': 2, 'd': 3}
    """
    found: dict[str, tuple[int, str]] = {}
    leaves = jax.tree_util.tree_leaves_with_path(tree, is_leaf=lambda x: isinstance(x, NamedArray))
    for path, x in leaves:
        where = jax.tree_util.keystr(path) or "the array"
        for name, size in x.sizes.items() if isinstance(x, NamedArray) else ():
            old, first = found.setdefault(name, (size, where))
            if old != size:
                raise AxisNameError(
                    f"axis {name!r} has {old} entries in {first} but {size} in {where}.\n"
                    "Give one of them another name.",
                    (name,),
                )
    return {name: int(np.int64(size)) for name, (size, _) in found.items()}
