"""From and to lineax, which is imported when one of these is called."""

import functools
from typing import Any

import jax.numpy as jnp

from ._apply import diagonal
from ._band import CHAIN, Band
from ._bands import Banded, Diagonal, Identity, Tridiagonal
from ._base import Structured, on_batch
from ._operator import OperatorMethods
from ._ranks import free_ranks
from ._stored import Symmetric, Triangular

_MISSING = """`{function}` needs lineax, which is not installed.
Install it: `pip install "duckarray-structured[lineax]"`."""

_NOT_STRUCTURED = """`to_lineax(a)` takes a structured matrix, but got a `{type}`.
A dense matrix is `lineax.MatrixLinearOperator(a)`."""

_NOT_AN_OPERATOR = """`from_lineax(operator)` has no structured matrix for a `{type}`.
Pass one that is diagonal, tridiagonal or triangular, or `jax.numpy` the `operator.as_matrix()`."""


def to_lineax(a: Structured, *, tags: Any = ()) -> Any:
    """The lineax operator of a structured matrix, with the tags that follow from its type.

    `Identity`, `Diagonal` and `Tridiagonal` become lineax's own. Others become an operator whose
    products use the structure; `lineax.linear_solve(operator, b, structured_solver())` solves
    with it too, while lineax's own direct solvers ask for the dense matrix.

    Args:
        a: one matrix, not a batch.
        tags: further lineax tags, such as `lineax.positive_semidefinite_tag`.

    Raises:
        ImportError: if lineax is not installed.
        TypeError: if `a` is not a structured matrix.
        ValueError: if it is a batch of matrices.

    Example:
        >>> import jax.numpy as jnp, lineax
        >>> from duckarray.structured import Diagonal, to_lineax
        >>> operator = to_lineax(Diagonal(jnp.array([2.0, 4.0])))
        >>> lineax.is_diagonal(operator)
        True
        >>> lineax.linear_solve(operator, jnp.ones(2)).value
        Array([0.5 , 0.25], dtype=float32)
    """
    if not isinstance(a, Structured):
        raise TypeError(_NOT_STRUCTURED.format(type=type(a).__name__))
    lx = _lineax("to_lineax")
    given = (
        frozenset(tags) if isinstance(tags, list | tuple | set | frozenset) else frozenset([tags])
    )
    structure = a.in_structure()
    if not given:
        if isinstance(a, Identity):
            return lx.IdentityLinearOperator(structure)
        if isinstance(a, Diagonal):
            return lx.DiagonalLinearOperator(a.diagonal)
        if isinstance(a, Tridiagonal):
            return lx.TridiagonalLinearOperator(a.diagonal, a.lower, a.upper)
    return _classes()[0](a, given | _tags(a))


def from_lineax(operator: Any) -> Any:
    """The structured matrix of a lineax operator that is known to have structure.

    Args:
        operator: diagonal, tridiagonal, triangular or symmetric, by its type or by its tags; or
            what `to_lineax` made.

    Raises:
        ImportError: if lineax is not installed.
        TypeError: if lineax knows of no such structure.

    Example:
        >>> import jax.numpy as jnp, lineax
        >>> from duckarray.structured import from_lineax
        >>> from_lineax(lineax.DiagonalLinearOperator(jnp.ones(3)))
        Diagonal(diagonal=f32[3])
    """
    lx = _lineax("from_lineax")

    if isinstance(operator, _classes()[0]):
        return operator.matrix
    if not isinstance(operator, lx.AbstractLinearOperator):
        raise TypeError(_NOT_AN_OPERATOR.format(type=type(operator).__name__))
    if (
        isinstance(operator, lx.IdentityLinearOperator)
        and operator.in_size() == operator.out_size()
    ):
        return Identity(operator.in_size(), operator.in_structure().dtype)
    if lx.is_diagonal(operator):
        return Diagonal(lx.diagonal(operator))
    if lx.is_tridiagonal(operator):
        d, low, up = lx.tridiagonal(operator)
        return Tridiagonal(low, d, up)
    for is_lower, asked in ((True, lx.is_lower_triangular), (False, lx.is_upper_triangular)):
        if asked(operator):
            unit = lx.has_unit_diagonal(operator)
            return Triangular(operator.as_matrix(), lower=is_lower, unit_diagonal=unit)
    if lx.is_symmetric(operator) and not jnp.iscomplexobj(operator.as_matrix()):
        return Symmetric(operator.as_matrix())
    raise TypeError(_NOT_AN_OPERATOR.format(type=type(operator).__name__))


def structured_solver() -> Any:
    """The lineax solver that uses the structure: Woodbury, Kronecker, banded elimination and so on.

    Raises:
        ImportError: if lineax is not installed.

    Example:
        >>> import jax.numpy as jnp, lineax
        >>> from duckarray.structured import Circulant, structured_solver, to_lineax
        >>> a = Circulant(jnp.array([2.0, 0.0, 1.0]))
        >>> out = lineax.linear_solve(to_lineax(a), jnp.full(3, 3.0), structured_solver())
        >>> out.value.round(3)
        Array([1., 1., 1.], dtype=float32)
    """
    _lineax("structured_solver")
    return _classes()[1]()


def _tags(a: Any) -> frozenset[object]:
    import lineax as lx  # type: ignore[import-not-found,import-untyped,unused-ignore]

    found = set()
    lower, upper, unit = _shape_of(a)
    if isinstance(a, Symmetric | Identity | Diagonal):
        found.add(lx.symmetric_tag)
    if lower and upper:
        found.add(lx.diagonal_tag)
    else:
        found |= {lx.lower_triangular_tag} if lower else set()
        found |= {lx.upper_triangular_tag} if upper else set()
    if isinstance(a, Tridiagonal) or (
        isinstance(a, Banded) and max(a.lower, a.upper) <= 1 and a.shape[0] == a.shape[1]
    ):
        found.add(lx.tridiagonal_tag)
    if unit:
        found.add(lx.unit_diagonal_tag)
    return frozenset(found)


def _shape_of(a: Any) -> tuple[bool, bool, bool]:
    """Whether it is lower triangular, upper triangular, and has a unit diagonal."""
    if isinstance(a, Identity):
        return True, True, True
    if isinstance(a, Triangular):
        return a.lower, not a.lower, a.unit_diagonal
    if isinstance(a, CHAIN) and a.shape[-1] == a.shape[-2]:
        band = Band.of(a)
        return band.upper <= 0, band.lower <= 0, False
    return False, False, False


def _lineax(function: str) -> Any:
    try:
        import lineax  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError as error:
        raise ImportError(_MISSING.format(function=function)) from error
    return lineax


@functools.cache
def known_to_lineax(cls: type) -> None:
    """Tells lineax's questions about operators what the type answers to them."""
    import lineax as lx  # type: ignore[import-not-found,import-untyped,unused-ignore]

    def asks(tag: object) -> Any:
        return lambda a: tag in _tags(a)

    for question, tag in (
        (lx.is_symmetric, lx.symmetric_tag),
        (lx.is_diagonal, lx.diagonal_tag),
        (lx.is_tridiagonal, lx.tridiagonal_tag),
        (lx.is_lower_triangular, lx.lower_triangular_tag),
        (lx.is_upper_triangular, lx.upper_triangular_tag),
        (lx.has_unit_diagonal, lx.unit_diagonal_tag),
    ):
        question.register(cls)(asks(tag))
    for question in (lx.is_positive_semidefinite, lx.is_negative_semidefinite):
        question.register(cls)(lambda a: False)
    lx.linearise.register(cls)(lambda a: a)
    lx.materialise.register(cls)(lambda a: a)
    lx.diagonal.register(cls)(lambda a: diagonal(a, 0))
    lx.tridiagonal.register(cls)(lambda a: tuple(diagonal(a, k) for k in (0, -1, 1)))
    lx.conj.register(cls)(lambda a: on_batch(a, lambda leaf, own: jnp.conj(leaf)))


@functools.cache
def _classes() -> tuple[Any, Any]:
    """The operator and the solver, made once lineax is wanted."""
    import equinox as eqx
    import lineax as lx  # type: ignore[import-not-found,import-untyped,unused-ignore]

    from ._apply import transpose
    from ._solve import can_solve, solve_dense

    class StructuredOperator(lx.AbstractLinearOperator):  # type: ignore[misc]
        """A structured matrix as an operator of lineax."""

        matrix: Any
        tags: frozenset[object] = eqx.field(static=True)

        def mv(self, vector: Any) -> Any:
            return self.matrix.mv(vector)

        def as_matrix(self) -> Any:
            return self.matrix.as_matrix()

        def transpose(self) -> Any:
            return StructuredOperator(transpose(self.matrix), lx.transpose_tags(self.tags))

        def in_structure(self) -> Any:
            return self.matrix.in_structure()

        def out_structure(self) -> Any:
            return self.matrix.out_structure()

    def asks(tag: object) -> Any:
        return lambda a: tag in a.tags

    for question, tag in (
        (lx.is_symmetric, lx.symmetric_tag),
        (lx.is_diagonal, lx.diagonal_tag),
        (lx.is_tridiagonal, lx.tridiagonal_tag),
        (lx.is_lower_triangular, lx.lower_triangular_tag),
        (lx.is_upper_triangular, lx.upper_triangular_tag),
        (lx.has_unit_diagonal, lx.unit_diagonal_tag),
        (lx.is_positive_semidefinite, lx.positive_semidefinite_tag),
        (lx.is_negative_semidefinite, lx.negative_semidefinite_tag),
    ):
        question.register(StructuredOperator)(asks(tag))
    lx.linearise.register(StructuredOperator)(lambda a: a)
    lx.materialise.register(StructuredOperator)(lambda a: a)
    lx.diagonal.register(StructuredOperator)(lambda a: diagonal(a.matrix, 0))
    lx.tridiagonal.register(StructuredOperator)(
        lambda a: tuple(diagonal(a.matrix, k) for k in (0, -1, 1))
    )
    lx.conj.register(StructuredOperator)(
        lambda a: StructuredOperator(on_batch(a.matrix, lambda x, own: jnp.conj(x)), a.tags)
    )

    class StructuredSolver(lx.AbstractLinearSolver):  # type: ignore[misc]
        """Solves with the algorithm of the structure."""

        def init(self, operator: Any, options: Any) -> Any:
            matrix: Any = (
                operator if isinstance(operator, OperatorMethods) else from_lineax(operator)
            )
            if not can_solve(matrix) or matrix.shape[0] != matrix.shape[1]:
                raise ValueError(
                    f"`structured_solver()` has no algorithm for a `{type(matrix).__name__}` of "
                    f"shape {matrix.shape}.\nPass `lineax.AutoLinearSolver(well_posed=False)`."
                )
            return matrix

        @free_ranks
        def compute(self, state: Any, vector: Any, options: Any) -> Any:
            out = solve_dense(state, jnp.asarray(vector)[:, None])[:, 0]
            return out, lx.RESULTS.successful, {}

        def transpose(self, state: Any, options: Any) -> Any:
            return transpose(state), options

        def conj(self, state: Any, options: Any) -> Any:
            return on_batch(state, lambda leaf, own: jnp.conj(leaf)), options

        def assume_full_rank(self) -> bool:
            return True

    return StructuredOperator, StructuredSolver
