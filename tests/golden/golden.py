"""Golden runs: scenes whose motion is known bit by bit (nsn run --hash), in tests/golden/scenes.csv.

  golden.py check NSN            every run on one and on two threads: equal to each other, and to the file where
                                 compiler, C library and processor are those it was recorded with; 77: all skipped
  golden.py record NSN [SCENE]   runs the rows (all, or those of a scene) again and rewrites their hashes

A commit that only moves code changes no hash; one that changes some says why.
"""
import csv
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scenes.csv")
COLUMNS = ["scene", "parameters", "preset", "steps", "hash"]


def read():
    """The platform of the first line and the rows."""
    with open(FILE, encoding="utf-8") as file:
        platform = file.readline().removeprefix("# ").strip()
        return platform, list(csv.DictReader(file))


def write(platform, rows):
    with open(FILE + ".new", "w", encoding="utf-8", newline="") as file:
        file.write(f"# {platform}\n")
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    os.replace(FILE + ".new", FILE)


def label(row):
    return " ".join(filter(None, (row["scene"], row["parameters"], row["preset"])))


def run(nsn, row, threads):
    """(hash, platform), or (None, reason) for a scene whose file, or the reader of it, is absent."""
    command = [nsn, "run", row["scene"], "--preset", row["preset"], "--steps", row["steps"], "--threads", str(threads),
               "--hash", "--quiet"]
    for parameter in row["parameters"].split():
        command += ["--set", parameter]
    done = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"^hash (\w+) (\S+)$", done.stdout, re.M)
    if found and done.returncode in (0, 1):  # 1: some step did not converge, which is a golden run as well
        return found[1], found[2]
    absent = re.search(r"no robot file .* and no (\S+)", done.stderr)
    if absent:
        return None, f"no {os.path.normpath(absent[1])} (docs/data.md)"
    if "nsn was built without" in done.stderr:
        return None, done.stderr.strip()
    sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")


def run_all(nsn, rows):
    """For each row what it gives on one thread and on two."""
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda row: (run(nsn, row, 1), run(nsn, row, 2)), rows))


def check(nsn):
    recorded, rows = read()
    results = run_all(nsn, rows)
    failures, skipped, compared, platform = [], [], 0, recorded
    for row, ((one, about), (two, _)) in zip(rows, results):
        if one is None:
            skipped.append(f"{label(row)}: skipped, {about}")
            continue
        platform = about
        if one != two:
            failures.append(f"{label(row)}: {one} on one thread, {two} on two")
        if platform == recorded:
            compared += 1
            if one != row["hash"]:
                failures.append(f"{label(row)}: {one}, recorded was {row['hash']}")
    for line in skipped + failures:
        print(line)
    if platform != recorded:
        print(f"comparison with the file skipped: recorded on {recorded}, this is {platform}")
    print(f"{len(rows)} runs: {compared} compared with the file, {len(skipped)} skipped, {len(failures)} differ")
    if len(skipped) == len(rows):
        return 77
    return 1 if failures else 0


def record(nsn, names):
    recorded, rows = read()
    unknown = set(names) - {row["scene"] for row in rows}
    if unknown:
        sys.exit(f"no row of {FILE} has the scene {', '.join(sorted(unknown))}")
    wanted = [row for row in rows if not names or row["scene"] in names]
    platform = recorded
    for row, ((one, platform), (two, _)) in zip(wanted, run_all(nsn, wanted)):
        if one is None:
            print(f"{label(row)}: left alone, {platform}")
            continue
        if names and platform != recorded:
            sys.exit(f"recorded on {recorded}, this is {platform}: record all rows or none")
        if one != two:
            sys.exit(f"{label(row)}: {one} on one thread, {two} on two; nothing is written")
        print(f"{label(row)}: {row['hash'] or '-'} -> {one}{'' if one != row['hash'] else ' (as before)'}", flush=True)
        row["hash"] = one
    write(platform, rows)
    return 0


def main(words):
    if len(words) == 2 and words[0] == "check":
        return check(words[1])
    if len(words) >= 2 and words[0] == "record":
        return record(words[1], words[2:])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
