"""A small transformer written with names, trained on the letters of a licence, on several devices.

No line of the model says which axis is which by its place. The same names say where the parts of
the model and of the data are put: two lines of rules, not a line in the model.
"""

import os
from pathlib import Path

# As a script it makes four devices of one processor, unless there are real ones.
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=4")

import jax
import jax.numpy as jnp
import numpy as np
import optax
import picture

import duckarray.named as n

TEXT = (Path(__file__).resolve().parents[1] / "LICENSE").read_text(encoding="utf-8").lower()
RULES = {"batch": "data", "head": "model", "hidden": "model"}
SIZES = {"d": 32, "head": 4, "e": 8, "hidden": 64, "place": 32}
DIMS = {
    "letters": "letter d",
    "places": "place d",
    "query": "d head e",
    "key": "d head e",
    "value": "d head e",
    "out": "head e d",
    "up": "d hidden",
    "down": "hidden d",
}


def parameters(sizes):
    """Random parameters, whose names are in `DIMS`."""
    random = np.random.default_rng(0)
    shapes = {name: [sizes[d] for d in dims.split()] for name, dims in DIMS.items()}
    numbers = {k: random.normal(size=s) * s[0] ** -0.5 for k, s in shapes.items()}
    return {k: n.NamedArray(x.astype("float32"), DIMS[k]) for k, x in numbers.items()}


def normalise(x):
    """Mean zero and variance one over the features."""
    return (x - x.mean("d")) / (x.var("d") + 1e-5) ** 0.5


def model(p, text):
    """Of each letter, how likely each is to follow, as logits; `text` is `batch place`."""
    x = n.take(p["letters"], text, "letter") + p["places"]
    y = normalise(x)
    query = n.dot(y, p["query"], over="d")
    key, value = (n.dot(y, p[name], over="d").rename(place="from") for name in ("key", "value"))
    scores = n.dot(query, key, over="e", out="batch head place from") / SIZES["e"] ** 0.5
    places = n.NamedArray(jnp.arange(SIZES["place"]), "place")
    seen = n.outer(jnp.greater_equal, places, places.rename(place="from"))
    attended = n.dot(n.softmax(n.where(seen, scores, -1e9), "from"), value, over="from")
    x = x + n.dot(attended, p["out"], over="head e", out="batch place d")
    hidden = n.dot(normalise(x), p["up"], over="d")
    x = x + n.dot(n.where(hidden > 0, hidden, 0.0), p["down"], over="hidden")
    return n.dot(normalise(x), p["letters"], over="d")


def loss(p, text, following):
    """The mean cross-entropy, in nats for each letter."""
    likely = n.log_softmax(model(p, text), "letter")
    letters = n.NamedArray(jnp.arange(likely.sizes["letter"]), "letter")
    chosen = n.outer(jnp.equal, following, letters)
    return -n.where(chosen, likely, 0.0).sum("letter").mean()


def main(file: Path = Path("letters.svg"), steps: int = 200) -> None:
    """Trains it on a mesh of all devices, shows what is where, and draws."""
    letters, index = np.unique(list(TEXT), return_inverse=True)
    shape = (5, 64, SIZES["place"])  # parts of the text, to be taken in turn
    count = int(np.prod(shape))
    parts = np.stack([index[:count], index[1 : count + 1]]).reshape(2, *shape)
    across = 2 if jax.device_count() > 1 else 1
    auto = (jax.sharding.AxisType.Auto,) * 2
    mesh = jax.make_mesh((jax.device_count() // across, across), ("data", "model"), auto)
    data = n.NamedArray(parts.astype("int32"), "which part batch place")
    data = n.shard(data, RULES, mesh)
    p = n.shard(parameters({**SIZES, "letter": len(letters)}), RULES, mesh)
    optimizer = optax.adam(1e-2)

    @jax.jit
    def train(p, data):
        def step(carry, i):
            p, state = carry
            text, following = (data.isel(which=j, part=i % 5) for j in (0, 1))
            value, slope = n.value_and_grad(loss)(p, text, following)
            updates, state = optimizer.update(slope, state)
            return (optax.apply_updates(p, updates), state), value

        (p, _), losses = jax.lax.scan(step, (p, optimizer.init(p)), jnp.arange(steps))
        return p, losses

    p, losses = train(p, data)
    for name, x in [*p.items(), ("data", data)]:
        print(f"{name:8} {x!s:54} {x.array.sharding.spec}")
    print(
        f"nats for each letter on {jax.device_count()} devices: {losses[0]:.3f}, {losses[-1]:.3f}"
    )
    assert p["up"].array.sharding.spec == jax.P(None, "model")  # still where it was put
    picture.curves(file, "Nats for each letter, by steps", {"loss": (np.arange(steps), losses)})
    assert losses[-1] < losses[0] - 0.5


if __name__ == "__main__":
    main()
