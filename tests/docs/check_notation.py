"""Every name in the column "name in code" of docs/notation.md is an identifier of the sources, and every equation
it cites is numbered in docs/theory.md. No symbol has two rows."""
import glob
import os
import re
import sys

from pages import ROOT, read_page, report

FOLDERS = ["ncp", "core", "precond", "backends", "models"]


def identifiers():
    words = set()
    for folder in FOLDERS:
        for path in glob.glob(os.path.join(ROOT, folder, "**", "*.h"), recursive=True):
            with open(path, encoding="utf-8") as file:
                words |= set(re.findall(r"[A-Za-z_]\w*", file.read()))
    return words


def main():
    page = read_page(os.path.join(ROOT, "docs/notation.md"))
    theory = read_page(os.path.join(ROOT, "docs/theory.md")).text
    known, problems, seen = identifiers(), [], set()
    for table in page.tables:
        head = table.rows[0]
        for row in table.rows[1:]:
            for symbol in filter(None, (part.strip() for part in row[0].split(","))):
                if symbol in seen:
                    problems.append(f"{symbol}: two meanings")
                seen.add(symbol)
            for span in re.findall(r"`([^`]+)`", row[head.index("name in code")]):
                problems += [f"{row[0]}: no '{word}' in the headers ({span})" for word in re.findall(r"[A-Za-z_]\w*", span)
                             if word not in known]
            for number in re.findall(r"\((\d+)\)", row[head.index("equation")]):
                if f"({number})" not in theory:
                    problems.append(f"{row[0]}: theory.md has no equation ({number})")
    return report(problems, "notation")


if __name__ == "__main__":
    sys.exit(main())
