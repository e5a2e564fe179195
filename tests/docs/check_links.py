"""Every relative link and anchor of the pages leads somewhere, and so does every path named in code."""
import os
import re
import sys

from pages import ROOT, all_pages, code_spans, report

FOLDERS = "backends bench cmake core docs models ncp precond tests".split()


def anchors(page):
    """Names of the headings, as GitHub forms them."""
    found = {}
    for _, line in page.prose:
        heading = re.match(r"#+\s+(.*?)\s*#*$", line)
        if not heading:
            continue
        words = re.sub(r"[`*]|\[(.*?)\]\(.*?\)", r"\1", heading[1]).lower()
        slug = re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", words))
        count = found.get(slug, 0)
        found[slug] = count + 1
        yield slug if count == 0 else f"{slug}-{count}"


def check_link(page, line, target, pages):
    if re.match(r"[a-z]+:", target):
        return None
    path, _, anchor = target.partition("#")
    full = os.path.normpath(os.path.join(os.path.dirname(page.path), path)) if path else page.path
    if not os.path.exists(full):
        return f"{page.name}:{line}: no file {target}"
    if anchor and (full not in pages or anchor not in set(anchors(pages[full]))):
        return f"{page.name}:{line}: no heading for {target}"
    return None


def named_paths(text):
    """Files of the repository that a piece of inline code names: `core/step/newton.h`."""
    if re.fullmatch(r"(" + "|".join(FOLDERS) + r")/[\w./-]+\.\w+", text):
        yield text


def main():
    pages = {page.path: page for page in all_pages()}
    problems = []
    for page in pages.values():
        for line, text in page.prose:
            without_code = re.sub(r"`[^`]*`", "", text)
            for target in re.findall(r"\]\(([^)\s]+)\)", without_code):
                problems.append(check_link(page, line, target, pages))
        for line, span in code_spans(page):
            for path in named_paths(span):
                if not os.path.exists(os.path.join(ROOT, path)):
                    problems.append(f"{page.name}:{line}: no file {path}")
    return report([problem for problem in problems if problem], "links")


if __name__ == "__main__":
    sys.exit(main())
