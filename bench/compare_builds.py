#!/usr/bin/env python3
"""Work of two builds of nsn on the same scenes: python3 bench/compare_builds.py OLD NEW

Counts the instructions of Simulation::step() with valgrind (they do not depend on what else the machine does), one
thread, from step A to step B of each run. With --time processor time instead: the two builds in turn, the least of N.
A ratio above 1 means that NEW needs more.

  --rows FILE      lines "scene and options" that both builds understand, or "for OLD | for NEW" where they differ
  --steps A B      default 2 and 12
  --time N         seconds of processor time, N times each; give steps that take seconds
  --csv FILE       the table in full precision
"""
import argparse
import csv
import math
import os
import re
import resource
import subprocess
import sys

ROWS = [
    "box-on-incline", "sliding-box", "arch", "heavy-stack", "wall --set rows=4 --set columns=5", "cylinder-ring",
    "sphere-pile --set balls=60", "sliding-stack", "chain", "bridge", "four-bar", "domino", "capsule-pile --set capsules=20",
    "beam-insertion", "soft-ball-drop --set tets=300", "cantilever", "hanging-cloth",
]
PRESETS = ("accurate", "realtime", "paper")


def instructions(nsn, command, steps):
    words = ["valgrind", "--tool=callgrind", "--toggle-collect=nsn::Simulation::step()", "--callgrind-out-file=/dev/null",
             nsn, "run", *command.split(), "--threads", "1", "--quiet", "--steps", str(steps)]
    done = subprocess.run(words, capture_output=True, text=True, env=dict(os.environ, OMP_WAIT_POLICY="passive"))
    counted = re.search(r"Collected\s*:\s*(\d+)", done.stderr)
    if done.returncode > 1 or not counted:
        return None, done.stderr.strip().split("\n")[-1]
    return int(counted[1]), ""


def seconds(nsn, command, steps):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([nsn, "run", *command.split(), "--threads", "1", "--quiet", "--steps", str(steps)],
                          capture_output=True, text=True, env=dict(os.environ, OMP_WAIT_POLICY="passive"))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode > 1:
        return None, done.stderr.strip().split("\n")[-1]
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, ""


def between(measure, builds, steps, repeats):
    """Least work of each (nsn, command) from the first to the second number of steps, and what went wrong."""
    least = [[None, None] for _ in builds]
    for _ in range(repeats):
        for k, (nsn, command) in enumerate(builds):
            for end in range(2):
                work, problem = measure(nsn, command, steps[end])
                if work is None:
                    return None, problem
                least[k][end] = work if least[k][end] is None else min(work, least[k][end])
    return [second - first for first, second in least], ""


def rows_of(path):
    if path is None:
        return [(f"{row} --preset {preset}",) * 2 for row in ROWS for preset in PRESETS]
    with open(path, encoding="utf-8") as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    return [tuple(part.strip() for part in line.split("|")) if "|" in line else (line, line) for line in lines]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--rows")
    parser.add_argument("--steps", nargs=2, type=int, default=(2, 12))
    parser.add_argument("--time", type=int, metavar="N")
    parser.add_argument("--csv")
    options = parser.parse_args()
    table, ratios = [], []
    for old, new in rows_of(options.rows):
        builds = ((options.old, old), (options.new, new))
        work, problem = between(seconds if options.time else instructions, builds, options.steps, options.time or 1)
        if work is None:
            table.append([new, None, None, None, problem])
            print(f"{new:60} {problem}", flush=True)
            continue
        ratio, unit = work[1] / work[0], 1e-3 if options.time else 1e6
        table.append([new, *work, ratio, ""])
        ratios.append(ratio)
        print(f"{new:60} {work[0] / unit:10.1f} {work[1] / unit:10.1f} {ratio:8.3f}", flush=True)
    if ratios:
        print(f"geometric mean of {len(ratios)} ratios {math.exp(sum(map(math.log, ratios)) / len(ratios)):.3f}, "
              f"largest {max(ratios):.3f}")
    if options.csv:
        with open(options.csv, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(
                [["command", "old", "new", "ratio", "problem"], *table])
    return 0 if ratios else 1


if __name__ == "__main__":
    sys.exit(main())
