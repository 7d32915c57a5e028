"""The methods by which lineax knows a linear operator; `Structured` has them."""

from typing import Any

import jax
import jax.numpy as jnp

from ._policy import dense_under_policy
from ._ranks import free_ranks

_BATCHED = """lineax works on one matrix at a time, but this is a batch of shape {shape}.
Map over the batch: `jax.vmap(lambda a, b: lineax.linear_solve(a, b).value)(a, b)`."""


class OperatorMethods:
    """What `lineax.linear_solve` asks of an operator: structures, products, the dense matrix."""

    @free_ranks
    def mv(self, vector: Any) -> Any:
        """The product with a vector."""
        from ._apply import apply

        out = apply(self, jnp.asarray(vector)[:, None])
        if out is NotImplemented:
            return self.as_matrix() @ vector
        return out[:, 0]

    def as_matrix(self) -> Any:
        """The dense matrix, under the policy of `materialization`."""
        return dense_under_policy(self, "as_matrix", (self,))

    def in_structure(self) -> Any:
        """Shape and dtype of the vectors it takes."""
        return self._vector(-1)

    def out_structure(self) -> Any:
        """Shape and dtype of the vectors it gives."""
        return self._vector(-2)

    def in_size(self) -> int:
        """The number of columns."""
        return int(self.in_structure().shape[0])

    def out_size(self) -> int:
        """The number of rows."""
        return int(self.out_structure().shape[0])

    def _vector(self, axis: int) -> Any:
        from ._lineax import known_to_lineax

        known_to_lineax(type(self))  # type: ignore[arg-type]
        shape = self.shape  # type: ignore[attr-defined]
        if len(shape) != 2:
            raise ValueError(_BATCHED.format(shape=shape))
        return jax.ShapeDtypeStruct((shape[axis],), self.dtype)  # type: ignore[attr-defined]
