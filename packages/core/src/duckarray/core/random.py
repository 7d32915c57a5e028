"""`jax.random`, every function of which takes values for arrays."""

from duckarray.core._namespaces import mirror

mirror(__name__, "jax.random")
