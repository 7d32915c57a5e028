from jax.scipy.spatial import *  # noqa: F403
