"""Products: `x @ (w + s a b) = x @ w + s (x @ a) @ b`, whichever axes are summed over."""

from typing import Any

from jax import lax
from jax.typing import ArrayLike

from duckarray.core import bind, register
from duckarray.lora._layout import Labels, arrange, as_dtype, axes_of, dimension_numbers, spread
from duckarray.lora._multi import MultiLora
from duckarray.lora._parts import folded
from duckarray.lora._path import drop, gated
from duckarray.lora._plan import Plan, labels_of, plan
from duckarray.lora._value import LoraArray, derived, normalizer


@register("dot_general")
def _dot_general_lora_dense(
    x: LoraArray, y: ArrayLike, *, dimension_numbers: Any, **params: Any
) -> Any:
    """`(w + s a b) y = w y + a (s b y)`."""
    return _product(x, y, True, dimension_numbers, params)


@register("dot_general")
def _dot_general_dense_lora(
    x: ArrayLike, y: LoraArray, *, dimension_numbers: Any, **params: Any
) -> Any:
    """`x (w + s a b) = x w + (s x a) b`."""
    return _product(y, x, False, dimension_numbers, params)


@register("dot_general")
def _dot_general_lora_lora(
    x: LoraArray, y: LoraArray, *, dimension_numbers: Any, **params: Any
) -> Any:
    """The same on the left; each product with `y` in it is again split in two."""
    return _product(x, y, True, dimension_numbers, params)


def _product(x: LoraArray, y: Any, lora_on_left: bool, numbers: Any, params: Any) -> Any:
    (a1, b1), (a2, b2) = numbers
    numbers = ((tuple(a1), tuple(b1)), (tuple(a2), tuple(b2)))
    if x.magnitude is not None:
        return _normalized_product(x, y, lora_on_left, numbers, params)
    w = x.w
    how = plan(w.shape, x.rows, x.columns, x.a.shape[-1], y.shape, numbers, lora_on_left)
    if how is None:
        return NotImplemented
    if isinstance(y, LoraArray):  # not by its type: that of `w` may know no `LoraArray`
        out = _product(y, w, not lora_on_left, numbers, params)
        if out is NotImplemented:
            return NotImplemented
    else:
        args = (w, y) if lora_on_left else (y, w)
        out = bind(lax.dot_general_p, *args, dimension_numbers=numbers, **params)
    return lax.add(out, _update(x, y, lora_on_left, how, out.dtype, params))


def _update(x: LoraArray, y: Any, lora_on_left: bool, how: Plan, dtype: Any, params: Any) -> Any:
    """The product of `y` with `scale * a @ b`."""
    narrow = x.w.dtype
    y = (
        y
        if y.dtype == narrow
        else bind(lax.convert_element_type_p, y, new_dtype=narrow, weak_type=False, sharding=None)
    )
    if x.seed is not None:
        y = drop(y, x)
    a, b, scale = as_dtype(x.a, narrow), as_dtype(x.b, narrow), as_dtype(x.scale, narrow)
    first, second = (a, b) if how.first == "a" else (b, a)
    params = {**params, "preferred_element_type": narrow}
    between = bind(
        lax.dot_general_p,
        *((first, y) if lora_on_left else (y, first)),
        dimension_numbers=how.first_numbers,
        **(params if params.get("out_sharding") is None else {**params, "out_sharding": None}),
    )
    if how.scale_axes:
        if how.scale_order is not None:
            scale = lax.transpose(scale, how.scale_order)
        scale = lax.broadcast_in_dim(scale, between.shape, how.scale_axes)
    between = lax.mul(between, scale)
    if isinstance(x, MultiLora):
        between = gated(x, between, how.between, y.shape)
    params["preferred_element_type"] = dtype
    out = bind(
        lax.dot_general_p,
        *((second, between) if lora_on_left else (between, second)),
        dimension_numbers=how.second_numbers,
        **params,
    )
    return out if how.result_order is None else lax.transpose(out, how.result_order)


def _normalized_product(x: Any, y: Any, lora_on_left: bool, numbers: Any, params: Any) -> Any:
    """`g * v` times `y`, where `g` has the axes of either factor: `g` goes to what has them."""
    plain = derived(x, magnitude=None)
    factor = normalizer(x)
    of_w, of_y, wanted = labels_of(x.ndim, y.ndim, numbers, lora_on_left)
    batch = axes_of(x.ndim, x.rows, x.columns)[0]
    kept = tuple(i for i in of_w if i in batch or factor.shape[i] != 1)
    sizes = dict(zip(of_w, x.shape, strict=True))
    factor = lax.squeeze(factor, [i for i in of_w if i not in kept])

    def times(z: Any, labels: Labels) -> Any:
        g = arrange(as_dtype(factor, z.dtype), kept, [label for label in labels if label in kept])
        g = lax.expand_dims(g, [i for i, label in enumerate(labels) if label not in kept])
        return bind(lax.mul_p, z, g) if isinstance(z, LoraArray) else z * g

    if set(kept) <= set(of_y):
        return _product(plain, times(y, of_y), lora_on_left, numbers, params)
    if set(kept) <= set(wanted):
        out = _product(plain, y, lora_on_left, numbers, params)
        return out if out is NotImplemented else times(out, wanted)
    missing = tuple(i for i in kept if i not in of_y)
    if set(missing) <= set(batch) and not isinstance(
        y, LoraArray
    ):  # `y` is another one for each matrix, once `g` is in it
        of_each = (*missing, *of_y)
        sizes |= dict(zip(of_y, y.shape, strict=True))
        each = times(spread(y, of_y, of_each, sizes), of_each)
        both = (of_w, of_each) if lora_on_left else (of_each, of_w)
        summed = {label for label in of_w if label in of_y and label not in wanted}
        numbers, labels = dimension_numbers(*both, summed)
        out = _product(plain, each, lora_on_left, numbers, params)
        return out if out is NotImplemented else arrange(out, labels, wanted)
    return _product(folded(x), y, lora_on_left, numbers, params)
