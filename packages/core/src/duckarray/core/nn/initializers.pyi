from jax.nn.initializers import *  # noqa: F403
