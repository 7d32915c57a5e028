"""Files of GGUF, written here block by block, against a dequantization in plain Python."""

import struct

import jax.numpy as jnp
import numpy as np
import pytest

from duckarray.core import materialize, quaxify
from duckarray.quant import FileFormatError, QuantArray, load_gguf

pytestmark = pytest.mark.any_jax

SIZES = {
    "Q4_0": (2, 32, 18),
    "Q4_1": (3, 32, 20),
    "Q5_0": (6, 32, 22),
    "Q5_1": (7, 32, 24),
    "Q8_0": (8, 32, 34),
    "Q2_K": (10, 256, 84),
    "Q3_K": (11, 256, 110),
    "Q4_K": (12, 256, 144),
    "Q5_K": (13, 256, 176),
    "Q6_K": (14, 256, 210),
    "IQ4_NL": (20, 32, 18),
    "MXFP4": (39, 32, 17),
}
HALVES = {  # where the numbers of half precision are in a block
    "Q4_0": (0,),
    "Q4_1": (0, 2),
    "Q5_0": (0,),
    "Q5_1": (0, 2),
    "Q8_0": (0,),
    "Q2_K": (80, 82),
    "Q3_K": (108,),
    "Q4_K": (0, 2),
    "Q5_K": (0, 2),
    "Q6_K": (208,),
    "IQ4_NL": (0,),
    "MXFP4": (),
}
IQ4_NL = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113]
E2M1 = [0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6]


def half(b, at):
    return float(np.frombuffer(bytes(b[at : at + 2]), "<f2")[0])


def signed(byte):
    return byte - 256 if byte > 127 else byte


def k_scale(s, j):
    """The scale and the least number of block `j`, six bits each."""
    if j < 4:
        return s[j] & 63, s[j + 4] & 63
    return (s[j + 4] & 15) | (s[j - 4] >> 6 << 4), (s[j + 4] >> 4) | (s[j] >> 6 << 4)


def entry(kind, b, i):
    """Entry `i` of a block, as the description of the format says."""
    if kind in ("Q4_0", "IQ4_NL", "Q4_1", "Q5_0", "Q5_1", "MXFP4"):
        start = {"Q4_1": 4, "Q5_0": 6, "Q5_1": 8, "MXFP4": 1}.get(kind, 2)
        q = b[start + i % 16] >> (4 * (i // 16)) & 15
        if kind in ("Q5_0", "Q5_1"):
            q |= (int.from_bytes(bytes(b[start - 4 : start]), "little") >> i & 1) << 4
        if kind == "MXFP4":
            return E2M1[q] * 2.0 ** (b[0] - 127)
        if kind in ("Q4_1", "Q5_1"):
            return half(b, 0) * q + half(b, 2)
        return half(b, 0) * {"Q4_0": q - 8, "Q5_0": q - 16, "IQ4_NL": IQ4_NL[q % 16]}[kind]
    if kind == "Q8_0":
        return half(b, 0) * signed(b[2 + i])
    part, j, lane = i // 128, i % 128 // 32, i % 32
    if kind == "Q2_K":
        q, s = b[16 + 32 * part + lane] >> (2 * j) & 3, b[i // 16]
        return half(b, 80) * (s & 15) * q - half(b, 82) * (s >> 4)
    if kind == "Q3_K":
        q = (b[32 + 32 * part + lane] >> (2 * j) & 3) - (0 if b[lane] >> (i // 32) & 1 else 4)
        s, g = b[96:108], i // 16
        scale = (s[g % 8] >> (4 * (g // 8)) & 15) | (s[8 + g % 4] >> (2 * (g // 4)) & 3) << 4
        return half(b, 108) * (scale - 32) * q
    if kind in ("Q4_K", "Q5_K"):
        qs = b[16:] if kind == "Q4_K" else b[48:]
        block = i // 32
        q = qs[32 * (block // 2) + lane] >> (4 * (block % 2)) & 15
        if kind == "Q5_K":
            q |= (b[16 + lane] >> block & 1) << 4
        scale, least = k_scale(b[4:16], block)
        return half(b, 0) * scale * q - half(b, 2) * least
    low = b[64 * part + 32 * (j % 2) + lane] >> (4 * (j // 2)) & 15
    high = b[128 + 32 * part + lane] >> (2 * j) & 3
    return half(b, 208) * signed(b[192 + i // 16]) * ((low | high << 4) - 32)


def random_blocks(kind, count, seed=0):
    rng = np.random.default_rng(seed)
    blocks = rng.integers(0, 256, (count, SIZES[kind][2]), dtype="uint8")
    for at in HALVES[kind]:
        numbers = rng.uniform(0.01, 1, count).astype("<f2")
        blocks[:, at : at + 2] = numbers[:, None].view("uint8")
    if kind == "MXFP4":
        blocks[:, 0] = rng.integers(120, 130, count)
    return blocks


def text(s):
    return struct.pack("<Q", len(s)) + s.encode()


def file_of(tensors, keys=(), version=3, alignment=32):
    """The bytes of a file; `tensors` are names, shapes, numbers of types, and bytes."""
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(keys))
    for key, kind, value in keys:
        head += text(key) + struct.pack("<I", kind) + value
    data = b""
    for name, shape, kind, raw in tensors:
        head += text(name) + struct.pack("<I", len(shape))
        head += b"".join(struct.pack("<Q", n) for n in shape[::-1])
        head += struct.pack("<IQ", kind, len(data))
        data += raw + b"\0" * (-len(raw) % alignment)
    return head + b"\0" * (-len(head) % alignment) + data


def load(tmp_path, raw):
    path = tmp_path / "m.gguf"
    path.write_bytes(raw)
    return load_gguf(path)


@pytest.mark.parametrize("kind", SIZES)
def test_every_block_format_is_read_as_it_is_described(kind, tmp_path):
    number, block, _ = SIZES[kind]
    shape = (3, 2 * block)
    blocks = random_blocks(kind, 6)
    params, _ = load(tmp_path, file_of([("w", shape, number, blocks.tobytes())]))
    want = [[entry(kind, b.tolist(), i) for i in range(block)] for b in blocks]
    got = params["w"]
    assert isinstance(got, QuantArray)
    assert got.shape == shape
    np.testing.assert_allclose(materialize(got), np.reshape(want, shape), rtol=1e-6, atol=1e-6)
    x = np.linspace(-1, 1, shape[1]).astype("float32")
    np.testing.assert_allclose(
        quaxify(jnp.dot)(got, x), np.reshape(want, shape) @ x, rtol=1e-4, atol=1e-4
    )


def test_stacks_vectors_plain_tensors_and_metadata(tmp_path):
    blocks = random_blocks("Q4_0", 8)
    floats = np.arange(6, dtype="<f4")
    keys = [
        ("name", 8, text("a model")),
        ("count", 4, struct.pack("<I", 7)),
        ("tokens", 9, struct.pack("<IQ", 8, 2) + text("a") + text("b")),
        ("scores", 9, struct.pack("<IQ", 6, 2) + struct.pack("<ff", 0.5, 1.5)),
    ]
    tensors = [
        ("stack", (2, 2, 64), 2, blocks.tobytes()),
        ("vector", (64,), 2, blocks[:2].tobytes()),
        ("floats", (2, 3), 0, floats.tobytes()),
        ("bf16", (2,), 30, np.array([1.0, -2.0], "<f4").view("<u2")[1::2].tobytes()),
    ]
    params, metadata = load(tmp_path, file_of(tensors, keys))
    want = np.array([[entry("Q4_0", b.tolist(), i) for i in range(32)] for b in blocks])
    np.testing.assert_allclose(materialize(params["stack"]).reshape(8, 32), want, rtol=1e-6)
    np.testing.assert_allclose(materialize(params["vector"]).reshape(2, 32), want[:2], rtol=1e-6)
    np.testing.assert_array_equal(params["floats"], floats.reshape(2, 3))
    np.testing.assert_array_equal(np.asarray(params["bf16"], "float32"), [1.0, -2.0])
    assert metadata == {"name": "a model", "count": 7, "tokens": ["a", "b"], "scores": [0.5, 1.5]}


GOOD = file_of([("w", (2, 32), 2, random_blocks("Q4_0", 2).tobytes())])


def test_a_file_cut_off_anywhere_is_an_error_with_the_place(tmp_path):
    for n in range(len(GOOD) - 28):  # what follows fills up the last tensor
        with pytest.raises(FileFormatError, match=r"m\.gguf[\s\S]*again") as caught:
            load(tmp_path, GOOD[:n])
        if n == len(GOOD) - 30:
            assert caught.value.tensor == "w"
            assert caught.value.offset == len(GOOD) - 64


def test_a_head_damaged_at_any_byte_is_an_error_or_says_something_else(tmp_path):
    keys = [("tokens", 9, struct.pack("<IQ", 8, 1) + text("a")), ("n", 4, struct.pack("<I", 7))]
    raw = file_of([("w", (16, 32), 2, random_blocks("Q4_0", 16).tobytes())], keys)
    want, about = load(tmp_path, raw)
    refused = 0
    for at in range(len(raw) - 288):
        for bit in (1, 128):
            try:
                got, other = load(tmp_path, raw[:at] + bytes([raw[at] ^ bit]) + raw[at + 1 :])
            except FileFormatError:
                refused += 1
                continue
            # What no reader can see: other text, another number, blanks before the tensors.
            (w,) = got.values()
            np.testing.assert_array_equal(w.codes, want["w"].codes)
            assert len(other) == len(about)
    assert refused > 100


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"GGML" + GOOD[4:], r"begins with b'GGML'"),
        (GOOD[:4] + struct.pack("<I", 9) + GOOD[8:], r"version 9"),
        (GOOD[:8] + struct.pack("<Q", 1 << 60) + GOOD[16:], r"claims to hold .* tensors"),
        (file_of([("w", (2, 31), 2, b"0" * 36)]), r"`w`[\s\S]*multiples of 32"),
        (file_of([("w", (2, 32), 99, b"0" * 36)]), r"type 99[\s\S]*Q4_K"),
        (file_of([("w", (2, 32), 2, b"\xff" * 36)]), r"`w`: it has scales that are not finite"),
        (file_of([("w", (1,), 0, b"0000"), ("w", (1,), 0, b"0000")]), r"two of this name"),
        (file_of([], [("k", 77, b"")]), r"`k` has the unknown type 77"),
        (file_of([], [("k", 9, struct.pack("<IQ", 9, 1))]), r"`k` has the unknown type 9"),
        (file_of([], [("general.alignment", 4, struct.pack("<I", 24))]), r"24, which is no power"),
        (GOOD[:8] + struct.pack("<Q", 0) + GOOD[16:], r"belong to no tensor"),
        (GOOD + b"0" * 32, r"belong to no tensor"),
        (GOOD.replace(struct.pack("<IQ", 2, 0), struct.pack("<IQ", 2, 8)), r"`w`[\s\S]*said to be"),
        (file_of([], [("k", 8, struct.pack("<Q", 2) + b"\xff\xfe")]), r"`k` is not text"),
    ],
)
def test_a_corrupt_file_is_an_error_that_says_what_is_wrong(raw, text, tmp_path):
    with pytest.raises(FileFormatError, match=text):
        load(tmp_path, raw)
