"""Of the thousands of cases of pydata/sparse's tests a part runs, unless more are asked for."""

from collections import defaultdict

OTHER_FORMATS = ("gcxs", "dok", "csr", "csc")


def pytest_addoption(parser):
    parser.addoption(
        "--cases", type=int, default=8, help="how many cases of each test of pydata/sparse run"
    )


def pytest_collection_modifyitems(config, items):
    """Keeps as many cases of each test, spread over all that are not of another format."""
    most = config.getoption("--cases")
    cases = defaultdict(list)
    for item in items:
        test, _, case = item.nodeid.partition("[")
        if item.module.__name__ != "test_pydata":
            cases[item.nodeid].append(item)
        elif not any(name in case.lower().split("]")[0] for name in OTHER_FORMATS):
            cases[test].append(item)
    kept = []
    for group in cases.values():
        kept += (
            group if len(group) <= most else [group[k * len(group) // most] for k in range(most)]
        )
    dropped = set(items) - set(kept)
    items[:] = [item for item in items if item not in dropped]
    config.hook.pytest_deselected(items=list(dropped))
