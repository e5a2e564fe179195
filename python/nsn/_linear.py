"""Linear solvers: one call, a solver that keeps its analysis, a comparison, a solver of one's own."""
from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from . import _arrays, _core, _html
from ._arrays import Floats, MatrixLike

#: Called with a scipy.sparse.csr_array; returns b -> x.
Factorize: TypeAlias = Callable[[Any], Callable[[Floats], Floats]]


class NotConverged(ArithmeticError):
    """A result that was asked for with check=True is not solved; `.result` has it."""

    def __init__(self, message: str, result: Any):
        super().__init__(message)
        self.result = result


@dataclass(frozen=True)
class SolverInfo:
    """What is known of a linear solver before one is made."""

    name: str
    summary: str
    licence: str  #: that a program takes on by using it
    available: bool
    reason: str  #: why it cannot be used here; empty if it can
    direct: bool  #: factorises
    indefinite: bool  #: takes symmetric indefinite matrices
    unsymmetric: bool  #: takes unsymmetric ones
    options: tuple[tuple[str, str, str], ...]  #: name, default, what it is


class Registry:
    """Linear solvers by name: the standard ones and one's own. `nsn.registry` is the one that functions use unless
    told otherwise."""

    def __init__(self) -> None:
        self._core = _core.Registry()

    def add(self, name: str, factorize: Factorize, summary: str = "", *, symmetric: bool = False) -> None:
        """A solver in Python becomes a backend.

        factorize(A) gets a scipy.sparse.csr_array that views nsn's own arrays until the next call, and returns a
        function b -> x. A singular matrix is an ArithmeticError (numpy's LinAlgError, scipy's "singular"); any other
        exception arrives where the solve was started. symmetric: it takes symmetric definite matrices only."""
        if not callable(factorize):
            raise TypeError(f"factorize: a function is needed, got {factorize!r}")
        sparse = _arrays.scipy_sparse()

        def call(n: int, indptr: Any, indices: Any, data: Any) -> Callable[[Floats], Floats]:
            solve = factorize(sparse.csr_array((data, indices, indptr), shape=(n, n)))
            if not callable(solve):
                raise TypeError(f"linear solver '{name}': factorize(A) must return a function b -> x, got {solve!r}")
            return lambda b: np.ascontiguousarray(solve(b), dtype=np.float64).reshape(-1)

        self._core.add(_arrays.text("name", name), call, _arrays.text("summary", summary), bool(symmetric))

    def info(self, name: str) -> SolverInfo:
        fields = dict(self._core.info(_arrays.text("name", name)))
        fields["options"] = tuple(fields["options"])
        return SolverInfo(**fields)

    def solvers(self) -> list[SolverInfo]:
        return [self.info(name) for name in self._core.names()]


registry = Registry()


def available_solvers(*, all: bool = False) -> list[SolverInfo]:
    """Linear solvers that can be used here; all=True: those of other builds too, with the reason."""
    return [info for info in registry.solvers() if info.available or all]


def add_solver(name: str, factorize: Factorize, summary: str = "", *, symmetric: bool = False) -> None:
    """A solver in Python becomes a backend of `nsn.registry`: see Registry.add."""
    registry.add(name, factorize, summary, symmetric=symmetric)


@dataclass(frozen=True, repr=False)
class LinearResult:
    """What a linear solve gave."""

    x: Floats
    status: str  #: how it ended, in a word
    solved: bool  #: an answer one can use
    iterations: int  #: 0 for direct solvers
    residual: float  #: |b - A x| / |b|, recomputed; |b - A x| if b = 0
    solver: str
    analyze_seconds: float
    factorize_seconds: float
    solve_seconds: float
    bytes_held: float  #: that the solver keeps between solves
    bytes_moved: float  #: memory traffic that the algorithm cannot avoid
    detail: str  #: a sentence, where there is something to say
    history: Floats = field(default_factory=lambda: np.empty(0))  #: |r| of every iteration, if asked for

    @property
    def seconds(self) -> float:
        return self.analyze_seconds + self.factorize_seconds + self.solve_seconds

    def __repr__(self) -> str:
        return (f"LinearResult({self.solver}: {self.status}, {self.iterations} iterations, residual {self.residual:.2e}, "
                f"{1e3 * self.seconds:.3g} ms)")

    def _repr_html_(self) -> str:
        rows = [("solver", self.solver), ("status", self.status), ("iterations", self.iterations),
                ("residual", self.residual), ("seconds", self.seconds), ("detail", self.detail)]
        return _html.table(rows)

    def plot(self, axes: Any = None) -> Any:
        """|r| over iterations; needs history=True."""
        if not self.history.size:
            raise ValueError("no history: call linear_solve(..., history=True) with an iterative solver")
        axes = axes if axes is not None else _html.pyplot().subplots()[1]
        axes.semilogy(self.history, label=self.solver)
        axes.set(xlabel="iteration", ylabel="|b - A x|")
        return axes


class LinearSolver:
    """A solver that keeps what it found out about a matrix.

        solver = nsn.LinearSolver("contact-lu")
        x = solver.factorize(A).solve(b).x
        solver.factorize(A2)                    # the same pattern is not analysed again

    spec: a name, or "name:option=value,..." (`nsn.available_solvers()`)."""

    def __init__(self, spec: str = "contact-lu", *, registry: Registry | None = None) -> None:
        self.spec = _arrays.text("spec", spec)
        if registry is not None and not isinstance(registry, Registry):
            raise TypeError(f"registry: a nsn.Registry is needed, got {registry!r}")
        self._solver = (registry or globals()["registry"])._core.make(self.spec)
        self._matrix: Any = None
        self._arrays: Any = None  # what the matrix views

    @property
    def info(self) -> SolverInfo:
        return registry.info(self.spec.split(":")[0])

    def _take(self, A: MatrixLike, symmetric: bool | None) -> Any:
        csr = _arrays.square("A", A, blocks=True)
        if not np.isfinite(csr[5]).all():
            raise ValueError("A: holds NaN or infinity")
        self._matrix = _core.matrix(csr[3], csr[4], csr[5], csr[2], symmetric)
        self._arrays = csr
        return self._matrix

    def analyze(self, A: MatrixLike, *, symmetric: bool | None = None) -> LinearSolver:
        """Symbolic work on the pattern of A. symmetric: what is known of A; None: it is measured."""
        self._solver.analyze(self._take(A, symmetric))
        return self

    def factorize(self, A: MatrixLike, *, symmetric: bool | None = None) -> LinearSolver:
        """Numeric work on A, and symbolic work if its pattern is new."""
        self._solver.prepare(self._take(A, symmetric))
        return self

    def solve(self, b: ArrayLike, x0: ArrayLike | None = None, *, rtol: float = 1e-10, atol: float = 0.0,
              max_iterations: int = 10000, monitor: Callable[[int, float], None] | None = None,
              history: bool = False) -> LinearResult:
        """Solves A x = b: |b - A x| <= max(rtol |b|, atol). monitor(iteration, |r|) is called after every iteration;
        that costs one more product each."""
        if self._matrix is None:
            raise ValueError("solve: call factorize(A) first")
        rows = self._matrix.rows
        right = _arrays.finite("b", b, (rows,))
        x = np.zeros(rows) if x0 is None else _arrays.finite("x0", x0, (rows,)).copy()
        norms: list[float] = []
        watch: Callable[[int, float], None] | None = monitor
        if history:
            def watch(iteration: int, norm: float) -> None:
                norms.append(norm)
                if monitor is not None:
                    monitor(iteration, norm)
        r = self._solver.solve(self._matrix, right, x, _arrays.number("rtol", rtol), _arrays.number("atol", atol),
                               _arrays.integer("max_iterations", max_iterations, 0), watch)
        return LinearResult(x, r.status, r.ok, r.iterations, r.relative_residual, self.spec, r.analyze_seconds,
                            r.factorize_seconds, r.solve_seconds, r.bytes_held, r.bytes_moved, r.detail,
                            np.array(norms))


def linear_solve(A: MatrixLike, b: ArrayLike, solver: str = "auto", *, x0: ArrayLike | None = None,
                 rtol: float = 1e-10, atol: float = 0.0, max_iterations: int = 10000, symmetric: bool | None = None,
                 monitor: Callable[[int, float], None] | None = None, history: bool = False, check: bool = False,
                 registry: Registry | None = None) -> LinearResult:
    """Solves A x = b once.

    A: scipy sparse (CSR and 3 x 3 BSR with int32 indices are used in place) or dense. solver: "auto" (contact-lu, a
    direct solver), a name of `nsn.available_solvers()`, or "name:option=value,...". symmetric: what is known of A; None:
    it is measured. check: raises NotConverged unless solved."""
    spec = _arrays.text("solver", solver)
    made = LinearSolver("contact-lu" if spec == "auto" else spec, registry=registry)
    made.factorize(A, symmetric=symmetric)
    result = made.solve(b, x0, rtol=rtol, atol=atol, max_iterations=max_iterations, monitor=monitor, history=history)
    if check and not result.solved:
        raise NotConverged(f"linear_solve: {result.status}; {result.detail}", result)
    return result


class Table(dict[str, list[Any]]):
    """Columns by name; a dictionary of lists of one length."""

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        return list(zip(*self.values()))

    def to_html(self) -> str:
        return _html.table(self.rows, tuple(self))

    _repr_html_ = to_html

    def to_csv(self, path: str) -> None:
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(self)
            writer.writerows(self.rows)

    def __repr__(self) -> str:
        cells = [tuple(map(str, self))] + [tuple(map(_html.cell, row)) for row in self.rows]
        widths = [max(map(len, column)) for column in zip(*cells)]
        return "\n".join("  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip() for row in cells)

    def plot(self, axes: Any = None) -> Any:
        """Seconds over solvers, one bar per system."""
        axes = axes if axes is not None else _html.pyplot().subplots()[1]
        labels = [f"{system}\n{solver}" for system, solver in zip(self["system"], self["solver"])]
        axes.barh(labels, self["seconds"], color=["tab:green" if s else "tab:red" for s in self["solved"]])
        axes.set(xlabel="s", xscale="log")
        return axes


def compare(systems: Mapping[str, tuple[MatrixLike, ArrayLike]] | Iterable[tuple[MatrixLike, ArrayLike]],
            solvers: Iterable[str] | None = None, *, rtol: float = 1e-8, repeat: int = 1,
            progress: bool = False, registry: Registry | None = None) -> Table:
    """Every solver on every system (A, b): status, iterations, residual and the least of `repeat` times.

    What a solver refuses (a matrix that is not symmetric, say) is a row with its sentence."""
    named = dict(systems) if isinstance(systems, Mapping) else {str(k): s for k, s in enumerate(_arrays.items("systems", systems))}
    names = [info.name for info in available_solvers()] if solvers is None else _arrays.items("solvers", solvers)
    for name, system in named.items():
        if len(_arrays.items(f"systems[{name!r}]", system)) != 2:
            raise ValueError(f"systems[{name!r}]: a pair (A, b) is needed")
    repeat = _arrays.integer("repeat", repeat, 1)
    table = Table({key: [] for key in ("system", "solver", "solved", "status", "iterations", "residual", "seconds")})
    for system, (A, b) in _progress(named.items(), progress, len(named)):
        for solver in names:
            best: LinearResult | None = None
            status, seconds = "", float("nan")
            try:
                for _ in range(repeat):
                    start = time.perf_counter()
                    result = linear_solve(A, b, solver, rtol=rtol, registry=registry)
                    spent = time.perf_counter() - start
                    if best is None or spent < seconds:
                        best, seconds, status = result, spent, result.status
            except ValueError as error:
                status = str(error)
            table["system"].append(system)
            table["solver"].append(solver)
            table["solved"].append(best is not None and best.solved)
            table["status"].append(status)
            table["iterations"].append(best.iterations if best else 0)
            table["residual"].append(best.residual if best else float("nan"))
            table["seconds"].append(seconds)
    return table


def _progress(items: Iterable[Any], progress: bool, total: int) -> Iterable[Any]:
    """tqdm's bar where it is installed, else nothing."""
    if not progress:
        return items
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return items
    return tqdm(items, total=total)
