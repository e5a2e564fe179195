"""Recorded runs: frames, files, pages, what ends a recording."""
import copy
import gc
import json
import pathlib
import struct
import subprocess
import sys

import numpy as np
import pytest

import nsn


def falling(**options):
    world = nsn.World()
    world.add_ground(mu=0.5)
    world.add_box((1, 1, 1), position=(0, 0, 0.5), mass=2, name="box")
    world.add_sphere(0.1, position=(3, 0, 9))
    return nsn.Simulation(world, **options)


def test_frames_follow_the_steps():
    sim = falling(dt=0.01)
    run = sim.record(every=2)
    heights = [sim.world.position[2, 2]]
    for _ in range(10):
        sim.step(2)
        heights.append(sim.world.position[2, 2])
    assert len(run) == 11 and run.recording and "11 frames" in repr(run)
    assert np.allclose(run.time, 0.02 * np.arange(11))
    assert run.position.shape == (11, 3, 3) and np.allclose(run.position[:, 2, 2], heights, rtol=1e-6)
    assert np.allclose(np.linalg.norm(run.orientation, axis=2), 1)
    rows = run.measures
    assert rows.dtype == nsn.MEASURES and (rows["contacts"][1:] == 4).all()
    assert rows["energy"][-1] == sim.report.energy and (rows["relative_error"] < 1e-6).all()


def test_sixty_frames_a_second():
    sim = falling(dt=1 / 240)
    with sim.record() as run:
        sim.step(240)
    assert len(run) == 61 and not run.recording
    sim.step(8)
    assert len(run) == 61


def test_memory_is_bounded():
    sim = falling()
    run = sim.record(every=1, frames=10, contacts=20)
    sim.step(100)
    assert len(run) <= 10 and run.time[-1] > 0.5


def test_bodies_that_come_later_are_nan_before():
    sim = falling()
    run = sim.record(every=1)
    sim.step(2)
    sim.world.add_sphere(0.1, position=(6, 0, 9))
    sim.step(2)
    assert run.position.shape == (5, 4, 3) and np.isnan(run.position[:3, 3]).all() and np.isfinite(run.position[3:]).all()


def test_what_ends_a_recording():
    sim = falling()
    state = sim.get_state()
    run, other = sim.record(every=1), sim.record(every=2)
    sim.step(4)
    assert (len(run), len(other)) == (5, 3)
    assert other.stop() is other and run.recording and not other.recording
    twin = copy.copy(sim)
    twin.step(5)
    assert len(run) == 5
    sim.set_state(state)
    sim.step(4)
    assert not run.recording and len(run) == 5


def test_an_interrupted_step_is_no_frame():
    sim = falling()

    def control(s):
        if s.time > 0.03:
            raise KeyError("enough")

    sim.control = control
    run = sim.record(every=1)
    with pytest.raises(KeyError, match="enough"):
        sim.step(100)
    assert len(run) == 1 + round(sim.time / sim.dt) and run.time[-1] == sim.time


def test_a_run_outlives_its_simulation_and_the_other_way_round():
    sim = falling()
    run = sim.record(every=1)
    sim.record(every=1)  # nobody holds it
    sim.step(3)
    del sim
    gc.collect()
    assert len(run) == 4 and "<iframe" in run._repr_html_()


def test_files(tmp_path):
    sim = falling()
    run = sim.record(every=1, title="fall & slide", trace=True)
    sim.step(5)
    for name in ("a.html", "a.glb", "a.run", "a.trace", "a.JSON"):
        run.save(tmp_path / name)
    page = (tmp_path / "a.html").read_text()
    assert page.startswith("<!doctype html>") and page.count('class="run">') == 1 and page == run.page()
    magic, version, length = struct.unpack("<4sII", (tmp_path / "a.glb").read_bytes()[:12])
    assert (magic, version, length) == (b"glTF", 2, (tmp_path / "a.glb").stat().st_size)
    events = json.loads((tmp_path / "a.trace").read_text())["traceEvents"]
    assert [e["name"] for e in events if e["name"].startswith("step ")] == [f"step {k}" for k in range(1, 6)]
    assert json.loads((tmp_path / "a.JSON").read_text())["traceEvents"] == events
    run.save(str(tmp_path / "two.html"), beside=falling().record())
    assert (tmp_path / "two.html").read_text().count('class="run">') == 2


def test_refusals(tmp_path):
    run = falling().record()
    with pytest.raises(ValueError, match="ends in none of .html, .glb, .run, .trace"):
        run.save(tmp_path / "a.mp4")
    with pytest.raises(ValueError, match=r"record\(trace=True\)"):
        run.save(tmp_path / "a.trace")
    with pytest.raises(ValueError, match="shows two runs"):
        run.save(tmp_path / "a.glb", beside=run)
    with pytest.raises(TypeError, match="beside"):
        run.page(3)
    with pytest.raises(TypeError, match="path"):
        run.save(3)
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="cannot be written"):
        run.save(tmp_path / "file" / "a.html")
    for wrong in (dict(every=0), dict(frames=1), dict(contacts=-1)):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            falling().record(**wrong)
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]


def test_a_notebook_shows_the_page(monkeypatch):
    import html
    import re
    import types
    import webbrowser
    monkeypatch.setattr(webbrowser, "open", lambda *_: pytest.fail("a browser is opened from a notebook"))
    shell = types.SimpleNamespace(kernel=None)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    run = falling().record()
    frame = run.view(height=300)._repr_html_()
    assert "height: 300px" in frame
    assert html.unescape(re.fullmatch(r'<iframe srcdoc="([^"]*)" style="[^"]*"></iframe>', frame)[1]) == run.page()


def test_elsewhere_it_opens_in_the_browser(monkeypatch, tmp_path):
    import tempfile
    import urllib.parse
    import webbrowser
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    sim = falling()
    sim.step(2)
    view = sim.view()
    with open(urllib.parse.urlparse(opened[0]).path, encoding="utf-8") as file:
        assert file.read() == view.page


def test_the_present_state_has_its_forces():
    sim = falling()
    assert (sim.record().stop().measures["contacts"] == 0).all()
    sim.step(2)
    before = len(sim.record().page())
    sim.set_state(sim.get_state())  # contacts are those of a step
    assert len(sim.record().page()) < before


def test_plot():
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("svg")
    sim = falling()
    run = sim.record()
    sim.step(10)
    assert [axes.get_ylabel() for axes in run.plot()] == ["relative error", "contacts"]


def test_it_is_read_where_it_is_not_stepped():
    """Another thread steps: a sentence, no half a frame."""
    import threading
    sim = falling()
    inside, go_on = threading.Event(), threading.Event()

    def control(_):
        inside.set()
        go_on.wait(60)

    sim.control = control
    run = sim.record(every=1)
    thread = threading.Thread(target=sim.step)
    thread.start()
    inside.wait(60)
    try:
        with pytest.raises(RuntimeError, match="another thread"):
            run.page()
    finally:
        go_on.set()
        thread.join()
    assert len(run) == 2


def test_the_command_line_reads_a_run(tmp_path):
    program = pathlib.Path(nsn.__file__).parent.parent.parent / "bin" / "nsn"
    if not program.exists():
        pytest.skip("the command line is not built")
    run = falling().record()
    run.save(tmp_path / "a.run")
    done = subprocess.run([program, "view", tmp_path / "a.run", "--html", tmp_path / "a.html", "--quiet"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "") and (tmp_path / "a.html").read_text() == run.page()
