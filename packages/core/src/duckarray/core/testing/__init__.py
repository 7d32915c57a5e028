"""The conformance kit: tests an array type, described by a `Subject`, against dense JAX."""

from ._discover import subjects as subjects
from ._once import run_once as run_once
from ._operands import OPERANDS as OPERANDS
from ._pytest import conformance as conformance
from ._results import Result as Result
from ._results import Results as Results
from ._run import FAMILIES as FAMILIES
from ._run import Check as Check
from ._run import check as check
from ._subject import DEFAULT_CASES as DEFAULT_CASES
from ._subject import Case as Case
from ._subject import Subject as Subject
from ._table import CALLS as CALLS
from ._table import Call as Call
