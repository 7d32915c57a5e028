"""What each primitive does with constants; importing it registers the rules."""

from . import collective as collective
from . import contraction as contraction
from . import elementwise as elementwise
from . import indexing as indexing
from . import linalg as linalg
from . import reduction as reduction
from . import shape as shape
from . import sorting as sorting
from . import window as window
