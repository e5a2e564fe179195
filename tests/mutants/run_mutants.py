#!/usr/bin/env python3
"""Do the tests notice? Every line of mutants.tsv changes one line of the library for the worse; a test must fail.

  run_mutants.py [--areas errors,laws | --part 1/2] [--only NAME...] [--seconds 3300] [--list | --fit]

In a copy of the tree (build/mutants/tree) each change is made, built incrementally and run against the tests that its
line names, in that order, until one fails. Results are kept in out/mutants/results.tsv with what they rest on: a
mutant is tried again only if its line, its file or a test source of its folders has changed, so that an interrupted
run goes on. --seconds: no mutant is begun after that time; exit code 3 then. Exit code 1: a mutant lived that has no
reason in its line, fewer than 95 % died, or a line fits its file no more.
"""
import argparse
import csv
import hashlib
import json
import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TREE = os.path.join(ROOT, "build", "mutants", "tree")
BUILD = os.path.join(TREE, "build", "release")
OUT = os.path.join(ROOT, "out", "mutants")
RESULTS = os.path.join(OUT, "results.tsv")
COLUMNS = ["name", "area", "file", "outcome", "by", "seconds", "key"]
ENOUGH = 0.95
TEST_SECONDS = 600  # of one test: a change may have made a loop endless


def read_mutants():
    with open(os.path.join(ROOT, "tests", "mutants", "mutants.tsv"), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def read_results():
    if not os.path.exists(RESULTS):
        return {}
    with open(RESULTS, encoding="utf-8", newline="") as file:
        return {row["name"]: row for row in csv.DictReader(file, delimiter="\t")}


def write_results(results):
    os.makedirs(OUT, exist_ok=True)
    with open(RESULTS + ".new", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(results.values())
    os.replace(RESULTS + ".new", RESULTS)


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def tracked():
    if not os.path.exists(os.path.join(ROOT, ".git")):
        return []  # an archive of the tree: --fit needs no list
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                           capture_output=True).stdout.decode().split("\0")
    return [name for name in names if name and os.path.isfile(os.path.join(ROOT, name))]


def key_of(mutant, files):
    """What a result rests on."""
    folders = {re.sub(r"[^/\w].*|/[^/]*$", "", pattern.lstrip("^")) for pattern in mutant["tests"].split()}
    tests = sorted(name for name in files
                   if any(name.startswith(f"tests/{folder}") for folder in folders if folder))
    digest = hashlib.sha1("\t".join(mutant[key] for key in ("old", "new", "tests")).encode())
    for name in [mutant["file"], *tests]:
        with open(os.path.join(ROOT, name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()[:12]


def copy_tree(files):
    """What has changed since the last time; what has gone goes."""
    listed = os.path.join(TREE, ".files")
    before = set(open(listed, encoding="utf-8").read().splitlines()) if os.path.exists(listed) else set()
    for name in before - set(files):
        path = os.path.join(TREE, name)
        if os.path.exists(path):
            os.remove(path)
    for name in files:
        write_if_new(os.path.join(TREE, name), open(os.path.join(ROOT, name), "rb").read())
        os.chmod(os.path.join(TREE, name), os.stat(os.path.join(ROOT, name)).st_mode)
    write_if_new(listed, "\n".join(files).encode())


def write_if_new(path, content):
    if os.path.exists(path) and open(path, "rb").read() == content:
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


def run(words, **more):
    # What ccache needs to know a file again in another folder.
    environment = dict(os.environ, CCACHE_BASEDIR=TREE, CCACHE_NOHASHDIR="1", CCACHE_PCH_EXTSUM="1",
                       CCACHE_SLOPPINESS="pch_defines,time_macros,include_file_mtime,include_file_ctime")
    return subprocess.run(words, cwd=TREE, env=environment, capture_output=True, text=True, errors="replace", **more)


def configure():
    data = os.environ.get("NSN_DATA_DIR", os.path.join(ROOT, "..", "shared", "data"))
    done = run(["cmake", "--preset", "release", f"-DNSN_DATA_DIR={data}"])
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)


def tests_of(pattern):
    """(name, command line, environment) of the tests that a pattern names, without long ones. The command is empty
    before its program is built."""
    done = run(["ctest", "--test-dir", BUILD, "--show-only=json-v1", "-R", pattern, "-LE", "long"])
    found = []
    for test in json.loads(done.stdout)["tests"]:
        properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
        if target_of(test["name"]):
            found.append((test["name"], test.get("command", []), properties.get("ENVIRONMENT", [])))
    return found


def target_of(test):
    """The program of a test, "models/step/device_step_test/threads_2"; None for one that is no program of ours."""
    parts = [part for part in test.split("/") if part.endswith("_test")]
    return parts[-1] if parts else None


def build(targets):
    """None, or the log."""
    done = run(["cmake", "--build", "--preset", "release", "--target", *targets])
    return None if done.returncode == 0 else done.stdout + done.stderr


def failing_test(mutant):
    """The name of the first test that fails; None: none does. Tests of one pattern are built together."""
    seen = set()
    for pattern in mutant["tests"].split():
        names = [name for name, _, _ in tests_of(pattern) if name not in seen]
        if not names and not seen:
            raise ValueError(f"no test is called {pattern}")
        log = build(sorted({target_of(name) for name in names})) if names else None
        if log is not None:
            raise ValueError("does not compile:\n" + "\n".join(log.splitlines()[-15:]))
        for name, command, environment in tests_of(pattern):
            if name in seen:
                continue
            seen.add(name)
            words = ["env", *environment, *command, "--gtest_fail_fast", "--gtest_brief=1"]
            try:
                done = run(words, timeout=TEST_SECONDS)
            except subprocess.TimeoutExpired:
                return name + " (endless)"
            if done.returncode not in (0, 77):  # 77: skipped
                return name
    return None


def try_mutant(mutant):
    """(outcome, by)"""
    path = os.path.join(TREE, mutant["file"])
    whole = open(path, encoding="utf-8").read()
    if whole.count(mutant["old"]) != 1:
        return "stale", f"the line is there {whole.count(mutant['old'])} times"
    try:
        write_if_new(path, whole.replace(mutant["old"], mutant["new"]).encode())
        by = failing_test(mutant)
    except ValueError as error:
        print(error, file=sys.stderr)
        return "invalid", str(error).splitlines()[0]
    finally:
        write_if_new(path, whole.encode())
    return ("killed", by) if by else ("lived", "")


def chosen(mutants, given):
    if given.only:
        unknown = set(given.only) - {mutant["name"] for mutant in mutants}
        if unknown:
            sys.exit(f"no mutant {', '.join(sorted(unknown))}")
        return [mutant for mutant in mutants if mutant["name"] in given.only]
    if given.areas:
        return [mutant for mutant in mutants if mutant["area"] in given.areas.split(",")]
    if given.part:
        part, parts = map(int, given.part.split("/"))
        size = -(-len(mutants) // parts)
        return mutants[(part - 1) * size:part * size]
    return mutants


def report(mutants, results, keys):
    """Prints the table; whether it is good."""
    current = [(mutant, results[mutant["name"]]) for mutant in mutants
               if results.get(mutant["name"], {}).get("key") == keys[mutant["name"]]]
    killed = [row for _, row in current if row["outcome"] == "killed"]
    good = True
    for mutant, row in current:
        if row["outcome"] == "killed":
            continue
        reason = mutant["reason"] if row["outcome"] == "lived" else ""
        good = good and bool(reason)
        print(f"  {row['outcome']:8} {mutant['name']} ({mutant['file']}): {reason or row['by'] or 'no reason is given'}")
    print(f"{len(killed)} of {len(current)} mutants killed, {len(mutants) - len(current)} not tried yet")
    return good and len(killed) >= ENOUGH * len(current)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--areas")
    parser.add_argument("--part")
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--list", action="store_true", help="prints what is known, tries nothing")
    parser.add_argument("--fit", action="store_true", help="does each line fit its file? tries nothing")
    given = parser.parse_args()
    files = tracked()
    mutants = chosen(read_mutants(), given)
    keys = {mutant["name"]: key_of(mutant, files) for mutant in mutants}
    results = read_results()
    if given.list:
        return 0 if report(mutants, results, keys) else 1
    stale = [mutant for mutant in mutants if text_of(mutant["file"]).count(mutant["old"]) != 1]
    for mutant in stale:
        print(f"  stale    {mutant['name']}: its line is not there once in {mutant['file']}")
    if given.fit:
        print(f"{len(mutants)} mutants, {len(stale)} whose line is not there once")
        return 1 if stale else 0
    begin = time.monotonic()
    copy_tree(files)
    configure()
    for mutant in mutants:
        if mutant in stale or results.get(mutant["name"], {}).get("key") == keys[mutant["name"]]:
            continue
        if time.monotonic() - begin > given.seconds:
            report(mutants, results, keys)
            return 3
        started = time.monotonic()
        outcome, by = try_mutant(mutant)
        results[mutant["name"]] = {"name": mutant["name"], "area": mutant["area"], "file": mutant["file"],
                                   "outcome": outcome, "by": by, "seconds": round(time.monotonic() - started),
                                   "key": keys[mutant["name"]]}
        if outcome != "invalid":
            write_results(results)
        print(f"  {outcome:8} {mutant['name']:28} {by}", flush=True)
    return 0 if report(mutants, results, keys) and not stale else 1


if __name__ == "__main__":
    sys.exit(main())
