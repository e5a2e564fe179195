"""Dependencies point one way (docs/architecture.md): a layer includes itself and the layers below it alone, a
backend no other backend, and core names no backend, model or scene."""
import glob
import os
import re
import sys

from pages import ROOT, report

LAYERS = ["ncp", "core", "precond", "backends", "models", "bench"]  # from below
SHARED = {"backends/krylov_backend.h", "backends/iteration_limit.h"}  # what several backends are made of
LISTS = {"backends/standard_backends.cpp", "backends/cuda/cuda_backends.cpp"}  # name every backend: their purpose


def includes(path):
    with open(path, encoding="utf-8") as file:
        return re.findall(r'^#include "([\w./]+)"', file.read(), re.M)


def problems_of(path):
    name = os.path.relpath(path, ROOT)
    layer = name.split("/")[0]
    for include in includes(path):
        other = include.split("/")[0]
        if other in LAYERS and LAYERS.index(other) > LAYERS.index(layer):
            yield f"{name}: {layer} includes {include}"
        if layer == other == "backends" and name not in LISTS and include not in SHARED and "cuda" not in name:
            if os.path.splitext(include)[0] != os.path.splitext(name)[0]:
                yield f"{name}: a backend includes another: {include}"


def main():
    paths = [path for layer in LAYERS for kind in ("h", "cpp", "cuh", "cu")
             for path in glob.glob(os.path.join(ROOT, layer, "**", "*." + kind), recursive=True)]
    return report([problem for path in sorted(paths) for problem in problems_of(path)], f"layers of {len(paths)} files")


if __name__ == "__main__":
    sys.exit(main())
