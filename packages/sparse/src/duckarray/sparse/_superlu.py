"""SuperLU on the host: factors in a table of the most recent ones, found by a hash."""

import hashlib
import threading
from collections import OrderedDict
from typing import Any

import numpy as np
import scipy.sparse  # type: ignore[import-not-found,import-untyped,unused-ignore]
from scipy.sparse.linalg import splu  # type: ignore[import-not-found,import-untyped,unused-ignore]

from ._pattern import Pattern

MOST_FACTORS = 16
_lock = threading.Lock()
_factors: OrderedDict[Any, Any] = OrderedDict()
factorisations = [0]  # how many were made since the start


def factorise(pattern: Pattern, data: Any) -> Any:
    """Factorises and returns the hash by which the factors are found."""
    data = np.asarray(data)
    key = _key(pattern, data)
    _found(pattern, data, key)
    return np.frombuffer(key, np.uint32).copy()


def solve(pattern: Pattern, transposed: bool, token: Any, data: Any, b: Any) -> Any:
    """Solves for `b`, `[*batch, n]` or `[*batch, n, k]`, whose batch axes others may lack."""
    token, data, b = np.asarray(token), np.asarray(data), np.asarray(b)
    lead = data.ndim - 1
    if not lead:
        return _solve(pattern, token, data, b, transposed)
    batch = np.broadcast_shapes(data.shape[:-1], b.shape[:lead])
    rest = b.shape[lead:]
    if all(n == 1 for n in data.shape[:-1]):  # one matrix, many right-hand sides
        columns = np.moveaxis(b.reshape(-1, *rest), 0, -1).reshape(rest[0], -1)
        out = _solve(pattern, token.reshape(-1), data.reshape(-1), columns, transposed)
        out = np.moveaxis(out.reshape(*rest, -1), -1, 0)
        return np.broadcast_to(out.reshape(*b.shape[:lead], *rest), (*batch, *rest)).copy()
    data = np.broadcast_to(data, (*batch, data.shape[-1])).reshape(-1, data.shape[-1])
    token = np.broadcast_to(token, (*batch, 2)).reshape(-1, 2)
    b = np.broadcast_to(b, (*batch, *rest)).reshape(-1, *rest)
    each = [_solve(pattern, *one, transposed) for one in zip(token, data, b, strict=True)]
    return np.stack(each).reshape(*batch, *rest) if each else np.zeros((*batch, *rest), b.dtype)


def slogdet(pattern: Pattern, data: Any) -> Any:
    """Sign and logarithm of the absolute value of the determinant."""
    data = np.asarray(data)
    lu = _found(pattern, data, _key(pattern, data))
    real = np.zeros((), data.dtype).real.dtype
    if not pattern.shape[0]:  # the empty product
        return np.ones((), data.dtype), np.zeros((), real)
    if lu is None:
        return np.zeros((), data.dtype), np.asarray(-np.inf, real)
    diagonal = lu.U.diagonal()
    signs = diagonal / np.abs(diagonal)
    parity = _parity(lu.perm_r) * _parity(lu.perm_c)
    sign = np.prod(signs) * parity
    return np.asarray(sign, data.dtype), np.asarray(np.log(np.abs(diagonal)).sum(), real)


def inverse_entries(pattern: Pattern, data: Any) -> Any:
    """For each stored place `(i, j)` the entry `(j, i)` of the inverse."""
    data = np.asarray(data)
    rows, cols = pattern.indices
    lu = _found(pattern, data, _key(pattern, data))
    out = np.full(data.shape, np.nan, data.dtype)
    if lu is None:
        return out
    n = pattern.shape[0]
    starts = pattern.indptr
    step = max(1, 2**22 // max(n, 1))
    for first in range(0, n, step):  # columns of the inverse, a block at a time
        last = min(first + step, n)
        unit = np.zeros((n, last - first), data.dtype)
        unit[np.arange(first, last), np.arange(last - first)] = 1
        block = lu.solve(unit)
        part = slice(starts[first], starts[last])
        out[part] = block[cols[part], rows[part] - first]
    return out


def _solve(pattern: Pattern, token: Any, data: Any, b: Any, transposed: bool) -> Any:
    lu = _found(pattern, data, np.ascontiguousarray(token, np.uint32).tobytes())
    if lu is None:
        return np.full_like(b, np.nan)
    if not b.size:
        return b.copy()
    return lu.solve(np.ascontiguousarray(b), "T" if transposed else "N").astype(b.dtype)


def _key(pattern: Pattern, data: Any) -> bytes:
    digest = hashlib.blake2b(pattern.digest + data.dtype.char.encode(), digest_size=8)
    digest.update(np.ascontiguousarray(data).data)
    return digest.digest()


def _found(pattern: Pattern, data: Any, key: bytes) -> Any:
    """The factors, or None of a singular matrix."""
    with _lock:
        if key in _factors:
            _factors.move_to_end(key)
            return _factors[key]
    parts = (data, pattern.indices[1], pattern.indptr)
    matrix = scipy.sparse.csr_array(parts, shape=pattern.shape).tocsc()
    try:
        lu = splu(matrix) if matrix.shape[0] else None
    except RuntimeError as error:
        if "singular" not in str(error):
            raise
        lu = None
    with _lock:
        factorisations[0] += 1
        _factors[key] = lu
        while len(_factors) > MOST_FACTORS:
            _factors.popitem(last=False)
    return lu


def _parity(permutation: Any) -> int:
    seen = np.zeros(len(permutation), bool)
    even = True
    for start in range(len(permutation)):
        i, length = start, 0
        while not seen[i]:
            seen[i] = True
            i, length = permutation[i], length + 1
        even ^= length > 0 and length % 2 == 0
    return 1 if even else -1
