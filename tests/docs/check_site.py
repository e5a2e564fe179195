"""Every page of docs/ has a place in the navigation of the site (docs/site/mkdocs.yml), and every file that pages link to is
there.

    check_site.py [FOLDER]        with a folder: follows every link of the site that ./run docs has built there
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

from pages import ROOT, report


def links_of(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    names = set(re.findall(r'\bid="([^"]+)"', text))
    return re.findall(r'(?:href|src)="([^"]+)"', text), names


def problems_of(folder):
    pages = {os.path.normpath(path): links_of(path) for path in glob.glob(folder + "/**/*.html", recursive=True)
             if not os.path.relpath(path, folder).startswith(("source", "cpp", "404"))}
    for path, (links, _) in pages.items():
        for link in links:
            target, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:", link):
                continue
            full = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
            if not os.path.exists(full):
                yield f"{os.path.relpath(path, folder)}: no {link}"
            elif anchor and full in pages and anchor not in pages[full][1]:
                yield f"{os.path.relpath(path, folder)}: no anchor {link}"


def places():
    """Pages named by the navigation; those of the reference in C++ are made by Doxygen."""
    with open(os.path.join(ROOT, "docs/site/mkdocs.yml"), encoding="utf-8") as file:
        navigation = file.read().partition("\nnav:\n")[2]
    return {page for page in re.findall(r"[\w/]+\.md", navigation) if not page.startswith("cpp/")}


def main():
    if len(sys.argv) > 1:
        return report(list(problems_of(sys.argv[1])), "site")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, os.path.join(ROOT, "docs/site/stage.py"), folder], check=True)
        pages = os.path.join(folder, "pages")
        found = {os.path.relpath(path, pages) for path in glob.glob(pages + "/**/*.md", recursive=True)}
    found = {page for page in found if not page.startswith("source/")}
    problems = [f"docs/site/mkdocs.yml: no page {page}" for page in sorted(places() - found)]
    return report(problems + [f"docs/site/mkdocs.yml lacks {page}" for page in sorted(found - places())], "site")


if __name__ == "__main__":
    sys.exit(main())
