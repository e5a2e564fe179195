"""Runs the command lines that the pages show, each page in a scratch folder of its own, in order.

    run_commands.py --list                               every command line and its class
    run_commands.py --bin build/release/bin PAGE...      the short ones of these pages (default: all)
    run_commands.py --bin build/release/bin --long       the long ones

A command line is a line of a ```sh block, or inline code, that begins with nsn, ./run, a program of
build/release/bin, python3, bench/, ctest or cmake. Classes are in commands.txt beside this file; what is
not listed there is short and must end with exit code 0. A line with ... or a word in capitals (FILE, NAME)
is a pattern: it is not run, but its subcommand and options must exist. Above a block,
<!-- before: COMMAND --> is run first: it makes the files that the reader is supposed to have.
"""
import argparse
import functools
import os
import re
import signal
import subprocess
import sys
import tempfile

from pages import ROOT, all_pages, code_spans, report

STARTS = re.compile(r"(nsn|nsn_\w+|\./run|build/\w+/bin/\w+|python3|bench/\S+\.py|docs/\S+\.py|ctest|cmake|c\+\+)(\s|$)")
PATTERN = re.compile(r"\.\.\.|…|(?<![\w=-])[A-Z]{2,}(?![\w/.-])|(?<==)[A-Z]+\b|\s[A-Z](\s|$)|\[|(?<![\w/.-])[A-Z]{2,}/")
NEEDS_MORE = ("run", "export", "compare", "solve", "study", "joints", "sweep", "view")
BEFORE = "before: "
SECONDS = 300  # far beyond the ten that a short command may take: the machine may be busy
DATA = re.compile(r"(?<![\w/])DATA(?=/)")


def clean(line):
    return re.sub(r"\s+#.*$", "", line).strip()


def command_lines(page):
    """(line, command), in the order of the page; a trailing backslash continues a line."""
    found = []
    for block in page.blocks:
        if block.language not in ("sh", "bash"):
            continue
        found += [(block.line, mark) for mark in block.marks if mark.startswith(BEFORE)]
        joined = re.sub(r"\\\n\s*", " ", block.text)
        found += [(block.line, clean(line)) for line in joined.split("\n")]
    found += [(line, clean(span)) for line, span in code_spans(page)]
    return sorted(((line, text) for line, text in found
                   if STARTS.match(text) or text.startswith(BEFORE)), key=lambda item: item[0])


def classes():
    """command -> set of words, from commands.txt: `word word: command`."""
    result = {}
    with open(os.path.join(os.path.dirname(__file__), "commands.txt"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                words, _, command = line.strip().partition(": ")
                result[command] = set(words.split())
    return result


def is_pattern(command):
    """Placeholders, or a command that is only named: `nsn`, `nsn run`, `nsn solve --json`."""
    bare = re.sub(r"'[^']*'|\"[^\"]*\"", "", DATA.sub("data", command))
    words = command.split()
    if command.startswith(BEFORE):
        return False
    named = len(words) == 1 or (words[0].endswith("nsn") and words[1] in NEEDS_MORE and
                                (len(words) == 2 or words[2].startswith("-")))
    return named or PATTERN.search(bare) is not None


def gather(pages):
    """[(page, where, command, words)], each command once a page."""
    listed, found = classes(), {}
    for page in pages:
        for line, command in command_lines(page):
            words = listed.get(command, {"pattern"} if is_pattern(command) else set())
            found.setdefault((page.name, command), (page, f"{page.name}:{line}", command, words))
    return list(found.values())


class Scratch:
    """A folder in which the pages' paths mean what a reader takes them for."""

    def __init__(self, folder, bin_folder):
        self.folder, self.bin = folder, os.path.abspath(bin_folder)
        for name in ("bench", "docs", "models", "tests", "run", "CMakePresets.json"):
            os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
        os.makedirs(os.path.join(folder, "build/release"))
        os.symlink(self.bin, os.path.join(folder, "build/release/bin"))
        self.data = os.environ.get("NSN_DATA_DIR", os.path.join(ROOT, "../shared/data"))

    def run(self, command, seconds):
        environment = dict(os.environ, PATH=self.bin + os.pathsep + os.environ["PATH"], OMP_WAIT_POLICY="passive")
        inside = ROOT if command.startswith(("./run", "cmake", "ctest")) else self.folder
        process = subprocess.Popen(["bash", "-c", DATA.sub(self.data, command)], cwd=inside, env=environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            out, _ = process.communicate(timeout=seconds)
        except BaseException:  # what it started ends with it
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise
        return subprocess.CompletedProcess(command, process.returncode, out)

    def lacks_data(self, command):
        return DATA.search(command) and not os.path.isdir(self.data)


@functools.lru_cache(maxsize=None)
def help_of(bin_folder, subcommand):
    """What `nsn SUBCOMMAND --help` prints; None if there is no such command."""
    done = subprocess.run([os.path.join(bin_folder, "nsn"), subcommand, "--help"], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def check_pattern(where, command, bin_folder):
    """The subcommand and every --option of a pattern exist."""
    words = re.sub(r"^build/\w+/bin/", "", command).split()
    if words[0] != "nsn" or len(words) < 2 or not re.fullmatch(r"[a-z]+", words[1]):
        return None
    text = help_of(bin_folder, words[1])
    if text is None:
        return f"{where}: no command 'nsn {words[1]}'"
    unknown = [word for word in re.findall(r"--[a-z-]+", command) if word not in text]
    return f"{where}: nsn {words[1]} has no {', '.join(unknown)}" if unknown else None


def run_one(scratch, where, command, words, seconds):
    if scratch.lacks_data(command):
        print(f"  {command}: skipped, no {os.path.normpath(scratch.data)} (docs/data.md)")
        return None
    command = command.removeprefix(BEFORE)
    allowed = {0} | {int(word.removeprefix("exit")) for word in words if word.startswith("exit")}
    try:
        done = scratch.run(command, seconds)
    except subprocess.TimeoutExpired:
        return f"{where}: not finished after {seconds} s: {command}"
    if done.returncode in allowed:
        return None
    return f"{where}: exit code {done.returncode}: {command}\n{done.stdout[-2000:]}"


def check_ctest(where, command, bin_folder):
    """Such tests run by themselves; the command line has to choose some. Listed from a folder beside the build: ctest
    writes a new log even if it only lists."""
    chosen = re.search(r"-R (\S+)", command)[1].strip("\"'")
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "CTestTestfile.cmake"), "w", encoding="utf-8") as file:
            file.write(f'subdirs("{os.path.dirname(os.path.abspath(bin_folder))}")\n')
        done = subprocess.run(["ctest", "--test-dir", folder, "-N", "-R", chosen], capture_output=True, text=True)
    return f"{where}: no test matches: {command}" if "Total Tests: 0" in done.stdout else None


def has_siconos():
    probe = "import siconos.numerics, scipy, h5py"
    return subprocess.run(["/usr/bin/python3", "-c", probe], capture_output=True).returncode == 0


def stale(found):
    shown = {command for _, _, command, _ in found}
    return [f"tests/docs/commands.txt: no page shows: {command}" for command in classes() if command not in shown]


def wanted(words, long):
    """Is a command of this class run now? Class before: long ones need it to have run."""
    if words & {"check", "gpu"}:
        return False
    return ("long" in words) == long or (long and "before" in words)


def run_page(commands, options, seen):
    """seen: long commands that ran for a page before, which are not run again."""
    problems = []
    with tempfile.TemporaryDirectory(prefix="nsn-docs-") as folder:
        scratch = Scratch(folder, options.bin)
        for where, command, words in commands:
            problem = None
            if command.startswith(BEFORE) and scratch.lacks_data(command):
                run_one(scratch, where, command, words, 0)  # says so
                return problems
            if "pattern" in words:
                problem = check_pattern(where, command, options.bin)
            elif command.startswith("ctest"):
                problem = check_ctest(where, command, options.bin)
            elif "siconos" in words and not has_siconos():
                print(f"  {command}: skipped, python3-siconos is not installed")
            elif wanted(words, options.long) and not ("long" in words and command in seen):
                seen.add(command)
                print(f"  {command}", flush=True)
                problem = run_one(scratch, where, command, words, 3600 if options.long else SECONDS)
            problems += [problem] if problem else []
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", help="e.g. README.md docs/compare.md")
    parser.add_argument("--bin", default=os.path.join(ROOT, "build/release/bin"))
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    pages = all_pages()
    found = gather(pages)
    if options.list:
        for _, where, command, words in found:
            print(f"{' '.join(sorted(words)) or 'short':8} {where}: {command}")
        return 0
    problems, seen = stale(found), set()
    for page in pages:
        if options.pages and page.name not in options.pages:
            continue
        problems += run_page([entry[1:] for entry in found if entry[0] is page], options, seen)
    return report(problems, "long commands" if options.long else "commands")


if __name__ == "__main__":
    sys.exit(main())
