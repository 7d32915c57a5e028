import subprocess

import pytest
from release_plan import ReleaseError, plan, require_ancestor


def test_a_tag_releases_its_package_with_the_first_section_of_the_changelog(repository):
    what = plan("lora-v0.3.0", repository)
    assert what.outputs() == "package=lora\nversion=0.3.0\nfolder=packages/lora"
    assert what.notes == "- A new thing.\n\n### Details\n\nMore."


@pytest.mark.parametrize("tag", ["v0.2.0", "core-0.2.0", "core-v0.2", "core-v0.2.0\nx=y", "a b"])
def test_a_tag_of_another_form_is_refused(repository, tag):
    with pytest.raises(ReleaseError, match=r"should look like `core-v0\.3\.0`"):
        plan(tag, repository)


def test_a_tag_of_no_package_is_refused(repository):
    with pytest.raises(ReleaseError, match="there is no `packages/named`"):
        plan("named-v0.2.0", repository)


def test_a_tag_of_another_version_is_refused(repository):
    with pytest.raises(ReleaseError, match=r"core/pyproject\.toml`, which says version 0\.2\.0"):
        plan("core-v0.3.0", repository)


@pytest.mark.parametrize(
    ("changelog", "complaint"),
    [
        ("# Changelog\n", r"has no section `## 0\.2\.0`"),
        ("## 0.3.0\n\nNew.\n\n## 0.2.0\n\nOld.\n", r"should start with `## 0\.2\.0`, not 0\.3\.0"),
        ("## 0.2.0\n\n## 0.1.0\n\nOld.\n", r"says nothing about 0\.2\.0"),
        ("## 0.2.01\n\nNew.\n", r"has no section `## 0\.2\.0`"),
    ],
)
def test_a_changelog_that_does_not_tell_of_the_version_is_refused(repository, changelog, complaint):
    (repository["core"].folder / "CHANGELOG.md").write_text(changelog)
    with pytest.raises(ReleaseError, match=complaint):
        plan("core-v0.2.0", repository)


def test_a_commit_that_is_not_merged_is_refused(tmp_path):
    def git(*arguments: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init", "--initial-branch=main")
    git("commit", "--allow-empty", "--message=merged")
    git("tag", "core-v0.1.0")
    git("checkout", "-b", "other")
    git("commit", "--allow-empty", "--message=not merged")
    git("tag", "core-v0.2.0")

    require_ancestor("core-v0.1.0", "main", tmp_path)
    with pytest.raises(ReleaseError, match=r"`core-v0\.2\.0` is not on `main`"):
        require_ancestor("core-v0.2.0", "main", tmp_path)
