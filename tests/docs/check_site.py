"""Builds the site into a scratch folder and follows every link of it. Exit code 77: no python3-markdown.

    check_site.py [FOLDER]        with a folder: follows the links of a site that is already there
"""
import glob
import importlib.util
import os
import re
import subprocess
import sys
import tempfile

from pages import ROOT, report

SKIPPED = 77


def links_of(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    names = set(re.findall(r'\bid="([^"]+)"', text))
    return re.findall(r'(?:href|src)="([^"]+)"', text), names


def problems_of(folder):
    pages = {os.path.normpath(path): links_of(path) for path in glob.glob(folder + "/**/*.html", recursive=True)
             if not os.path.relpath(path, folder).startswith(("api", "source"))}
    for path, (links, _) in pages.items():
        for link in links:
            target, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:", link) or target.endswith("api/index.html"):
                continue
            full = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
            if not os.path.exists(full):
                yield f"{os.path.relpath(path, folder)}: no {link}"
            elif anchor and full in pages and anchor not in pages[full][1]:
                yield f"{os.path.relpath(path, folder)}: no anchor {link}"


def main():
    if len(sys.argv) > 1:
        return report(list(problems_of(sys.argv[1])), "site")
    if importlib.util.find_spec("markdown") is None:
        print("skipped: python3-markdown is not installed")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, os.path.join(ROOT, "docs/build_site.py"), folder], check=True)
        return report(list(problems_of(folder)), "site")


if __name__ == "__main__":
    sys.exit(main())
