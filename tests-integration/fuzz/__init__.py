"""Random programs on random array types, compared with the same programs on dense arrays.

`python -m fuzz --seconds 600` in this folder's parent, or `nox -s fuzz`. What fails is made as
small as it can be and printed as a script.
"""

from ._program import Argument as Argument
from ._program import Block as Block
from ._program import Program as Program
from ._program import Step as Step
from ._run import Finding as Finding
from ._run import Refusal as Refusal
from ._run import Unsuitable as Unsuitable
from ._run import examine as examine
from ._run import generate as generate
from ._shrink import shrink as shrink
