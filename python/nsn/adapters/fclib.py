"""FCLIB files through h5py: for builds of nsn without HDF5, such as the wheel. docs/friction_problems.md has the format."""
from __future__ import annotations

import os
from typing import Any

import numpy as np

from .. import _arrays
from .._core import InputError
from .._friction import FrictionProblem


def _h5py() -> Any:
    try:
        import h5py
    except ImportError as error:
        raise ImportError("FCLIB files are HDF5: pip install h5py") from error
    return h5py


def _number(group: Any, key: str) -> int:
    return int(np.ravel(group[key][()])[0])


def _matrix(group: Any) -> Any:
    """m, n, nz, p, i, x; nz = -1: compressed columns, -2: compressed rows, >= 0: triplets."""
    sparse = _arrays.scipy_sparse()
    m, n, nz = (_number(group, key) for key in ("m", "n", "nz"))
    p, i, x = (np.ravel(group[key][()]) for key in ("p", "i", "x"))
    if m < 0 or n < 0 or nz < -2:
        raise ValueError(f"{m} x {n}, nz {nz}")
    if nz >= 0:
        if nz > min(len(p), len(i), len(x)):
            raise ValueError(f"nz is {nz}, i, p and x have {min(len(p), len(i), len(x))}")
        made = sparse.coo_array((x[:nz], (i[:nz].astype(np.int64), p[:nz].astype(np.int64))), shape=(m, n))
    else:
        size = n if nz == -1 else m
        if len(p) < size + 1 or p[0] != 0 or (np.diff(p[: size + 1]) < 0).any() or p[size] > min(len(i), len(x)):
            raise ValueError(f"p does not rise from 0 to the {len(x)} entries")
        kind = sparse.csc_array if nz == -1 else sparse.csr_array
        made = kind((x[: p[size]], i[: p[size]], p[: size + 1]), shape=(m, n))
    return _arrays.scipy_csr(_arrays.matrix("matrix", made))


def read(path: str | os.PathLike[str]) -> FrictionProblem:
    """A local or global problem. Raises InputError naming file and dataset."""
    name, at = os.fspath(path), ""
    try:
        with _h5py().File(name, "r") as file:
            kind = "global" if "fclib_global" in file else "local"
            at = f"/fclib_{kind}"
            group = file[at]
            vectors = {key: np.ascontiguousarray(np.ravel(v[()]), dtype=np.float64) for key, v in group["vectors"].items()
                       if key in ("q", "f", "w", "mu")}
            matrices = {}
            for key in ("W",) if kind == "local" else ("M", "H"):
                at = f"/fclib_{kind}/{key}"
                matrices[key] = _matrix(group[key])
            at = f"/fclib_{kind}/vectors"
            if kind == "global":
                vectors["f"] = vectors.pop("f", vectors.pop("q", np.empty(0)))
            return FrictionProblem(kind, _number(group, "spacedim"), **matrices, **vectors)
    except ImportError:
        raise
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise InputError(f"{name}: {at or 'HDF5'}: {error}") from None


def write(path: str | os.PathLike[str], problem: FrictionProblem, *, title: str = "", description: str = "") -> None:
    """Matrices as compressed rows. The file is whole or not there."""
    if problem.kind not in ("local", "global"):
        raise ValueError(f"problem: is {problem.kind}; FCLIB has local and global ones")
    temporary = f"{os.fspath(path)}.{os.getpid()}.tmp"
    try:
        with _h5py().File(temporary, "w") as file:
            group = file.create_group(f"fclib_{problem.kind}")
            group["spacedim"] = np.array([problem.dimension], dtype=np.int32)
            for key in ("W",) if problem.kind == "local" else ("M", "H"):
                rows, columns, _, indptr, indices, data = _arrays.matrix(key, getattr(problem, key))
                part = group.create_group(key)
                for name, value in (("m", rows), ("n", columns), ("nz", -2), ("nzmax", len(data))):
                    part[name] = np.array([value], dtype=np.int32)
                part["p"], part["i"], part["x"] = indptr, indices, data
            for key in ("q",) if problem.kind == "local" else ("f", "w"):
                group[f"vectors/{key}"] = _arrays.finite(key, getattr(problem, key), (None,))
            group["vectors/mu"] = _arrays.finite("mu", problem.mu, (None,))
            group["info/title"], group["info/description"] = title, description
        os.replace(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)
