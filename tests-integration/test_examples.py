"""The programs of the gallery run, check what they say, and draw their pictures."""

import importlib.util
import sys
from pathlib import Path

import jax
import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
GALLERY = (Path(__file__).parents[1] / "docs" / "gallery.md").read_text(encoding="utf-8")
# Whether a program runs in double precision, and what makes it short.
PROGRAMS = {
    "bigrams": (False, {}),
    "co2": (True, {"steps": 100}),
    "letters": (False, {"steps": 12}),
    "noisy_digits": (False, {}),
    "orbits": (True, {}),
    "pagerank": (False, {"pages": 3000}),
    "ridge": (False, {"steps": 10}),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_runs_and_draws_its_picture(name, monkeypatch, tmp_path, capsys):
    x64, options = PROGRAMS[name]
    monkeypatch.syspath_prepend(str(EXAMPLES))
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    with jax.enable_x64(x64):
        spec.loader.exec_module(module)
        module.main(tmp_path / "picture.svg", **options)
    assert len(capsys.readouterr().out.splitlines()) > 3
    assert (tmp_path / "picture.svg").read_text("utf-8").startswith("<svg")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_short_and_shown_in_the_gallery(name):
    lines = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 130
    assert f'--8<-- "examples/{name}.py"' in GALLERY
    assert f"(pictures/{name}.svg)" in GALLERY
    assert (PICTURES / f"{name}.svg").is_file()
