#!/usr/bin/env python3
"""Which public robot files nsn reads as MuJoCo does.

    python3 -m venv v && v/bin/pip install numpy "mujoco<4"
    v/bin/pip download --no-deps -d w example-robot-data dm_control mujoco_warp genesis-world gymnasium newton pybullet drake
    v/bin/python bench/robot_files.py DIR [--nsn build/release/bin/nsn] [--csv FILE] [--table FILE]
        # DIR: the packages, unpacked, a folder each; --csv: every file with its verdict, --table: counts by package

Takes every .urdf and .xml below DIR that MuJoCo loads and that has a body besides the world. A file counts as
*read* if nsn loads it, nothing that its motion depends on at rest is missing (NEEDED: drag of a fluid, for one), and
the numbers of degrees of freedom and the masses agree with MuJoCo's; it is *approximate* if it loads but uses one of
these, or has other degrees of freedom or another mass; else *refused*. The file says why. How hard contacts and limits
are (solref, solimp) is no difference here: nsn's are rigid.
"""
import argparse
import collections
import csv
import json
import pathlib
import subprocess
import sys

ASK = """
import json, sys, mujoco
mujoco.set_mju_user_warning(lambda text: print(text, file=sys.stderr))  # in place of a file MUJOCO_LOG.TXT here
for name in sys.argv[1:]:
    try:
        m = mujoco.MjModel.from_xml_path(name)
        print(json.dumps([name, m.nbody, m.nv, float(m.body_mass.sum())]), flush=True)
    except Exception:
        print(json.dumps([name, 0, 0, 0.0]), flush=True)
"""
NEEDED = ("option density", "option viscosity", "option wind", "joint springdamper", "free joint", "geom fluid", "position dampratio")  # what else acts is refused


def of_mujoco(files):
    """Bodies, degrees of freedom and mass; a crash of MuJoCo is a file it does not load."""
    known = {}
    while len(known) < len(files):
        batch = [name for name in files if name not in known][:50]
        done = subprocess.run([sys.executable, "-c", ASK, *batch], capture_output=True, text=True)
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
        known.update({name: rest for name, *rest in lines})
        if len(lines) < len(batch):
            known[batch[len(lines)]] = [0, 0, 0.0]
    return known


def moving_mass(report):
    """kg; MuJoCo drops what a URDF fixes to the world."""
    moved = {joint["link"] for joint in report.get("joint_list", [])}
    mass = 0.0
    for link in report.get("link_list", []):  # parents come first
        if link["parent"] in moved:
            moved.add(link["name"])
        mass += link["mass_kg"] if link["name"] in moved else 0.0
    return mass


def judge(nsn, root, name, dofs, mass):
    """(verdict, reason)"""
    try:
        done = subprocess.run([nsn, "robot", name, "--root", root, "--json", "-", "--quiet"], capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "refused", "two minutes were not enough"
    if done.returncode != 0:
        return "refused", done.stderr.strip().removeprefix("nsn: ")
    report = json.loads(done.stdout)["results"][0]
    for feature in report["unsupported"]:
        if feature["name"].startswith(NEEDED):
            return "approximate", f"line {feature['line']}: {feature['name']}"
    for warning in report["warnings"]:
        if "is left out: its frame" in warning:
            return "approximate", warning
    if report["degrees_of_freedom"] != dofs:
        return "approximate", f"{report['degrees_of_freedom']} degrees of freedom, MuJoCo has {dofs}"
    if min(abs(report["mass_kg"] - mass), abs(moving_mass(report) - mass)) > 1e-6 * max(mass, 1e-9):
        return "approximate", f"{report['mass_kg']:.6g} kg, MuJoCo has {mass:.6g}"
    return "read", ""


KINDS = (("flexcomp", "flexcomp"), ("type sdf", "sdf"), ("muscle", "muscle"), ("acts at rest", "actuator"), ("tendon", "tendon"))


def label(folder):
    """The package with its version."""
    for info in folder.glob("*.dist-info"):
        name, _, version = info.name.removesuffix(".dist-info").rpartition("-")
        if name == folder.name:
            return f"{name} {version}"
    return folder.name


def counts(rows, folder):
    """Of all packages, a row each, and of their sum."""
    table = []
    names = sorted({pathlib.Path(row["file"]).parts[0] for row in rows})
    for name in [*names, ""]:
        own = [row for row in rows if not name or pathlib.Path(row["file"]).parts[0] == name]
        number = collections.Counter(row["verdict"] for row in own)
        why = collections.Counter(next((kind for text, kind in KINDS if text in row["reason"]), "other")
                                  for row in own if row["verdict"] == "refused")
        table.append({"package": label(folder / name) if name else "all", "files": len(own),
                      **{verdict: number[verdict] for verdict in ("read", "approximate", "refused")},
                      "refused_for": ", ".join(f"{n} {kind}" for kind, n in sorted(why.items()))})
    return table


def write(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("packages", type=pathlib.Path)
    parser.add_argument("--nsn", default=str(here / "build/release/bin/nsn"))
    parser.add_argument("--csv", type=pathlib.Path)
    parser.add_argument("--table", type=pathlib.Path)
    given = parser.parse_args()
    files = sorted(str(path) for ending in ("urdf", "xml") for path in given.packages.rglob(f"*.{ending}"))
    known = of_mujoco(files)
    rows, count = [], collections.Counter()
    for name in files:
        bodies, dofs, mass = known[name]
        if bodies < 2:
            continue
        own = pathlib.Path(name).relative_to(given.packages)
        verdict, reason = judge(given.nsn, str(given.packages / own.parts[0]), name, dofs, mass)
        count[verdict] += 1
        rows.append({"file": str(own), "verdict": verdict, "reason": reason.replace(str(given.packages) + "/", "")})
        if verdict != "read":
            print(f"{verdict}: {own}: {rows[-1]['reason']}", flush=True)
    total = sum(count.values())
    print(f"{total} files that MuJoCo loads: {count['read']} read, {count['approximate']} approximate, {count['refused']} refused")
    if given.csv:
        write(given.csv, rows)
    if given.table:
        write(given.table, counts(rows, given.packages))
    return 0


if __name__ == "__main__":
    sys.exit(main())
