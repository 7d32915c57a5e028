"""Sums of products: axes that are summed over must be the same thing."""

from duckarray.named._names import AxisNameError, Dims, clash, once, show, unify

from ._apply import Call, names


@names("dot_general")
def _dot_general(call: Call) -> Dims:
    """Batch axes first, then what is left of either operand."""
    (contract_x, contract_y), (batch_x, batch_y) = call.params["dimension_numbers"]
    x, y = call.dims
    for i, j in zip(contract_x, contract_y, strict=True):
        if None not in (x[i], y[j]) and x[i] != y[j]:
            raise AxisNameError(
                f"a product sums over axis {x[i]!r} of {show(x)} and axis {y[j]!r} of {show(y)}.\n"
                f"Rename one, if they are the same thing: `y.rename({y[j]}={x[i]!r})`.",
                x,
                y,
            )
    try:
        batch = unify([tuple(x[i] for i in batch_x), tuple(y[j] for j in batch_y)])
    except AxisNameError:
        raise clash(x, y) from None
    rest_x = [d for i, d in enumerate(x) if i not in (*contract_x, *batch_x)]
    rest_y = [d for j, d in enumerate(y) if j not in (*contract_y, *batch_y)]
    return once((*batch, *rest_x, *rest_y))


@names("conv_general_dilated")
def _convolution(call: Call) -> Dims:
    """The batch and the space of the image, the output channels of the kernel."""
    numbers = call.params["dimension_numbers"]
    image, kernel = call.dims
    out: list[str | None] = [None] * len(image)
    for of_image, of_out in zip(numbers.lhs_spec, numbers.out_spec, strict=True):
        out[of_out] = image[of_image]
    out[numbers.out_spec[1]] = kernel[numbers.rhs_spec[0]]
    if call.params["feature_group_count"] == call.params["batch_group_count"] == 1:
        unify([(image[numbers.lhs_spec[1]],), (kernel[numbers.rhs_spec[1]],)])
    return once(tuple(out))
