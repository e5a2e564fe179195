#!/usr/bin/python3
"""Our solver beside Siconos on the same frictional-contact problems (3D).

    bench/siconos_comparison.py --nsn build/native/bin/nsn FILE|FOLDER ...

Needs python3-siconos, python3-scipy and, for FCLIB files, python3-h5py; none of them is a dependency of
nsn. Every solve runs in its own process with one thread. First each of Siconos' solvers gets one try;
the three fastest that reach the tolerance are then measured again, alternating with ours: a round is
ours, theirs, ours, theirs, ... and each column is the least time of all rounds. On a busy machine, where a
solve of many milliseconds waits for others, --processor-time takes processor time on both sides, the mean of many solves
in one process, from a millisecond on. Reading files, and for global problems forming W, is counted on neither side. An answer counts only if the error computed here,

    |r - Pi(r - u - mu |u_T| e_N)|_2 / max(|q|, |r|, |u|),      u = W r + q,

is at most ten times the tolerance for Siconos (which stops on its own estimate) and within it for ours.

NSN_YARDSTICK may name a further program, called as `PROGRAM auto -rep N FILE.bin`; it prints a line with
`ok` and `t <milliseconds> ms` for a problem in the binary layout of write_binary() below.
"""
import argparse
import csv
import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
os.environ.update(ONE_THREAD)
import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import splu

SHORT = 1e-3  # s: the least of several such solves waited for nobody, on a busy machine too

# Label -> solver id, integer parameters by name, solver of the single contact.
SOLVERS = {
    "NSGS": ("NSGS", {}, None),
    "NSGS-quartic": ("NSGS", {}, "ONECONTACT_QUARTIC"),
    "NSGS-NSN_GP": ("NSGS", {}, "ONECONTACT_NSN_GP"),
    "NSGS-cone": ("NSGS", {}, "ONECONTACT_ProjectionOnConeWithLocalIteration"),
    "NSN_AC": ("NSN_AC", {}, None),
    "NSN_AC+VI_EG": ("NSN_AC", {"NSN_HYBRID_STRATEGY": "NSN_HYBRID_STRATEGY_VI_EG_NSN"}, None),
    "NSN_AC-free": ("NSN_AC", {"NSN_LINESEARCH": "NSN_LINESEARCH_NO"}, None),
    "NSN_FB": ("NSN_FB", {}, None),
    "PROX": ("PROX", {}, None),
    "ADMM": ("ADMM", {}, None),
    "TFP": ("TFP", {}, None),
    "ACLMFP": ("ACLMFP", {}, None),
}


class Problem:
    """u = W r + q with the normal first; dynamics (M, H, f, w) is kept for global files."""

    def __init__(self, W, q, mu, dynamics=None):
        self.W, self.q, self.mu, self.dynamics = sparse.csr_matrix(W), q, mu, dynamics

    def error(self, r):
        u = self.W @ r + self.q
        reaction, velocity = r.reshape(-1, 3), u.reshape(-1, 3)
        z = reaction - velocity
        z[:, 0] -= self.mu * np.hypot(velocity[:, 1], velocity[:, 2])
        length = np.hypot(z[:, 1], z[:, 2])
        polar = self.mu * length <= -z[:, 0]
        inside = (length <= self.mu * z[:, 0]) & ~polar
        normal = np.where(inside, z[:, 0], np.where(polar, 0.0, (z[:, 0] + self.mu * length) / (1 + self.mu**2)))
        shrink = np.where(inside, 1.0, self.mu * normal / np.where(length > 0, length, 1.0))
        nearest = np.column_stack([normal, shrink[:, None] * z[:, 1:]])
        scale = max(np.linalg.norm(v) for v in (self.q, r, u))
        return np.linalg.norm(reaction - nearest) / scale if scale > 0 else 0.0


def fclib_matrix(group):
    rows, columns, kind = (int(np.ravel(group[key])[0]) for key in ("m", "n", "nz"))
    p, i, x = (group[key][()] for key in ("p", "i", "x"))
    if kind >= 0:
        return sparse.coo_matrix((x[:kind], (i[:kind], p[:kind])), (rows, columns))
    compressed = sparse.csc_matrix if kind == -1 else sparse.csr_matrix
    return compressed((x, i, p), (rows, columns))


def read_fclib(path):
    import h5py
    with h5py.File(path) as file:
        if "fclib_local" in file:
            group = file["fclib_local"]
            return Problem(fclib_matrix(group["W"]), group["vectors/q"][()], group["vectors/mu"][()])
        group = file["fclib_global"]
        M, H = fclib_matrix(group["M"]).tocsc(), fclib_matrix(group["H"]).tocsc()
        f, w, mu = (group["vectors/" + key][()] for key in ("f", "w", "mu"))
    factor = splu(M)
    W = H.T @ factor.solve(H.toarray())
    W[np.abs(W) < 1e-15 * np.abs(W).max()] = 0.0  # rounding of the condensation
    return Problem(W, H.T @ factor.solve(f) + w, mu, (M, H, f, w))


def finished(problem, words):
    """A second matrix would follow in a global problem."""
    if len(list(words)) > 3:
        raise ValueError("a global problem")
    return problem


def read_local_text(path):
    """Siconos text of a local problem, dense or in blocks."""
    with open(path, errors="replace") as file:
        words = iter(file.read().split())
    integers = lambda count: [int(next(words)) for _ in range(count)]
    numbers = lambda count: np.array([float(next(words)) for _ in range(count)])
    dimension, contacts, storage, rows, columns = integers(5)
    if dimension != 3 or rows != 3 * contacts or columns != rows or storage not in (0, 1):
        raise ValueError("not a local 3D problem in dense or block storage")
    if storage == 0:
        integers(2)
        W = numbers(rows * columns).reshape(columns, rows).T
        return finished(Problem(W, numbers(rows), numbers(contacts)), words)
    blocks, block_rows, block_columns = integers(3)
    integers(block_rows + block_columns)
    filled, _ = integers(2)
    pointer, column = np.array(integers(filled)), np.array(integers(blocks))
    values = np.empty((blocks, 3, 3))
    for k in range(blocks):
        integers(1)
        values[k] = numbers(9).reshape(3, 3).T
    pointer = np.concatenate([pointer, np.full(block_rows + 1 - filled, blocks)])
    W = sparse.bsr_matrix((values, column, pointer), (rows, rows))
    return finished(Problem(W, numbers(rows), numbers(contacts)), words)


def read_problem(path):
    return read_fclib(path) if path.endswith((".hdf5", ".h5")) else read_local_text(path)


def blocks_of(matrix):
    result = sparse.bsr_matrix(matrix, blocksize=(3, 3))
    result.sort_indices()
    return result


def write_siconos_text(problem, path):
    blocks, contacts = blocks_of(problem.W), len(problem.mu)
    ends = " ".join(str(3 * k) for k in range(1, contacts + 1))
    with open(path, "w") as out:
        print(3, contacts, 1, 3 * contacts, 3 * contacts, len(blocks.indices), contacts, contacts, sep="\n", file=out)
        print(ends, ends, len(blocks.indptr), len(blocks.indices), sep="\n", file=out)
        print(*blocks.indptr, file=out)
        print(*blocks.indices, file=out)
        for number, block in enumerate(blocks.data):
            print(number, *(repr(float(x)) for x in block.T.flat), sep="\n", file=out)
        for vector in (problem.q, problem.mu):
            print(*(repr(float(x)) for x in vector), file=out)


def write_binary(problem, path):
    """int64 contacts, blocks, global?; mu; q; block CSR of W (int32, int32, 3x3 by rows); global: int64
    dofs, nonzeros of M, of H; M and H by columns (int32, int32, float64); f; w."""
    blocks, dynamics = blocks_of(problem.W), problem.dynamics
    put = lambda out, kind, values: out.write(np.asarray(values, dtype=kind).tobytes())
    with open(path, "wb") as out:
        put(out, "i8", [len(problem.mu), len(blocks.indices), dynamics is not None])
        for kind, values in (("f8", problem.mu), ("f8", problem.q), ("i4", blocks.indptr), ("i4", blocks.indices), ("f8", blocks.data)):
            put(out, kind, values)
        if dynamics is not None:
            M, H, f, w = dynamics
            put(out, "i8", [M.shape[0], M.nnz, H.nnz])
            for matrix in (M, H):
                matrix.sort_indices()
                for kind, values in (("i4", matrix.indptr), ("i4", matrix.indices), ("f8", matrix.data)):
                    put(out, kind, values)
            put(out, "f8", f)
            put(out, "f8", w)


def siconos_worker(path, label, tolerance, repeat, limit, mean):
    """One of Siconos' solvers on one text file, in this process; prints one JSON line."""
    import siconos.numerics as sn
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit) + 3, math.ceil(limit) + 5))
    problem = read_local_text(path)
    solver, parameters, contact_solver = SOLVERS[label]
    constant = lambda name: getattr(sn, "SICONOS_FRICTION_3D_" + name)
    times, error = [], math.inf
    clock, first = time.perf_counter, True
    while len(times) < repeat or (mean and sum(times) < 0.4 and len(times) < 400):
        options = sn.SolverOptions(constant(solver))
        options.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
        options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = 1000000
        for key, value in parameters.items():
            options.iparam[constant(key)] = constant(value)
        if contact_solver:
            sn.solver_options_update_internal(options, 0, constant(contact_solver))
        given = sn.frictionContact_new_from_filename(path)
        r, u = np.zeros(len(problem.q)), np.zeros(len(problem.q))
        begin = clock()
        sn.fc3d_driver(given, r, u, options)
        times.append(clock() - begin)
        error = problem.error(r)
        if times[0] > 1.0:
            break
        if first and repeat > 1:  # with whatever is loaded on the way: says which clock serves, and is not counted
            first, mean = False, mean and times[0] > SHORT
            clock, times = time.process_time if mean else time.perf_counter, []
    print("ANSWER", json.dumps({"seconds": sum(times) / len(times) if mean else min(times), "error": error}))


def run_siconos(path, label, options, repeat):
    command = [sys.executable, os.path.abspath(__file__), "--worker", path, label, "--tol", str(options.tol),
               "--repeat", str(repeat), "--limit", str(options.limit)]
    command += ["--processor-time"] if options.processor_time else []
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5 * options.limit + 30)
    except subprocess.TimeoutExpired:
        return math.inf
    answer = re.search(r"^ANSWER (.*)$", done.stdout, re.M)
    values = json.loads(answer[1]) if answer else {"seconds": math.inf, "error": math.inf}
    return values["seconds"] if values["error"] <= 10 * options.tol else math.inf


def solve_ours(path, options, repeat):
    """The row of one call, and the processor time of the whole call."""
    command = [options.nsn, "solve", path, "--json", "-", "--tol", str(options.tol), "--repeat", str(repeat),
               "--threads", "1"]
    if options.method:
        command += ["--method", options.method]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode > 1:
        raise SystemExit(f"{' '.join(command)}: {done.stderr.strip()}")
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(done.stdout)["results"][0], used


def run_ours(path, options, repeat):
    row, used = solve_ours(path, options, repeat)
    if row["error_siconos"] > options.tol:
        return math.inf
    if not options.processor_time or row["seconds"] <= SHORT:
        return row["seconds"]
    more = max(10, math.ceil(0.4 / row["seconds"]))  # far more than what starting the program varies by
    return max(0.0, solve_ours(path, options, repeat + more)[1] - used) / more


def run_yardstick(program, path, repeat):
    done = subprocess.run([program, "auto", "-rep", str(repeat), path], capture_output=True, text=True)
    time_found = re.search(r"\bok\b.*?\bt\s+([0-9.eE+-]+)\s+ms", done.stdout)
    return float(time_found[1]) * 1e-3 if time_found else math.inf


def files_of(paths):
    for path in paths:
        if not os.path.isdir(path):
            yield path
            continue
        for name in sorted(os.listdir(path)):
            yield os.path.join(path, name)


def compare(path, problem, options, folder):
    """Least times of all rounds: ours, (label, seconds) of Siconos' best, yardstick or None."""
    text, binary = os.path.join(folder, "problem.dat"), os.path.join(folder, "problem.bin")
    write_siconos_text(problem, text)
    given = text if problem.dynamics else path  # a global problem is handed over condensed, as to the others
    yardstick = os.environ.get("NSN_YARDSTICK")
    if yardstick:
        write_binary(problem, binary)
    labels = options.solvers.split(",") if options.solvers else list(SOLVERS)
    theirs = {label: run_siconos(text, label, options, 1) for label in labels}
    fastest = sorted((label for label in theirs if theirs[label] < math.inf), key=theirs.get)[:3]
    ours, beside = math.inf, math.inf
    for _ in range(options.rounds):
        for label in fastest or [None]:
            ours = min(ours, run_ours(given, options, options.repeat))
            if label:
                theirs[label] = min(theirs[label], run_siconos(text, label, options, options.repeat))
            if yardstick:
                beside = min(beside, run_yardstick(yardstick, binary, options.repeat))
    best = min(theirs, key=theirs.get)
    return ours, (best, theirs[best]), beside if yardstick else None


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def text_of(value, unit=""):
    return f"{value:.3g}{unit}" if math.isfinite(value) else "-"


def write_csv(path, rows, ratios):
    """The table so far; its last row has the geometric mean of the ratios, and their number as contacts."""
    if not path:
        return
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["problem", "contacts", "ours_ms", "siconos_ms", "siconos_solver", "ratio"])
        writer.writerows(rows)
        writer.writerow(["geometric mean", len(ratios), "", "", "", geometric_mean(ratios)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", help="problem files or folders")
    parser.add_argument("--nsn", default="build/release/bin/nsn", help="our program")
    parser.add_argument("--method", default="", help="our method; default: automatic")
    parser.add_argument("--tol", type=float, default=1e-8)
    parser.add_argument("--min-contacts", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeat", type=int, default=5, help="solves per process; the least time counts")
    parser.add_argument("--limit", type=float, default=20.0, help="processor seconds of one of their solves")
    parser.add_argument("--solvers", default="", help="comma-separated; default: " + ",".join(SOLVERS))
    parser.add_argument("--processor-time", action="store_true", help="on a busy machine: processor time on both sides")
    parser.add_argument("--csv", default="", help="also write the table there, in full precision")
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return siconos_worker(*options.worker, options.tol, options.repeat, options.limit, options.processor_time)
    ratios, beside_ratios, rows = [], [], []
    head = f"{'problem':44} {'contacts':>8} {'ours ms':>9} {'Siconos ms':>11} {'by':14} {'ratio':>7}"
    print(head + ("  yardstick ms  ours/yardstick" if "NSN_YARDSTICK" in os.environ else ""), flush=True)
    for path in files_of(options.paths):
        try:
            problem = read_problem(path)
        except (ValueError, StopIteration, KeyError, OSError, UnicodeDecodeError):
            continue  # other kinds: 2D, LCP, global text
        if len(problem.mu) < options.min_contacts:
            continue
        with tempfile.TemporaryDirectory() as folder:
            ours, (label, theirs), beside = compare(path, problem, options, folder)
        ratio = theirs / ours if math.isfinite(ours) else 0.0
        line = f"{os.path.basename(path):44} {len(problem.mu):8d} {text_of(1e3 * ours):>9} {text_of(1e3 * theirs):>11} {label:14} {text_of(ratio):>7}"
        rows.append([os.path.basename(path), len(problem.mu), 1e3 * ours, 1e3 * theirs, label, ratio])
        if math.isfinite(ratio) and ratio > 0:
            ratios.append(ratio)
        if beside is not None:
            beside_ratios.append(ours / beside)
            line += f"  {text_of(1e3 * beside):>12}  {text_of(ours / beside):>14}"
        print(line, flush=True)
        write_csv(options.csv, rows, ratios)
    if ratios:
        print(f"geometric mean of the ratios {geometric_mean(ratios):.3g}, least {min(ratios):.3g}, over {len(ratios)} problems")
    if beside_ratios:
        print(f"ours/yardstick: geometric mean {geometric_mean(beside_ratios):.3g}, largest {max(beside_ratios):.3g}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
