from jax.scipy.linalg import *  # noqa: F403
