#!/usr/bin/env python3
"""What the constants of the friction solver are worth: each is halved and doubled on problems that none was chosen on.

    python3 bench/ablation/ablate_friction.py [--bin build/release/bin/nsn_friction_cases] [--data FOLDER] [--only NAME...]
                                                                           -> docs/data/constants_friction.csv

The constants are fields of FrictionSolverOptions, ProximalOptions and ProximalSchedule; friction_cases.cpp sets them by
name. The problems are in friction_cases.csv: 498 random ones by seed, and files of FOLDER if it is there. Figures:

    solved          problems, each with the most factorisations that its line allows
    factorizations  of all problems
    work            geometric mean of 1 + factorisations, with sweeps counted as the part of one that they cost

No clock takes part: the figures are the same on every machine of one kind. A constant matters if work changes by at
least 5 % or at least 5 problems more or less are solved (1 % of them) when it is halved or doubled.
"""
import argparse
import csv
import io
import math
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
OUT = os.path.join(ROOT, "docs", "data", "constants_friction.csv")
HEAD = ["run", "solved", "problems", "factorizations", "work", "matters"]
CONSTANTS = {  # name: default
    "attempt": 400, "sweeps_worth": 1.5, "max_inner": 12, "alpha_cold": 1e-2, "load_clip": 10.0,
    "friction_ceiling": 0.5, "runaway": 10.0, "rise": 3.0, "failure_decay": 0.6,
    "ask_after": 50, "relaxation": 0.9, "alpha_from_point": 1e-5, "from_point": 300, "wander": 15, "dip": 0.3,
    "dip_sweeps": 100, "from_dip": 40}
ABOVE = {"failure_decay": 0.9, "relaxation": 1.0}  # instead of twice: the range ends at 1


def figures(program, data, setting):
    command = [program, os.path.join(HERE, "friction_cases.csv"), data] + ([setting] if setting else [])
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    return {"solved": sum(int(row["solved"]) for row in rows), "problems": len(rows),
            "factorizations": sum(int(row["factorizations"]) for row in rows),
            "work": math.exp(sum(math.log(1.0 + float(row["work"])) for row in rows) / len(rows))}


def variants(name):
    value = CONSTANTS[name]
    for variant in (value / 2, ABOVE.get(name, value * 2)):
        yield f"{name}={int(variant) if isinstance(value, int) else f'{variant:g}'}"


def read():
    """Rows of the file by run."""
    if not os.path.exists(OUT):
        return {}
    with open(OUT, encoding="utf-8") as file:
        return {row["run"]: row for row in csv.DictReader(file)}


def write(rows):
    runs = ["as it is"] + [run for name in CONSTANTS for run in variants(name)]
    with open(OUT + ".new", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, HEAD, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[run] for run in runs if run in rows)
    os.replace(OUT + ".new", OUT)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.path.join(ROOT, "build/release/bin/nsn_friction_cases"))
    parser.add_argument("--data", default=os.path.join(
        os.environ.get("NSN_DATA_DIR", os.path.join(ROOT, "..", "shared", "data")), "friction"))
    parser.add_argument("--only", nargs="*", default=list(CONSTANTS), choices=list(CONSTANTS), metavar="NAME",
                        help="the other rows of the file stay")
    given = parser.parse_args()
    rows = read() if len(given.only) < len(CONSTANTS) else {}
    base = figures(given.bin, given.data, None)
    rows["as it is"] = {"run": "as it is", **base, "matters": ""}
    for name in given.only:
        for run in variants(name):
            now = figures(given.bin, given.data, run)
            far = abs(now["work"] / base["work"] - 1.0) >= 0.05 or abs(now["solved"] - base["solved"]) >= 5
            rows[run] = {"run": run, **now, "matters": "yes" if far else "no"}
            print(run, now, rows[run]["matters"], flush=True)
        write(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
