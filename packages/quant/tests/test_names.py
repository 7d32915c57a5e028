"""The public functions take the arguments that are promised, by these names and in this order."""

import inspect

import pytest

from duckarray import quant

pytestmark = pytest.mark.any_jax

ARGUMENTS = {
    "quantize": "x scheme group_size axis channel_axes symmetric calibration scale_dtype "
    "double_quant activations outliers stochastic",
    "dequantize": "x",
    "quantize_tree": "model rules progress",
    "Rule": "pattern scheme group_size calibration double_quant",
    "report": "model other args progress",
    "load_gguf": "path dtype progress",
    "load_awq": "path",
    "load_gptq": "path",
    "load_bnb": "path",
    "save_safetensors": "path tree",
    "load_safetensors": "path",
    "fake_quant": "x scheme step stochastic",
    "smooth": "w activations alpha axis",
    "hadamard": "x axis",
    "QuantArray": "codes scale zero_point scheme",
    "Scheme": "name group_size symmetric scale_dtype double_quant",
    "zeros": "shape scheme",
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_function_has_its_arguments(name):
    found = list(inspect.signature(getattr(quant, name)).parameters)
    assert [x for x in found if x in ARGUMENTS[name].split()] == ARGUMENTS[name].split()


def test_the_schemes_and_what_an_array_knows_are_there():
    integers = ("int8", "int4", "int3", "int2", "w8a8", "w4a8")
    for name in (*integers, "nf4", "fp4", "fp8", "e4m3", "e5m2", "mxfp4", "mxfp8", "nvfp4"):
        assert quant.Scheme(name).bits in (2, 3, 4, 8)
    assert {"shape", "dtype", "nbytes", "bits_per_parameter"} <= set(dir(quant.QuantArray))
    assert {"zeros", "append"} <= set(dir(quant.KVCache))
    assert issubclass(quant.FileFormatError, ValueError)
    assert issubclass(quant.UnusedRuleError, ValueError)
