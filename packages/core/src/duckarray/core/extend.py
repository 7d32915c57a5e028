"""What packages of array types use besides rules: parts of the interpreter that will stay.

Programs have no need of it. Names in modules with a leading underscore may change at any time.
"""

from ._answered import is_answered as is_answered
from ._answered import treatments as treatments
from ._constants import note_constant as note_constant
from ._dtypes import extremes as extremes
from ._dtypes import with_dtype as with_dtype
from ._index_update import IndexUpdateHelper as IndexUpdateHelper
from ._jax import struct as struct
from ._materialize import densify as densify
from ._mesh import in_manual_mesh as in_manual_mesh
from ._mesh import vary as vary
from ._mesh import varying_axes as varying_axes
from ._primitives import existing_primitives as existing_primitives
from ._state import add_mode as add_mode
from ._value import dense_aval as dense_aval
