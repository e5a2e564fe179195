"""Measured numbers on a page equal the file they were made with, rounded to the digits shown.

    <!-- table: docs/data/arch.csv, made by: COMMAND -->           columns by the names in the head
    <!-- table: docs/data/arch.csv, made by: COMMAND, columns: a; b, c; d -->
                   second column of the page: b and c of the file ("1.2, 3"); -: a column that is not checked
    <!-- printed by: COMMAND -->       the table, line for line, is in what a quick script of ours prints
    <!-- fixed: WHY -->                                            numbers that are no measurement of ours

Sources of numbers in running text stand in docs/data/numbers_in_text.csv: page, text (some words of the page that end
with the number), and file, row and column of docs/data that it is, or why it is no measurement. The first column of a
file names its rows; where several have one name, one of them has to match. A table that shows fractions or powers of
ten needs one of the marks; a number in running text that looks like a result (a time, a share, a length) needs a line
of that list.
"""
import csv
import os
import re
import subprocess
import sys

from pages import ROOT, all_pages, report

NUMBER = re.compile(r"(?<![\w.])[-−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w])")
# A quantity in running text; not one that follows a word of comparison: a limit, not a result.
QUANTITY = re.compile(r"(?<![\w.^/-])\d+(?:\.\d+)?(?:e[-+]?\d+)?(?: of \d+\b|\s?(?:ms|µs|us|MB/s|MB|GiB|%)(?!\w)|"
                      r"\s?(?:m/s|s|rad|mm|m|N)\b(?![/·^²³ ]*(?:m|kg)\b))")
LIMIT = re.compile(r"(?:below|above|within|than|least|most|to|for|after|every|[=≤≥<>~]|[a-zA-Z_]\s?=)\s*$")
MEASURED_LOOK = re.compile(r"(?<![\w.])\d+(\.\d+|(\.\d+)?e-?\d+)(?![\w.])")


def read_csv(path):
    """Rows as column -> text, and the columns."""
    with open(os.path.join(ROOT, path), newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return [dict(zip(rows[0], row)) for row in rows[1:]], rows[0]


def plain(cell):
    return re.sub(r"<!--.*?-->|[`*\\]", "", cell).strip()


def same_number(shown, stored):
    """Is `shown` the number `stored`, rounded to the digits that are shown?"""
    shown = shown.replace("−", "-")
    mantissa, _, exponent = shown.partition("e")
    digits = len(mantissa.partition(".")[2])
    unit = 10.0 ** (int(exponent or 0) - digits)
    return abs(float(shown) - float(stored)) <= 0.5000001 * unit


def compare_cell(shown, stored):
    """None, or what differs. `stored` holds one or several texts of the file."""
    shown, stored = plain(shown), [plain(text) for text in stored]
    if shown == ", ".join(stored):
        return None
    ours = NUMBER.findall(shown)
    theirs = [number for text in stored for number in NUMBER.findall(text)]
    if not ours or len(ours) != len(theirs):
        return f"'{shown}' is not '{', '.join(stored)}'"
    words = lambda text: re.sub(r"[\s,%×]+", " ", NUMBER.sub("", text)).strip()
    if words(shown) not in (words(", ".join(stored)), "") and words(", ".join(stored)) != "":
        return f"'{shown}' is not '{', '.join(stored)}'"
    for a, b in zip(ours, theirs):
        if not same_number(a, b):
            return f"{a} is not {b} rounded"
    return None


def parse_mark(mark):
    """Groups: file, command, columns; None for other marks."""
    return re.fullmatch(r"table: (\S+), made by: (.*?)(?:, columns: (.*))?", mark)


def columns_of(parsed, table, head):
    """For each column of the page the columns of the file that it shows."""
    wanted = [part.strip() for part in parsed[3].split(";")] if parsed[3] else [plain(cell) for cell in table.rows[0]]
    return [[name] if name in head else [n.strip() for n in name.split(",")] for name in wanted]


def check_table(page, table, mark):
    where = f"{page.name}:{table.line}"
    parsed = parse_mark(mark)
    if not parsed:
        return [f"{where}: unreadable mark '{mark}'"]
    if not os.path.exists(os.path.join(ROOT, parsed[1])):
        return [f"{where}: no file {parsed[1]}"]
    rows, head = read_csv(parsed[1])
    wanted = columns_of(parsed, table, head)
    missing = [name for names in wanted for name in names if name not in head and name != "-"]
    if missing:
        return [f"{where}: {parsed[1]} has no column {missing}; it has {head}"]
    problems = []
    for cells in table.rows[1:]:
        candidates = [row for row in rows if compare_cell(cells[0], [row[name] for name in wanted[0]]) is None]
        differences = [differences_of(cells, wanted, row) for row in candidates]
        if not candidates:
            problems.append(f"{where}: {parsed[1]} has no row '{plain(cells[0])}'")
        elif [] not in differences:
            problems += [f"{where}: row '{plain(cells[0])}', {text}" for text in min(differences, key=len)]
    return problems


def differences_of(cells, wanted, row):
    found = []
    for cell, names in zip(cells, wanted):
        difference = compare_cell(cell, [row[name] for name in names]) if names != ["-"] else None
        found += [f"{', '.join(names)}: {difference}"] if difference else []
    return found


def check_printed(page, table, mark):
    """The lines of the table are among those that the command prints."""
    command = mark.partition(": ")[2].split()
    words = [sys.executable if word == "python3" else word for word in command]
    printed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    shown = page.text.split("\n")[table.line - 1:table.line + len(table.rows)]
    return [f"{page.name}: not printed by {' '.join(command)}: {line}" for line in shown if line not in printed]


def squeezed(text):
    return re.sub(r"\s+", " ", re.sub(r"<!--.*?-->", "", text, flags=re.S))


def sources():
    """Rows of numbers_in_text.csv by page."""
    found = {}
    for row in read_csv("docs/data/numbers_in_text.csv")[0]:
        found.setdefault(row["page"], []).append(row)
    return found


def check_prose(page, listed):
    text = squeezed(page.text)
    for row in listed:
        where = f"docs/data/numbers_in_text.csv: {page.name}: '{row['text']}'"
        if row["text"] not in text:
            yield f"{where} is not on the page"
        elif row["file"]:
            rows, _ = read_csv(os.path.join("docs/data", row["file"]))
            stored = [one.get(row["column"]) for one in rows if list(one.values())[0] == row["row"]]
            shown = re.search(r"[-−\d.e+]+$", row["text"])
            if not stored or stored[0] is None:
                yield f"{where}: {row['file']} has no [{row['row']}; {row['column']}]"
            elif not same_number(shown[0], stored[0]):
                yield f"{where} is not {stored[0]} rounded"


def unsourced_prose(page, listed):
    """Quantities of running text without a source."""
    in_table = {table.line + k for table in page.tables for k in range(len(table.rows) + 1)}
    text, starts = "", []
    for line, prose in page.prose:
        if line not in in_table:
            starts.append((len(text), line))
            text += squeezed(prose) + " "
    bare = re.sub(r"`[^`]*`", lambda match: " " * len(match[0]), text)
    for row in listed:
        for match in re.finditer(re.sub(r"\\ ", r"\\s+", re.escape(row["text"])), text):
            bare = bare[:match.start()] + " " * len(match[0]) + bare[match.end():]
    for match in QUANTITY.finditer(bare):
        if not LIMIT.search(bare[:match.start()]):
            line = max(number for offset, number in starts if offset <= match.start())
            yield f"{page.name}:{line}: '{match[0]}' has no source; see tests/docs/check_tables.py"


def looks_measured(table):
    """Is there a number with a fraction or a power of ten, outside of `code` and without a source of its own?"""
    sourced = re.compile(r"`[^`]*`")
    return any(MEASURED_LOOK.search(sourced.sub("", cell)) for row in table.rows[1:] for cell in row)


def self_test():
    """The judge itself: roundings it must accept and refuse."""
    assert same_number("4.0e-4", "0.000404") and not same_number("4.0e-4", "0.00041")
    assert same_number("12.03", "12.0349") and same_number("84", "84.0") and not same_number("84", "85")
    assert compare_cell("12.03, 1", ["12.0349", "1"]) is None
    assert compare_cell("1035 of 1035", ["1035 of 1035"]) is None
    assert compare_cell("1034 of 1035", ["1035 of 1035"]) is not None
    assert compare_cell("`accurate`", ["accurate"]) is None and compare_cell("diverges", ["3"]) is not None


def main():
    self_test()
    problems, listed = [], sources()
    for page in all_pages():
        for table in page.tables:
            marks = [mark for mark in table.marks if mark.startswith(("table: ", "fixed: ", "printed by: "))]
            if not marks and looks_measured(table):
                problems.append(f"{page.name}:{table.line}: numbers without a source; see tests/docs/check_tables.py")
            for mark in marks:
                problems += check_table(page, table, mark) if mark.startswith("table: ") else []
                problems += check_printed(page, table, mark) if mark.startswith("printed by: ") else []
        problems += [*check_prose(page, listed.get(page.name, [])), *unsourced_prose(page, listed.get(page.name, []))]
    return report(problems, "tables")


if __name__ == "__main__":
    sys.exit(main())
