from jax.lax.linalg import *  # noqa: F403
