import pytest
from affected import affected, matrix

EVERY = {"core", "lora", "quant", "zeros"}


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ([], set()),
        (["packages/zeros/src/duckarray/zeros/_value.py"], {"zeros"}),
        (["packages/lora/tests/test_rules.py"], {"lora", "quant"}),
        (["packages/core/README.md"], EVERY),
        (["packages/zeros/README.md", "packages/quant/CHANGELOG.md"], {"zeros", "quant"}),
        (["docs/index.md", "README.md", "mkdocs.yml", "tests-integration/test_a.py"], set()),
        (["docs/index.md", "packages/zeros/pyproject.toml"], {"zeros"}),
        (["template/page.md", "tools/new_package.py"], set()),
        (["noxfile.py"], EVERY),
        (["pyproject.toml"], EVERY),
        ([".github/workflows/ci.yml"], EVERY),
        (["tools/monorepo.py"], EVERY),
        (["packages/removed/src/duckarray/removed/_value.py"], EVERY),
        (["a-new-file"], EVERY),
    ],
)
def test_a_change_affects_what_it_touches_and_what_depends_on_it(repository, paths, expected):
    assert affected(paths, repository) == expected


def test_the_matrix_keeps_the_sessions_of_the_affected_packages_on_one_device():
    sessions = [
        {
            "session": f"tests(3.11, {device}, latest, {package})",
            "python": "3.11",
            "call_spec": {"device": device, "package": package},
        }
        for device in ("cpu", "cuda")
        for package in ("core", "zeros")
    ]
    assert matrix(sessions, {"zeros"}, "cuda") == {
        "include": [{"session": "tests(3.11, cuda, latest, zeros)", "python": "3.11"}]
    }
    assert matrix(sessions, set(), "cpu") == {"include": []}
