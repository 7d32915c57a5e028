"""The public functions take the arguments that are promised, by these names and in this order."""

import dataclasses
import inspect

import pytest

from duckarray import lora

pytestmark = pytest.mark.any_jax

ARGUMENTS = {
    "LoraArray": "w a b scale magnitude",
    "loraify": "model config key rank",
    "partition": "model",
    "trainable_parameters": "model",
    "print_trainable_parameters": "model",
    "loraplus": "optimizer learning_rate loraplus_lr_ratio",
    "merge": "model",
    "unload": "model",
    "unmerge": "merged model",
    "merge_and_unload": "model",
    "save_pretrained": "folder model",
    "load_pretrained": "folder params",
    "stack": "models",
    "select": "multi adapter_ids",
    "MultiLora": "w a b scale",
    "with_dropout": "model key rate",
    "trainable_mask": "model",
    "trainable_labels": "model",
}
DEFAULTS = {  # those of PEFT
    "r": 8,
    "lora_alpha": 8,
    "target_modules": None,
    "use_rslora": False,
    "use_dora": False,
    "init_lora_weights": True,
    "rank_pattern": {},
    "alpha_pattern": {},
    "exclude_modules": None,
    "lora_dropout": 0.0,
    "bias": "none",
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_function_has_its_arguments(name):
    found = list(inspect.signature(getattr(lora, name)).parameters)
    assert [x for x in found if x in ARGUMENTS[name].split()] == ARGUMENTS[name].split()


def test_options_have_the_names_and_defaults_of_peft():
    config = lora.LoraConfig()
    found = {f.name: getattr(config, f.name) for f in dataclasses.fields(config)}
    assert {name: found.get(name) for name in DEFAULTS} == DEFAULTS
    assert issubclass(lora.TargetError, ValueError)
    assert issubclass(lora.AdapterError, ValueError)
