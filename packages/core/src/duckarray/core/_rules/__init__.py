"""What core itself does with primitives that carry programs; importing it fills the table."""

from . import called as called
from . import cond as cond
from . import high as high
from . import jit as jit
from . import leafwise as leafwise
from . import lifted as lifted
from . import linear_solve as linear_solve
from . import printing as printing
from . import remat as remat
from . import scan as scan
from . import while_loop as while_loop
