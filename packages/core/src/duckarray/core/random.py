"""`jax.random`, every function of which takes values for arrays."""

from typing import TYPE_CHECKING

from duckarray.core._namespaces import mirror

if TYPE_CHECKING:
    from jax.random import *  # noqa: F403

mirror(__name__, "jax.random")
