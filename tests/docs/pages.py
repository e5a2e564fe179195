"""The Markdown pages of the repository, cut into the parts that the tests look at."""
import os
import re
from dataclasses import dataclass, field

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@dataclass
class Block:
    """A fenced or indented block of code; marks are the HTML comments directly before it."""
    line: int
    language: str
    text: str
    marks: list


@dataclass
class Table:
    """Cells as written, head first; marks as for a block."""
    line: int
    rows: list
    marks: list


@dataclass
class Page:
    path: str
    text: str
    blocks: list = field(default_factory=list)
    tables: list = field(default_factory=list)
    prose: list = field(default_factory=list)  # (line number, text) outside of blocks, tables included

    @property
    def name(self):
        return os.path.relpath(self.path, ROOT)


def cells_of(line):
    inner = line.strip().strip("|") if not line.rstrip().endswith("\\|") else line.strip()[1:]
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", inner)]


def marks_before(lines, start):
    """HTML comments of one line each, directly above line `start` (blank lines between are allowed)."""
    marks, k = [], start - 1
    while k >= 0 and (not lines[k].strip() or re.fullmatch(r"\s*<!--.*-->\s*", lines[k])):
        if lines[k].strip():
            marks.insert(0, re.fullmatch(r"\s*<!--\s*(.*?)\s*-->\s*", lines[k])[1])
        k -= 1
    return marks


def read_page(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    page, lines, k = Page(path, text), text.split("\n"), 0
    while k < len(lines):
        fence = re.match(r"(\s*)(`{3,})\s*(\S*)\s*$", lines[k])
        if fence:
            end = k + 1
            while lines[end].strip() != fence[2]:
                end += 1
            body = [line[len(fence[1]):] for line in lines[k + 1:end]]
            page.blocks.append(Block(k + 1, fence[3], "\n".join(body) + "\n", marks_before(lines, k)))
            k = end + 1
        elif lines[k].startswith("    ") and (k == 0 or not lines[k - 1].strip()):
            end = k
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            body = "\n".join(line[4:] for line in lines[k:end]).rstrip("\n") + "\n"
            page.blocks.append(Block(k + 1, "", body, marks_before(lines, k)))
            k = end
        elif lines[k].lstrip().startswith("|") and k + 1 < len(lines) and re.fullmatch(r"[\s|:-]+", lines[k + 1]):
            end = k
            while end < len(lines) and lines[end].lstrip().startswith("|"):
                page.prose.append((end + 1, lines[end]))
                end += 1
            rows = [cells_of(line) for line in [lines[k]] + lines[k + 2:end]]
            page.tables.append(Table(k + 1, rows, marks_before(lines, k)))
            k = end
        else:
            page.prose.append((k + 1, lines[k]))
            k += 1
    return page


def all_pages():
    paths = [os.path.join(ROOT, name) for name in os.listdir(ROOT) if name.endswith(".md") and name != "LEAD_NOTE.md"]
    for folder, _, names in os.walk(os.path.join(ROOT, "docs")):
        paths += [os.path.join(folder, name) for name in names if name.endswith(".md")]
    return [read_page(path) for path in sorted(paths)]


def code_spans(page):
    """(line, text) of inline code in prose and tables; spans may cross line ends."""
    numbered = page.prose
    joined, starts = "", []
    for number, line in numbered:
        starts.append((len(joined), number))
        joined += line + "\n"
    for match in re.finditer(r"(`+)(.+?)\1", joined, re.S):
        if "\n\n" in match[2]:
            continue
        line = max(number for offset, number in starts if offset <= match.start())
        yield line, re.sub(r"\s*\n\s*", " ", match[2]).strip().replace("\\|", "|")


def report(problems, what):
    """Prints the problems; the exit code of a test."""
    for problem in problems:
        print(problem)
    print(f"{what}: {'ok' if not problems else f'{len(problems)} problem(s)'}")
    return 1 if problems else 0
