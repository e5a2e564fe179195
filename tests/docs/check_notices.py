"""Every dependency that CMake finds has a row in THIRD_PARTY.md: check_notices.py."""
import os
import re
import sys

from pages import ROOT, report

NAMES = {"nlohmann_json": "JSON for Modern C++", "Eigen3": "Eigen", "cholmod": "CHOLMOD", "klu": "KLU", "CUDAToolkit": "CUDA",
         "GTest": "GoogleTest", "benchmark": "Google Benchmark", "hdf5": "HDF5", "ZLIB": "zlib", "OpenMP": "libgomp", "AMG": "AMGCL"}
OURS = {"Threads", "Python3"}  # the system's, and what only runs scripts


def dependencies():
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [f for f in folders if f not in ("build", "out", ".git", "package")]
        for file in files:
            if file == "CMakeLists.txt" or file.endswith(".cmake"):
                with open(os.path.join(folder, file), encoding="utf-8") as text:
                    yield from re.findall(r"^ *(?:find_package|nsn_optional_library|nsn_optional)\((\w+)", text.read(), re.M)


def main():
    with open(os.path.join(ROOT, "THIRD_PARTY.md"), encoding="utf-8") as file:
        notices = file.read()
    found = set(dependencies()) - OURS
    missing = [f"THIRD_PARTY.md does not name {name}" for name in sorted(found)
               if NAMES.get(name, name).lower() not in notices.lower()]
    return report(missing, f"notices of {len(found)} dependencies")


if __name__ == "__main__":
    sys.exit(main())
