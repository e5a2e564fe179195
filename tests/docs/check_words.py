"""Plain words: pages, messages and comments in the English of the field, in short sentences.

Pages: none of the words below, no sentence of more than 40 words, no line of prose beyond 120 columns, no marker of our own
inside a sentence. Comments and string literals of headers and sources, and what scripts and pages of runs say: none of the
words; a message has no sentence of more than 40 words either.
"""
import functools
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
# "3 ms a step" is "3 ms per step".
UNIT = (r"ms|µs|s|seconds|iterations?|numbers?|indices|operations|times?|bytes|steps?|frames?|contacts?|factorisations?|"
        r"products?|sweeps?|entries|flops|nodes?|rows?|tets|kB|MB|N|m")
EACH = (r"step|row|factorisation|node|body|contact|second|sweep|iteration|thread|tetrahedron|tet|cell|line|frame|pair|island|"
        r"problem|humanoid|solve|joint|robot|unit")
WORDS[rf"(?:{UNIT}) an? (?:{EACH})"] = "'per' for 'a'"
# Of a message: "is not a range", not "is no range".
NEGATED = re.compile(r"\b(?<!there )(?<!There )(?:is|are) (?:no|none of)\b")
MOST_WORDS, COLUMNS = 40, 120
SOURCES = ("include", "ncp", "core", "precond", "backends", "models", "bench", "tests", "python")
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
QUOTED = {"THIRD_PARTY.md"}  # licences, word for word


@functools.cache
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
    for number, line in page.prose:
        bare = re.sub(r"`[^`]*`", "", line)
        for word, better in advice_on(bare):
            yield f"{page.name}:{number}: '{word}': {better}"
        if re.search(r"\S.*<!-- no measurement", line):
            yield f"{page.name}:{number}: a marker inside a sentence"
        shown = re.sub(r"<!--.*?-->", "", line)
        table = line.lstrip().startswith("|")
        if len(shown) > COLUMNS and not table and " " in shown.strip() and "](" not in shown:
            yield f"{page.name}:{number}: {len(shown)} columns"
    for number, text in paragraphs(page):
        if page.name not in QUOTED:
            yield from (f"{page.name}:{number}: {problem}" for problem in long_sentences(text))


def advice_on(text):
    for match in pattern().finditer(text):
        yield match[0], next(better for words, better in WORDS.items() if re.fullmatch(words, match[0], re.I))


def long_sentences(text):
    for sentence in sentences(text):
        count = len(re.findall(r"[\w'’-]*[A-Za-z][\w'’-]*", sentence))
        if count > MOST_WORDS:
            yield f"a sentence of {count} words: {sentence[:60]}..."


def messages(text):
    """(line, text) of string literals, those that the compiler joins as one. Raw literals are data."""
    code = re.sub(r"^\s*#include.*$|//.*$", "", re.sub(r'R"(\w*)\((.*?)\)\1"', lambda m: "\n" * m[0].count("\n"), text, flags=re.S),
                  flags=re.M)
    for match in re.finditer(rf"{LITERAL}(?:\s*{LITERAL})*", code):
        joined = "".join(part[1:-1] for part in re.findall(LITERAL, match[0]))
        yield code.count("\n", 0, match.start()) + 1, joined.replace("\\n", ". ")


def source_problems(path):
    name = os.path.relpath(path, ROOT)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for number, line in enumerate(text.split("\n"), 1):
        comment = re.search(r"//(.*)", line)
        for word, better in advice_on(comment[1] if comment else ""):
            yield f"{name}:{number}: '{word}': {better}"
    for number, message in messages(text):
        for word, better in advice_on(message):
            yield f"{name}:{number}: '{word}' in a message: {better}"
        if not name.startswith("tests/"):
            yield from (f"{name}:{number}: '{word[0]}' in a message: 'is not'" for word in NEGATED.finditer(message))
            yield from (f"{name}:{number}: {problem}" for problem in long_sentences(message))


def script_problems(path):
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            for word, better in advice_on(line):
                yield f"{os.path.relpath(path, ROOT)}:{number}: '{word}': {better}"


def main():
    problems = [problem for page in all_pages() for problem in page_problems(page)]
    for top in SOURCES:
        for kind in ("h", "cpp", "cuh", "cu"):
            for path in sorted(glob.glob(os.path.join(ROOT, top, "**", "*." + kind), recursive=True)):
                problems += source_problems(path)
    for top in (*SOURCES, "docs", "cmake"):
        for kind in ("py", "js", "html", "css", "sh", "in", "cmake"):
            for path in sorted(glob.glob(os.path.join(ROOT, top, "**", "*." + kind), recursive=True)):
                if path != os.path.abspath(__file__):
                    problems += script_problems(path)
    return report(problems, "words")


if __name__ == "__main__":
    sys.exit(main())
