#!/usr/bin/env python3
"""Our linear solvers beside their peers, on systems that scenes export and on public matrices.

    python3 bench/peers/linear_peers.py build/release/bin/nsn docs/data/linear_peers.csv [DATA]

Exports the Newton systems of SYSTEMS (and of HELD_OUT, which no constant of the solver `auto` was chosen by), compares all
solvers on them and on DATA (../shared/data/linear) with `nsn compare`, and writes one line per system: processor time, least of the
runs, relative tolerance 1e-8, one thread. Peers are PETSc, hypre and MUMPS where this build has PETSc. What was measured before
is kept (out/peers/rows.jsonl): the same command goes on where it was stopped.
"""
import csv
import json
import pathlib
import subprocess
import sys

OUT = pathlib.Path("out/peers")
# scene and its parameters, step, Newton iteration; preset paper
SYSTEMS = [("arch", [], 20, 1), ("humanoids", ["count=1"], 60, 1), ("table-pile", [], 60, 1),
           ("sphere-pile", ["balls=500"], 40, 2), ("card-house", [], 20, 2), ("beam-insertion", [], 60, 2),
           ("sphere-pile", ["balls=3000"], 40, 2)]
HELD_OUT = [("arch", [], 5, 0), ("arch", [], 60, 1), ("heavy-stack", [], 20, 1), ("sliding-stack", [], 20, 1),
            ("card-house", [], 60, 1), ("beam-insertion", [], 100, 1), ("sphere-pile", ["balls=100"], 60, 1),
            ("sphere-pile", ["balls=200"], 30, 1), ("sphere-pile", ["balls=1000"], 50, 1),
            ("sphere-pile", ["balls=2000", "seed=3"], 35, 1), ("table-pile", [], 90, 1), ("humanoids", ["count=1"], 90, 1)]
OURS = ["auto", "contact-lu", "pcg", "pcg:precond=block-ilu", "pcr", "pcr:precond=block-ilu", "gmres:precond=block-ilu", "amg",
        "cholmod", "klu"]
PEERS = ["petsc:pc=icc", "petsc:ksp=preonly,pc=cholesky,options=-pc_factor_mat_solver_type mumps", "petsc:pc=hypre",
         "petsc:pc=gamg,matrix=aij"]
LIBRARIES = {"cholmod", "klu"}  # others' factorisations under our roof: peers too


def run(*words):
    print("+", " ".join(words), flush=True)
    return subprocess.run(words, check=False).returncode


def export(nsn, systems, folder):
    """The folders of the systems; those that are there stay."""
    for scene, parameters, step, newton in systems:
        name = "-".join([scene, *parameters, f"step{step}"]).replace("=", "")
        target = folder / name
        if target.exists():
            continue
        words = [nsn, "export", scene, "--preset", "paper", "--step", str(step), "--newton", str(newton), "--format", "petsc",
                 "--quiet", "--threads", "1", "--out", str(target)]
        for parameter in parameters:
            words += ["--set", parameter]
        run(*words)


def best(rows, names):
    rows = [r for r in rows if r["solver"] in names and r["converged"] and r["operator"] == "assembled"]
    return min(rows, key=lambda r: r["cpu_seconds"], default=None)


def line_of(system, rows):
    time = {r["solver"]: r["cpu_seconds"] for r in rows if r["converged"] and r["operator"] == "assembled"}
    ours = best(rows, set(OURS) - LIBRARIES - {"auto"})
    under_auto = best(rows, set(OURS) - {"auto"})
    peer = best(rows, set(PEERS) | LIBRARIES)

    def ms(seconds):
        return "" if seconds is None else f"{1e3 * seconds:.4g}"

    def ratio(a, b):
        return "" if a is None or b is None else f"{a / b:.3g}"

    of = lambda row: None if row is None else row["cpu_seconds"]
    return {"system": system, "rows": rows[0]["rows"], "entries": rows[0]["nonzeros"],
            "best_of_ours": ours and ours["solver"], "ours_ms": ms(of(ours)),
            "best_peer": peer and peer["solver"].split(",options")[0], "peer_ms": ms(of(peer)),
            "ours_over_peer": ratio(of(ours), of(peer)),
            "auto_ms": ms(time.get("auto")), "auto_over_best": ratio(time.get("auto"), of(under_auto)),
            "pcg_jacobi_ms": ms(time.get("pcg")), "pcg_block_ilu_ms": ms(time.get("pcg:precond=block-ilu")),
            "amg_ms": ms(time.get("amg")), "gamg_ms": ms(time.get("petsc:pc=gamg,matrix=aij"))}


def main():
    nsn, target = sys.argv[1], pathlib.Path(sys.argv[2])
    data = sys.argv[3] if len(sys.argv) > 3 else "../shared/data/linear"
    export(nsn, SYSTEMS, OUT / "systems")
    export(nsn, HELD_OUT, OUT / "held-out")
    report = json.loads(subprocess.run([nsn, "solvers", "--json", "-"], capture_output=True, text=True, check=True).stdout)
    there = {row["name"] for row in report["results"] if row["available"]}
    solvers = [s for s in OURS + PEERS if s.split(":")[0] in there]
    paths = [str(OUT / "systems"), str(OUT / "held-out")] + ([data] if pathlib.Path(data).exists() else [])
    code = run(nsn, "compare", *paths, "--solvers", ",".join(solvers), "--tol", "1e-8", "--threads", "1", "--time-limit", "20",
               "--out", str(OUT), "--quiet")
    if code not in (0, 1):
        return code
    lines = {}
    for row in json.loads((OUT / "compare.json").read_text())["results"]:
        if row["status"] != "refused":
            lines.setdefault(row["system"], []).append(row)
    table = [line_of(system, rows) for system, rows in lines.items() if rows[0]["rows"] >= 30]
    table.sort(key=lambda line: line["rows"])
    with target.open("w", newline="") as file:
        writer = csv.DictWriter(file, table[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    autos = [float(line["auto_over_best"]) for line in table if line["auto_over_best"]]
    against = [float(line["ours_over_peer"]) for line in table if line["ours_over_peer"]]
    print(f"{len(table)} systems: auto within 1.2 of the best on {sum(a <= 1.2 for a in autos)} of {len(autos)}; "
          f"ours within 1.05 of the best peer on {sum(a <= 1.05 for a in against)} of {len(against)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
