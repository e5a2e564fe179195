"""The examples and the notebooks run, silently on stderr, and mypy finds nothing in them and in the package."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

import nsn

FOLDER = pathlib.Path(__file__).parent.parent
PACKAGE = pathlib.Path(nsn.__file__).parent.parent
EXAMPLES = sorted(FOLDER.glob("examples/[0-9]_*.py"))
NOTEBOOKS = sorted(FOLDER.glob("notebooks/*.ipynb"))


def environment():
    return dict(os.environ, PYTHONPATH=str(PACKAGE), OMP_NUM_THREADS="2", MPLBACKEND="agg")


def run(path, folder):
    return subprocess.run([sys.executable, str(path)], cwd=folder, env=environment(), capture_output=True, text=True, timeout=600)


@pytest.mark.parametrize("example", [*EXAMPLES, FOLDER.parent / "docs" / "examples" / "hello.py"], ids=lambda p: p.stem)
def test_examples_run(example, tmp_path):
    done = run(example, tmp_path)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout


def test_there_are_six_short_ones():
    assert len(EXAMPLES) == 6
    for example in EXAMPLES:
        code = [line for line in example.read_text().splitlines() if line.strip() and not line.startswith(("import", "from", '"""'))]
        assert len(code) <= 25, example


def cells(notebook):
    return [("".join(cell["source"])) for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebooks_run(notebook, tmp_path):
    """As a script: the code cells one after the other."""
    if "mujoco" in notebook.stem:
        pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    script = tmp_path / "notebook.py"
    script.write_text("\n".join(cells(notebook)))
    done = run(script, tmp_path)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


def test_notebooks_have_their_outputs():
    assert len(NOTEBOOKS) >= 3
    for notebook in NOTEBOOKS:
        document = json.loads(notebook.read_text())
        assert any(cell.get("outputs") for cell in document["cells"]), f"{notebook.name}: run python/notebooks/execute.py"


def test_mypy():
    pytest.importorskip("mypy", reason="mypy is not installed")
    settings = [sys.executable, "-m", "mypy", "--config-file", str(FOLDER.parent / "pyproject.toml"), "--cache-dir", os.devnull]
    for what in ([str(PACKAGE / "nsn")], ["--allow-untyped-defs", "--allow-untyped-calls", "--scripts-are-modules", *map(str, EXAMPLES)]):
        done = subprocess.run([*settings, *what], cwd=PACKAGE, env=dict(environment(), MYPYPATH=str(PACKAGE)), capture_output=True,
                              text=True)
        assert done.returncode == 0, done.stdout
