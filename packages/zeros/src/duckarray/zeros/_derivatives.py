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
        TypeError: by the pull-back, if the cotangents are no such tree.
        ValueError: by the pull-back, if one has another shape than the result.

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray import zeros
        >>> def program(x, y):
        ...     return x * y, y + 1
        >>> (product, total), pull_back = zeros.vjp(program, jnp.ones(2), jnp.ones(2))
        >>> pull_back((None, jnp.full(2, 3.0)))
        (Zeros((2,), float32), Array([3., 3.], dtype=float32))
    """
    transform: Any = jax.vjp
    out, pull, *aux = transform(quaxify(fun), *materialize(primals), has_aux=has_aux)
    example = jtu.tree_map(_struct, out)
    leaves, structure = jtu.tree_flatten(example)
    pull_back = jtu.Partial(functools.partial(_pull_back, structure, tuple(leaves)), pull)
    return (out, pull_back, *aux)


def _pull_back(structure: Any, structs: Sequence[Any], pull: Any, cotangents: Any) -> Any:
    name, of = "pull_back(cotangents)", "the result"
    whole = structure.unflatten(structs)
    parts = _like(name, "cotangents", of, cotangents, whole)
    return _symbolic(lambda *leaves: pull(structure.unflatten(leaves)))(*parts)


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
        TypeError: if the tangents are no such trees.
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
    primals = tuple(materialize(tuple(primals)))
    structs = jtu.tree_map(_struct, primals)
    given = _like("jvp", "tangents", "the primals", tuple(tangents), structs)
    structure: Any
    leaves, structure = jtu.tree_flatten(primals)
    moving = [i for i, t in enumerate(given) if not is_zero(t)]

    def of_moving(*parts: Any) -> Any:
        whole = list(leaves)
        for i, part in zip(moving, parts, strict=True):
            whole[i] = part
        return fun(*structure.unflatten(whole))

    def program(parts: Any, tangents: Any) -> Any:
        if not parts:
            out = of_moving()
            out, *aux = out if has_aux else (out,)
            return (out, jtu.tree_map(_zero_tangent, out), *aux)
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

    Example:
        >>> import jax.numpy as jnp
        >>> from duckarray import zeros
        >>> params = {"used": jnp.ones(2), "frozen": jnp.ones(3)}
        >>> zeros.grad(lambda p: jnp.sum(p["used"] ** 2))(params)
        {'frozen': Zeros((3,), float32), 'used': Array([2., 2.], dtype=float32)}
    """

    @functools.wraps(fun)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        def symbolic(*args: Any, **kwargs: Any) -> Any:
            out = jax.grad(fun, argnums, has_aux=has_aux)(*args, **kwargs)
            parts, *aux = out if has_aux else (out,)
            parts = jtu.tree_map(_as_zeros, parts)
            return (parts, *aux) if has_aux else parts

        return quaxify(symbolic)(*args, **kwargs)

    return gradient


def _symbolic(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, quaxified; results that are known to be zero become `Zeros`."""
    return quaxify(lambda *args: jtu.tree_map(_as_zeros, function(*args)))


def _as_zeros(x: Any) -> Any:
    """`Zeros` for an array known to be full of zeros, inside `quaxify`."""
    if isinstance(value_of(x), Value) or getattr(x, "dtype", None) == jax.dtypes.float0:
        return x
    return zeros_like(x) if known_constant(x) == 0 else x


def _zero_tangent(x: Any) -> Any:
    aval = jax.typeof(x).to_tangent_aval()
    if aval.dtype == jax.dtypes.float0:
        return np.zeros(aval.shape, aval.dtype)
    return Zeros(aval.shape, aval.dtype, weak_type=aval.weak_type)


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
    if given is None or is_zero(given):
        got = struct.shape if given is None else tuple(given.shape)
        if struct.dtype == jax.dtypes.float0:
            zero: Any = np.zeros(struct.shape, struct.dtype)
        else:
            zero = Zeros(struct.shape, struct.dtype, weak_type=struct.weak_type)
    else:
        got, zero = tuple(jnp.shape(given)), given
    if got != tuple(struct.shape):
        texts = {"got": got, "want": tuple(struct.shape)}
        raise ValueError(_OTHER_SHAPE.format(name=name, what=what, of=of, **texts))
    return zero
