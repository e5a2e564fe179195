"""help(), completion, tables and pictures of a notebook, the stub."""
import inspect
import pathlib
import pydoc
import re

import pytest

import nsn


def test_help_of_scenes():
    text = pydoc.plain(pydoc.render_doc(nsn.scenes.arch))
    assert re.search(r"mu: .*; 0 to 10, default 0\.", text) and "arch(*" in text and "-> nsn._world.World" in text.replace("'", "")
    for name in nsn.scenes.list():
        scene = getattr(nsn.scenes, name)
        assert scene.__doc__ and list(inspect.signature(scene).parameters) is not None


def test_completion():
    assert "arch" in dir(nsn.scenes) and {"position", "add_box"} <= set(dir(nsn.World()))
    assert not [name for name in nsn.__all__ if not hasattr(nsn, name)]


def public():
    for name in nsn.__all__:
        thing = getattr(nsn, name)
        if inspect.isclass(thing) or inspect.isroutine(thing):
            yield name, thing
    for module in (nsn.shapes, nsn.meshes, nsn.robots):
        for name, thing in vars(module).items():
            if not name.startswith("_") and getattr(thing, "__module__", None) == module.__name__:
                yield f"{module.__name__}.{name}", thing


@pytest.mark.parametrize("name, thing", list(public()))
def test_everything_says_what_it_is(name, thing):
    assert inspect.getdoc(thing), f"{name} has no docstring"


def test_the_stub_names_arguments():
    stub = pathlib.Path(nsn._core.__file__).parent / "_core.pyi"
    assert "arg0" not in re.sub(r"def __\w+__\(.*|@\w+\.setter\s+def \w+\(.*", "", stub.read_text())


def test_tables_of_a_notebook():
    result = nsn.solve([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [-1, 2, 0], 0.5)
    assert "<table>" in result._repr_html_() and "solved" in repr(result)
    assert "pcr" in nsn.linear_solve([[2.0]], [1.0], "pcr")._repr_html_()
    sim = nsn.Simulation(nsn.scenes.arch())
    sim.step()
    assert "relative error" in sim._repr_html_() and "21 bodies" in repr(sim)


def test_pictures(tmp_path):
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("svg")
    import numpy as np
    A = np.diag(np.arange(1.0, 30.0))
    nsn.linear_solve(A, np.ones(29), "pcg", history=True).plot().figure.savefig(tmp_path / "a.svg")
    nsn.compare([(A, np.ones(29))], ["pcg", "klu"]).plot().figure.savefig(tmp_path / "b.svg")
    with pytest.raises(ValueError, match="history=True"):
        nsn.linear_solve(A, np.ones(29), "klu").plot()


def test_results_cannot_be_changed_by_accident():
    result = nsn.linear_solve([[2.0]], [1.0])
    with pytest.raises(AttributeError):
        result.status = "fine"


def test_options_of_the_method():
    options = nsn.newton_options()
    assert options["damping"][1] == ("paper",) and "adaptive" in options["damping"][0]
    sim = nsn.Simulation(nsn.scenes.arch(), preset="paper", damping="adaptive", newton_iterations=10)
    assert sim.step(3).newton_iterations == 10
    with pytest.raises(ValueError, match="not an option of accurate"):
        nsn.Simulation(nsn.scenes.arch(), damping="adaptive")


def test_the_page_of_names_is_current():
    import subprocess
    import sys
    here = pathlib.Path(__file__).parent
    page = here.parent.parent / "docs" / "python" / "api.md"
    made = subprocess.run([sys.executable, str(here / "api_page.py")], capture_output=True, text=True, check=True).stdout
    assert page.read_text() == made, "api_page.py > docs/python/api.md"
