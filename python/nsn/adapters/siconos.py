"""Friction problems as Siconos' Python has them: a FrictionContactProblem is dimension, numberOfContacts, M, q, mu."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import _arrays
from .._friction import FrictionProblem


def _matrix(M: Any, n: int) -> Any:
    if hasattr(M, "tocsr"):
        return M
    dense = np.asarray(M, dtype=np.float64)
    if dense.shape == (n * n,):  # as Siconos keeps it: column by column
        dense = dense.reshape((n, n), order="F")
    if dense.shape != (n, n):
        raise ValueError(f"M: shape {dense.shape}, needed ({n}, {n})")
    return dense


def from_siconos(problem: Any) -> FrictionProblem:
    """Of a siconos.numerics.FrictionContactProblem, or anything with its attributes. M: dense (also flat, column by
    column) or scipy sparse."""
    for key in ("dimension", "numberOfContacts", "M", "q", "mu"):
        if not hasattr(problem, key):
            raise TypeError(f"problem: has no attribute '{key}' of a FrictionContactProblem")
    dimension, contacts = int(problem.dimension), int(problem.numberOfContacts)
    n = dimension * contacts
    return FrictionProblem("local", dimension, W=_matrix(problem.M, n), q=_arrays.finite("q", np.ravel(problem.q), (n,)),
                           mu=_arrays.finite("mu", np.ravel(problem.mu), (contacts,)))


def to_siconos(problem: FrictionProblem) -> Any:
    """A siconos.numerics.FrictionContactProblem where Siconos is installed; otherwise a dictionary of the arguments of
    its constructor: dimension, numberOfContacts, M (dense, column by column), q, mu."""
    if problem.kind != "local":
        raise ValueError(f"problem: is {problem.kind}, a FrictionContactProblem is local")
    W = problem.W.toarray() if hasattr(problem.W, "toarray") else np.asarray(problem.W, dtype=np.float64)
    q, mu = np.ascontiguousarray(problem.q, float), np.ascontiguousarray(problem.mu, float)
    try:
        from siconos.numerics import FrictionContactProblem
    except ImportError:
        return {"dimension": problem.dimension, "numberOfContacts": len(mu), "M": np.asfortranarray(W), "q": q, "mu": mu}
    return FrictionContactProblem(problem.dimension, len(mu), np.asfortranarray(W), q, mu)
