"""Puts the pages of the site in place (docs/site/stage.py): the navigation names every page, and no page that is none.

    check_site.py             the pages, without MkDocs
    check_site.py FOLDER      follows the links of a site that is already there
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

from pages import ROOT, report

MADE = {"gallery.md"}  # not in docs/
SITE = os.path.join(ROOT, "docs/site")


def links_of(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return re.findall(r'(?:href|src)="([^"]+)"', text), set(re.findall(r'\bid="([^"]+)"', text))


def broken_links(folder):
    """Of our own pages; MkDoxy's, under cpp/, are looked up only."""
    pages = {os.path.normpath(path): links_of(path) for path in glob.glob(folder + "/**/*.html", recursive=True)
             if not os.path.relpath(path, folder).startswith(("cpp/", "source/", "404"))}
    for path, (links, _) in pages.items():
        for link in links:
            target, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:", link) or link == ".":
                continue
            full = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
            if not os.path.exists(full):
                yield f"{os.path.relpath(path, folder)}: no {link}"
            elif anchor and not anchor.startswith("__") and full in pages and anchor not in pages[full][1]:
                yield f"{os.path.relpath(path, folder)}: no anchor {link}"


def navigation_problems(folder):
    with open(os.path.join(SITE, "mkdocs.yml"), encoding="utf-8") as file:
        named = set(re.findall(r"[\w/]+\.md", file.read().partition("\nnav:")[2]))
    named = {name for name in named if not name.startswith("cpp/")}
    there = {os.path.relpath(path, folder) for path in glob.glob(folder + "/**/*.md", recursive=True)}
    there = {name for name in there if not name.startswith("source/")}
    yield from (f"docs/site/mkdocs.yml: no page {name}" for name in sorted(named - there - MADE))
    yield from (f"docs/site/mkdocs.yml: the navigation lacks {name}" for name in sorted(there - named))


def main():
    if len(sys.argv) > 1:
        return report(list(broken_links(sys.argv[1])), "site")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, os.path.join(SITE, "stage.py"), folder], check=True)
        return report(list(navigation_problems(folder)), "site")


if __name__ == "__main__":
    sys.exit(main())
