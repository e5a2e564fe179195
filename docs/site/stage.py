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
# Of the search: these pages come before the listings of the C++ reference.
ABOVE_REFERENCE = "---\nsearch:\n  boost: 4\n---\n"
LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s]+)(\))")
# What a picture of the gallery shows, for scenes that say little with the defaults and 120 steps.
SHOWN = {"humanoids": "--set count=160 --set spacing=1.3 --steps 45", "yumi-cabinet": "--set count=1 --steps 200",
         "ragdolls": "--steps 300", "allegro-grasp": "--steps 66", "allegro-ball": "--steps 60", "arm-tomato": "--steps 60",
         "arm-beam": "--steps 60", "hand-ball": "--steps 60", "pneunet": "--steps 200", "domino": "--steps 240",
         "soft-ball-drop": "--steps 45", "pendulum": "--steps 40", "capsule-pile": "--steps 240", "sphere-pile": "--steps 240",
         "sliding-stack": "--steps 40"}


def pages():
    found = list(FRONT)
    for folder, _, names in os.walk(os.path.join(ROOT, "docs")):
        found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in names if name.endswith(".md")]
    return sorted(found)


def place_of(page):
    """In the site."""
    return "index.md" if page == "README.md" else re.sub(r"^docs/", "", page)


def linked_header(match):
    """Its page of the C++ reference, if ./run docs has given it to Doxygen."""
    if not os.path.exists(os.path.join(ROOT, "out/headers", match[1] + ".h")):
        return match[0]
    return f"[{match[0]}](cpp/{os.path.basename(match[1]).replace('_', '__')}_8h.md)"


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
            if page == "docs/api.md":
                parts[k] = re.sub(r"`([\w/]+)\.h`", linked_header, parts[k])
        target = os.path.join(self.out, place_of(page))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write(ABOVE_REFERENCE + "".join(parts))


def scenes(nsn):
    text = subprocess.run([nsn, "scenes", "--json", "-"], capture_output=True, text=True, check=True).stdout
    return json.loads(text)["results"]


def picture(nsn, scene, path):
    """Returns the words of the command. A picture is kept while neither they nor the program change."""
    words = SHOWN.get(scene["name"], f"--steps {min(120, scene['default_steps'])}")
    note = path + ".command"
    if os.path.exists(path) and os.path.exists(note) and os.path.getmtime(path) > os.path.getmtime(nsn):
        with open(note, encoding="utf-8") as file:
            if file.read() == words:
                return words
    command = [nsn, "run", scene["name"], "--preset", "realtime", *words.split(), "--picture", path, "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True)
    if not os.path.exists(path):
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    with open(note, "w", encoding="utf-8") as file:
        file.write(words)
    return words


def parameters(scene):
    rows = [f"| `{one['key']}` | {one['default']} | {one['help']} |".replace("\n", " ") for one in scene["parameters"]]
    return "\n".join(["| parameter | default | meaning |", "|---|---|---|", *rows]) if rows else "No parameters."


def write_gallery(nsn, out, cache):
    """Pictures are kept in `cache`."""
    os.makedirs(cache, exist_ok=True)
    os.makedirs(os.path.join(out, "gallery"), exist_ok=True)
    listed = [scene for scene in scenes(nsn) if scene["name"] != "robot"]  # needs a file
    cards, details = [], []
    for scene in listed:
        name = scene["name"]
        words = picture(nsn, scene, os.path.join(cache, name + ".png"))
        shutil.copy(os.path.join(cache, name + ".png"), os.path.join(out, "gallery", name + ".png"))
        shown = html.escape(scene["summary"])
        cards.append(f'<figure><a href="#{name}"><img src="gallery/{name}.png" alt="{shown}" loading="lazy"></a>'
                     f"<figcaption><b>{name}</b>: {shown}</figcaption></figure>")
        details.append(f"### {name}\n\n{scene['summary']}\n\n![{name}](gallery/{name}.png)\n\n"
                       f"```sh\nnsn run {name} --html {name}.html   # to turn and play\n"
                       f"nsn run {name} --preset realtime {words} --picture {name}.png\n```\n\n{parameters(scene)}\n")
    with open(os.path.join(out, "gallery.md"), "w", encoding="utf-8") as file:
        file.write(ABOVE_REFERENCE + "# Gallery\n\nEvery scene that `nsn run` knows. Click on one for its command and parameters.\n\n"
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
