#!/usr/bin/env python3
"""The pages as MkDocs wants them: python3 docs/site/stage.py OUT.

OUT/pages gets README.md as index.md, docs/ and the pages of the root, with links that lead within the site; files that
are linked but are no pages lie under source/. OUT/headers gets the public headers for Doxygen (docs/site/headers.py).
"""
import os
import re
import shutil
import sys

import headers

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OF_THE_ROOT = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "THIRD_PARTY.md": "third_party.md"}
LINK = re.compile(r"(\]\()([^)\s]+)(\))")


def target_of(file):
    """Where a file of the repository goes in the site."""
    if file in OF_THE_ROOT:
        return OF_THE_ROOT[file]
    return file.removeprefix("docs/") if file.startswith("docs/") else os.path.join("source", file)


def pages():
    found = list(OF_THE_ROOT)
    for folder, _, names in os.walk(os.path.join(ROOT, "docs")):
        found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in names if name.endswith(".md")]
    return sorted(found)


class Stage:
    def __init__(self, out):
        self.out, self.pages = out, pages()

    def put(self, file):
        """A file or folder that is linked but is no page."""
        source, goal = os.path.join(ROOT, file), os.path.join(self.out, target_of(file))
        if not os.path.exists(source):
            raise SystemExit(f"docs/site/stage.py: no file {file}")
        os.makedirs(os.path.dirname(goal), exist_ok=True)
        if os.path.isdir(source):
            shutil.copytree(source, goal, dirs_exist_ok=True)
        else:
            shutil.copy(source, goal)

    def link(self, page, match):
        path, mark, anchor = match[2].partition("#")
        if re.match(r"[a-z]+:", match[2]) or not path:
            return match[0]
        file = os.path.normpath(os.path.join(os.path.dirname(page), path))
        if file not in self.pages:
            self.put(file)
        goal = os.path.relpath(target_of(file), os.path.dirname(target_of(page)) or ".")
        return match[1] + goal + mark + anchor + match[3]

    def write(self, page):
        with open(os.path.join(ROOT, page), encoding="utf-8") as file:
            parts = re.split(r"(^```.*?^```$)", file.read(), flags=re.M | re.S)
        text = "".join(part if part.startswith("```") else LINK.sub(lambda m: self.link(page, m), part) for part in parts)
        goal = os.path.join(self.out, target_of(page))
        os.makedirs(os.path.dirname(goal), exist_ok=True)
        with open(goal, "w", encoding="utf-8") as file:
            file.write(text)


def main():
    out = os.path.abspath(sys.argv[1])
    shutil.rmtree(out, ignore_errors=True)
    stage = Stage(os.path.join(out, "pages"))
    for page in stage.pages:
        stage.write(page)
    for name in ("extra.css", "iframe-worker.js"):
        shutil.copy(os.path.join(ROOT, "docs/site", name), stage.out)
    headers.write(os.path.join(out, "headers"))
    print(f"{len(stage.pages)} pages in {stage.out}")


if __name__ == "__main__":
    main()
