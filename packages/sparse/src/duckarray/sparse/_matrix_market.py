"""Matrix Market files: read by SciPy, and refused where it reads what is malformed as well."""

import bz2
import gzip
import io
from collections.abc import Iterator
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io  # type: ignore[import-not-found,import-untyped,unused-ignore]

_BLOCK = 2**24
# SciPy 1.14 does not know it; newer ones warn without it.
_AS_ARRAY = {"spmatrix": False} if "spmatrix" in signature(scipy.io.mmread).parameters else {}
_DIGITS = np.isin(np.arange(256), np.frombuffer(b"0123456789", np.uint8))
_INTEGERS = _DIGITS | np.isin(np.arange(256), np.frombuffer(b"+-", np.uint8))


def read(source: Any) -> Any:
    """What SciPy reads from a path, compressed or not, or an open file.

    Raises:
        ValueError: if it is no Matrix Market file, by SciPy or by what it lets pass: numbers too
            many in a line, indices and integers with fractions, symmetries that cannot be.
    """
    content = _content(source)
    matrix = scipy.io.mmread(io.BytesIO(content), **_AS_ARRAY)
    problem = _problem(content, matrix)
    if problem is not None:
        raise ValueError(problem)
    return matrix


def _content(source: Any) -> bytes:
    if hasattr(source, "read"):
        text = source.read()
        return text.encode() if isinstance(text, str) else text
    path = Path(source)
    content = path.read_bytes()
    if path.suffix == ".gz":
        return gzip.decompress(content)
    return bz2.decompress(content) if path.suffix == ".bz2" else content


def _problem(content: bytes, matrix: Any) -> str | None:
    """What is wrong with a file of which SciPy made this matrix."""
    lines = io.BytesIO(content)
    layout, field, symmetry = lines.readline().decode().lower().split()[2:5]
    number, sizes = 2, lines.readline()
    while sizes.startswith(b"%") or not sizes.strip():
        number, sizes = number + 1, lines.readline()
    if symmetry != "general" and matrix.shape[0] != matrix.shape[1]:
        return f"it says {symmetry}, but has {matrix.shape[0]} rows and {matrix.shape[1]} columns"
    if symmetry == "hermitian" and field != "complex":
        return f"it says hermitian, but its numbers are {field}"
    if symmetry == "skew-symmetric" and np.any(matrix.diagonal()):
        return "it says skew-symmetric, but its diagonal is not zero"
    of_indices = 2 if layout == "coordinate" else 0
    count = of_indices + {"pattern": 0, "complex": 2}.get(field, 1)
    allowed = [_DIGITS] * of_indices
    if field in ("integer", "unsigned-integer"):
        allowed.append(_INTEGERS)
    for block in _blocks(lines):
        if not _is_well_formed(block, count, allowed):
            return _first_malformed(block, count, allowed, number)
        number += block.count(b"\n")
    return None


def _blocks(lines: Any) -> Iterator[bytes]:
    """The rest of a file, some whole lines at a time."""
    while block := lines.read(_BLOCK) + lines.readline():
        yield block


def _is_well_formed(block: bytes, count: int, allowed: list[Any]) -> bool:
    """Whether all words together are as many as they should, the first of each line of digits."""
    letters = np.frombuffer(block, np.uint8)
    inside = letters > ord(" ")
    begins = inside & np.concatenate([[True], ~inside[:-1]])
    ends_line = letters == ord("\n")
    words = np.cumsum(begins, dtype=np.int32)
    at_ends = np.append(words[ends_line], words[-1:])
    per_line = np.diff(at_ends, prepend=0)
    if ((per_line != count) & (per_line != 0)).any():
        return False
    column = (words - 1) % count if count else words
    return all(kind[letters[inside & (column == k)]].all() for k, kind in enumerate(allowed))


def _first_malformed(block: bytes, count: int, allowed: list[Any], before: int) -> str:
    for number, line in enumerate(block.split(b"\n"), before + 1):
        words = line.split()
        if words and not _is_well_formed(line, count, allowed):
            text = line.decode(errors="replace").strip()
            if len(words) != count:
                return f"line {number}, `{text}`, has {len(words)} numbers, not {count}"
            return f"line {number}, `{text}`, has a fraction where an integer should be"
    raise AssertionError  # the block is not well-formed
