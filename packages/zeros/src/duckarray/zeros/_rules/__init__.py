"""What each primitive does with `Zeros`; importing it registers the rules."""

from . import elementwise as elementwise
from . import product as product
from . import reduction as reduction
from . import shape as shape
