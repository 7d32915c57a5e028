"""Properties that a field of a subclass may have the name of."""

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    computed = property
else:

    class computed:  # noqa: N801
        """A property that an instance's own attribute, such as a field, comes before."""

        def __init__(self, function):
            self._function = function
            functools.update_wrapper(self, function)

        def __get__(self, instance, owner=None):
            return self if instance is None else self._function(instance)
