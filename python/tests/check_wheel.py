"""check_wheel.py WHEEL...: size, tag, symbols and licences of wheels."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

LARGEST = 4e6  # bytes

bad = []
for path in sys.argv[1:]:
    size, name = os.path.getsize(path), os.path.basename(path)
    if not re.search(r"-cp3(12-abi3|11-cp311)-manylinux_\d+_\d+_x86_64", name):
        bad.append(f"{name}: not a manylinux wheel of cp311 or cp312-abi3")
    if size > LARGEST:
        bad.append(f"{name}: {size / 1e6:.2f} MB")
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(path) as wheel:
        wheel.extractall(folder)
        names = wheel.namelist()
        core = next(pathlib.Path(folder).glob("nsn/_core*.so"))
        symbols = subprocess.run(["nm", "-D", "--defined-only", core], capture_output=True, text=True, check=True).stdout.splitlines()
    libraries = [os.path.basename(n) for n in names if ".libs/" in n and not n.endswith("/")]
    if [s.split()[-1] for s in symbols] != ["PyInit__core"]:
        bad.append(f"{name}: shows {len(symbols)} symbols, not its entry alone; of Kokkos: {sum('Kokkos' in s for s in symbols)}")
    for wanted in ("nsn/py.typed", "nsn/_core.pyi", "LICENSE", "THIRD_PARTY.md"):
        if not any(n.endswith(wanted) for n in names):
            bad.append(f"{name}: no {wanted}")
    if any(re.match("lib(cholmod|hdf5|openblas|metis|cuda)", n) for n in libraries):
        bad.append(f"{name}: carries {', '.join(libraries)}")
    print(f"{name}: {size / 1e6:.2f} MB, {len(symbols)} symbol, with {', '.join(sorted(n.split('-')[0] for n in libraries))}")
for problem in bad:
    print(problem)
sys.exit(bool(bad))
