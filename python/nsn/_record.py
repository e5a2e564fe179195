"""Recorded runs: pages, films, traces, plots."""
from __future__ import annotations

import html
import os
import pathlib
import sys
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _core, _html
from ._arrays import Floats

#: One frame of Run.measures: time at its end, s; of the steps since the frame before the largest relative error, the most
#: Newton iterations and contacts, and the mean milliseconds; energy at its end, J.
MEASURES: np.dtype[Any] = np.dtype([("time", "f8"), ("relative_error", "f8"), ("energy", "f8"), ("newton_iterations", "i4"),
                                    ("contacts", "i4"), ("milliseconds", "f8")])


class Run:
    """What was seen of a simulation since Simulation.record(): frames of poses, contacts with forces, and measures.

        run = sim.record()
        sim.step(240)
        run.save("run.html")        # a page: turn it, play it, ask bodies and contacts; .glb for Blender
        run                         # in a notebook: the same page

    Memory is bounded: when there are too many frames or contacts, every second one goes. Steps are recorded as long as
    the Run exists, until stop(), the end of a `with` block, or a restored state."""

    def __init__(self, core: Any):
        self._core = core

    def stop(self) -> Run:
        """Records no further steps; returns the run."""
        self._core.stop()
        return self

    @property
    def recording(self) -> bool:
        """Steps are still added."""
        return bool(self._core.recording)

    @property
    def title(self) -> str:
        """As record() was given it."""
        return str(self._core.title)

    def __len__(self) -> int:
        """Frames; the first is the world as it was when recording began."""
        return int(self._core.frames)

    @property
    def measures(self) -> NDArray[Any]:
        """Of every frame: a structured array of dtype nsn.MEASURES."""
        return np.array(self._core.measures(), dtype=MEASURES)

    @property
    def time(self) -> Floats:
        """Of every frame, s."""
        return self.measures["time"].copy()

    @property
    def position(self) -> Floats:
        """(frames, bodies, 3), m, in single precision; NaN where a body did not exist yet."""
        return self._core.poses()[:, :, :3].copy()

    @property
    def orientation(self) -> Floats:
        """(frames, bodies, 4), quaternions, in single precision; NaN where a body did not exist yet."""
        return self._core.poses()[:, :, 3:].copy()

    def page(self, beside: Run | None = None) -> str:
        """The page that save("run.html") writes: one file without a network. beside: a second run under one camera and one
        time."""
        if beside is not None and not isinstance(beside, Run):
            raise TypeError(f"beside: a nsn.Run is needed, got {beside!r}")
        return str(self._core.page(None if beside is None else beside._core))

    def save(self, path: str | os.PathLike[str], *, beside: Run | None = None) -> None:
        """By the end of the name: .html is a page, .glb an animated glTF for Blender and others, .run what `nsn view` reads,
        .trace or .json the time of every stage of every step for Perfetto (record(trace=True)). beside: a second run in the
        page."""
        name = _arrays.path("path", path)
        kind = pathlib.PurePath(name).suffix.lower()
        if beside is not None and kind != ".html":
            raise ValueError(f"beside: a page (.html) shows two runs, not {name!r}")
        if kind == ".html":
            data = self.page(beside).encode()
        elif kind == ".glb":
            data = self._core.glb()
        elif kind == ".run":
            data = self._core.run_file()
        elif kind in (".trace", ".json"):
            data = self._core.trace().encode()
        else:
            raise ValueError(f"path: {name!r} ends in none of .html, .glb, .run, .trace")
        _core.write_file(name, data)

    def view(self, height: int = 480) -> View:
        """The page in a notebook, `height` pixels high; anywhere else it opens in the browser."""
        shown = View(self.page(), _arrays.integer("height", height, 1))
        if not _in_notebook():
            import tempfile
            import webbrowser
            with tempfile.NamedTemporaryFile("w", suffix=".html", prefix="nsn-", delete=False, encoding="utf-8") as file:
                file.write(shown.page)
            webbrowser.open(pathlib.Path(file.name).as_uri())
        return shown

    def plot(self, axes: Any = None) -> Any:
        """Relative error and contacts over time, by matplotlib; axes: two of them, one above the other."""
        axes = axes if axes is not None else _html.pyplot().subplots(2, sharex=True)[1]
        rows = self.measures
        axes[0].semilogy(rows["time"], np.maximum(rows["relative_error"], 1e-16))
        axes[0].set(ylabel="relative error")
        axes[1].plot(rows["time"], rows["contacts"])
        axes[1].set(xlabel="t, s", ylabel="contacts")
        return axes

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    def __repr__(self) -> str:
        first, last = self.time[[0, -1]]
        return f"Run({len(self)} frames, t = {first:g} to {last:g} s{', recording' if self.recording else ''})"

    def _repr_html_(self) -> str:
        return View(self.page(), 480)._repr_html_()


class View:
    """A page that a notebook shows."""

    def __init__(self, page: str, height: int):
        self.page, self.height = page, height

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self.page)}" style="width: 100%; height: {self.height}px; border: 0"></iframe>'


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")
