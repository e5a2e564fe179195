#!/usr/bin/env python3
"""Our linear solvers beside their peers, on systems that scenes export and on public matrices.

    python3 bench/peers/linear_peers.py docs/data/linear_peers.csv [--nsn NSN] [--petsc NSN] [--data FOLDER]
    python3 bench/peers/linear_peers.py docs/data/large_peers.csv --large

Exports the Newton systems of SYSTEMS and of HELD_OUT (which no constant of the solver `auto` was chosen by), compares all
solvers on them and on the folder of public matrices with `nsn compare`, and writes one line per system: processor time, least of
the runs, relative tolerance 1e-8, one thread. Two comparisons: AMGCL and Eigen as a plug-in (target nsn_peers) of --nsn
(build/release/bin/nsn), and PETSc, hypre and MUMPS in --petsc (build/petsc/bin/nsn), which takes no plug-in. Ours run in both;
the peer of a line is the one that is nearest to ours of its own comparison. `auto` is held against the best of ours by the
median of the runs: the least is a run whose caches an earlier one has filled, for whom that happens. What was measured before is
kept (out/peers/*/rows.jsonl): the same command goes on where it was stopped.

--large: direct solvers, MUMPS among them, on the systems of LARGE, a line for each.
"""
import argparse
import csv
import json
import pathlib
import shutil
import statistics
import subprocess
import sys

OUT = pathlib.Path("out/peers")
# scene and its parameters, step, Newton iteration; preset paper
SYSTEMS = [("arch", [], 20, 1), ("humanoids", ["count=1"], 60, 1), ("table-pile", [], 60, 1),
           ("sphere-pile", ["balls=500"], 40, 2), ("card-house", [], 20, 2), ("beam-insertion", [], 60, 2),
           ("sphere-pile", ["balls=3000"], 40, 2), ("sphere-pile", ["balls=9000"], 40, 2)]
SEEN = [("arch", [], 5, 0), ("arch", [], 60, 1), ("heavy-stack", [], 20, 1), ("sliding-stack", [], 20, 1),
            ("card-house", [], 60, 1), ("beam-insertion", [], 100, 1), ("sphere-pile", ["balls=100"], 60, 1),
            ("sphere-pile", ["balls=200"], 30, 1), ("sphere-pile", ["balls=1000"], 50, 1),
            ("sphere-pile", ["balls=2000", "seed=3"], 35, 1), ("table-pile", [], 90, 1), ("humanoids", ["count=1"], 90, 1)]
HELD_OUT = [("arch", [], 30, 0), ("arch", [], 120, 1), ("card-house", [], 10, 0), ("card-house", [], 40, 1),
            ("table-pile", [], 40, 0), ("table-pile", [], 120, 1), ("sphere-pile", ["balls=300"], 50, 1),
            ("sphere-pile", ["balls=700", "seed=5"], 35, 0), ("sphere-pile", ["balls=1500", "seed=2"], 45, 1),
            ("capsule-pile", [], 60, 1), ("mesh-pile", [], 60, 1), ("humanoids", ["count=1"], 40, 0),
            ("humanoids", ["count=4"], 80, 1), ("beam-insertion", [], 30, 1), ("heavy-stack", [], 50, 0), ("wall", [], 20, 1),
            ("domino", [], 40, 1), ("chain", [], 30, 1), ("bridge", [], 30, 1), ("yumi-cabinet", [], 30, 1),
            ("ragdolls", [], 60, 1), ("soft-ball-drop", [], 60, 1), ("cantilever", [], 20, 1), ("squeeze", [], 40, 1)]
OURS = ["auto", "contact-lu", "pcg", "pcg:precond=block-ilu", "pcr", "pcr:precond=block-ilu", "gmres:precond=block-ilu", "amg",
        "cholmod", "klu"]
PLUGGED = ["amgcl-ilu0", "amgcl-amg", "eigen-ic"]
PEERS = ["petsc:pc=icc", "petsc:ksp=preonly,pc=cholesky,options=-pc_factor_mat_solver_type mumps", "petsc:pc=hypre",
         "petsc:pc=gamg,matrix=aij"]
LARGE = [("sphere-pile", ["balls=12000"], 40, newton) for newton in (0, 1, 3)]
ON_LARGE = ["contact-lu", PEERS[1], "cholmod", "pcg:precond=block-ilu"]
LIBRARIES = {"cholmod", "klu"}  # others' factorisations under our roof: peers too


def run(*words):
    print("+", " ".join(words), flush=True)
    return subprocess.run(words, check=False).returncode


def export(nsn, systems, folder):
    """The folders of the systems; those that are there stay."""
    for scene, parameters, step, newton in systems:
        name = "-".join([scene, *parameters, f"step{step}", f"newton{newton}"]).replace("=", "")
        target = folder / name
        if target.exists():
            continue
        words = [nsn, "export", scene, "--preset", "paper", "--step", str(step), "--newton", str(newton), "--format", "petsc",
                 "--quiet", "--threads", "1", "--out", str(target)]
        for parameter in parameters:
            words += ["--set", parameter]
        run(*words)


def keep_largest(folder, most=2):
    """Of the islands of each export the largest, of different sizes; below 30 rows nothing is to be learnt."""
    for export_of in folder.iterdir():
        sizes = set()
        rows_of = lambda path: json.loads((path / "system.json").read_text())["rows"]
        for path in sorted((p for p in export_of.iterdir() if (p / "system.json").exists()), key=rows_of, reverse=True):
            if rows_of(path) >= 30 and rows_of(path) not in sizes and len(sizes) < most:
                sizes.add(rows_of(path))
            else:
                shutil.rmtree(path)


def best(rows, names):
    return min((r for r in rows if r["solver"] in names), key=lambda r: r["cpu_seconds"], default=None)


def median(row):
    return statistics.median(float(t) for t in row["runs_cpu"].split())


def line_of(system, comparisons, held_out):
    """comparisons: the rows of each, those that converged on the assembled matrix."""
    rows = next(r for r in comparisons if r)
    everything = [r for c in comparisons for r in c]
    own = set(OURS) - LIBRARIES - {"auto"}
    pairs = [(best(c, own), best(c, set(PEERS) | set(PLUGGED) | LIBRARIES)) for c in comparisons]
    pairs = [(a, b) for a, b in pairs if a and b]
    ours, peer = max(pairs, key=lambda p: p[0]["cpu_seconds"] / p[1]["cpu_seconds"], default=(best(everything, own), None))
    auto = next((r for r in rows if r["solver"] == "auto"), None)
    rivals = [median(r) for r in rows if r["solver"] in set(OURS) - {"auto"}]
    time = {r["solver"]: r["cpu_seconds"] for r in reversed(everything)}

    def ms(seconds):
        return "" if seconds is None else f"{1e3 * seconds:.4g}"

    of = lambda row: None if row is None else row["cpu_seconds"]
    return {"system": system.split("/")[-1], "rows": rows[0]["rows"], "entries": rows[0]["nonzeros"],
            "held_out": "yes" if held_out else "no",
            "best_of_ours": ours and ours["solver"], "ours_ms": ms(of(ours)),
            "best_peer": peer and peer["solver"].split(",options")[0], "peer_ms": ms(of(peer)),
            "ours_over_peer": f"{of(ours) / of(peer):.3g}" if ours and peer else "",
            "auto_ms": ms(of(auto)), "auto_over_best": f"{median(auto) / min(rivals):.3g}" if auto and rivals else "",
            "pcg_jacobi_ms": ms(time.get("pcg")), "pcg_block_ilu_ms": ms(time.get("pcg:precond=block-ilu")),
            "amg_ms": ms(time.get("amg")), "gamg_ms": ms(time.get("petsc:pc=gamg,matrix=aij")),
            "amgcl_ilu0_ms": ms(time.get("amgcl-ilu0")), "eigen_ic_ms": ms(time.get("eigen-ic"))}


def compare(nsn, paths, solvers, out, more=(), limit="20"):
    """Rows by system, those that converged on the assembled matrix."""
    run(nsn, "compare", *paths, "--solvers", ",".join(solvers), "--tol", "1e-8", "--threads", "1", "--time-limit", limit,
        "--out", str(out), "--quiet", *more)
    systems = {}
    for row in json.loads((out / "compare.json").read_text())["results"]:
        if row["converged"] and row["operator"] == "assembled":
            systems.setdefault(row["system"], []).append(row)
    return systems


def report(table, held_out):
    lines = [line for line in table if line["held_out"] == held_out]
    autos = [float(line["auto_over_best"]) for line in lines if line["auto_over_best"]]
    against = [float(line["ours_over_peer"]) for line in lines if line["ours_over_peer"]]
    print(f"held out {held_out}: auto within 1.2 of the best on {sum(a <= 1.2 for a in autos)} of {len(autos)}; "
          f"ours within 1.05 of the best peer on {sum(a <= 1.05 for a in against)} of {len(against)}")


def large(given):
    export(given.petsc, LARGE, OUT / "large")
    systems = compare(given.petsc, [str(OUT / "large")], ON_LARGE, OUT / "of-large", ["--repeat", "1"], limit="300")
    with given.target.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["system", "rows", "entries", "solver", "cpu_s"])
        for name, rows in sorted(systems.items()):
            for row in rows:
                solver = "MUMPS (petsc)" if "mumps" in row["solver"] else row["solver"]
                writer.writerow([name.split("/")[-1], row["rows"], row["nonzeros"], solver, f"{row['cpu_seconds']:.4g}"])
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", type=pathlib.Path)
    parser.add_argument("--nsn", default="build/release/bin/nsn")
    parser.add_argument("--petsc", default="build/petsc/bin/nsn")
    parser.add_argument("--data", default="../shared/data/linear")
    parser.add_argument("--large", action="store_true")
    given = parser.parse_args()
    if given.large:
        return large(given)
    export(given.nsn, SYSTEMS + SEEN, OUT / "systems")
    export(given.nsn, HELD_OUT, OUT / "held-out")
    for folder in ("systems", "held-out"):
        keep_largest(OUT / folder, 2 if folder == "held-out" else 5)
    paths = [str(OUT / "systems"), str(OUT / "held-out")] + ([given.data] if pathlib.Path(given.data).exists() else [])
    plugin = pathlib.Path(given.nsn).parent / "libnsn_peers.so"
    plugged = compare(given.nsn, paths, OURS + PLUGGED, OUT / "plugged", ["--plugin", str(plugin)])
    petsc = compare(given.petsc, paths, OURS + PEERS, OUT / "petsc") if pathlib.Path(given.petsc).exists() else {}
    held_out = {f"{path.parent.name}/{path.name}" for path in (OUT / "held-out").glob("*/*")}
    table = [line_of(name, [rows, petsc.get(name, [])], name in held_out) for name, rows in plugged.items()]
    table = sorted((line for line in table if line["rows"] >= 30), key=lambda line: line["rows"])
    with given.target.open("w", newline="") as file:
        writer = csv.DictWriter(file, table[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    report(table, "no")
    report(table, "yes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
