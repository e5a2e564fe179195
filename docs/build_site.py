#!/usr/bin/env python3
"""Turns README.md and docs/ into a static site that works from a folder: python3 docs/build_site.py [OUT].

Needs python3-markdown. The order below is the order of the navigation; pages that are not listed come last.
"""
import os
import re
import shutil
import sys

import markdown

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SECTIONS = [
    ("Start", ["README.md", "docs/hello.md", "docs/choosing.md"]),
    ("Understand", ["docs/theory.md", "docs/notation.md", "docs/architecture.md", "docs/paper_claims.md"]),
    ("Models", ["docs/collision.md", "docs/mechanisms.md", "docs/deformables.md",
                "docs/robots.md"]),
    ("Solvers", ["docs/backends.md", "docs/compare.md", "docs/friction_problems.md", "docs/device.md",
                 "docs/cuda.md"]),
    ("Python", ["docs/python.md", "docs/python/problems.md", "docs/python/worlds.md", "docs/python/learning.md",
                "docs/python/other_tools.md", "docs/python/api.md"]),
    ("How to", ["docs/howto/add_a_backend.md", "docs/howto/add_a_material.md", "docs/howto/add_a_scene.md",
                "docs/howto/link_from_cmake.md", "docs/howto/read_the_json.md",
                "docs/howto/replay_a_failing_system.md"]),
    ("Figures", ["docs/studies.md", "docs/constants.md", "docs/benchmarks.md", "docs/data.md", "docs/changelog.md"]),
]
NOT_PAGES = {"docs/api.md"}  # Doxygen's front page
EXTENSIONS = ["tables", "fenced_code", "toc", "sane_lists", "md_in_html"]

STYLE = """
:root { --text: #1c2227; --soft: #5a6570; --line: #d9dee3; --page: #ffffff; --panel: #f5f7f9; --link: #0b61a4; }
@media (prefers-color-scheme: dark) {
  :root { --text: #dde3e8; --soft: #98a4af; --line: #333c44; --page: #14181c; --panel: #1b2126; --link: #6fb6f0; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--text); background: var(--page); font: 16px/1.55 system-ui, sans-serif;
       display: grid; grid-template-columns: 15rem minmax(0, 1fr); }
nav { background: var(--panel); border-right: 1px solid var(--line); padding: 1.2rem 1rem; min-height: 100vh; }
nav div { position: sticky; top: 1.2rem; }
nav b { display: block; margin: 1rem 0 .2rem; color: var(--soft); font-size: .8rem; text-transform: uppercase;
        letter-spacing: .05em; }
nav a { display: block; padding: .12rem .5rem; border-radius: 4px; text-decoration: none; color: var(--text); }
nav a.here { background: var(--link); color: var(--page); }
main { max-width: 58rem; padding: 1rem 2.5rem 4rem; }
a { color: var(--link); }
h1, h2, h3 { line-height: 1.2; margin: 1.8em 0 .6em; } h1 { margin-top: .5em; }
h2 { border-bottom: 1px solid var(--line); padding-bottom: .25em; }
code, pre { font: .875em/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
code { background: var(--panel); padding: .1em .3em; border-radius: 3px; overflow-wrap: break-word; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 5px; padding: .8rem 1rem; overflow-x: auto; }
pre code { background: none; padding: 0; overflow-wrap: normal; }
.table { overflow-x: auto; } table { border-collapse: collapse; margin: 1em 0; font-size: .92em; }
th, td { border-bottom: 1px solid var(--line); padding: .35em .7em; text-align: left; vertical-align: top; }
th { background: var(--panel); } tbody tr:hover { background: var(--panel); }
img { max-width: 100%; height: auto; border-radius: 5px; }
footer { display: flex; justify-content: space-between; gap: 1rem; border-top: 1px solid var(--line); margin-top: 3rem;
         padding-top: 1rem; }
@media (max-width: 800px) { body { display: block; } nav { min-height: 0; } nav div { position: static; }
  main { padding: 1rem; } }
@media print { nav, footer { display: none; } body { display: block; color: #000; background: #fff; font-size: 10.5pt; }
  main { max-width: none; padding: 0; } pre, table, img { break-inside: avoid; } pre { white-space: pre-wrap; }
  a { color: inherit; text-decoration: none; } }
"""

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>{title} · nsn</title>
<link rel="stylesheet" href="{up}style.css"></head>
<body><nav><div>{navigation}</div></nav><main>{body}<footer>{before}{after}</footer></main></body></html>
"""


def listed():
    return [page for _, pages in SECTIONS for page in pages]


def add_unlisted():
    found = []
    for folder, _, names in os.walk(os.path.join(ROOT, "docs")):
        found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in names if name.endswith(".md")]
    missing = [page for page in listed() if not os.path.exists(os.path.join(ROOT, page))]
    if missing:
        raise SystemExit(f"docs/build_site.py: no file {', '.join(missing)}")
    more = sorted(set(found) - NOT_PAGES - set(listed()))
    if more:
        SECTIONS.append(("More", more))


def target_of(page):
    """Where a page, or any other file of the repository, goes in the site."""
    if page == "README.md":
        return "index.html"
    inside = re.sub(r"^docs/", "", page)
    return inside[:-3] + ".html" if page in listed() else os.path.join("source", page)


def read(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        return file.read()


def title_of(page):
    return re.search(r"^# (.*)$", read(page), re.M)[1] if page != "README.md" else "Overview"


def relative(to, page):
    return os.path.relpath(to, os.path.dirname(target_of(page)) or ".")


class Site:
    def __init__(self, out):
        self.out = out

    def link(self, page, target):
        """A link of the page, rewritten; files that are no pages are copied beside them."""
        path, hash_mark, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target) or not path:
            return target
        file = os.path.normpath(os.path.join(os.path.dirname(page), path))
        goal = target_of(file)
        if file not in listed():
            full = os.path.join(self.out, goal)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            source = os.path.join(ROOT, file)
            if os.path.isdir(source):
                shutil.copytree(source, full, dirs_exist_ok=True)
            else:
                shutil.copy(source, full)
        return relative(goal, page) + hash_mark + anchor

    def body(self, page):
        extensions, configuration = list(EXTENSIONS), {"toc": {"slugify": slug}}
        html = markdown.markdown(read(page), extensions=extensions, extension_configs=configuration)
        html = re.sub(r'(href|src)="([^"]+)"', lambda m: f'{m[1]}="{self.link(page, m[2])}"', html)
        html = re.sub(r"<!--.*?-->", "", html, flags=re.S)
        return html.replace("<table>", '<div class="table"><table>').replace("</table>", "</table></div>")

    def navigation(self, page):
        parts = []
        for section, pages in SECTIONS:
            parts.append(f"<b>{section}</b>")
            for other in pages:
                here = ' class="here"' if other == page else ""
                parts.append(f'<a{here} href="{relative(target_of(other), page)}">{short_title(other)}</a>')
        parts.append(f'<b>Reference</b><a href="{relative("api/index.html", page)}">API</a>')
        return "".join(parts)

    def write_page(self, page):
        order, k = listed(), listed().index(page)
        neighbour = lambda other, text: f'<a href="{relative(target_of(other), page)}">{text}</a>'
        before = neighbour(order[k - 1], "← " + short_title(order[k - 1])) if k > 0 else "<span></span>"
        after = neighbour(order[k + 1], short_title(order[k + 1]) + " →") if k + 1 < len(order) else ""
        up = "../" * target_of(page).count("/")
        text = PAGE.format(title=title_of(page), up=up, navigation=self.navigation(page), body=self.body(page),
                           before=before, after=after)
        path = os.path.join(self.out, target_of(page))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def write(self):
        os.makedirs(self.out, exist_ok=True)
        with open(os.path.join(self.out, "style.css"), "w", encoding="utf-8") as file:
            file.write(STYLE)
        for page in listed():
            self.write_page(page)


def short_title(page):
    return re.split(r"[:,]", title_of(page))[0]


def slug(text, separator):
    """As GitHub names headings."""
    return re.sub(r"\s", separator, re.sub(r"[^\w\s-]", "", text.lower()))


def main():
    out = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "out/docs")
    add_unlisted()
    Site(out).write()
    print(f"{len(listed())} pages: {os.path.join(os.path.abspath(out), 'index.html')}")


if __name__ == "__main__":
    main()
