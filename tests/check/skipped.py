"""What a run of ctest left out, and why: ctest ... | python3 tests/check/skipped.py BUILD

Passes the output of ctest on, and puts in front of ctest's own summary how many tests there were, how many were skipped
and the reasons, each with its count, from BUILD/Testing/Temporary/LastTest.log. A reason is what a test of GoogleTest
gives GTEST_SKIP, or the end of a line "...: skipped, REASON" or "skipped: REASON" of a script.
"""
import collections
import os
import re
import sys

SUMMARY = re.compile(r"\d+% tests passed")


def outputs(log):
    """(name, output) of every program that ctest ran."""
    for part in re.split(r"^\d+/\d+ Testing: ", log, flags=re.M)[1:]:
        yield part.split("\n", 1)[0], part.split("<end of output>")[0]


def count(log):
    """Number of tests, a script being one, and how often each reason was given."""
    tests, reasons = 0, collections.Counter()
    for _, text in outputs(log):
        ran = re.search(r"^\[==========\] (\d+) tests? from .* ran", text, re.M)
        tests += int(ran[1]) if ran else 1
        reasons.update(re.findall(r"^\S+:\d+: Skipped\n(.+)$", text, re.M))
        reasons.update(re.findall(r"(?<!\d )\bskipped[,:] (.+)$", text, re.M))
    return tests, reasons


def lines(tests, reasons):
    total = sum(reasons.values())
    yield f"{tests} tests, {total} skipped" + (":" if total else "")
    for reason, times in sorted(reasons.items(), key=lambda item: (-item[1], item[0])):
        yield f"  {times:4}  {reason}"


def main(build):
    kept = []
    for line in sys.stdin:
        if kept or SUMMARY.match(line):
            kept.append(line)
        else:
            print(line, end="", flush=True)
    log = os.path.join(build, "Testing/Temporary/LastTest.log")
    if kept and os.path.exists(log):
        with open(log, encoding="utf-8", errors="replace") as file:
            print("\n".join(lines(*count(file.read()))) + "\n")
    print("".join(kept), end="")


if __name__ == "__main__":
    main(sys.argv[1])
