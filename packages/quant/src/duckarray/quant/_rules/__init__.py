"""What primitives do with `QuantArray`; importing it registers the rules."""

from . import concatenation as concatenation
from . import contraction as contraction
from . import convolution as convolution
from . import elementwise as elementwise
from . import indexing as indexing
from . import reordered as reordered
from . import shape as shape
from . import updating as updating
