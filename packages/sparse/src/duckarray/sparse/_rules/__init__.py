"""The rules, by what primitives do; importing this registers them."""

from . import concatenation as concatenation
from . import contraction as contraction
from . import dynamic as dynamic
from . import elementwise as elementwise
from . import functions as functions
from . import indexing as indexing
from . import reduction as reduction
from . import shape as shape
from . import updating as updating
