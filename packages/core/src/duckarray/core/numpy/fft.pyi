from jax.numpy.fft import *  # noqa: F403
