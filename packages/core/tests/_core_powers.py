"""A type with a unit: it is never made dense, and what it is added to must have the same power."""

import jax
import pytest

from duckarray.core import ArrayValue, field, known_constant, register


class Power(ArrayValue):
    """A number of some power of a unit, which is not added to a plain number, except to zero."""

    array: jax.Array
    power: int = field(static=True, default=1)

    leaf_linear = True

    def aval(self):
        return jax.typeof(self.array)

    def materialize(self):
        raise TypeError("the unit would be lost")

    def drop_leading(self):
        return self

    def add_leading(self, n):
        return self


def of_power(array, power):
    return Power(array, power) if power else array


@pytest.fixture
def rules_of_powers(own_rules):
    @register("add", "add_any")
    def _add_power_power(x: Power, y: Power, *, primitive, **params):
        if x.power != y.power:
            raise TypeError(f"{x.power} is not {y.power}")
        return Power(primitive.bind(x.array, y.array, **params), x.power)

    @register("add", "add_any", commutative=True)
    def _add_power_dense(x: Power, y: jax.Array, *, primitive, **params):
        if known_constant(y) != 0:
            raise TypeError("a plain number")
        return x

    @register("mul")
    def _mul_power_power(x: Power, y: Power, **params):
        return of_power(x.array * y.array, x.power + y.power)

    @register("div")
    def _div_power_power(x: Power, y: Power, **params):
        return of_power(x.array / y.array, x.power - y.power)

    @register("div")
    def _div_dense_power(x: jax.Array, y: Power, **params):
        return Power(x / y.array, -y.power)

    @register("mul", commutative=True)
    def _mul_power_dense(x: Power, y: jax.Array, **params):
        return Power(x.array * y, x.power)

    @register("div")
    def _div_power_dense(x: Power, y: jax.Array, **params):
        return Power(x.array / y, x.power)

    @register("integer_pow")
    def _integer_pow_power(x: Power, *, y, primitive, **params):
        return of_power(primitive.bind(x.array, y=y, **params), y * x.power)

    @register("reduce_sum", "broadcast_in_dim", "dynamic_slice", "squeeze", "neg")
    def _each_power(x: Power, *rest: jax.Array, primitive, **params):
        return Power(primitive.bind(x.array, *rest, **params), x.power)
