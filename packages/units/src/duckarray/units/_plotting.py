"""Quantities in Matplotlib: converted to the unit of the axis, which is labelled with it."""

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np

from ._access import strip
from ._unit import ONE, Unit
from ._value import Quantity

_UNITS = "matplotlib.units"


def when_matplotlib_is_there() -> None:
    """Registers the converter now, or when Matplotlib is imported; this does not import it."""
    if _UNITS in sys.modules:
        _register(sys.modules[_UNITS])
    else:
        sys.meta_path.insert(0, _Finder())


def _register(units: ModuleType) -> None:
    class Converter(units.ConversionInterface):  # type: ignore[misc, name-defined]
        """Numbers in the unit of the axis."""

        @staticmethod
        def default_units(x: Any, axis: Any) -> Unit | None:
            """The unit of what is plotted first."""
            first = _first(x)
            return first.unit if isinstance(first, Quantity) else None

        @staticmethod
        def axisinfo(unit: Unit | None, axis: Any) -> Any:
            """The unit as the label, in one line: a fraction would be too small to read."""
            if unit is None or unit is ONE:
                return None
            return units.AxisInfo(label=f"{unit:P}")

        @staticmethod
        def convert(value: Any, unit: Unit | str | None, axis: Any) -> Any:
            """The numbers; plain ones are in the unit of the axis already."""
            if isinstance(value, Sequence) and not isinstance(value, str):
                return [Converter.convert(x, unit, axis) for x in value]
            if not isinstance(value, Quantity):
                return value
            return np.asarray(strip(value, value.unit if unit is None else unit))

    units.registry[Quantity] = Converter()  # type: ignore[attr-defined]


def _first(x: Any) -> Any:
    while isinstance(x, list | tuple) and x:
        x = x[0]
    return x


class _Finder(MetaPathFinder):
    """Finds `matplotlib.units` as ever, and registers the converter once it is loaded."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != _UNITS:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(Loader):
    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)  # type: ignore[no-any-return]

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        _register(module)
