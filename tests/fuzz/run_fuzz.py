#!/usr/bin/env python3
"""Every reader of files under libFuzzer with ASan and UBSan (preset fuzz).

  run_fuzz.py BIN [--seconds 60] [--merge] [READER...]    BIN: the folder of libfuzzer_readers and fuzz_seeds

Starts from the seeds that fuzz_seeds writes, from tests/fuzz/corpus/READER, from what earlier calls found
(out/fuzz/READER), and from public files where they are (NSN_DATA_DIR). A crash, a leak, an input that takes longer
than ten seconds or two gigabytes ends with exit code 1; the input is in out/fuzz/found. The executions of all calls
add up in out/fuzz/executions.tsv, which is printed. --merge: the smallest inputs of out/fuzz that reach something
no seed reaches go to tests/fuzz/corpus.
"""
import argparse
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OUT = os.path.join(ROOT, "out", "fuzz")
TABLE = os.path.join(OUT, "executions.tsv")
COLUMNS = ["reader", "executions", "seconds", "inputs", "crashes"]
# Public files whose format a reader knows; a fuzzer reads what is small enough.
PUBLIC = {"siconos-text": [], "hdf5": ["friction"], "matrix-market": ["linear"],
          "robot": ["robots/humanoid_mjcf", "robots/yumi/urdf"]}
LONGEST = {"hdf5": 16384, "mesh": 8192, "robot": 16384}
KEPT_BYTES, KEPT_FILES = 2048, 24  # of a corpus in the tree: small files, few of them


def read_table():
    if not os.path.exists(TABLE):
        return {}
    with open(TABLE, encoding="utf-8", newline="") as file:
        return {row["reader"]: row for row in csv.DictReader(file, delimiter="\t")}


def write_table(rows):
    with open(TABLE + ".new", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows.values())
    os.replace(TABLE + ".new", TABLE)


def folders(binaries, reader, scratch):
    """Where inputs come from: seeds, the corpus of the tree, public files."""
    seeds = os.path.join(scratch, "seeds")
    os.makedirs(seeds)
    subprocess.run([os.path.join(binaries, "fuzz_seeds"), reader, seeds], check=True)
    data = os.environ.get("NSN_DATA_DIR", os.path.join(ROOT, "..", "shared", "data"))
    candidates = [os.path.join(ROOT, "tests", "fuzz", "corpus", reader)]
    candidates += [os.path.join(data, folder) for folder in PUBLIC.get(reader, [])]
    return [seeds] + [folder for folder in candidates if os.path.isdir(folder)]


def command(binaries, reader, *arguments):
    environment = dict(os.environ, NSN_FUZZ_READER=reader, OMP_NUM_THREADS="1",
                       ASAN_OPTIONS="allocator_may_return_null=0:detect_leaks=1")
    return [os.path.join(binaries, "libfuzzer_readers"), *arguments], environment


def fuzz(binaries, reader, seconds):
    """One call of the fuzzer: a row of the table."""
    corpus, found = os.path.join(OUT, reader), os.path.join(OUT, "found", "")
    os.makedirs(corpus, exist_ok=True)
    os.makedirs(found, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        words, environment = command(
            binaries, reader, f"-max_total_time={seconds}", f"-max_len={LONGEST.get(reader, 4096)}", "-timeout=10",
            "-rss_limit_mb=2048", "-print_final_stats=1", f"-artifact_prefix={found}{reader}-", corpus,
            *folders(binaries, reader, scratch))
        # An empty working folder: no mesh of a hostile model is found there.
        done = subprocess.run(words, env=environment, cwd=scratch, capture_output=True, text=True, errors="replace")
    log = os.path.join(OUT, f"{reader}.log")
    with open(log, "w", encoding="utf-8") as file:
        file.write(done.stderr)
    executions = re.search(r"stat::number_of_executed_units:\s*(\d+)", done.stderr)
    if done.returncode != 0:
        print("\n".join(done.stderr.splitlines()[-25:]), file=sys.stderr)
        print(f"{reader}: exit {done.returncode}, log {log}", file=sys.stderr)
    return {"reader": reader, "executions": int(executions[1]) if executions else 0, "seconds": seconds,
            "inputs": len(os.listdir(corpus)), "crashes": 0 if done.returncode == 0 else 1}


def merge(binaries, reader):
    kept = os.path.join(ROOT, "tests", "fuzz", "corpus", reader)
    with tempfile.TemporaryDirectory() as scratch:
        seeds = folders(binaries, reader, scratch)
        new = os.path.join(scratch, "new")
        os.makedirs(new)
        words, environment = command(binaries, reader, "-merge=1", new, *seeds, os.path.join(OUT, reader))
        subprocess.run(words, env=environment, cwd=scratch, capture_output=True, check=True)
        known = {open(os.path.join(folder, name), "rb").read() for folder in seeds for name in os.listdir(folder)
                 if os.path.isfile(os.path.join(folder, name))}
        files = sorted((os.path.getsize(os.path.join(new, name)), name) for name in os.listdir(new))
        fresh = [name for size, name in files
                 if size <= KEPT_BYTES and open(os.path.join(new, name), "rb").read() not in known]
        os.makedirs(kept, exist_ok=True)
        for name in fresh[:KEPT_FILES]:
            shutil.copy(os.path.join(new, name), os.path.join(kept, name))
    print(f"{reader}: {min(len(fresh), KEPT_FILES)} inputs kept in {os.path.relpath(kept, ROOT)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries")
    parser.add_argument("readers", nargs="*")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--merge", action="store_true")
    given = parser.parse_intermixed_args()
    binaries = os.path.abspath(given.binaries)
    listed = subprocess.run([os.path.join(binaries, "fuzz_seeds")], check=True, capture_output=True, text=True).stdout
    known = [line.split("\t")[0] for line in listed.splitlines()]
    unknown = [name for name in given.readers if name not in known]
    if unknown:
        print(f"no reader '{unknown[0]}'; there are {', '.join(known)}", file=sys.stderr)
        return 2
    crashed = False
    for reader in given.readers or known:
        if given.merge:
            merge(binaries, reader)
            continue
        row, rows = fuzz(binaries, reader, given.seconds), read_table()
        crashed = crashed or row["crashes"] > 0
        if reader in rows:
            for key in ("executions", "seconds", "crashes"):
                row[key] += int(rows[reader][key])
        rows[reader] = row
        write_table(rows)
        print("  ".join(f"{key} {row[key]}" for key in COLUMNS), flush=True)
    return 1 if crashed else 0


if __name__ == "__main__":
    sys.exit(main())
