"""What a reader can hold at once: no function of the library has a body of more than 60 lines, no source of core/ more
than 500, no class of core/ more than 25 members. Relies on clang-format: what opens at an indent closes at it."""
import glob
import os
import re
import sys

from pages import ROOT, report

FUNCTION, SOURCE, MEMBERS = 60, 500, 25
NO_FUNCTION = re.compile(r"(template <[^{]*> )?(namespace|class|struct|enum|union|extern|if|for|while|switch|do|try)\b|"
                         r"[^(]*(=|\breturn)")
CLASS = re.compile(r"(\s*)(?:class|struct)\s+(?:alignas\([^)]*\)\s*)?([\w:]+)[^;()]*{$")


def closing(lines, k, indent):
    return next((j for j in range(k + 1, len(lines)) if lines[j].startswith(" " * indent + "}")), len(lines))


def indent_of(line):
    return len(line) - len(line.lstrip())


def functions(lines):
    """(first line of the body, its end) of functions in namespaces and classes."""
    for k, line in enumerate(lines):
        if not line.endswith("{") or line.lstrip().startswith(("}", "//")):
            continue
        first = k
        while first > 0 and lines[first - 1] and not re.search(r"([;{}]|(public|private|protected):)$|^\s*//", lines[first - 1]):
            first -= 1  # a signature of several lines
        head = " ".join(text.strip() for text in lines[first:k + 1])
        inner = re.search(r"KOKKOS_LAMBDA|\[[&=\w]*\]\s*\(", head)
        if "(" in head and indent_of(lines[first]) <= 4 and not inner and not NO_FUNCTION.match(head):
            yield k, closing(lines, k, indent_of(lines[first]))


def classes(lines):
    for k, line in enumerate(lines):
        if CLASS.match(line):
            yield k, closing(lines, k, indent_of(line))


def members(lines, first, last):
    """Data members: what ends with ';' one indent further in and has no '(' before its initialiser."""
    indent = " " * (len(lines[first]) - len(lines[first].lstrip()) + 2)
    count, statement = 0, ""
    for line in lines[first + 1:last]:
        text = re.sub(r"\s*//.*", "", line)
        if not text.startswith(indent) or (text[len(indent):len(indent) + 1] in " }" and not statement):
            statement = ""
            continue
        statement += text.strip() + " "
        if text.endswith("{"):
            statement = ""
        if not text.endswith(";"):
            continue
        plain = re.sub(r"<[^<>]*>", "", re.sub(r"<[^<>]*>", "", re.sub(r"<[^<>]*>", "", statement)))
        if not re.match(r"(using|friend|typedef|static|template|struct|class|enum|return)\b", plain):
            name = re.split(r"[={]", plain)[0]
            if "(" not in name and name.strip(" ;"):
                count += 1 + name.count(",")
        statement = ""
    return count


def problems_of(path):
    name = os.path.relpath(path, ROOT)
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for first, last in functions(lines):
        if last - first - 1 > FUNCTION:
            yield f"{name}:{first + 1}: a function of {last - first - 1} lines"
    if not name.startswith("core/"):
        return
    if len(lines) - 1 > SOURCE:
        yield f"{name}: {len(lines) - 1} lines"
    for first, last in classes(lines):
        count = members(lines, first, last)
        if count > MEMBERS:
            yield f"{name}:{first + 1}: {CLASS.match(lines[first])[2]} has {count} members"


def main():
    paths = [path for top in ("ncp", "core", "precond", "backends", "models")
             for kind in ("h", "cpp", "cuh", "cu")
             for path in glob.glob(os.path.join(ROOT, top, "**", "*." + kind), recursive=True)]
    return report([problem for path in sorted(paths) for problem in problems_of(path)],
                  f"sizes of {len(paths)} files")


if __name__ == "__main__":
    sys.exit(main())
