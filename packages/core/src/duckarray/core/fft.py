"""`jax.numpy.fft`, every function of which takes values for arrays."""

from typing import TYPE_CHECKING

from duckarray.core._namespaces import mirror

if TYPE_CHECKING:
    from jax.numpy.fft import *  # noqa: F403

mirror(__name__, "jax.numpy.fft")
