"""The public headers are include/nsn/*.h: at most 25, and what they are made of is written into them at installation
(cmake/installHeaders.cmake). So each header of the library that is reached belongs to exactly one of them, and one that
uses what belongs to another includes that one; none includes itself on the way. <nsn/nsn.h> reaches no header of Kokkos."""
import glob
import os
import re
import sys

from pages import ROOT, report

MOST = 25
FRONT = "include/nsn/"


def included(path):
    """What a file includes: of the library by its place in the tree, all else by name."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        names = re.findall(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', file.read(), re.M)
    own = [name.removeprefix("nsn/") for name in names if name.startswith("nsn/")]
    return [name if "/" in name else FRONT + name for name in own], [name for name in names if not name.startswith("nsn/")]


def reached(root):
    """The public headers that one includes, by others too."""
    found, waiting = set(), [root]
    while waiting:
        for name in included(waiting.pop())[0]:
            if name.startswith(FRONT) and name not in found:
                found.add(name)
                waiting.append(name)
    return found


def problems_of(public):
    owners = {}
    for path in public:
        for name in included(path)[0]:
            if not name.startswith(FRONT):
                owners.setdefault(name, []).append(path)
    yield from (f"{name}: listed by {' and '.join(paths)}" for name, paths in owners.items() if len(paths) > 1)
    for name, (owner, *_) in owners.items():
        open_to = reached(owner)
        for inner in included(name)[0]:
            if inner.startswith(FRONT):
                yield f"{name}: a header of the library includes {inner}"
            elif inner not in owners:
                yield f"{inner}: {name} needs it, no public header lists it"
            elif owners[inner][0] != owner and owners[inner][0] not in open_to:
                yield f"{owner}: lacks {owners[inner][0]}, which {name} needs for {inner}"
    yield from (f"{path}: includes itself" for path in public if path in reached(path))
    for path in [FRONT + "nsn.h", *sorted(reached(FRONT + "nsn.h"))]:
        for name in [path, *(name for name in included(path)[0] if not name.startswith(FRONT))]:
            yield from (f"nsn.h reaches <{other}> through {name}" for other in included(name)[1] if "Kokkos" in other)


def main():
    public = sorted(os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, FRONT, "*.h")))
    problems = list(problems_of(public))
    if len(public) > MOST:
        problems.append(f"{len(public)} public headers, at most {MOST}")
    return report(problems, f"{len(public)} public headers")


if __name__ == "__main__":
    sys.exit(main())
