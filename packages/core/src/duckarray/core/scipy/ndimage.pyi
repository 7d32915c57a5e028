from jax.scipy.ndimage import *  # noqa: F403
