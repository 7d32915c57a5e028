import pytest
from monorepo import distribution, packages, sibling


def test_the_folders_are_the_list_of_packages(repository):
    assert list(repository) == ["core", "lora", "quant", "zeros"]


def test_pythons_are_sorted_as_versions_not_as_text(repository):
    assert repository["core"].pythons == ["3.9", "3.11"]


def test_siblings_are_found_in_dependencies_and_in_groups_however_spelled(repository):
    assert {name: package.siblings for name, package in repository.items()} == {
        "core": set(),
        "lora": {"core"},
        "quant": {"lora"},
        "zeros": {"core"},
    }


def test_an_included_group_is_part_of_the_group(repository):
    assert repository["quant"].group("test") == ["pytest>=9", "duckarray-lora>=0.3.0"]
    assert repository["quant"].group("no such group") == []


@pytest.mark.parametrize("text", ["jax[cuda13]>=0.10", "jax", "JAX ; python_version > '3'"])
def test_the_name_ends_where_extras_bounds_or_markers_begin(text):
    assert distribution(text) == "jax"
    assert sibling(text) is None


def test_something_without_a_name_is_refused():
    with pytest.raises(ValueError, match="is not a requirement"):
        distribution(">=1.0")


def test_the_packages_of_this_repository_are_named_after_their_folders():
    for name, package in packages().items():
        assert package.settings["project"]["name"] == f"duckarray-{name}"
        assert package.pythons, "the classifiers say which Pythons are tested"
        assert package.settings["project"]["requires-python"] == f">={package.pythons[0]}"
