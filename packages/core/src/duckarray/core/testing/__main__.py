"""`python -m duckarray.core.testing`: checks the types of all installed distributions."""

import argparse
import sys
from collections.abc import Sequence

from . import FAMILIES, check, subjects


def main(arguments: Sequence[str] | None = None) -> int:
    """Checks the subjects that the command line names, or all; returns the exit status."""
    found = subjects()
    parser = argparse.ArgumentParser(prog="python -m duckarray.core.testing", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"some of: {', '.join(found) or 'none installed'}")
    parser.add_argument("--family", action="append", choices=FAMILIES, help="run only this one")
    parser.add_argument("--only", action="append", default=[], help="a pattern of ids")
    options = parser.parse_args(arguments)
    unknown = set(options.names) - found.keys()
    if unknown:
        parser.error(f"no installed distribution has a subject called {', '.join(sorted(unknown))}")
    status = 0
    for name in options.names or found:
        results = check(found[name], families=options.family or FAMILIES, only=options.only)
        sys.stdout.write(f"{name}\n{results!r}\n")
        status |= not results.ok
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
