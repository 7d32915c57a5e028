from jax.scipy.cluster import *  # noqa: F403
