"""Every number that core/ has by name is in docs/data/core_constants.csv with its kind, and at most 25 of them are of
policy. Numbers are constants (`constexpr double kName = ...`) and fields of the options structs below.

    check_constants.py [--record]    --record: writes the file again, kinds stay; new ones get `?`, which fails
"""
import csv
import glob
import os
import re
import sys

from pages import ROOT, report

FILE = os.path.join(ROOT, "docs", "data", "core_constants.csv")
HEAD = ["constant", "file", "kind", "value"]
KINDS = {"policy", "option", "method", "cost", "rounding", "guard", "layout"}
MOST_POLICY = 25
STRUCTS = {"AccuratePolicy": "core/step/policy.h", "RealtimePolicy": "core/step/policy.h",
           "ProximalSchedule": "core/contact/proximal_schedule.h", "ProximalOptions": "core/contact/proximal_newton.h",
           "AndersonAdmmOptions": "core/contact/anderson_admm.h", "DualSystemOptions": "core/contact/dual_system.h",
           "FrictionSolverOptions": "core/problems/friction_solver.h",
           "FirstSweepsOptions": "core/problems/friction_solver.h",
           "RescueOptions": "core/problems/friction_solver.h", "NoSolutionOptions": "core/contact/no_solution.h"}
CONSTANT = re.compile(r"^\s*(?:inline |static )*constexpr (?:double|float|int|Index|std::size_t) (k\w+) = ([^;]+);", re.M)
FIELD = re.compile(r"^  (?:double|int|Index) (\w+) = ([^;]+);", re.M)


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def found():
    """(name, file): value of every number."""
    numbers = {}
    for kind in ("h", "cpp"):
        for path in glob.glob(os.path.join(ROOT, "core", "**", "*." + kind), recursive=True):
            name = os.path.relpath(path, ROOT)
            for constant, value in CONSTANT.findall(read(name)):
                key = (constant, name)
                numbers[key] = f"{numbers[key]}; {value}" if key in numbers else value
    for struct, name in STRUCTS.items():
        body = re.search(rf"^struct {struct} {{(.*?)^}};", read(name), re.M | re.S)[1].split("// ---- State")[0]
        for field, value in FIELD.findall(body):
            numbers[f"{struct}::{field}", name] = value
    return numbers


def listed():
    if not os.path.exists(FILE):
        return {}
    with open(FILE, encoding="utf-8") as file:
        return {(row["constant"], row["file"]): row for row in csv.DictReader(file)}


def record(numbers, rows):
    with open(FILE, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEAD)
        for (name, path), value in sorted(numbers.items(), key=lambda item: (item[0][1], item[0][0])):
            writer.writerow([name, path, rows.get((name, path), {"kind": "?"})["kind"], value])


def main():
    numbers, rows = found(), listed()
    if sys.argv[1:] == ["--record"]:
        record(numbers, rows)
        return 0
    problems = [f"{path}: {name} is not in core_constants.csv" for name, path in sorted(numbers.keys() - rows.keys())]
    problems += [f"core_constants.csv: no {name} in {path}" for name, path in sorted(rows.keys() - numbers.keys())]
    problems += [f"{path}: {name} is {numbers[name, path]}, core_constants.csv says {row['value']}"
                 for (name, path), row in rows.items() if numbers.get((name, path), row["value"]) != row["value"]]
    problems += [f"core_constants.csv: {row['constant']} has the kind '{row['kind']}'"
                 for row in rows.values() if row["kind"] not in KINDS]
    policy = {row["constant"] for row in rows.values() if row["kind"] == "policy"}
    if len(policy) > MOST_POLICY:
        problems.append(f"{len(policy)} constants of policy, at most {MOST_POLICY}")
    return report(problems, f"{len(numbers)} constants of core, {len(policy)} of policy")


if __name__ == "__main__":
    sys.exit(main())
