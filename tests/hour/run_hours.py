#!/usr/bin/env python3
"""Ten scenes of at most 0.3 ms per step, each for an hour of simulated time in both presets: nothing may go wrong slowly.

  run_hours.py PROGRAM [--steps 432000] [--scenes NAME...] [--out docs/data/simulated_hour.csv]

PROGRAM is bin/simulated_hour. A row of the same program that is in the file already is kept, so that an interrupted
run goes on. Exit code 1 and the reason: a number that is none, memory that grew by a mebibyte after the first minute,
a body of a scene at rest that moved by a millimetre after it, energy that an undriven scene gained, a step's error
beyond a metre per second.
"""
import argparse
import csv
import hashlib
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
AT_REST = ["four-leg-table", "a-frame", "overhang", "harmonic-stack", "capstan", "cylinder-ring", "heavy-stack", "arch"]
MOVING = ["pendulum", "four-bar"]  # the second one has a motor
UNDRIVEN = AT_REST + ["pendulum"]
MOST_MEMORY, MOST_MOVED, MOST_GAIN, MOST_ERROR = 1.0, 1e-3, 1e-3, 1.0  # MiB, m, J, m/s


def complaints(row):
    """Why a row is not good."""
    found = []
    if row["finite"] != "yes":
        found.append("a number is none")
    if float(row["memory_growth_mib"]) > MOST_MEMORY:
        found.append(f"memory grew by {row['memory_growth_mib']} MiB")
    if row["scene"] in AT_REST and not float(row["moved_m"]) <= MOST_MOVED:
        found.append(f"a body crept by {row['moved_m']} m")
    if row["scene"] in UNDRIVEN and not float(row["energy_gain_j"]) <= MOST_GAIN:
        found.append(f"gained {row['energy_gain_j']} J")
    if not float(row["error"]) <= MOST_ERROR:
        found.append(f"a step's error was {row['error']} m/s")
    return found


def read(path):
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8", newline="") as file:
        return {(row["scene"], row["preset"]): row for row in csv.DictReader(file)}


def row_of(head, line):
    """A line of the program, with a name in front."""
    row = dict(zip(head, line.strip().split(",")))
    return {"run": f"{row['scene']}, {row['preset']}", **row}


def write(path, columns, rows):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path + ".new", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows.values())
    os.replace(path + ".new", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--steps", default="432000")
    parser.add_argument("--scenes", nargs="+", default=AT_REST + MOVING)
    parser.add_argument("--out", default=os.path.join(ROOT, "out", "hour", "simulated_hour.csv"))
    given = parser.parse_args()
    head = subprocess.run([given.program, "--head"], check=True, capture_output=True, text=True).stdout.strip().split(",")
    with open(given.program, "rb") as file:
        program = hashlib.sha1(file.read()).hexdigest()[:12]
    stamp = given.out + ".program"  # whose rows these are
    known = os.path.exists(stamp) and open(stamp, encoding="utf-8").read() == program
    rows = read(given.out) if known else {}
    os.makedirs(os.path.dirname(os.path.abspath(given.out)), exist_ok=True)
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(program)
    good = True
    for scene in given.scenes:
        for preset in ("accurate", "realtime"):
            if rows.get((scene, preset), {}).get("steps") != given.steps:
                done = subprocess.run([given.program, scene, preset, given.steps], capture_output=True, text=True)
                if done.returncode not in (0, 1):
                    sys.exit(done.stderr or f"{scene}, {preset}: ended by signal {-done.returncode}")
                rows[scene, preset] = row_of(head, done.stdout)
                write(given.out, ["run", *head], rows)
            row = rows[scene, preset]
            wrong = complaints(row)
            good = good and not wrong
            print("  ".join(f"{key} {row[key]}" for key in head) + ("" if not wrong else "  WRONG: " + "; ".join(wrong)),
                  flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
