"""Value types that cover what a type can be like, and an oracle that makes them dense."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from duckarray.core import ArrayValue, Value, field


class Box(ArrayValue):
    """Thin: one leaf and a static tag, which products multiply; linear in its leaf."""

    array: jax.Array | ArrayValue
    tag: str = field(static=True, default="m")

    leaf_linear = True
    materialization = "allow"

    def aval(self):
        return self.array.aval() if isinstance(self.array, Value) else jax.typeof(self.array)

    def materialize(self):
        return self.array

    def drop_leading(self):
        return self._around(lambda inner: inner.drop_leading())

    def add_leading(self, n):
        return self._around(lambda inner: inner.add_leading(n))

    def _around(self, hook):
        if not isinstance(self.array, Value):
            return self
        inner = hook(self.array)
        return None if inner is None else Box(inner, self.tag)


class Length(ArrayValue):
    """An array times a static scale; two scales have a common one, to which both convert."""

    array: jax.Array
    scale: float = field(static=True, default=1.0)

    leaf_linear = True
    materialization = "allow"

    def materialize(self):
        return self.array * jnp.asarray(self.scale, self.array.dtype)

    def join(self, other):
        if not isinstance(other, Length) or other.array.shape != self.array.shape:
            return None
        return Length(self.array, min(self.scale, other.scale))

    def coerce_like(self, template):
        if not isinstance(template, Length):
            return NotImplemented
        return Length(self.array * (self.scale / template.scale), template.scale)


class LowRank(ArrayValue):
    """`w + a @ b`: two products of leaves, so not linear in them."""

    w: jax.Array | ArrayValue
    a: jax.Array | ArrayValue
    b: jax.Array | ArrayValue

    materialization = "allow"

    def materialize(self):
        return jnp.add(self.w, jnp.matmul(self.a, self.b))


class Zero(ArrayValue):
    """Zeros, of which nothing but the shape is stored: a leaf of shape `(*shape, 0)`."""

    leaf: jax.Array

    leaf_linear = True
    materialization = "allow"

    def aval(self):
        return jax.core.ShapedArray(self.leaf.shape[:-1], self.leaf.dtype)

    def materialize(self):
        return jnp.zeros(self.leaf.shape[:-1], self.leaf.dtype)

    def drop_leading(self):
        return self

    def add_leading(self, n):
        return self


class Opaque(ArrayValue):
    """Refuses to be made dense."""

    array: jax.Array
    tag: str = field(static=True, default="x")

    materialization = "allow"

    def aval(self):
        return jax.typeof(self.array)

    def materialize(self):
        raise TypeError("an opaque array has no dense form")

    def drop_leading(self):
        return self

    def add_leading(self, n):
        return self


class Doubled(ArrayValue):
    """Twice its leaf, so that reading the leaf in place of the value gives a wrong number."""

    half: jax.Array

    materialization = "allow"

    def materialize(self):
        return 2 * self.half


class Pair(ArrayValue):
    """The sum of two leaves."""

    x: jax.Array
    y: jax.Array

    materialization = "allow"

    def materialize(self):
        return self.x + self.y


class Quantized(ArrayValue):
    """Small integers times a scale."""

    codes: jax.Array
    scale: jax.Array

    materialization = "allow"

    def materialize(self):
        return self.codes.astype(self.scale.dtype) * self.scale


class Warned(ArrayValue):
    """Has no rules, no hooks and the policy that is the default."""

    array: jax.Array

    def materialize(self):
        return self.array


def dense(tree: Any) -> Any:
    """The oracle: every value in `tree` written out as the array it stands for."""

    def one(x):
        if isinstance(x, Box | Opaque | Warned):
            return one(x.array)
        if isinstance(x, Length):
            return one(x.array) * np.asarray(x.scale, x.array.dtype)
        if isinstance(x, LowRank):
            return one(x.w) + one(x.a) @ one(x.b)
        if isinstance(x, Zero):
            return np.zeros(x.leaf.shape[:-1], x.leaf.dtype)
        if isinstance(x, Doubled):
            return x.half + x.half
        if isinstance(x, Pair):
            return x.x + x.y
        if isinstance(x, Quantized):
            return x.scale * x.codes.astype(jnp.float32)
        return x

    return jax.tree.map(one, tree, is_leaf=lambda x: isinstance(x, Value))


def make_lowrank(n: int = 3, seed: int = 0) -> LowRank:
    w, a, b = (jnp.asarray(x) for x in numbers(seed, (n, n), (n, 2), (2, n)))
    return LowRank(w, a, b)


def make_quantized() -> Quantized:
    return Quantized(jnp.arange(-4, 5, dtype=jnp.int8).reshape(3, 3), jnp.float32(0.25))


def numbers(seed: int, *shapes: tuple[int, ...]) -> list[np.ndarray]:
    """Reproducible normal numbers, one array for each shape."""
    generator = np.random.default_rng(seed)
    return [generator.normal(size=shape).astype(np.float32) for shape in shapes]


def matrix(seed: int = 1) -> jax.Array:
    return jnp.asarray(numbers(seed, (3, 3))[0])


# All stand for a 3 by 3 matrix; functions, so that nothing is computed on import.
VALUES = {
    "zero": lambda: Zero(jnp.zeros((3, 3, 0))),
    "doubled": lambda: Doubled(matrix()),
    "box of low rank over quantized": lambda: Box(
        LowRank(make_quantized(), Box(jnp.ones((3, 1))), jnp.full((1, 3), 0.5)), "n"
    ),
}
MORE_VALUES = {
    **VALUES,
    "box": lambda: Box(matrix(), "m"),
    "length": lambda: Length(matrix(), 0.5),
    "low rank": make_lowrank,
    "pair": lambda: Pair(matrix(), matrix(2)),
    "quantized": make_quantized,
    "low rank over quantized": lambda: LowRank(
        make_quantized(), jnp.ones((3, 2)), jnp.full((2, 3), 0.5)
    ),
}
