"""What each primitive does with structured matrices; importing it registers the rules."""

from . import batch as batch
from . import contraction as contraction
from . import elementwise as elementwise
from . import functions as functions
from . import indexing as indexing
from . import linalg as linalg
from . import reduction as reduction
from . import selection as selection
from . import shape as shape
