"""What primitives do with `Tridiagonal`; importing it registers the rules."""

from . import contraction as contraction
from . import elementwise as elementwise
from . import reduction as reduction
from . import shape as shape
