"""The example of the README does what it says."""

import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"
ACCURACIES = re.compile(r"(\d+)% before, (\d+)% after")


def test_the_example_prints_what_the_readme_says(capsys):
    text = README.read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (promised,) = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    exec(compile(program, str(README), "exec"), {})
    printed = capsys.readouterr().out
    assert printed.splitlines()[0] == promised.splitlines()[0]
    (said,), (is_so,) = ACCURACIES.findall(promised), ACCURACIES.findall(printed)
    # The last digit depends on the processor.
    assert abs(int(said[0]) - int(is_so[0])) <= 5
    assert abs(int(said[1]) - int(is_so[1])) <= 4
