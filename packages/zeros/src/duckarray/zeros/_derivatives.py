"""`vjp`, `jvp` and `grad` that take symbolic zeros for tangents and cotangents, and give them."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import tree_util as jtu
from jax.custom_derivatives import SymbolicZero

from duckarray.core import ArrayValue, Value, known_constant, materialize, quaxify, value_of

from ._make import is_zero, zeros_like
from ._value import Zeros

_NO_FUNCTION = """`{name}({fun!r}, ...)` takes a function, but got a `{type}`.
Pass the function to be differentiated first."""

_NO_TUPLE = """`jvp(fun, primals, tangents)` takes tuples, but the {what} are {got}.
Pass one for each argument of `fun`: `jvp(fun, (x,), (dx,))`."""

_OTHER_STRUCTURE = """`{name}` was given {what} of structure {got}, but {of} has structure {want}.
Pass a tree like it; any part of it may be None or `Zeros` where it is zero."""

_OTHER_SHAPE = """`{name}` was given {what} of shape {got} for {of} of shape {want}.
Pass one of that shape, or None where it is zero."""


def vjp(fun: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """`jax.vjp`, whose pull-back takes symbolic zeros for cotangents and gives them.

    What only serves results whose cotangent is zero is not computed. Rules of `custom_vjp` that are
    declared with `symbolic_zeros=True` are given JAX's `SymbolicZero` for it.

    Args:
        fun: a function of the primals; with `has_aux` it returns a pair, of which the second part
            is not differentiated.
        *primals: what it is evaluated at: trees of arrays. A value among them stands for its array.
        has_aux: whether `fun` returns such a pair.

    Returns:
        The result of `fun` and the pull-back, and the second part if there is one. The pull-back
        takes a tree like the result, in which None, `Zeros` or JAX's `SymbolicZero` stands for
        zero, and gives a tuple like the primals, in which `Zeros` stands for arrays that nothing
        depends on.

    Raises:
        TypeError: if `fun` is no function; by the pull-back, if the cotangents are no such tree.
        ValueError: by the pull-back, if one has another shape than the result.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray import zeros
        >>> def program(x, y):
        ...     return x * y, y + 1
        >>> (product, total), pull_back = zeros.vjp(program, jnp.ones(2), jnp.ones(2))
        >>> pull_back((None, jnp.array([3.0, 3.0])))
        (Zeros((2,), float32), Array([3., 3.], dtype=float32))
    """
    _require_function("vjp", fun)
    leaves, structure = _flatten(materialize(primals))
    moving = [i for i, x in enumerate(leaves) if _struct(x).dtype != jax.dtypes.float0]

    def of_moving(*parts: Any) -> Any:
        return quaxify(fun)(*structure.unflatten(_filled_in(leaves, moving, parts)))

    linearize: Any = jax.linearize
    parts = [leaves[i] for i in moving]
    out, push, *aux = linearize(of_moving, *parts, has_aux=has_aux)
    shapes = tuple(map(_struct, leaves)), tuple(moving), jtu.tree_map(_struct, out)
    pull_back = jtu.Partial(functools.partial(_pull_back, structure, *map(_Fixed, shapes)), push)
    return (out, pull_back, *aux)


class _Fixed:
    """Something that is a part of a tree structure, the same only as itself."""

    def __init__(self, content: Any) -> None:
        self.content = content


def _pull_back(
    structure: Any, primals: _Fixed, moving: _Fixed, result: _Fixed, push: Any, cotangents: Any
) -> Any:
    """Transposes only what leads to results with a cotangent: then JAX knows which are zero."""
    given = _like("pull_back(cotangents)", "cotangents", "the result", cotangents, result.content)
    chosen = [i for i, c in enumerate(given) if not (is_zero(c) or _has_no_tangent(c))]
    parts = list(map(_zero, primals.content))
    if chosen and moving.content:

        def restricted(*tangents: Any) -> list[Any]:
            outs = jtu.tree_leaves(push(*tangents))
            return [outs[i] for i in chosen]

        def pull(*cotangents: Any) -> Any:
            examples = [primals.content[i] for i in moving.content]
            return jax.linear_transpose(restricted, *examples)(list(cotangents))

        found = _symbolic(pull)(*[given[i] for i in chosen])
        parts = _filled_in(parts, moving.content, found)
    return structure.unflatten(parts)


def jvp(
    fun: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], has_aux: bool = False
) -> Any:
    """`jax.jvp` that takes symbolic zeros for tangents and gives them.

    With respect to a primal whose tangent is zero nothing is differentiated, so that rules of
    `custom_jvp` that are declared with `symbolic_zeros=True` are given JAX's `SymbolicZero` for it.

    Args:
        fun: a function of the primals; with `has_aux` it returns a pair, of which the second part
            is not differentiated.
        primals: what it is evaluated at: trees of arrays. A value among them stands for its array.
        tangents: trees like these, in which None, `Zeros` or JAX's `SymbolicZero` stands for zero.
        has_aux: whether `fun` returns such a pair.

    Returns:
        The result of `fun` and its tangent, in which `Zeros` stands for arrays that do not depend
        on what has a tangent; and the second part if there is one.

    Raises:
        TypeError: if `fun` is no function, or the tangents are no such trees.
        ValueError: if one has another shape than its primal.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray import zeros
        >>> def program(x, y):
        ...     return x * y, y + 1
        >>> _, tangents = zeros.jvp(program, (jnp.ones(2), jnp.ones(2)), (jnp.ones(2), None))
        >>> tangents
        (Array([1., 1.], dtype=float32), Zeros((2,), float32))
    """
    _require_function("jvp", fun)
    for what, each in (("primals", primals), ("tangents", tangents)):
        if not isinstance(each, tuple | list):
            raise TypeError(_NO_TUPLE.format(what=what, got=f"a `{type(each).__name__}`"))
    primals = tuple(materialize(tuple(primals)))
    structs = jtu.tree_map(_struct, primals)
    given = _like("jvp", "tangents", "the primals", tuple(tangents), structs)
    leaves, structure = _flatten(primals)
    moving = [i for i, t in enumerate(given) if not is_zero(t)]

    def of_moving(*parts: Any) -> Any:
        return fun(*structure.unflatten(_filled_in(leaves, moving, parts)))

    def program(parts: Any, tangents: Any) -> Any:
        if not parts:
            out = of_moving()
            out, *aux = out if has_aux else (out,)
            return (out, jtu.tree_map(lambda x: _zero(_struct(x)), out), *aux)
        return jax.jvp(of_moving, parts, tangents, has_aux=has_aux)

    def symbolic(parts: Any, tangents: Any) -> Any:
        out, tangent, *aux = program(parts, tangents)
        return (out, jtu.tree_map(_as_zeros, tangent), *aux)

    return tuple(quaxify(symbolic)([leaves[i] for i in moving], [given[i] for i in moving]))


def grad(
    fun: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """`jax.grad` that gives symbolic zeros for what `fun` does not depend on.

    Args:
        fun: a function that returns one real number; with `has_aux` a pair of it and anything.
        argnums: which arguments to differentiate with respect to. A value among them stands for its
            array.
        has_aux: whether `fun` returns such a pair.

    Returns:
        A function of the same arguments that gives the gradient, in which `Zeros` stands for
        arrays that nothing depends on.

    Raises:
        TypeError: if `fun` is no function.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray import zeros
        >>> params = {"used": jnp.ones(2), "frozen": jnp.ones(3)}
        >>> zeros.grad(lambda p: jnp.sum(p["used"] ** 2))(params)
        {'frozen': Zeros((3,), float32), 'used': Array([2., 2.], dtype=float32)}
    """
    _require_function("grad", fun)

    @functools.wraps(fun)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        def symbolic(*args: Any, **kwargs: Any) -> Any:
            out = jax.grad(fun, argnums, has_aux=has_aux)(*args, **kwargs)
            parts, *aux = out if has_aux else (out,)
            parts = jtu.tree_map(_as_zeros, parts)
            return (parts, *aux) if has_aux else parts

        return quaxify(symbolic)(*args, **kwargs)

    return gradient


def _require_function(name: str, fun: Any) -> None:
    if not callable(fun):
        raise TypeError(_NO_FUNCTION.format(name=name, fun=fun, type=type(fun).__name__))


def _symbolic(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, quaxified; results that are known to be zero become `Zeros`."""
    return quaxify(lambda *args: jtu.tree_map(_as_zeros, function(*args)))


def _as_zeros(x: Any) -> Any:
    """`Zeros` for an array known to be full of zeros, inside `quaxify`."""
    if isinstance(value_of(x), Value) or _has_no_tangent(x):
        return x
    return zeros_like(x) if known_constant(x) == 0 else x


def _zero(struct: Any) -> Any:
    """The zero tangent or cotangent like `struct`."""
    if struct.dtype == jax.dtypes.float0:
        return np.zeros(struct.shape, struct.dtype)
    return Zeros(struct.shape, struct.dtype, weak_type=struct.weak_type)


def _has_no_tangent(x: Any) -> bool:
    return bool(getattr(x, "dtype", None) == jax.dtypes.float0)


def _flatten(tree: Any) -> tuple[list[Any], Any]:
    return jtu.tree_flatten(tree)


def _filled_in(leaves: Sequence[Any], places: Sequence[int], parts: Sequence[Any]) -> list[Any]:
    whole = list(leaves)
    for i, part in zip(places, parts, strict=True):
        whole[i] = part
    return whole


def _struct(x: Any) -> jax.ShapeDtypeStruct:
    """What a tangent or cotangent of `x` is like."""
    aval = (x.aval() if isinstance(x, ArrayValue) else jax.typeof(x)).to_tangent_aval()
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type)


def _like(name: str, what: str, of: str, given: Any, structs: Any) -> list[Any]:
    """The leaves of `given`, a tree like `structs` or with None in the place of parts of it."""
    structure: Any
    tree: Any
    try:
        parts = jtu.tree_map(
            lambda g, s: jtu.tree_map(lambda _: None, s) if g is None else g,
            given,
            structs,
            is_leaf=_is_part,
        )
        leaves, structure = jtu.tree_flatten(parts, is_leaf=_is_part)
    except ValueError:
        structure = None
    want, tree = jtu.tree_flatten(structs)
    if structure is None or structure != tree:
        texts = {"got": jtu.tree_structure(given, is_leaf=_is_part), "want": tree}
        raise TypeError(_OTHER_STRUCTURE.format(name=name, what=what, of=of, **texts))
    return [_part(name, what, of, *pair) for pair in zip(leaves, want, strict=True)]


def _is_part(x: Any) -> bool:
    return x is None or isinstance(x, Value | SymbolicZero)


def _part(name: str, what: str, of: str, given: Any, struct: Any) -> Any:
    zero = given is None or is_zero(given)
    got = tuple(struct.shape if given is None else given.shape if zero else jnp.shape(given))
    if got != tuple(struct.shape):
        texts = {"got": got, "want": tuple(struct.shape)}
        raise ValueError(_OTHER_SHAPE.format(name=name, what=what, of=of, **texts))
    return _zero(struct) if zero else given
