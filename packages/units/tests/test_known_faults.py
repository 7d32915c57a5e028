"""Faults that libraries of units have had, and the tests that ours has not got them.

A table of what went wrong elsewhere and of the test here. What stands after `::` is in another
module; the others are below.

| fault                                                                   | test |
|-------------------------------------------------------------------------|------|
| units are lost in `scan`, in its carry and in what it stacks            | test_control_flow::test_scan_converts_to_the_unit_of_the_carry |
| a carry may change its dimension; m2 where m8 is right                  | test_control_flow::test_a_carry_that_changes_its_dimension_is_named |
| loops of length 0, with carries of several parts                        | test_a_loop_of_no_turns_keeps_its_units |
| branches of `cond` may give m and m2; their gradients have no unit      | test_control_flow::test_branches_of_different_dimensions_are_refused, test_control_flow::test_gradients_of_branches_have_their_units |
| the gradient of `scan` adds a plain zero to a cotangent with a unit     | test_control_flow::test_a_gradient_inside_through_a_loop_has_its_unit |
| 0 has no unit: `relu`, `x + 0`, `isclose`, `max(x, 0)`                  | test_rules::test_a_call_gives_the_numbers_of_numpy_in_the_right_unit |
| zeros are told by their values, so that eager and compiled calls differ | test_zeros_are_known_by_the_program_not_by_their_values |
| a raw number in `where` takes on the unit                               | test_rules::test_what_has_no_meaning_is_refused_and_said_where |
| a Fourier transform is in 1/m, or in m s                                | test_rules::test_a_call_gives_the_numbers_of_numpy_in_the_right_unit |
| gradients are in the unit of the argument, or in a mix such as cm3/m    | test_derivatives::test_grad_has_a_unit_for_every_leaf, test_a_gradient_is_in_the_unit_of_its_argument_alone |
| the gradient of an unused argument has no unit                          | test_derivatives::test_an_unused_argument_has_a_zero_with_a_unit |
| rates cannot be tangents                                                | test_derivatives::test_jvp_takes_rates |
| no gradients through Cholesky factors, eigenvalues, scatters, remat     | test_derivatives::test_gradients_through_linear_algebra_and_custom_rules |
| equal units hash apart                                                  | test_unit::test_equal_units_hash_alike_whatever_they_are_called |
| units and conversions cannot be asked for inside; closures fail         | test_control_flow::test_constants_of_the_program_take_part |
| comparisons cannot drive a loop                                         | test_control_flow::test_while_and_fori |
| a comparison plants a callback into the program                         | test_a_comparison_calls_nothing_back |
| a factor that the dtype cannot hold gives infinity                      | test_rules::test_conversions_that_do_not_fit_the_dtype_raise |
| 20 degC + 1 degC is 21 degC; twice 20 degC is 40 degC                   | test_temperature::test_the_algebra_of_temperatures, test_temperature::test_an_absolute_temperature_has_no_multiples |
| magnitudes and decibels are added as numbers                            | test_temperature::test_levels_convert_and_have_no_sums |
| messages are built, with all the numbers, where nothing is wrong        | test_nothing_is_written_where_nothing_is_wrong |
| 1 Hz is 1 rad/s                                                         | test_rules::test_frequencies_and_angular_frequencies_are_never_converted |
| `omega * r + v` is refused, or in m rad / s                             | test_rules::test_a_call_gives_the_numbers_of_numpy_in_the_right_unit |
| `deg2rad` of degrees gives degrees                                      | test_programs::test_plain_angles_are_in_the_unit_that_the_function_says |
| exp(100 %) is read as per cent                                          | test_rules::test_a_call_gives_the_numbers_of_numpy_in_the_right_unit |
| extremes of numbers in different scales compare what is not comparable  | test_extremes_of_numbers_in_other_scales |
| `%` takes the sign of the wrong operand                                 | test_rules::test_a_call_gives_the_numbers_of_numpy_in_the_right_unit |
| `__array__` takes the unit away                                         | test_rules::test_only_a_plain_number_is_a_python_number |
| comparisons do not promote dtypes                                       | test_comparisons_promote_dtypes |
| a new parameter of a primitive is dropped                               | test_parameters_nobody_knows_are_passed_on |
| an array without axes can be iterated over                              | test_an_array_without_axes_is_not_iterated_over |
| the representation fails within a traceback                             | test_the_representation_never_fails |
| pickles depend on a registry                                            | test_unit::test_a_unit_is_one_object_and_survives_pickling |
| `solve`, `inv`, `lstsq`, `slogdet`: shapes, and inverted units          | test_solving_one_equation, test_rules::test_a_call_gives_the_numbers_of_numpy_in_the_right_unit |
| `1 / unit` fails on a tracer                                            | test_units_divide_tracers |
| a Jacobian is in the wrong unit                                         | test_derivatives::test_jacobians_and_hessians |
| `gradient` forgets the spacing                                          | test_a_numerical_gradient_is_per_spacing |
| `kg m^2 / s^2`, `J/(mol K)`, `m^0.5` cannot be read                     | test_unit::test_two_texts_are_one_unit |
| solvers of differential equations, linear systems: no units             | in `tests-integration/test_units_solvers.py` |
"""  # noqa: E501

import pickle
import re
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.extend.core import Primitive

import duckarray.units as u
from duckarray.core import bind, quaxify

pytestmark = pytest.mark.any_jax

Q = u.Quantity
HERE = Path(__file__).parent


def test_every_test_of_the_table_exists():
    rows = [line.split("|")[2] for line in __doc__.splitlines() if line.startswith("| ")][1:]
    a_test = re.compile(r"(?:(\w+)::)?(test_\w+)\b(?!/|\.py)")
    named = [name for row in rows for name in a_test.findall(row)]
    assert len(named) > 40
    for module, test in named:
        path = HERE / f"{module}.py" if module else Path(__file__)
        assert f"def {test}(" in path.read_text("utf-8"), f"{module}::{test}"


def test_a_loop_of_no_turns_keeps_its_units():
    def program(c, x):
        return lax.scan(lambda c, a: ((c[0] + a, c[1]), a * c[1]), c, x)

    (place, time), ys = quaxify(program)((Q(1.0, "km"), Q(2.0, "s")), Q(jnp.zeros(0), "m"))
    assert (place.unit, time.unit, ys.unit) == (u.km, u.s, u.m * u.s)
    assert (place.value, time.value, ys.shape) == (1.0, 2.0, (0,))


def test_zeros_are_known_by_the_program_not_by_their_values():
    x, zero = Q(1.0, "m"), jnp.zeros(())
    add = lambda x, z: x + z
    for run in (quaxify(add), jax.jit(quaxify(add))):
        with pytest.raises(u.DimensionError):
            run(x, zero)
        assert quaxify(lambda x: x + jnp.zeros(()))(x).unit is u.m


def test_a_gradient_is_in_the_unit_of_its_argument_alone():
    slope = u.grad(lambda x: x**3)(Q(2.0, "cm"))
    assert slope.unit == u.cm**2
    assert slope.value == 12.0


def test_a_comparison_calls_nothing_back():
    run = jax.jit(quaxify(lambda x, y: (x > y, x == y, x < 0)))
    text = run.lower(Q(jnp.ones(3), "m"), Q(jnp.ones(3), "km")).as_text()
    assert "callback" not in text
    assert "custom_call" not in text


def test_nothing_is_written_where_nothing_is_wrong(monkeypatch):
    def fail(*_):
        raise AssertionError("a text is made that nobody asked for")

    def program(x, y):
        return jnp.where(x > y, x * 2 + y, 0) / y

    quaxify(program)(Q(jnp.ones(3), "m"), Q(jnp.ones(3), "km"))  # each unit is made once
    for cls in (u.Quantity, u.Unit, u.Dimension):
        for name in ("__repr__", "__str__", "__format__"):
            monkeypatch.setattr(cls, name, fail)
    quaxify(program)(Q(jnp.ones(4), u.m), Q(jnp.ones(4), u.km))


def test_extremes_of_numbers_in_other_scales():
    half, numbers = Q([50.0, 10.0], "%"), jnp.array([0.4, 0.2])
    for function in (jnp.maximum, jnp.minimum):
        got = quaxify(function)(half, numbers)
        np.testing.assert_allclose(np.asarray(got), function(numbers, jnp.array([0.5, 0.1])))
    got = quaxify(jnp.clip)(half, 0.2, 0.4)
    np.testing.assert_allclose(np.asarray(got), [0.4, 0.2], rtol=1e-6)


def test_comparisons_promote_dtypes():
    with jax.numpy_dtype_promotion("standard"):
        got = quaxify(lambda x, y: x < y)(Q(jnp.array([1, 3]), "m"), Q(jnp.array([1.5, 2.5]), "m"))
    np.testing.assert_array_equal(got, [True, False])


def test_parameters_nobody_knows_are_passed_on():
    seen = {}
    primitive = Primitive("copy")  # an existing rule answers to the name
    primitive.def_impl(lambda x, **params: seen.update(params) or x)
    primitive.def_abstract_eval(lambda x, **params: x)
    out = bind(primitive, Q(jnp.ones(2), "m"), added_by_a_newer_jax=3)
    assert out.unit is u.m
    assert seen == {"added_by_a_newer_jax": 3}


def test_an_array_without_axes_is_not_iterated_over():
    with pytest.raises(TypeError):
        iter(Q(1.0, "m"))
    assert [x.unit for x in Q([1.0, 2.0], "m")] == [u.m, u.m]


def test_the_representation_never_fails():
    structure = jax.tree.structure(Q(1.0, "m"))
    for leaf in (object(), None, "leaf", jax.ShapeDtypeStruct((2,), jnp.float32), 1.0):
        assert "'m'" in repr(structure.unflatten([leaf]))
    seen = []
    jax.jit(quaxify(lambda x: seen.append(repr(x)) or x))(Q(1.0, "m"))
    assert "'m'" in repr(pickle.loads(pickle.dumps(Q(1.0, "m"))))
    assert seen


def test_solving_one_equation():
    a, b = Q(jnp.array([[2.0]]), "N/m"), Q(jnp.array([[4.0, 6.0, 8.0]]), "N")
    x = quaxify(jnp.linalg.solve)(a, b)
    assert (x.unit, x.shape) == (u.m, (1, 3))
    np.testing.assert_allclose(x.value, [[2.0, 3.0, 4.0]])
    inverse = quaxify(jnp.linalg.inv)(a)
    assert (inverse.unit, inverse.shape, float(inverse.value[0, 0])) == (u.m / u.N, (1, 1), 0.5)


def test_units_divide_tracers():
    for program, unit in ((lambda x: x / u.m, "1/m"), (lambda x: 1 / (x * u.s), "1/s")):
        assert jax.jit(program)(2.0).unit == u.Unit(unit)
    assert jax.jit(quaxify(lambda x: x / u.m))(Q(2.0, "kg")).unit == u.kg / u.m
    assert jax.jit(quaxify(lambda x: 1 / (x * u.s)))(Q(2.0, "kg")).unit == u.Unit("1 / (kg s)")


def test_a_numerical_gradient_is_per_spacing():
    t = Q([1.0, 3.0, 7.0], "K")
    got = quaxify(jnp.gradient)(t, Q(2.0, "m"))
    assert got.unit == u.K / u.m
    np.testing.assert_allclose(got.value, np.gradient(np.array([1.0, 3.0, 7.0]), 2.0))
