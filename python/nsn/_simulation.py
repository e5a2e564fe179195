"""Simulations: steps, contacts, forces, state."""
from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _core
from ._arrays import Floats
from ._linear import Registry, _progress, registry as _registry
from ._record import Run, View
from ._world import World

#: One row of Simulation.contacts. -1: no rigid body, or no deformable one. point on b's surface, m; normal from b to a;
#: force on a, N; gap, m; state 0 open, 1 stick, 2 slip.
CONTACT: np.dtype[Any] = np.dtype({
    "names": ["body_a", "body_b", "shape_a", "shape_b", "deformable_a", "deformable_b", "id", "point", "normal", "force",
              "gap", "mu", "state"],
    "formats": ["i4"] * 6 + ["u8"] + [("f8", 3)] * 3 + ["f8", "f8", "i4"],
    "offsets": [0, 4, 8, 12, 16, 20, 24, 32, 56, 80, 104, 112, 120],
    "itemsize": 128})
assert CONTACT.itemsize == _core.CONTACT_SIZE

#: One Newton iteration of Simulation.history.
ITERATION: np.dtype[Any] = np.dtype([
    ("error", "f8"), ("relative_error", "f8"), ("merit", "f8"), ("step", "f8"), ("step_length", "f8"), ("alpha", "f8"),
    ("factorizations", "i4"), ("linear_iterations", "i4"), ("linear_residual", "f8")])

StepReport: TypeAlias = _core.StepReport
Control: TypeAlias = Callable[["Simulation"], Any]


class NewtonSystem:
    """A Newton matrix on its way to a linear solver; Simulation.observe."""

    def __init__(self, island: int, iteration: int, form: str, symmetric: bool, rows: int, indptr: NDArray[np.int32],
                 indices: NDArray[np.int32], data: Floats, b: Floats):
        self.island, self.iteration, self.form, self.symmetric, self.b = island, iteration, form, symmetric, b
        self._csr = (rows, rows, 3, indptr.copy(), indices.copy(), data)

    @property
    def A(self) -> Any:
        """As a scipy.sparse.bsr_array of 3 x 3 blocks."""
        return _arrays.scipy_csr(self._csr)


def _text_of(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int)):
        return str(value)
    return repr(float(value))


class Simulation:
    """Steps a world through time: contacts are found, friction is solved exactly, bodies move.

        sim = nsn.Simulation(world)
        sim.step(240)
        sim.world.position, sim.contacts, sim.report

    world: taken over; it stays usable, as sim.world. dt: time step, s. preset: "accurate", "realtime" (a bounded number
    of factorisations) or "paper". linear: a linear solver, or a list of it and what to fall back to. control: called as
    control(sim) at the start of every step; may set forces and drives, add and remove bodies; if it has get_state() and
    set_state(value), states of the simulation keep what it remembers. after_step: called as after_step(sim) at the end of
    every step. newton: options of the method by their names on the command line, '_' for '-' (nsn.newton_options())."""

    def __init__(self, world: World, *, dt: float = 1 / 120, preset: str = "accurate",
                 linear: str | list[str] | None = None, control: Control | None = None,
                 after_step: Control | None = None, registry: Registry | None = None, **newton: Any):
        if not isinstance(world, World):
            raise TypeError(f"world: a nsn.World is needed, got {world!r}")
        for name, function in (("control", control), ("after_step", after_step)):
            if function is not None and not callable(function):
                raise TypeError(f"{name}: a function is needed, got {function!r}")
        options = [(key.replace("_", "-"), _text_of(value)) for key, value in newton.items()]
        solvers = [linear] if isinstance(linear, str) else linear or []
        options += [("linear", _arrays.text("linear", s)) for s in solvers]
        self._made = (dt, preset, options)
        self._registry = registry or _registry
        self._core: Any = _core.Simulation(world._core, self._registry._core, _arrays.text("preset", preset),
                                           _arrays.number("dt", dt), options)
        self._world = world
        self.control = control
        self.after_step = after_step
        self._observer: Callable[[NewtonSystem], Any] | None = None

    @property
    def world(self) -> World:
        return self._world

    def step(self, n: int = 1, *, progress: bool = False) -> StepReport:
        """Advances by n steps without Python's lock; returns what the last one did. Ctrl-C ends it: the state is then
        that of the last whole step. progress: a bar, where tqdm is installed."""
        if type(n) is not int or not 0 <= n < 2**31:
            n = _arrays.integer("n", n, 0)
        if progress and n > 1:
            part = max(1, n // 100)
            for k in _progress(range(0, n, part), True, -(-n // part)):
                self.step(min(part, n - k))
            return self.report
        if self.control is None and self.after_step is None and self._observer is None:
            return self._core.step(n, None, None, None)
        control, after, observe = self.control, self.after_step, self._observer
        return self._core.step(n, None if control is None else functools.partial(control, self),
                               None if after is None else functools.partial(after, self),
                               None if observe is None else lambda *system: observe(NewtonSystem(*system)))

    @property
    def report(self) -> StepReport:
        """What the last step did."""
        return self._core.report

    @property
    def time(self) -> float:
        """s."""
        return self._world.time

    @property
    def dt(self) -> float:
        """s."""
        return self._core.dt

    @property
    def preset(self) -> str:
        return self._core.preset

    # ---- contacts and forces

    @property
    def contacts(self) -> NDArray[Any]:
        """Contacts of the last step, a structured array of dtype nsn.CONTACT; none after a restored state."""
        return self._core.contacts().view(CONTACT)

    def contact_force(self, body: int, other: int | None = None) -> Floats:
        """Sum of the contact forces on a body in the last step, of all or of those by `other`, N."""
        b = _arrays.integer("body", body)
        if other is None:
            return np.array(self._core.contact_force(b))
        return np.array(self._core.contact_force_by(b, _arrays.integer("other", other)))

    def deformable_force(self, deformable: int, other: int | None = None) -> Floats:
        """The same on a deformable body, by all or by rigid body `other`, N."""
        d = _arrays.integer("deformable", deformable)
        if other is None:
            return np.array(self._core.deformable_force(d))
        return np.array(self._core.deformable_force_by(d, _arrays.integer("other", other)))

    # ---- joints

    def joint_position(self, joint: int, axis: int = 0) -> float:
        """Free coordinate of a joint, rad (whole turns counted) or m."""
        return self._core.joint_position(_arrays.integer("joint", joint), _arrays.integer("axis", axis))

    def joint_speed(self, joint: int, axis: int = 0) -> float:
        """rad/s or m/s."""
        return self._core.joint_speed(_arrays.integer("joint", joint), _arrays.integer("axis", axis))

    def joint_effort(self, joint: int, axis: int = 0) -> float:
        """Of the drive in the last step, N m or N."""
        return self._core.joint_effort(_arrays.integer("joint", joint), _arrays.integer("axis", axis))

    def joint_reaction(self, joint: int) -> tuple[Floats, Floats]:
        """Force (N) and torque (N m) on body b in the last step, world axes; body a feels the opposite."""
        force, torque = self._core.joint_reaction(_arrays.integer("joint", joint))
        return np.array(force), np.array(torque)

    # ---- method

    def history(self, island: int = 0) -> NDArray[Any]:
        """Newton iterations of an island in the last step: dtype nsn.ITERATION."""
        return np.array(self._core.history(_arrays.integer("island", island)), dtype=ITERATION)

    def observe(self, observer: Callable[[NewtonSystem], Any] | None) -> None:
        """observer(system) sees every Newton matrix of the next steps; None ends it."""
        if observer is not None and not callable(observer):
            raise TypeError(f"observer: a function is needed, got {observer!r}")
        self._observer = observer

    # ---- pictures

    def record(self, *, title: str = "", every: int | None = None, frames: int = 1200, contacts: int = 1_000_000,
               trace: bool = False) -> Run:
        """A Run that keeps what the next steps look like, for a page, a film, a plot; see nsn.Run. every: steps
        per frame; None: what comes nearest to 60 frames per second. frames, contacts: kept at most. trace: keeps the time of
        every stage of every step as well, about 1 kB per step."""
        facts = [("preset", self.preset), ("time step", f"{self.dt:g} s"), *self._made[2]]
        steps = 0 if every is None else _arrays.integer("every", every, 1)
        return Run(self._core.record(_arrays.text("title", title), facts, steps, _arrays.integer("frames", frames, 2),
                                     _arrays.integer("contacts", contacts, 0), bool(trace)))

    def view(self, height: int = 480) -> View:
        """The present state as Run.view() shows it: in a notebook, or in the browser."""
        return self.record().stop().view(height)

    # ---- state

    def get_state(self) -> bytes:
        """Everything that decides the future: a run that goes on from it, here or in another process, is the same bit
        by bit."""
        state: bytes = self._core.get_state()
        if hasattr(self.control, "get_state"):
            import pickle
            memory = pickle.dumps(self.control.get_state())  # type: ignore[union-attr]
            return state + memory + len(memory).to_bytes(8, "little") + _MEMORY
        return state

    def set_state(self, state: bytes) -> None:
        """The world must be built as that of the state was; ValueError otherwise, and nothing has changed. Runs that record
        the simulation end: they have one time."""
        if not isinstance(state, (bytes, bytearray, memoryview)):
            raise TypeError(f"state: bytes are needed, got {state!r}")
        data = bytes(state)
        if data.endswith(_MEMORY):
            import pickle
            end = len(data) - len(_MEMORY) - 8
            length = int.from_bytes(data[end:end + 8], "little")
            self._core.set_state(data[:max(0, end - length)])
            if hasattr(self.control, "set_state"):
                self.control.set_state(pickle.loads(data[end - length:end]))  # type: ignore[union-attr]
            return
        self._core.set_state(data)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes get_state() to a file."""
        temporary = f"{os.fspath(path)}.{os.getpid()}.tmp"
        try:
            with open(temporary, "wb") as file:
                file.write(self.get_state())
            os.replace(temporary, path)
        finally:
            if os.path.exists(temporary):
                os.remove(temporary)

    def load(self, path: str | os.PathLike[str]) -> None:
        """set_state() of a file."""
        with open(path, "rb") as file:
            self.set_state(file.read())

    def forget_impulses(self) -> None:
        """The next step starts cold."""
        self._core.forget_impulses()

    def __copy__(self) -> Simulation:
        import copy
        return self._again(copy.copy(self._world), self.get_state())

    def __deepcopy__(self, memo: dict[int, Any]) -> Simulation:
        return self.__copy__()

    def _again(self, world: World, state: bytes) -> Simulation:
        twin = _restored(world, self._made, self.control, self.after_step, None, self._registry)
        twin._core.set_state(self._core.get_state())
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._world, self._made, self.control, self.after_step, self.get_state())

    def __repr__(self) -> str:
        return f"Simulation({self.preset}, dt = {self.dt:g} s, {self._world!r})"

    def _repr_html_(self) -> str:
        from . import _html
        r = self.report
        return _html.table([("t", f"{self.time:g} s"), ("status", r.status), ("contacts", r.contacts),
                            ("islands", r.islands), ("Newton iterations", r.newton_iterations),
                            ("relative error", r.relative_error), ("penetration", f"{r.penetration:.3g} m"),
                            ("energy", f"{r.energy:.6g} J")])


_MEMORY = b"nsn control"


def _restored(world: World, made: tuple[float, str, list[tuple[str, str]]], control: Control | None,
              after_step: Control | None, state: bytes | None, registry: Registry | None = None) -> Simulation:
    dt, preset, options = made
    linear = [value for key, value in options if key == "linear"]
    newton = {key: value for key, value in options if key != "linear"}
    twin = Simulation(world, dt=dt, preset=preset, linear=linear, control=control, after_step=after_step,
                      registry=registry, **newton)
    if state is not None:
        twin.set_state(state)
    return twin


def newton_options() -> dict[str, tuple[str, tuple[str, ...]]]:
    """Options that Simulation takes besides its own: what each is, and the presets that have it."""
    return {key.replace("-", "_"): (help + (f" ({', '.join(choices)})" if choices else ""), tuple(methods))
            for key, kind, choices, help, methods in _core.newton_options()}


def presets() -> list[str]:
    """Names of the methods."""
    return _core.preset_names()
