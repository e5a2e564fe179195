"""What callers pass, as arrays that C++ takes. Every refusal is a ValueError or TypeError that names the argument."""
from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    import scipy.sparse

Floats: TypeAlias = NDArray[np.float64]
Vector: TypeAlias = "Sequence[float] | NDArray[Any]"
#: A scipy sparse matrix or array of any format, or a dense array.
MatrixLike: TypeAlias = "scipy.sparse.sparray | scipy.sparse.spmatrix | ArrayLike"
#: rows, columns, edge of a block (1 or 3), indptr, indices, data
Csr: TypeAlias = tuple[int, int, int, NDArray[np.int32], NDArray[np.int32], Floats]


def scipy_sparse() -> Any:
    try:
        import scipy.sparse
    except ImportError as error:
        raise ImportError("sparse matrices are scipy's: pip install scipy") from error
    return scipy.sparse


def array(name: str, value: Any, shape: tuple[int | None, ...] | None = None) -> Floats:
    """Contiguous float64; shape entries of None are free."""
    try:
        result = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    if result.dtype.kind not in "fiub":
        raise TypeError(f"{name}: numbers are needed, got {result.dtype}")
    result = np.ascontiguousarray(result, dtype=np.float64) if result.ndim else np.array(float(result))
    if shape is not None:
        fits = result.ndim == len(shape) and all(s in (None, n) for s, n in zip(shape, result.shape))
        if not fits:
            wanted = "(" + ", ".join("n" if s is None else str(s) for s in shape) + ("," if len(shape) == 1 else "") + ")"
            raise ValueError(f"{name}: shape {result.shape}, needed {wanted}")
    return result


def finite(name: str, value: Any, shape: tuple[int | None, ...] | None = None) -> Floats:
    result = array(name, value, shape)
    if not np.isfinite(result).all():
        raise ValueError(f"{name}: holds NaN or infinity")
    return result


def number(name: str, value: Any) -> float:
    try:
        result = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: a number is needed, got {value!r}") from None
    if np.isnan(result):
        raise ValueError(f"{name}: is NaN")
    return result


def integer(name: str, value: Any, least: int = -(2**31), most: int = 2**31 - 1) -> int:
    try:
        result = int(value.__index__())
    except AttributeError:
        raise TypeError(f"{name}: an integer is needed, got {value!r}") from None
    if not least <= result <= most:
        raise ValueError(f"{name}: {result} is not in [{least}, {most}]")
    return result


def items(name: str, values: Any) -> list[Any]:
    try:
        return list(values)
    except Exception:
        raise TypeError(f"{name}: a list is needed, got {values!r}") from None


def integers(name: str, values: Any, least: int = -(2**31), most: int = 2**31 - 1) -> list[int]:
    return [integer(name, item, least, most) for item in items(name, values)]


def text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name}: a text is needed, got {value!r}")
    if "\0" in value:
        raise ValueError(f"{name}: holds a zero character")
    return value


def path(name: str, value: Any) -> str:
    """Of a file; bytes are no path here."""
    try:
        given = os.fspath(value)
    except TypeError:
        raise TypeError(f"{name}: a path is needed, got {value!r}") from None
    return text(name, given)


def vec3(name: str, value: Any) -> tuple[float, float, float]:
    return tuple(finite(name, value, (3,)).tolist())


def quaternion(name: str, value: Any) -> tuple[float, float, float, float]:
    q = finite(name, value, (4,))
    length = float(np.linalg.norm(q))
    if not 0 < length < np.inf:
        raise ValueError(f"{name}: {q.tolist()} is no quaternion (w, x, y, z) that can be scaled to 1")
    return tuple(q.tolist() if abs(length - 1) < 1e-9 else (q / length).tolist())


def _indices(name: str, value: NDArray[Any]) -> NDArray[np.int32]:
    if value.dtype != np.int32 and value.size and (value.max() > np.iinfo(np.int32).max or value.min() < 0):
        raise ValueError(f"{name}: indices beyond int32, which nsn uses")
    return np.ascontiguousarray(value, dtype=np.int32)


def _whole(name: str, S: Any) -> None:
    """scipy's own routines trust the arrays of a matrix and write beyond them if they are broken."""
    if S.format == "coo":
        for k, edge in zip(S.coords if hasattr(S, "coords") else (S.row, S.col), S.shape):
            if len(k) != len(S.data) or (len(k) and not 0 <= k.min() <= k.max() < edge):
                raise ValueError(f"{name}: an index is outside of its {S.shape[0]} x {S.shape[1]} entries")
    elif S.format in ("csr", "csc", "bsr"):
        block = S.blocksize if S.format == "bsr" else (1, 1)
        major = 1 if S.format == "csc" else 0
        rows, columns = S.shape[major] // block[major], S.shape[1 - major] // block[1 - major]
        p, k = S.indptr, S.indices
        if p.shape != (rows + 1,) or p[0] != 0 or p[-1] != len(k) or len(S.data) != len(k) or (np.diff(p) < 0).any():
            raise ValueError(f"{name}: indptr does not rise from 0 to the {len(S.data)} entries")
        if len(k) and not 0 <= k.min() <= k.max() < columns:
            raise ValueError(f"{name}: an index is outside of its {S.shape[0]} x {S.shape[1]} entries")


def matrix(name: str, A: MatrixLike, *, blocks: bool = False) -> Csr:
    """Of a scipy matrix: its own arrays if they are sorted, contiguous float64 and int32; copies otherwise. BSR with
    3 x 3 blocks stays in blocks if `blocks`; a dense array becomes a full matrix."""
    sparse = None
    if hasattr(A, "tocsr"):
        sparse = scipy_sparse()
    if sparse is None or not sparse.issparse(A):
        dense = array(name, A, (None, None))
        rows, columns = dense.shape
        if rows * columns > np.iinfo(np.int32).max:
            raise ValueError(f"{name}: {rows} x {columns} entries are beyond int32, which nsn uses")
        full = np.tile(np.arange(columns, dtype=np.int32), rows)
        return rows, columns, 1, np.arange(0, rows * columns + 1, columns or 1, dtype=np.int32)[: rows + 1] if columns \
            else np.zeros(rows + 1, np.int32), full, dense.reshape(-1)
    S: Any = A
    if S.ndim != 2:
        raise ValueError(f"{name}: {S.ndim} dimensions, needed 2")
    if S.dtype.kind not in "fiub":
        raise TypeError(f"{name}: numbers are needed, got {S.dtype}")
    if max(S.shape) > np.iinfo(np.int32).max:
        raise ValueError(f"{name}: indices beyond int32, which nsn uses")
    _whole(name, S)
    if blocks and S.format == "bsr" and S.blocksize == (3, 3):
        edge = 3
    else:
        edge = 1
        S = S.tocsr()
    if not S.has_canonical_format:
        S = S.copy()
        S.sum_duplicates()
    data = np.ascontiguousarray(S.data, dtype=np.float64).reshape(-1)
    return (S.shape[0] // edge, S.shape[1] // edge, edge, _indices(name, S.indptr), _indices(name, S.indices), data)


def square(name: str, A: MatrixLike, *, blocks: bool = False) -> Csr:
    csr = matrix(name, A, blocks=blocks)
    if csr[0] != csr[1]:
        raise ValueError(f"{name}: {csr[0] * csr[2]} x {csr[1] * csr[2]}, needed square")
    return csr


def scipy_csr(csr: Csr) -> Any:
    rows, columns, edge, indptr, indices, data = csr
    sparse = scipy_sparse()
    if edge == 3:
        return sparse.bsr_array((data.reshape(-1, 3, 3), indices, indptr), shape=(3 * rows, 3 * columns))
    return sparse.csr_array((data, indices, indptr), shape=(rows, columns))
