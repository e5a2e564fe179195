"""Rewrites the cells of sourced tables if their file has changed, with as many digits as they had.

    python3 tests/docs/refresh_tables.py docs/choosing.md ...

Numbers in running text are not touched: check_tables.py names those that no longer agree.
"""
import re
import sys

from check_tables import NUMBER, columns_of, compare_cell, differences_of, parse_mark, plain, read_csv
from pages import read_page


def like(shown, value):
    """`value` in the form of `shown`: fixed digits, or a power of ten where that was one or is needed now."""
    number, digits = float(value), len(re.sub(r"e.*", "", shown).partition(".")[2])
    small = number != 0 and abs(number) < 1e-2 and digits > 0
    if "e" not in shown and not small:
        return f"{number:.{digits}f}"
    mantissa, _, exponent = f"{number:.{digits or 1}e}".partition("e")
    return f"{mantissa}e{int(exponent)}" if int(exponent) else mantissa


def refreshed(cells, wanted, row):
    for cell, names in zip(cells, wanted):
        if names == ["-"] or compare_cell(cell, [row[name] for name in names]) is None:
            yield cell
            continue
        found = [number for name in names for number in NUMBER.findall(plain(row[name]))]
        if len(found) != len(NUMBER.findall(cell)):  # a number where there was none, or none any more
            yield ", ".join(plain(row[name]) for name in names)
            continue
        numbers = iter(found)
        yield NUMBER.sub(lambda match: like(match[0], next(numbers)), cell)


def refresh(path):
    page = read_page(path)
    lines = page.text.split("\n")
    for table in page.tables:
        for mark in filter(None, map(parse_mark, table.marks)):
            rows, head = read_csv(mark[1])
            wanted = columns_of(mark, table, head)
            for k, cells in enumerate(table.rows[1:]):
                candidates = [row for row in rows if compare_cell(cells[0], [row[name] for name in wanted[0]]) is None]
                if candidates and all(differences_of(cells, wanted, row) for row in candidates):
                    nearest = min(candidates, key=lambda row: len(differences_of(cells, wanted, row)))
                    at = table.line + 1 + k
                    indent = re.match(r"\s*", lines[at])[0]
                    lines[at] = indent + "| " + " | ".join(refreshed(cells, wanted, nearest)) + " |"
                    print(f"{path}:{at + 1}: {lines[at].strip()}")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        refresh(name)
