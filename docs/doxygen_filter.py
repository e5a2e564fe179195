#!/usr/bin/env python3
"""What Doxygen reads instead of the public headers: python3 docs/doxygen_filter.py FOLDER writes copies there in
which the first comment belongs to the file, indented lines of a comment (formulas, tables, usage) stay as they
are, and angle brackets in prose are no HTML."""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

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


def public_headers():
    """Those of the library that the installed ones are made of; these are lists and hold no text of their own."""
    found = []
    for path in sorted(glob.glob(os.path.join(ROOT, "include/nsn/*.h"))):
        with open(path, encoding="utf-8") as file:
            found += re.findall(r'#include "nsn/(\w+/[\w/]+\.h)"', file.read())
    return found


def main():
    for path in public_headers():
        target = os.path.join(sys.argv[1], path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(os.path.join(ROOT, path), encoding="utf-8") as source, open(target, "w", encoding="utf-8") as copy:
            copy.writelines(filtered(source.readlines()))


if __name__ == "__main__":
    main()
