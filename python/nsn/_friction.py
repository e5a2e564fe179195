"""Friction problems without any model: from arrays and files."""
from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import _arrays, _core, _html
from ._arrays import Csr, Floats, MatrixLike
from ._linear import NotConverged, Registry, registry as _registry


class Stage(NamedTuple):
    """One stage of a solve."""

    name: str
    reason: str  #: why it was run
    iterations: int
    seconds: float
    error: float  #: of the best iterate after it


@dataclass(frozen=True)
class FrictionError:
    """How far (r, u) is from solving a problem, always on the data as given."""

    siconos: float  #: |r - Pi(r - u^)| / max(|q|, |r|, |u|), as Siconos reports it
    unit_free: float  #: the same in any units
    dynamics: float  #: global problems: |M v - H r - f| over the largest of the three
    min_normal_velocity: float  #: m/s
    max_cone_violation: float  #: kg m/s
    worst_contact: int  #: -1: none


@dataclass(frozen=True, repr=False)
class FrictionResult:
    """What a friction solve gave; the best iterate if it is not solved."""

    r: Floats  #: impulses, normal component first, kg m/s
    u: Floats  #: relative velocities, m/s
    v: Floats  #: global problems: generalised velocities
    status: str
    solved: bool
    error: float  #: Siconos' error, recomputed from the data
    errors: FrictionError
    stages: list[Stage]
    newton_iterations: int
    linear_iterations: int
    sweeps: int
    factorizations: int
    asymmetry: float  #: max |W - W^T| / max |W|
    seconds: float

    @property
    def iterations(self) -> int:
        return self.newton_iterations + self.sweeps

    def __repr__(self) -> str:
        return (f"FrictionResult({self.status}, error {self.error:.2e}, {self.newton_iterations} Newton iterations, "
                f"{1e3 * self.seconds:.3g} ms)")

    def _repr_html_(self) -> str:
        head = _html.table([("status", self.status), ("error", self.error), ("contacts", len(self.u)),
                            ("seconds", self.seconds)])
        return head + _html.table(self.stages, Stage._fields)


@dataclass(frozen=True, repr=False)
class LcpResult:
    """What an LCP solve gave."""

    z: Floats
    w: Floats  #: M z + q
    status: str
    solved: bool
    method: str  #: that gave the answer
    error: float  #: |min(z, w)| / max(1, |q|)
    iterations: int
    seconds: float

    def __repr__(self) -> str:
        return f"LcpResult({self.status} by {self.method}, error {self.error:.2e}, {self.iterations} iterations)"


def _coefficients(mu: ArrayLike, velocities: Floats, dimension: int) -> Floats:
    _arrays.integer("dimension", dimension, 2, 3)
    if velocities.size % dimension:
        raise ValueError(f"{velocities.size} velocities are no multiple of the dimension {dimension}")
    n = velocities.size // dimension
    given = _arrays.finite("mu", mu)
    if given.ndim == 0:
        given = np.full(n, float(given))
    if given.shape != (n,):
        raise ValueError(f"mu: shape {given.shape} for {n} contacts")
    if n and given.min() < 0:
        raise ValueError(f"mu: {given.min()} at contact {int(given.argmin())}, it must be >= 0")
    return np.ascontiguousarray(given)


def _options(method: str, form: str, linear: str, tol: float, time_limit: float | None, max_factorizations: int,
             progress: Callable[[], Any] | bool | None) -> dict[str, Any]:
    linear = _arrays.text("linear", linear)
    if progress is True:
        try:
            from tqdm.auto import tqdm
            progress = tqdm(unit=" iterations").update
        except ImportError:
            progress = None
    elif progress is False:
        progress = None
    elif progress is not None and not callable(progress):
        raise TypeError(f"progress: a function, True or False is needed, got {progress!r}")
    return {"method": _arrays.text("method", method), "form": _arrays.text("form", form),
            "linear": "contact-lu" if linear == "auto" else linear,
            "tol": _arrays.number("tol", tol), "time_limit": 0.0 if time_limit is None else _arrays.number("time_limit", time_limit),
            "max_factorizations": _arrays.integer("max_factorizations", max_factorizations, 0),
            "progress": progress}


def _result(d: dict[str, Any], check: bool) -> FrictionResult:
    errors = FrictionError(**d.pop("error"))
    stages = [Stage(*s) for s in d.pop("stages")]
    result = FrictionResult(error=errors.siconos, errors=errors, stages=stages, **d)
    if check and not result.solved:
        raise NotConverged(f"not solved: {result.status}, error {result.error:.2e}", result)
    return result


def _start(r0: ArrayLike | None, n: int) -> Floats | None:
    return None if r0 is None else _arrays.finite("r0", r0, (n,))


def solve(W: MatrixLike, q: ArrayLike, mu: ArrayLike, r0: ArrayLike | None = None, *, method: str = "auto",
          linear: str = "contact-lu", tol: float = 1e-8, dimension: int = 3, time_limit: float | None = None,
          max_factorizations: int = 40000, progress: Callable[[], Any] | bool | None = None, check: bool = False,
          registry: Registry | None = None) -> FrictionResult:
    """Solves a friction problem through its Delassus operator:

        u = W r + q,    r in the cone |r_T| <= mu r_N, orthogonal to u + mu |u_T| e_N in its dual

    W: n x n, 1/kg, scipy sparse (CSR and, in 3D, 3 x 3 BSR with int32 indices are used in place) or dense; symmetric or
    not. q: n relative velocities, m/s, normal component first: (n, t1, t2) in 3D, (n, t) in 2D. mu: one number or one
    per contact, >= 0. r0: impulses to start from, kg m/s. method: "auto" or one of nsn.friction_methods(). linear: of the
    Newton matrices. tol: of Siconos' error, > 0. time_limit: s. progress: called between iterations, or True for a bar.
    check: raises NotConverged unless solved. Ctrl-C ends it between two factorisations."""
    velocities = _arrays.finite("q", q, (None,))
    coefficients = _coefficients(mu, velocities, dimension)
    operator = _arrays.square("W", W, blocks=int(dimension) == 3)
    if operator[0] * operator[2] != velocities.size:
        raise ValueError(f"W: {operator[0] * operator[2]} rows, q has {velocities.size} numbers")
    options = _options(method, "auto", linear, tol, time_limit, max_factorizations, progress)
    d = _core.solve_local((registry or _registry)._core, dimension, operator, velocities, coefficients,
                          _start(r0, velocities.size), options)
    return _result(d, check)


def solve_global(M: MatrixLike, H: MatrixLike, f: ArrayLike, w: ArrayLike, mu: ArrayLike, r0: ArrayLike | None = None,
                 *, form: str = "auto", method: str = "auto", linear: str = "contact-lu", tol: float = 1e-8,
                 dimension: int = 3, time_limit: float | None = None, max_factorizations: int = 40000,
                 progress: Callable[[], Any] | bool | None = None, check: bool = False,
                 registry: Registry | None = None) -> FrictionResult:
    """Solves a friction problem through mass and contact directions:

        M v = H r + f,    u = H^T v + w,    u and r as in solve()

    M: mass, dofs x dofs. H: dofs x n. f: impulses, dofs. w: n velocities, m/s. form: "dual" forms W = H^T M^-1 H,
    "primal" never does, "auto" takes the one with fewer operations. All else as in solve()."""
    velocities = _arrays.finite("w", w, (None,))
    coefficients = _coefficients(mu, velocities, dimension)
    mass, directions = _arrays.square("M", M), _arrays.matrix("H", H)
    forces = _arrays.finite("f", f, (mass[0],))
    if directions[:2] != (mass[0], velocities.size):
        raise ValueError(f"H: {directions[0]} x {directions[1]}, needed {mass[0]} x {velocities.size}")
    options = _options(method, form, linear, tol, time_limit, max_factorizations, progress)
    d = _core.solve_global((registry or _registry)._core, dimension, mass, directions, forces, velocities, coefficients,
                           _start(r0, velocities.size), options)
    return _result(d, check)


def solve_lcp(M: MatrixLike, q: ArrayLike, *, method: str = "auto", tol: float = 1e-8, linear: str = "contact-lu",
              check: bool = False, registry: Registry | None = None) -> LcpResult:
    """Solves w = M z + q, 0 <= w orthogonal to z >= 0. method: "newton" (monotone M), "lemke", "enumerate" (n <= 20) or
    "auto", each where the last gave nothing."""
    matrix = _arrays.square("M", M)
    right = _arrays.finite("q", q, (matrix[0],))
    d = _core.solve_lcp((registry or _registry)._core, matrix, right, _arrays.text("method", method),
                        _arrays.number("tol", tol), _arrays.text("linear", linear))
    result = LcpResult(**d)
    if check and not result.solved:
        raise NotConverged(f"not solved: {result.status}, error {result.error:.2e}", result)
    return result


def friction_error(W: MatrixLike, q: ArrayLike, mu: ArrayLike, r: ArrayLike, *, dimension: int = 3) -> FrictionError:
    """Errors of impulses r with u = W r + q, formed from the data as given."""
    velocities = _arrays.finite("q", q, (None,))
    coefficients = _coefficients(mu, velocities, dimension)
    impulses = _arrays.finite("r", r, (velocities.size,))
    d, _ = _core.friction_error(dimension, _arrays.square("W", W), velocities, coefficients, impulses)
    return FrictionError(**d)


def friction_methods() -> list[str]:
    """Names for solve(method=...)."""
    return _core.friction_methods()


@dataclass(frozen=True, repr=False)
class FrictionProblem:
    """Data of a problem. kind: "local" (W, q, mu), "global" (M, H, f, w, mu) or "lcp" (M, q); the rest is None."""

    kind: str
    dimension: int = 3
    W: Any = None
    q: Any = None
    mu: Any = None
    M: Any = None
    H: Any = None
    f: Any = None
    w: Any = None

    @property
    def contacts(self) -> int:
        return len(self.q if self.kind == "lcp" else self.mu)

    def solve(self, r0: ArrayLike | None = None, **options: Any) -> Any:
        """By solve(), solve_global() or solve_lcp(), with their options."""
        if self.kind == "local":
            return solve(self.W, self.q, self.mu, r0, dimension=self.dimension, **options)
        if self.kind == "global":
            return solve_global(self.M, self.H, self.f, self.w, self.mu, r0, dimension=self.dimension, **options)
        return solve_lcp(self.M, self.q, **options)

    def __repr__(self) -> str:
        return f"FrictionProblem({self.kind}, {self.contacts} contacts, {self.dimension}D)"


def read_problem(path: str | os.PathLike[str], *, format: str = "auto") -> FrictionProblem:
    """A problem from a file: Siconos' text dumps, FCLIB (HDF5; nsn.adapters.fclib reads it through h5py where this build
    has no HDF5), ContactBench .npz. Raises InputError that names file and line. Matrices are scipy.sparse.csr_array."""
    d = _core.read_problem(_arrays.path("path", path), _arrays.text("format", format))
    for key in ("W", "M", "H"):
        if key in d:
            d[key] = _arrays.scipy_csr(d[key])
    return FrictionProblem(**d)


def write_problem(path: str | os.PathLike[str], problem: FrictionProblem, *, format: str = "siconos") -> None:
    """Writes what read_problem reads back to the last bit. format: "siconos" or "fclib"."""
    if not isinstance(problem, FrictionProblem):
        raise TypeError(f"problem: a FrictionProblem is needed, got {problem!r}")
    name, p = _arrays.path("path", path), problem
    _arrays.text("format", format)
    if p.kind == "lcp":
        M = _arrays.square("M", p.M)
        _core.write_lcp(name, format, M, _arrays.finite("q", p.q, (M[0],)))
        return
    velocities = _arrays.finite("q" if p.kind == "local" else "w", p.q if p.kind == "local" else p.w, (None,))
    mu = _coefficients(p.mu, velocities, p.dimension)
    if p.kind == "local":
        W: Csr = _arrays.square("W", p.W)
        if W[0] != velocities.size:
            raise ValueError(f"W: {W[0]} rows, q has {velocities.size} numbers")
        _core.write_local(name, format, p.dimension, W, velocities, mu)
    else:
        M, H = _arrays.square("M", p.M), _arrays.matrix("H", p.H)
        if H[:2] != (M[0], velocities.size):
            raise ValueError(f"H: {H[0]} x {H[1]}, needed {M[0]} x {velocities.size}")
        _core.write_global(name, format, p.dimension, M, H, _arrays.finite("f", p.f, (M[0],)), velocities, mu)
