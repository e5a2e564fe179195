#!/usr/bin/env python3
"""Puts the pages of the site where MkDocs looks for them: stage.py OUT [--gallery NSN].

README.md becomes the front page, docs/ the rest; links between them are rewritten, other files of the repository that a page
links to are copied to source/. --gallery also runs every scene for its picture and writes the page that shows them.
"""
import argparse
import html
import json
import os
import re
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FRONT = ["README.md", "CONTRIBUTING.md", "THIRD_PARTY.md"]
LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s]+)(\))")
# Scenes whose first second shows little, or whose steps take long: steps of the picture.
STEPS = {"humanoids": 60, "crowd": 60, "yumi-cabinet": 60, "allegro-grasp": 60, "allegro-ball": 60, "arm-tomato": 60,
         "arm-beam": 60, "hand-ball": 60, "pneunet": 120, "domino": 240}


def pages():
    found = list(FRONT)
    for folder, _, names in os.walk(os.path.join(ROOT, "docs")):
        found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in names if name.endswith(".md")]
    return sorted(found)


def place_of(page):
    """In the site."""
    return "index.md" if page == "README.md" else re.sub(r"^docs/", "", page)


class Stage:
    def __init__(self, out):
        self.out, self.pages = out, set(pages())

    def link(self, page, target):
        path, mark, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target) or not path:
            return target
        file = os.path.normpath(os.path.join(os.path.dirname(page), path))
        goal = place_of(file)
        if file not in self.pages:
            if not file.endswith(".png"):
                goal = os.path.join("source", file)
            source, copy = os.path.join(ROOT, file), os.path.join(self.out, goal)
            if os.path.isdir(source):
                return target
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copy(source, copy)
        return os.path.relpath(goal, os.path.dirname(place_of(page)) or ".") + mark + anchor

    def write(self, page):
        with open(os.path.join(ROOT, page), encoding="utf-8") as file:
            text = file.read()
        parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
        for k in range(0, len(parts), 2):  # outside of code
            parts[k] = re.sub(r"<!--.*?-->\n?", "", parts[k], flags=re.S)
            parts[k] = LINK.sub(lambda m: m[1] + self.link(page, m[2]) + m[3], parts[k])
        target = os.path.join(self.out, place_of(page))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write("".join(parts))


def scenes(nsn):
    text = subprocess.run([nsn, "scenes", "--json", "-"], capture_output=True, text=True, check=True).stdout
    return json.loads(text)["results"]


def picture(nsn, scene, path):
    if os.path.exists(path):
        return
    steps = min(STEPS.get(scene["name"], 120), scene["default_steps"])
    command = [nsn, "run", scene["name"], "--preset", "realtime", "--steps", str(steps), "--picture", path, "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True)
    if not os.path.exists(path):
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")


def parameters(scene):
    rows = [f"| `{one['key']}` | {one['default']} | {one['help']} |".replace("\n", " ") for one in scene["parameters"]]
    return "\n".join(["| parameter | default | meaning |", "|---|---|---|", *rows]) if rows else "No parameters."


def write_gallery(nsn, out, cache):
    """Pictures are kept in `cache`: scenes do not change from one build of the site to the next."""
    os.makedirs(cache, exist_ok=True)
    os.makedirs(os.path.join(out, "gallery"), exist_ok=True)
    listed = [scene for scene in scenes(nsn) if scene["name"] != "robot"]  # needs a file
    cards, details = [], []
    for scene in listed:
        name = scene["name"]
        picture(nsn, scene, os.path.join(cache, name + ".png"))
        shutil.copy(os.path.join(cache, name + ".png"), os.path.join(out, "gallery", name + ".png"))
        shown = html.escape(scene["summary"])
        cards.append(f'<figure><a href="#{name}"><img src="gallery/{name}.png" alt="{shown}" loading="lazy"></a>'
                     f"<figcaption><b>{name}</b>: {shown}</figcaption></figure>")
        details.append(f"### {name}\n\n{scene['summary']}\n\n![{name}](gallery/{name}.png)\n\n"
                       f"```sh\nnsn run {name} --html {name}.html\n```\n\n{parameters(scene)}\n")
    with open(os.path.join(out, "gallery.md"), "w", encoding="utf-8") as file:
        file.write("# Gallery\n\nEvery scene that `nsn run` knows. Click on one for its command and parameters.\n\n"
                   f'<div class="gallery">\n{chr(10).join(cards)}\n</div>\n\n## Scenes\n\n' + "\n".join(details))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--gallery", metavar="NSN")
    options = parser.parse_args()
    shutil.rmtree(options.out, ignore_errors=True)
    stage = Stage(options.out)
    for page in stage.pages:
        stage.write(page)
    for name in ("site.css", "iframe-worker.js"):
        shutil.copy(os.path.join(HERE, name), options.out)
    gallery = os.path.join(options.out, "gallery.md")
    if options.gallery:
        write_gallery(os.path.abspath(options.gallery), options.out, os.path.join(ROOT, "out/gallery"))
    else:
        with open(gallery, "w", encoding="utf-8") as file:
            file.write("# Gallery\n\nThis site was built without the program that takes the pictures.\n")


if __name__ == "__main__":
    main()
