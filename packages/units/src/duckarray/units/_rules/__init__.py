"""What each primitive does with quantities; importing it registers the rules."""

from . import concatenation as concatenation
from . import functions as functions
from . import indexing as indexing
from . import keeping as keeping
from . import linalg as linalg
from . import lineax as lineax
from . import numbers as numbers
from . import products as products
from . import sums as sums
from ._refused import without_rule as without_rule
