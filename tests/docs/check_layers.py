"""Dependencies point one way (docs/architecture.md): a folder includes itself and what stands before it in LAYERS, a
backend no other backend, and includes of the library are written as they are installed ("nsn/...")."""
import glob
import os
import re
import sys

from pages import ROOT, report

# From below. Folders of one entry may include each other.
LAYERS = [["ncp"],
          ["core/base"], ["core/matrix"], ["core/linear"], ["core/factor"], ["core/contact"], ["core/device"], ["core/elastic"], ["core/rows"], ["core/step", "core/step/paper", "core/step/reductions"],
          ["core/problems"], ["core/io"],
          ["precond"], ["backends"],
          ["models/collision"], ["models/world", "models/joints", "models/rows", "models/deformable"],
          ["models/problems"], ["models/mesh_io"], ["models/robots"], ["models/step"], ["models/record"], ["models/scenes"],
          ["bench"]]
INSTALLED = ("ncp/", "core/", "precond/", "backends/", "models/")
SHARED = {"backends/krylov_backend.h", "backends/iteration_limit.h", "backends/amg_hierarchy.h",
          "backends/petsc_session.h"}  # what backends are made of
LISTS = {"backends/standard_backends.cpp", "backends/cuda/cuda_backends.cpp"}  # name every backend: their purpose


def rank(name):
    for k, folders in enumerate(LAYERS):
        if any(name.startswith(folder + "/") for folder in folders):
            return k
    return None


def problems_of(path):
    name = os.path.relpath(path, ROOT)
    if rank(name) is None:
        yield f"{name}: in no folder of the layers"
        return
    with open(path, encoding="utf-8") as file:
        included = re.findall(r'^\s*#\s*include "([\w./]+)"', file.read(), re.M)
    for include in included:
        if include.startswith(INSTALLED):
            yield f'{name}: "{include}" instead of "nsn/{include}"'
        include = include.removeprefix("nsn/")
        other = rank(include)
        if other is not None and other > rank(name):
            yield f"{name}: includes {include}, which stands above it"
        if name.startswith("backends/") and include.startswith("backends/") and "cuda" not in name:
            own = os.path.splitext(include)[0] == os.path.splitext(name)[0]
            if not own and name not in LISTS and include not in SHARED:
                yield f"{name}: a backend includes another: {include}"


def readmes():
    """Every folder of the library says in at most 15 lines what belongs there; the files it names exist."""
    for folder in (folder for layer in LAYERS for folder in layer if folder != "bench"):
        path = os.path.join(ROOT, folder, "README.md")
        if not os.path.exists(path):
            yield f"{folder}: no README.md"
        else:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if text.count("\n") > 15:
                yield f"{folder}/README.md: more than 15 lines"
            for name in re.findall(r"`([\w./]+)`", text):
                if "." in name or "/" in name:
                    if not any(os.path.exists(os.path.join(ROOT, at, name)) for at in (folder, "")):
                        yield f"{folder}/README.md: no {name}"


def main():
    paths = [path for top in ("ncp", "core", "precond", "backends", "models", "bench")
             for kind in ("h", "cpp", "cuh", "cu")
             for path in glob.glob(os.path.join(ROOT, top, "**", "*." + kind), recursive=True)]
    problems = [problem for path in sorted(paths) for problem in problems_of(path)] + list(readmes())
    return report(problems, f"layers of {len(paths)} files")


if __name__ == "__main__":
    sys.exit(main())
