"""Plain words: pages and comments in the English of the field, in short sentences.

Pages: none of the words below, no sentence of more than 40 words, no line of prose beyond 120 columns, no marker of our own
inside a sentence. Comments of headers and sources: none of the words.
"""
import glob
import os
import re
import sys

from pages import ROOT, all_pages, report

WORDS = {
    r"dear(?:er|est)?": "expensive",
    r"anew": "again",
    r"looked at": "examined",
    r"so many": "the number's own name",
    r"the way of": "the path of, or how",
    r"in the long run": "after many steps",
    r"afresh": "again",
    r"is none but": "is only",
}
MOST_WORDS, COLUMNS = 40, 120
QUOTED = {"THIRD_PARTY.md"}  # licences, word for word


def pattern():
    return re.compile(r"\b(" + "|".join(WORDS) + r")\b", re.I)


def paragraphs(page):
    """(first line, text) of running prose: no tables, headings or code."""
    tables = {table.line + k for table in page.tables for k in range(len(table.rows) + 1)}
    start, lines = 0, []
    for number, line in [*page.prose, (10 ** 9, "")]:
        bare = line.strip()
        item = re.match(r"([-*]|\d+\.)\s", bare)
        ends = not bare or number in tables or bare.startswith(("#", "<!--", "![", "|")) or item
        if lines and (ends or number != start + len(lines)):
            yield start, " ".join(lines)
            lines = []
        if bare and not (ends and not item):
            if not lines:
                start = number
            lines.append(re.sub(r"^([-*]|\d+\.)\s+", "", bare))


def sentences(text):
    text = re.sub(r"<!--.*?-->", "", text)
    text = re.sub(r"`[^`]*`", "code", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text))
    return re.split(r"(?<=[.!?:;])(?<!e\.g\.)(?<!i\.e\.)(?<!Eq\.)\s+", text)


def page_problems(page):
    words = pattern()
    for number, line in page.prose:
        bare = re.sub(r"`[^`]*`", "", line)
        for match in words.finditer(bare):
            advice = next(better for text, better in WORDS.items() if re.fullmatch(text, match[0], re.I))
            yield f"{page.name}:{number}: '{match[0]}': {advice}"
        if re.search(r"\S.*<!-- no measurement", line):
            yield f"{page.name}:{number}: a marker inside a sentence"
        shown = re.sub(r"<!--.*?-->", "", line)
        table = line.lstrip().startswith("|")
        if len(shown) > COLUMNS and not table and " " in shown.strip() and "](" not in shown:
            yield f"{page.name}:{number}: {len(shown)} columns"
    for number, text in paragraphs(page):
        for sentence in sentences(text):
            count = len(re.findall(r"[\w'’-]*[A-Za-z][\w'’-]*", sentence))
            if count > MOST_WORDS and page.name not in QUOTED:
                yield f"{page.name}:{number}: a sentence of {count} words: {sentence[:60]}..."


def comment_problems(path):
    words = pattern()
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            comment = re.search(r"//(.*)", line)
            for match in words.finditer(comment[1] if comment else ""):
                yield f"{os.path.relpath(path, ROOT)}:{number}: '{match[0]}'"


def main():
    problems = [problem for page in all_pages() for problem in page_problems(page)]
    for top in ("ncp", "core", "precond", "backends", "models", "bench", "tests"):
        for kind in ("h", "cpp", "cuh", "cu"):
            for path in sorted(glob.glob(os.path.join(ROOT, top, "**", "*." + kind), recursive=True)):
                problems += comment_problems(path)
    return report(problems, "words")


if __name__ == "__main__":
    sys.exit(main())
