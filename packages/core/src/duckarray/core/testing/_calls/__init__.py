"""The calls that are compared with the same calls on dense arrays, by what they do."""

from . import contraction as contraction
from . import control as control
from . import elementwise as elementwise
from . import indexing as indexing
from . import reduction as reduction
from . import shape as shape
