"""What primitives do with `NamedArray`; importing it registers the rules.

The modules fill one table, from the name of a primitive to what the axes of its results are called.
"""

from . import contraction as contraction
from . import elementwise as elementwise
from . import indexing as indexing
from . import linalg as linalg
from . import reduction as reduction
from . import shape as shape
from ._apply import table as table
from .unnamed import UNNAMED as UNNAMED
