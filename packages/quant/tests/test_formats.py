"""Codes and scales against published numbers and NumPy."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from scipy.stats import norm

from duckarray.core import materialize
from duckarray.quant import Scheme, quantize

pytestmark = pytest.mark.any_jax

NORMAL = np.random.default_rng(0).normal(size=(512, 512)).astype("float32")


def relative_error(scheme, **options):
    dense = np.asarray(materialize(quantize(jnp.asarray(NORMAL), scheme, **options)), "float64")
    return np.sqrt(np.mean((dense - NORMAL) ** 2) / np.mean(NORMAL.astype("float64") ** 2))


def test_the_nf4_code_book_is_that_of_normal_quantiles():
    # QLoRA, appendix E, and bitsandbytes' `create_normal_map(offset=0.9677083)`.
    positive = norm.ppf(np.linspace(0.9677083, 0.5, 9)[:-1])
    negative = -norm.ppf(np.linspace(0.9677083, 0.5, 8)[:-1])
    book = np.sort(np.concatenate([positive, [0.0], negative])) / positive.max()
    np.testing.assert_allclose(Scheme("nf4").format.table, book, atol=2e-7)


@pytest.mark.parametrize(
    ("scheme", "options", "bits"),
    [
        ("nf4", {"double_quant": True}, 4 + 8 / 64 + 32 / (64 * 256)),  # QLoRA, section 3: 4.127
        ("nf4", {}, 4.5),
        ("int4", {"group_size": 32, "scale_dtype": "float16"}, 4.5),  # GGUF's Q4_0
        ("int8", {"group_size": 32, "scale_dtype": "float16"}, 8.5),  # Q8_0
        ("int4", {"group_size": 32, "scale_dtype": "float16", "symmetric": False}, 5.0),  # Q4_1
        ("int4", {"group_size": 64, "scale_dtype": "float16", "symmetric": False}, 4.5),
        ("mxfp4", {}, 4.25),
        ("mxfp8", {}, 8.25),
        ("nvfp4", {}, 4.5),
    ],
)
def test_bits_per_parameter_are_the_published_ones(scheme, options, bits):
    q = quantize(jnp.asarray(NORMAL), scheme, **options)
    assert q.bits_per_parameter == pytest.approx(bits, abs=2e-4)
    assert q.nbytes == sum(x.nbytes for x in jax.tree.leaves(q))


@pytest.mark.parametrize(
    ("scheme", "options", "error"),
    [
        ("int8", {"group_size": 64}, 0.0059),
        ("nf4", {}, 0.0920),
        ("nf4", {"group_size": 32}, 0.0873),
        ("nf4", {"group_size": 128}, 0.0956),
        ("nf4", {"double_quant": True}, 0.0920),
        ("nf4", {"calibration": "mse"}, 0.0828),
        ("fp4", {}, 0.1057),
        ("int4", {"group_size": 64}, 0.0949),
        ("int4", {"group_size": 64, "calibration": "mse"}, 0.0898),
        ("int4", {"group_size": 64, "symmetric": False}, 0.0897),
        ("int4", {"group_size": 64, "symmetric": False, "calibration": "mse"}, 0.0838),
        ("int3", {"group_size": 64, "symmetric": False}, 0.1923),
        ("int2", {"group_size": 64, "symmetric": False}, 0.4502),
        ("e4m3", {"group_size": 64}, 0.0250),
        ("e5m2", {"group_size": 64}, 0.0500),
        ("mxfp4", {}, 0.1149),
        ("mxfp8", {}, 0.0293),
        ("nvfp4", {}, 0.0951),
    ],
)
def test_errors_on_normal_numbers_are_the_known_ones(scheme, options, error):
    assert relative_error(scheme, **options) == pytest.approx(error, rel=0.01)


def test_the_error_of_int8_per_channel_is_that_of_evenly_spread_rounding():
    largest = np.abs(NORMAL).max(0).astype("float64")
    want = np.sqrt(np.mean((largest / 127) ** 2) / 12)
    assert relative_error("int8") == pytest.approx(want, rel=0.02)


def test_the_order_of_formats_is_that_of_the_qlora_paper():
    nf4, fp4 = relative_error("nf4"), relative_error("fp4")
    assert nf4 < fp4


@pytest.mark.parametrize(("name", "dtype"), [("e4m3", "float8_e4m3fn"), ("e5m2", "float8_e5m2")])
def test_every_float8_code_is_read_as_its_number(name, dtype):
    from duckarray.quant._format import FORMATS, decode

    codes = np.arange(256, dtype="uint8")
    want = codes.view(getattr(ml_dtypes, dtype)).astype("float32")
    np.testing.assert_array_equal(decode(jnp.asarray(codes), FORMATS[name], jnp.float32), want)


@pytest.mark.parametrize("bits", [1, 2, 3, 4, 5, 6, 8])
@pytest.mark.parametrize("n", [1, 7, 8, 32])
def test_packing_is_undone_by_unpacking_and_takes_the_bits_it_should(bits, n):
    from duckarray.quant._format import pack, pack_numpy, packed_size, unpack

    codes = np.random.default_rng(n).integers(0, 2**bits, (3, n), "uint8")
    stored = pack(jnp.asarray(codes), bits, -1)
    np.testing.assert_array_equal(stored, pack_numpy(codes, bits))
    np.testing.assert_array_equal(unpack(stored, bits, n, stored.ndim - 1), codes)
    assert stored.shape[-1] == packed_size(bits, n)
    if n == 32:
        assert stored.shape[-1] == n * bits // 8


SCHEMES = ["int8", "int4", "int3", "int2", "nf4", "fp4", "e4m3", "e5m2", "mxfp4", "mxfp8", "nvfp4"]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("exponent", [127, -60])
def test_weights_times_a_power_of_two_are_quantized_as_they_are(scheme, exponent):
    w = np.random.default_rng(0).uniform(-1, 1, (64, 4)).astype("float32")
    times = np.float32(2.0) ** exponent
    for double_quant in (False, True) if scheme == "nf4" else (False,):
        options = {"group_size": 32, "double_quant": True} if double_quant else {}
        usual = np.asarray(materialize(quantize(jnp.asarray(w), scheme, **options)))
        extreme = np.asarray(materialize(quantize(jnp.asarray(w * times), scheme, **options)))
        np.testing.assert_array_equal(extreme / times, usual)
        assert np.sqrt(np.mean((usual - w) ** 2)) < (0.4 if scheme == "int2" else 0.15)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("calibration", ["absmax", "mse"])
def test_groups_of_zeros_stay_zero(scheme, calibration):
    x = jnp.zeros((64, 3)).at[:, 1].set(1.0)
    dense = np.asarray(materialize(quantize(x, scheme, calibration=calibration)))
    np.testing.assert_array_equal(dense[:, [0, 2]], 0)
    np.testing.assert_allclose(dense[:, 1], 1, rtol=0.51 if scheme == "int2" else 0.15)


@pytest.mark.parametrize("scheme", ["int8", "int4", "int3", "int2", "e4m3"])
@pytest.mark.parametrize("shape", [(1,), (5,), (0, 4), (4, 0), (7, 3), (3, 7, 5)])
def test_odd_lengths_and_empty_arrays_have_their_shape_and_nearly_their_numbers(scheme, shape):
    x = jnp.asarray(np.random.default_rng(0).uniform(-1, 1, shape), jnp.float32)
    q = quantize(x, scheme)
    assert q.shape == shape
    step = {"int8": 1 / 127, "int4": 1 / 8, "int3": 1 / 4, "int2": 1 / 2, "e4m3": 1 / 16}[scheme]
    np.testing.assert_allclose(materialize(q), x, atol=step)


def test_stochastic_rounding_is_right_on_average():
    x = jnp.full((10_000, 1), 0.3).at[0].set(127.0)  # a scale of one
    dense = np.asarray(materialize(quantize(x, "int8", stochastic=jax.random.key(0))))[1:]
    assert set(np.unique(dense)) == {0.0, 1.0}
    assert abs(dense.mean() - 0.3) < 4 * np.sqrt(0.3 * 0.7 / 10_000)
    table = jnp.full((64, 200), 0.6).at[0].set(6.0)  # between 0.5 and 1 of e2m1
    dense = np.asarray(materialize(quantize(table, "fp4", stochastic=jax.random.key(0))))[1:]
    assert set(np.unique(dense)) == {0.5, 1.0}
    assert abs(dense.mean() - 0.6) < 4 * 0.2 / np.sqrt(dense.size)


def test_one_scale_for_all_and_scales_along_chosen_axes():
    x = jnp.asarray(NORMAL[:6, :4] * np.arange(1, 5))
    assert quantize(x, "int8", channel_axes=()).scale.size == 1
    assert quantize(x, "int8", axis=0, channel_axes=(1,)).scale.shape == (1, 4)
    largest = np.abs(np.asarray(x)).max()
    scale = quantize(x, "int8", channel_axes=()).scale
    np.testing.assert_allclose(scale, largest / 127, rtol=1e-6)


def test_a_percentile_cuts_off_what_is_beyond():
    x = np.linspace(-1, 1, 1001).astype("float32")[:, None]
    x[0] = -100.0
    q = quantize(jnp.asarray(x), "int8", calibration="percentile", percentile=99.0)
    np.testing.assert_allclose(q.scale, np.percentile(np.abs(x), 99) / 127, rtol=1e-5)
    assert np.abs(np.asarray(materialize(q))).max() <= 1.0
