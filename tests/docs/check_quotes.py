"""Every piece of C++, CMake and Python on a page is a file that the tests compile and run.

    <!-- file: docs/examples/hello.cpp -->       the block below is that file
    <!-- from: docs/examples/hello.cpp -->       the block below is a run of lines of that file, indentation aside
    <!-- sketch: WHY -->                         not a program (a declaration shown for explanation)
"""
import os
import sys
import textwrap

from pages import ROOT, all_pages, report

CODE = ("cpp", "c++", "cmake", "python")


def content(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def plain(text):
    return "\n".join(line.strip() for line in text.split("\n")).strip()


def check_block(page, block):
    where = f"{page.name}:{block.line}"
    for mark in block.marks:
        kind, _, value = mark.partition(": ")
        if kind in ("file", "from") and not os.path.exists(os.path.join(ROOT, value)):
            return f"{where}: no file {value}"
        if kind == "file":
            return None if block.text == content(value) else f"{where}: differs from {value}"
        if kind == "from":
            return None if plain(block.text) in plain(content(value)) else f"{where}: not in {value}"
        if kind == "sketch":
            return None
    return f"{where}: {block.language} without a file; see tests/docs/check_quotes.py"


def check_hello():
    lines = [line for line in content("docs/examples/hello.cpp").split("\n") if line.strip()]
    return [] if len(lines) <= 30 else [f"docs/examples/hello.cpp: {len(lines)} lines"]


def main():
    problems = check_hello()
    for page in all_pages():
        for block in page.blocks:
            if block.language in CODE:
                problem = check_block(page, block)
                problems += [problem] if problem else []
    return report(problems, "quoted code")


if __name__ == "__main__":
    sys.exit(main())
