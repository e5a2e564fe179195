"""Rewrites the cells of sourced tables if their file has changed, with as many digits as they had (two or three).

    python3 tests/docs/refresh_tables.py docs/choosing.md ...

Numbers in running text are not touched: check_tables.py names those that no longer agree.
"""
import re
import sys

from check_tables import NUMBER, columns_of, compare_cell, differences_of, parse_mark, plain, read_csv
from pages import read_page


def like(shown, value):
    """`value` with as many significant digits as `shown` has, two or three; a count as it is."""
    if re.fullmatch(r"-?\d+", value) or float(value) == 0.0:
        return value if "." not in value else "0"
    digits = re.sub(r"e.*", "", shown).replace(".", "").lstrip("-0")
    significant = min(max(len(digits), 2), 3)
    mantissa, _, exponent = f"{float(value):.{significant - 1}e}".partition("e")
    if -2 <= int(exponent) < 5:
        return f"{float(value):.{max(0, significant - 1 - int(exponent))}f}"
    return f"{mantissa}e{int(exponent)}"


def hides(cell, found):
    """A number is shown as 0 that is not."""
    return any(float(shown) == 0.0 != float(value) for shown, value in zip(NUMBER.findall(cell), found))


def refreshed(cells, wanted, row):
    for cell, names in zip(cells, wanted):
        found = [number for name in names if name != "-" for number in NUMBER.findall(plain(row[name]))]
        if names == ["-"] or (compare_cell(cell, [row[name] for name in names]) is None and not hides(cell, found)):
            yield cell
            continue
        if not found or len(found) != len(NUMBER.findall(cell)):  # words, or a number where there was none
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
            seen = {}
            for k, cells in enumerate(table.rows[1:]):
                candidates = [row for row in rows if compare_cell(cells[0], [row[name] for name in wanted[0]]) is None]
                turn = seen[cells[0]] = seen.get(cells[0], -1) + 1
                if candidates and all(differences_of(cells, wanted, row) for row in candidates):
                    same = [other[0] for other in table.rows[1:]].count(cells[0])
                    nearest = (candidates[turn] if same == len(candidates)
                               else min(candidates, key=lambda row: len(differences_of(cells, wanted, row))))
                    at = table.line + 1 + k
                    indent = re.match(r"\s*", lines[at])[0]
                    lines[at] = indent + "| " + " | ".join(refreshed(cells, wanted, nearest)) + " |"
                    print(f"{path}:{at + 1}: {lines[at].strip()}")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        refresh(name)
