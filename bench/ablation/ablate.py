#!/usr/bin/env python3
"""What the constants of policy are worth: each is halved and doubled on cases that none of them was chosen on.

    python3 bench/ablation/ablate.py [--nsn build/release/bin/nsn] [--only NAME...]    -> docs/data/constants.csv

The constants are the fields of core/step/policy.h, set by `nsn run --policy NAME=VALUE`. The cases are in cases.csv,
one run each. Figures of a method over all cases:

    work       geometric mean of 1 + factorisations per step
    error      geometric mean of the median error, m/s
    worst      geometric mean of the largest error, m/s
    unsolved   steps that the method itself calls unconverged

A constant matters if one of them changes by 5 % (an error: its logarithm by 5 % of a decade) when it is halved or
doubled. The file is written after every constant; with --only the other rows of it stay.
"""
import argparse
import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
OUT = os.path.join(ROOT, "docs", "data", "constants.csv")
HEAD = ["run", "method", "constant", "value", "work", "error_mps", "worst_mps", "unsolved", "matters"]
FIELD = re.compile(r"^  (?:double|int|Index) (\w+) = ([-\d.e]+);", re.M)


def constants():
    """(method, name, default) of every field of the policy structs."""
    with open(os.path.join(ROOT, "core", "step", "policy.h"), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(ROOT, "core", "contact", "contact_gauss_seidel.h"), encoding="utf-8") as file:
        shared = dict(re.findall(r"constexpr double (k\w+) = ([\d.e]+);", file.read()))
    text = re.sub(r"(?<= = )k\w+(?=;)", lambda name: shared[name[0]], text)
    for method, body in re.findall(r"struct (\w+)Policy \{(.*?)^\};", text, re.M | re.S):
        for name, value in FIELD.findall(body):
            yield method.lower(), name, value


def cases():
    with open(os.path.join(HERE, "cases.csv"), encoding="utf-8") as file:
        return list(csv.DictReader(file))


def run(nsn, method, case, setting):
    command = [nsn, "run", case["scene"], "--preset", method, "--steps", case["steps"], "--threads", "1", "--quiet"]
    for parameter in case["parameters"].split():
        command += ["--set", parameter]
    if setting:
        command += ["--policy", setting]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.json")
        done = subprocess.run(command + ["--json", path], capture_output=True, text=True)
        if done.returncode == 2 and "is outside" in done.stderr:
            return None
        if done.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)}: {done.stderr}")
        with open(path, encoding="utf-8") as file:
            return json.load(file)["results"][0]


def figures(nsn, method, setting):
    with ThreadPoolExecutor(2) as pool:
        rows = list(pool.map(lambda case: run(nsn, method, case, setting), cases()))
    if None in rows:
        return None
    mean = lambda values: math.exp(sum(math.log(v) for v in values) / len(values))
    floor = lambda value: max(value, 1e-14) if math.isfinite(value) else 1e6
    return {"work": mean([1.0 + row["newton_iterations_mean"] for row in rows]),
            "error_mps": mean([floor(row["error_median_mps"]) for row in rows]),
            "worst_mps": mean([floor(row["error_max_mps"]) for row in rows]),
            "unsolved": sum(row["unconverged_steps"] for row in rows)}


def matters(base, now):
    far = lambda key: abs(now[key] / base[key] - 1.0) >= 0.05
    decades = lambda key: abs(math.log10(now[key] / base[key])) >= 0.05
    return far("work") or decades("error_mps") or decades("worst_mps") or (
        abs(now["unsolved"] - base["unsolved"]) >= max(1.0, 0.05 * base["unsolved"]))


def variants(value):
    if re.fullmatch(r"\d+", value):
        n = int(value)
        return [str(v) for v in dict.fromkeys((max(n // 2, 1), 2 * n)) if v != n]
    return [f"{float(value) / 2:g}", f"{float(value) * 2:g}"]


def read():
    """Rows of the file by (method, constant, value)."""
    if not os.path.exists(OUT):
        return {}
    with open(OUT, encoding="utf-8") as file:
        return {(row["method"], row["constant"], row["value"]): row for row in csv.DictReader(file)}


def write(rows):
    order = {("accurate", "none"): -2, ("realtime", "none"): -1}
    order.update({(method, name): k for k, (method, name, _) in enumerate(constants())})
    kept = sorted((key for key in rows if key[:2] in order), key=lambda key: (order[key[:2]], float(key[2] or 0)))
    with open(OUT + ".new", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, HEAD, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[key] for key in kept)
    os.replace(OUT + ".new", OUT)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nsn", default=os.path.join(ROOT, "build/release/bin/nsn"))
    parser.add_argument("--only", nargs="*", default=[])
    given = parser.parse_args()
    unknown = set(given.only) - {name for _, name, _ in constants()}
    if unknown:
        parser.error(f"no constant {', '.join(sorted(unknown))} in core/step/policy.h")
    rows, base = read() if given.only else {}, {}
    for method, name, value in constants():
        if given.only and name not in given.only:
            continue
        if method not in base:
            base[method] = figures(given.nsn, method, None)
            rows[method, "none", ""] = {"run": method, "method": method, "constant": "none", "value": "",
                                        **base[method], "matters": ""}
        for variant in variants(value):
            now = figures(given.nsn, method, f"{name}={variant}")
            if now is None:
                print(f"{method} {name}={variant}: outside its range", flush=True)
                continue
            rows[method, name, variant] = {"run": f"{method} {name}={variant}", "method": method, "constant": name,
                                           "value": variant, **now,
                                           "matters": "yes" if matters(base[method], now) else "no"}
            print(f"{method} {name}={variant}: {rows[method, name, variant]['matters']}", flush=True)
        write(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
