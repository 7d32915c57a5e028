"""Matrix Market files: all variants as SciPy reads them, and what is malformed is refused."""

import bz2
import gzip
import io

import numpy as np
import pytest
import scipy.io

from duckarray import sparse

pytestmark = [pytest.mark.any_jax, pytest.mark.filterwarnings("ignore:.*`spmatrix`")]


def _text(header, *lines):
    return "\n".join([f"%%MatrixMarket matrix {header}", *lines, ""]).encode()


def _by_scipy(source):
    read = scipy.io.mmread(source)
    return read if isinstance(read, np.ndarray) else read.toarray()


REAL = "coordinate real general"
# What each file says, written out by hand.
FILES = {
    REAL: (["% a remark", "2 3 2", "2 1 4.5", "1 3 -1e2"], [[0, 0, -100], [4.5, 0, 0]]),
    "coordinate integer general": (["1 2 1", "1 2 -7"], [[0, -7]]),
    "coordinate complex general": (["1 2 1", "1 1 2.0 -3.0"], [[2 - 3j, 0]]),
    "coordinate pattern general": (["2 2 2", "1 2", "2 1"], [[0, 1], [1, 0]]),
    "coordinate real symmetric": (["2 2 2", "1 1 5", "2 1 4"], [[5, 4], [4, 0]]),
    "coordinate pattern symmetric": (["2 2 1", "2 1"], [[0, 1], [1, 0]]),
    "coordinate integer skew-symmetric": (["2 2 1", "2 1 3"], [[0, -3], [3, 0]]),
    "coordinate complex hermitian": (["2 2 1", "2 1 1 2"], [[0, 1 - 2j], [1 + 2j, 0]]),
    "coordinate complex symmetric": (["2 2 1", "2 1 1 2"], [[0, 1 + 2j], [1 + 2j, 0]]),
    "array real general": (["2 2", "1", "2", "0", "4"], [[1, 0], [2, 4]]),
    "array complex general": (["1 1", "1 2"], [[1 + 2j]]),
    "array real symmetric": (["2 2", "1", "2", "4"], [[1, 2], [2, 4]]),
    "array real skew-symmetric": (["2 2", "2"], [[0, -2], [2, 0]]),
    "coordinate real general ": (["0 3 0"], np.zeros((0, 3))),
    " coordinate real general": (["2 2 0"], np.zeros((2, 2))),
}


@pytest.mark.parametrize("header", FILES)
def test_a_file_is_read_as_it_says_and_as_scipy_reads_it(header):
    lines, want = FILES[header]
    content = _text(header.strip(), *lines)
    got = sparse.mmread(io.BytesIO(content))
    np.testing.assert_array_equal(got.to_dense(), want)
    np.testing.assert_array_equal(got.to_dense(), _by_scipy(io.BytesIO(content)))


ONE = "1 1 1.0"
MALFORMED = {
    "nothing": (b"", "line 1"),
    "no header": (b"2 2 1\n1 1 1.0\n", "line 1"),
    "another name": (b"%%MatrixMarkt matrix coordinate real general\n2 2 0\n", "line 1"),
    "another object": (b"%%MatrixMarket vector coordinate real general\n2 2 1\n1 1 1\n", "length"),
    "another layout": (_text("cordinate real general", "2 2 1", ONE), "element: cord"),
    "another field": (_text("coordinate rational general", "2 2 1", ONE), "element: rati"),
    "another symmetry": (_text("coordinate real triangular", "2 2 1", ONE), "element: tria"),
    "a short header": (_text("coordinate", "2 2 1", ONE), "element: "),
    "no sizes": (_text(REAL)[:-1], "line 2"),
    "too few sizes": (_text(REAL, "2 2", ONE), "invalid integer"),
    "sizes in words": (_text(REAL, "two 2 1", ONE), "invalid integer"),
    "a negative size": (_text(REAL, "-2 2 1", ONE), "negative"),
    "a negative count": (_text(REAL, "2 2 -1", ONE), "negative"),
    "a size with a fraction": (_text(REAL, "2.5 2 1", ONE), "invalid integer"),
    "fewer entries": (_text(REAL, "2 2 2", ONE), "truncated"),
    "more entries": (_text(REAL, "2 2 1", ONE, ONE), "line 4"),
    "a row below the last": (_text(REAL, "2 2 1", "3 1 1.0"), "line 3: row"),
    "a column after the last": (_text(REAL, "2 2 1", "1 3 1.0"), "line 3: column"),
    "row zero": (_text(REAL, "2 2 1", "0 1 1.0"), "line 3: row"),
    "column zero": (_text(REAL, "2 2 1", "1 0 1.0"), "line 3: column"),
    "a negative row": (_text(REAL, "2 2 1", "-1 1 1.0"), "line 3: row"),
    "an index in words": (_text(REAL, "2 2 1", "1 one 1.0"), "line 3: invalid"),
    "an index with a fraction": (_text(REAL, "2 2 1", "1 1.5 1.0"), "line 3.*fraction"),
    "an entry in words": (_text(REAL, "2 2 1", "1 1 one"), "line 3: invalid"),
    "an index without an entry": (_text(REAL, "2 2 1", "1 1"), "line 3: invalid"),
    "cut within a line": (_text(REAL, "2 2 2", ONE, "2 2")[:-1], "line 4: invalid"),
    "a number too many": (_text(REAL, "2 2 2", ONE, "2 2 1.0 5.0"), "line 4.* 4 numbers, not 3"),
    "half a complex number": (_text("coordinate complex general", "2 2 1", ONE), "line 3"),
    "an entry in a pattern": (_text("coordinate pattern general", "2 2 1", ONE), "line 3.*not 2"),
    "an integer with a fraction": (_text("coordinate integer general", "2 2 1", "1 1 1.5"), "fra"),
    "an integer too large": (_text("coordinate integer general", "1 1 1", "1 1 " + "9" * 30), "3:"),
    "an array too short": (_text("array real general", "2 2", "1", "2", "3"), "truncated"),
    "an array too long": (_text("array real general", "1 1", "1", "2"), "too many"),
    "an array of a pattern": (_text("array pattern general", "1 1", "1"), "pattern"),
    "symmetric, not square": (_text("coordinate real symmetric", "2 3 1", "2 1 1"), "2 rows and 3"),
    "hermitian, but real": (_text("coordinate real hermitian", "2 2 1", "2 1 1"), "numbers are"),
    "skew, with a diagonal": (_text("coordinate real skew-symmetric", "1 1 1", ONE), "diagonal"),
    "no text": (bytes(range(1, 32)), "line 1"),
    "too large": (_text(REAL, "3000000000 2 1", ONE), "32 bits"),
}


@pytest.mark.parametrize("kind", MALFORMED)
def test_a_malformed_file_is_refused(kind):
    content, why = MALFORMED[kind]
    advice = r"shape=\(" if kind == "too large" else "%%MatrixMarket matrix"
    with pytest.raises(ValueError, match=rf"(?is){why}.*\n.*{advice}"):
        sparse.mmread(io.BytesIO(content))


def test_a_long_file_is_checked_in_blocks(monkeypatch):
    monkeypatch.setattr("duckarray.sparse._matrix_market._BLOCK", 64)
    n = 100
    lines = [f"{i} {i} {i}.5" for i in range(1, n + 1)]
    got = sparse.mmread(io.BytesIO(_text(REAL, f"{n} {n} {n}", *lines)))
    np.testing.assert_array_equal(got.data, np.arange(1, n + 1) + 0.5)
    lines[90] = "91 91.5 7"
    with pytest.raises(ValueError, match=r"line 93, `91 91\.5 7`"):
        sparse.mmread(io.BytesIO(_text(REAL, f"{n} {n} {n}", *lines)))


def test_paths_compressed_files_and_text(tmp_path):
    content = _text(REAL, "2 2 1", "2 1 4.0")
    (tmp_path / "a.mtx").write_bytes(content)
    (tmp_path / "a.mtx.gz").write_bytes(gzip.compress(content))
    (tmp_path / "a.mtx.bz2").write_bytes(bz2.compress(content))
    for file in (*tmp_path.iterdir(), str(tmp_path / "a.mtx"), io.StringIO(content.decode())):
        np.testing.assert_array_equal(sparse.mmread(file).to_dense(), [[0, 0], [4, 0]])
    with pytest.raises(FileNotFoundError):
        sparse.mmread(tmp_path / "b.mtx")


def test_what_is_written_is_what_scipy_reads(tmp_path):
    a = sparse.from_dense(np.array([[0, 1 - 2j], [3, 0], [0, 0]], "complex64"))
    sparse.mmwrite(tmp_path / "a.mtx", a)
    np.testing.assert_array_equal(_by_scipy(tmp_path / "a.mtx"), a.to_dense())
    np.testing.assert_array_equal(sparse.mmread(tmp_path / "a.mtx").to_dense(), a.to_dense())


def test_an_archive_damaged_at_any_byte_is_an_error_or_loads_as_it_was():
    a = sparse.from_dense(np.array([[1.0, 0, 2], [0, 0, 3]], "float32"))
    file = io.BytesIO()
    sparse.save_npz(file, a)
    whole, refused = file.getvalue(), 0
    for at in range(0, len(whole), 5):
        damaged = bytearray(whole)
        damaged[at] ^= 0x55
        try:
            got = sparse.load_npz(io.BytesIO(damaged))
        except ValueError:
            refused += 1
            continue
        assert got.dtype == a.dtype
        np.testing.assert_array_equal(got.to_dense(), [[1, 0, 2], [0, 0, 3]])
    assert refused > len(whole) // 10
    with pytest.raises(ValueError, match=r"cannot read the file[\s\S]*Write it anew"):
        sparse.load_npz(io.BytesIO(whole[:-30]))


class _Runs:
    """Pickled, it is a program."""

    def __reduce__(self):
        return pytest.fail, ("what an archive says was run",)


@pytest.mark.parametrize("name", ["data", "indices", "format"])
def test_a_program_in_an_archive_is_refused_and_not_run(name):
    parts = {"format": "csr", "data": [1.0], "indices": [0], "indptr": [0, 1], "shape": [1, 1]}
    file = io.BytesIO()
    np.savez(file, **{**parts, name: np.array([_Runs()], dtype=object)})
    with pytest.raises(ValueError, match="Object arrays cannot be loaded"):
        sparse.load_npz(io.BytesIO(file.getvalue()))
