"""clang-tidy on the sources of some folders, two at a time; a source that passed is not examined again until it, a
header of the project it includes, its compiler flags or .clang-tidy change.

    tidy.py BUILD FOLDER...        tidy.py build/tidy core models: BUILD has a compile_commands.json without precompiled headers

A source that passed has a file named by a hash of all these in BUILD/tidied. Exit code 1: a source has warnings.
"""
import functools
import hashlib
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@functools.lru_cache(maxsize=None)
def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


@functools.lru_cache(maxsize=None)
def included(path):
    """Headers of the project that a file includes itself."""
    names = [name.removeprefix("nsn/") for name in re.findall(r'^\s*#\s*include "([\w./]+)"', read(path), re.M)]
    places = [os.path.join(folder, name) for name in names for folder in (ROOT, os.path.dirname(path))]
    return sorted({os.path.normpath(place) for place in places if os.path.exists(place)})


def with_headers(path):
    """The file and every header of the project that it sees."""
    seen, left = set(), [path]
    while left:
        file = left.pop()
        if file not in seen:
            seen.add(file)
            left += included(file)
    return sorted(seen)


def key(entry, version):
    texts = [version, read(os.path.join(ROOT, ".clang-tidy")), entry["command"]]
    texts += [os.path.relpath(path, ROOT) + read(path) for path in with_headers(entry["file"])]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:32]


@functools.lru_cache(maxsize=None)
def openmp(build):
    """A folder with gcc's omp.h alone, for a clang without its own: packages of two versions of it exclude each other."""
    folder = os.path.abspath(os.path.join(build, "omp"))
    header = subprocess.run(["gcc", "-print-file-name=include/omp.h"], capture_output=True, text=True, check=True).stdout
    os.makedirs(folder, exist_ok=True)
    with open(header.strip(), encoding="utf-8") as file:
        text = re.sub(r"__malloc__\s*\([^()]*\)", "__malloc__", file.read())  # who frees: gcc alone takes it
    with open(os.path.join(folder, "omp.h"), "w", encoding="utf-8") as file:
        file.write(text)
    return folder


def examine(build, entry, stamp):
    """None, or what clang-tidy says."""
    # -fpch-preprocess is gcc's alone.
    done = subprocess.run(["clang-tidy", "-p", build, "--quiet", "--extra-arg=-Wno-unused-command-line-argument",
                           f"--extra-arg=-idirafter{openmp(build)}", entry["file"]], capture_output=True, text=True)
    if done.returncode == 0:
        with open(stamp, "w", encoding="utf-8") as file:
            file.write(os.path.relpath(entry["file"], ROOT) + "\n")
        return None
    return done.stdout + done.stderr


def main(build, *folders):
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = {entry["file"]: entry for entry in json.load(file)}
    tops = tuple(os.path.join(ROOT, folder) + os.sep for folder in folders)
    entries = [entry for path, entry in sorted(entries.items()) if path.startswith(tops)]
    if not entries:
        sys.exit(f"{build}/compile_commands.json has no source in {', '.join(folders)}")
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True, check=True).stdout
    passed = os.path.join(build, "tidied")
    os.makedirs(passed, exist_ok=True)
    stamps = {entry["file"]: os.path.join(passed, key(entry, version)) for entry in entries}
    left = [entry for entry in entries if not os.path.exists(stamps[entry["file"]])]
    print(f"{len(entries)} sources, {len(entries) - len(left)} passed before", flush=True)
    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [(entry, pool.submit(examine, build, entry, stamps[entry["file"]])) for entry in left]
        try:
            for k, (entry, job) in enumerate(jobs, 1):
                said = job.result()
                failed += said is not None
                print(f"[{k}/{len(left)}] {os.path.relpath(entry['file'], ROOT)}{'' if said is None else ': warnings'}", flush=True)
                if said is not None:
                    print(said, flush=True)
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            raise
    print(f"{failed} of {len(entries)} sources have warnings")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
