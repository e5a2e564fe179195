"""Installed headers (cmake/nsnHeaders.cmake) are the public ones and what they include, no more and no less; the front door
<nsn/nsn.h> reaches no header of Kokkos."""
import os
import re
import sys

from pages import ROOT, report


def listed(name, text):
    return re.search(rf"set\({name}\n(.*?)\)", text, re.S)[1].split()


def included(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return re.findall(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', file.read(), re.M)


def reached(roots):
    found, waiting, foreign = set(), list(roots), {}
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        for name in included(path):
            if name.startswith("nsn/"):
                waiting.append(name[4:])
            else:
                foreign.setdefault(name, path)
    return found, foreign


def main():
    with open(os.path.join(ROOT, "cmake/nsnHeaders.cmake"), encoding="utf-8") as file:
        text = file.read()
    public, installed = listed("NSN_PUBLIC_HEADERS", text), listed("NSN_INSTALLED_HEADERS", text)
    found, _ = reached(public)
    problems = [f"cmake/nsnHeaders.cmake lacks {path}" for path in sorted(found - set(installed))]
    problems += [f"cmake/nsnHeaders.cmake names {path}, which no public header includes" for path in sorted(set(installed) - found)]
    _, foreign = reached(["nsn.h"])
    problems += [f"nsn.h reaches <{name}> through {path}" for name, path in foreign.items() if "Kokkos" in name]
    return report(problems, f"{len(public)} public headers, {len(installed)} installed")


if __name__ == "__main__":
    sys.exit(main())
