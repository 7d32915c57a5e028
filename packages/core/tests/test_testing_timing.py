"""Times are taken in turns, by the clocks, and compared with neighbours."""

import pytest

from duckarray.core.testing import timing

pytestmark = pytest.mark.any_jax


class Clocks:
    """Clocks that programs put forward; `noise` is what else runs, by the clock alone."""

    def __init__(self, monkeypatch):
        self.now = self.used = 0.0
        self.order = []
        monkeypatch.setattr(timing.time, "perf_counter", lambda: self.now)
        monkeypatch.setattr(timing.time, "process_time", lambda: self.used)

    def program(self, name, *seconds, noise=0.0):
        each = iter(seconds)

        def run():
            self.order.append(name)
            took = next(each, seconds[-1])
            self.used += took
            self.now += took + noise

        return run


@pytest.fixture
def clocks(monkeypatch):
    return Clocks(monkeypatch)


def test_programs_take_turns_and_are_compiled_before(clocks):
    timing.times({"a": clocks.program("a", 1.0), "b": clocks.program("b", 2.0)}, repeats=2)
    assert "".join(clocks.order) == "ab" + "ba" + "ab"


def test_what_is_cold_is_made_cold_each_time(clocks):
    timing.times({"a": clocks.program("a", 1.0)}, 2, before=lambda: clocks.order.append("-"))
    assert "".join(clocks.order) == "-a-a"


def test_the_least_and_the_median_are_of_one_call(clocks):
    run = clocks.program("a", 9.0, 4.0, 4.0, 2.0, 2.0, 6.0, 6.0, noise=1.0)
    assert timing.best({"a": run}, 3, calls=2) == {"a": timing.Time(3.0, 2.0)}
    run = clocks.program("a", 9.0, 4.0, 2.0, 6.0)
    assert timing.medians({"a": run}, 3) == {"a": timing.Time(4.0, 4.0)}


def test_ratios_are_of_neighbours(clocks):
    """The machine becomes ten times slower after the first round."""
    base = clocks.program("a", 1.0, 1.0, 10.0, 10.0)
    twice = clocks.program("b", 2.0, 2.0, 20.0, 20.0, noise=5.0)
    half = clocks.program("c", 0.5, 0.5, 5.0, 5.0)
    assert timing.ratios(base, twice, half, repeats=3) == [2.0, 0.5]


def test_an_import_is_measured_in_a_process_of_its_own():
    assert 0 < timing.import_seconds("decimal", after="sys", repeats=1) < 60
