#!/usr/bin/env python3
"""What Doxygen reads instead of a header: the first comment belongs to the file, indented lines of a
comment (formulas, tables, usage) stay as they are, and angle brackets in prose are no HTML."""
import re
import sys

BEFORE, AFTER = "@verbatim", "@endverbatim"


def is_indented(line):
    return re.match(r"\s*///\s{2,}\S", line) is not None


def escape(line):
    """Prose: < and > as text unless in `code`."""
    head, text = re.match(r"(.*?///<?)(.*)", line, re.S).groups()
    parts = re.split(r"(`[^`]*`)", text)
    safe = lambda part: re.sub(r"([<>#@\\])", r"\\\1", part)
    return head + "".join(part if part.startswith("`") else safe(part) for part in parts)


def filtered(lines):
    verbatim = False
    if lines and lines[0].startswith("///"):
        yield "/// @file\n"
    for line in lines:
        comment = re.match(r"\s*///(?!<)", line)
        indented = comment and is_indented(line)
        blank_inside = verbatim and re.match(r"\s*///\s*$", line)
        if indented and not verbatim:
            yield f"/// {BEFORE}\n"
            verbatim = True
        elif verbatim and not indented and not blank_inside:
            yield f"/// {AFTER}\n"
            verbatim = False
        if comment and not verbatim:
            yield escape(line)
        elif "///<" in line:
            yield escape(line)
        else:
            yield line
    if verbatim:
        yield f"/// {AFTER}\n"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.stdout.writelines(filtered(file.readlines()))


if __name__ == "__main__":
    main()
