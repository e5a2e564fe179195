"""skipped_test.py SKIPPING_PROGRAM: what a test program ends with, and what tests/check/skipped.py counts."""
import subprocess
import sys
import unittest

import skipped

PROGRAM = sys.argv.pop()


def run(tests):
    return subprocess.run([PROGRAM, f"--gtest_filter={tests}"], capture_output=True, text=True)


def log_of(*parts):
    """As ctest writes it."""
    return "".join(f"{k}/{len(parts)} Testing: part{k}\n{k}/{len(parts)} Test: part{k}\nOutput:\n---\n{text}\n"
                   f"<end of output>\nTest time = 1 sec\n" for k, text in enumerate(parts, 1))


class Skipped(unittest.TestCase):
    def test_program_that_ran_nothing_is_skipped(self):
        self.assertEqual(run("Skipping.*").returncode, 77)

    def test_program_that_ran_something_has_passed(self):
        self.assertEqual(run("*").returncode, 0)
        self.assertEqual(run("Running.*").returncode, 0)

    def test_tests_and_reasons_are_counted(self):
        script = "arch accurate: skipped, no robots (docs/data.md)\n3 runs: 2 compared, 1 skipped, 0 differ"
        tests, reasons = skipped.count(log_of(run("*").stdout, run("Skipping.F*").stdout, script))
        self.assertEqual(tests, 3 + 1 + 1)
        self.assertEqual(dict(reasons), {"no first file (docs/data.md)": 2, "no second file (docs/data.md)": 1,
                                         "no robots (docs/data.md)": 1})

    def test_nothing_skipped_is_one_line(self):
        self.assertEqual(list(skipped.lines(*skipped.count(log_of(run("Running.*").stdout)))), ["1 tests, 0 skipped"])


if __name__ == "__main__":
    unittest.main()
