"""What holds for all tests: nothing is promoted silently, and there are two CPU devices."""

import jax

jax.config.update("jax_num_cpu_devices", 2)


def pytest_runtest_setup(item):
    # Examples in pages run as they would for their reader.
    strict = item.path.suffix != ".md"
    jax.config.update("jax_numpy_dtype_promotion", "strict" if strict else "standard")
    jax.config.update("jax_numpy_rank_promotion", "raise" if strict else "allow")
