"""Many worlds of one kind, stepped together."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from . import _arrays, _core
from ._arrays import Floats
from ._linear import Registry
from ._simulation import Simulation
from ._world import World


def _array(name: str, doc: str) -> property:
    return property(lambda self: getattr(self._core, name), doc=doc)


class Batch:
    """n worlds, each made by make(i), side by side on the machine's threads.

        batch = nsn.Batch(lambda i: nsn.scenes.arch(mu=0.5 + 0.01 * i), 32)
        batch.step(100)
        batch.position[:, 0]                    # of the first body in every world, (32, 3)

    The arrays have the world as first index. They are what a step starts from and are written by it; after a change of
    the worlds themselves call refresh(). Free coordinates of joints, those of the worlds' first robot first, are
    joint_position and joint_speed (read), joint_effort (of motors, in every step) and joint_target (of drives); their
    names are joint_names.

    All worlds need the same bodies and joints. Keywords are those of Simulation, without control."""

    def __init__(self, make: Callable[[int], World], n: int, *, dt: float = 1 / 120, preset: str = "realtime",
                 linear: str | list[str] | None = None, registry: Registry | None = None, **newton: Any):
        if not callable(make):
            raise TypeError(f"make: a function of the world's number is needed, got {make!r}")
        n = _arrays.integer("n", n, 1, 10**6)
        self.simulations = [Simulation(make(i), dt=dt, preset=preset, linear=linear, registry=registry, **newton)
                            for i in range(n)]
        robots = self.simulations[0].world.robots
        self._core: Any = _core.Batch([s._core for s in self.simulations], robots[0]._core if robots else None)
        self.joint_names: list[str] = self._core.joints
        self._start = [s.get_state() for s in self.simulations]

    def __len__(self) -> int:
        return len(self.simulations)

    @property
    def worlds(self) -> list[World]:
        return [s.world for s in self.simulations]

    def step(self, n: int = 1) -> None:
        """Advances every world by n steps; the first failure is raised, naming its world."""
        self._core.step(_arrays.integer("n", n, 0))

    def refresh(self, worlds: Iterable[int] | None = None) -> None:
        """Reads the arrays of these worlds (all) from the worlds."""
        self._core.pull(list(range(len(self))) if worlds is None else _arrays.integers("worlds", worlds))

    def reset(self, worlds: Iterable[int] | None = None) -> None:
        """These worlds (all) as they were made; their efforts and forces are zero."""
        chosen = list(range(len(self))) if worlds is None else _arrays.integers("worlds", worlds, 0, len(self) - 1)
        for i in chosen:
            self.simulations[i].set_state(self._start[i])
        for rows in (self.force, self.torque, self.joint_effort):
            rows[chosen] = 0.0
        self.refresh(chosen)

    def get_state(self, world: int) -> bytes:
        """Of one world; see Simulation.get_state."""
        return self.simulations[_arrays.integer("world", world, 0, len(self) - 1)].get_state()

    def set_state(self, world: int, state: bytes) -> None:
        i = _arrays.integer("world", world, 0, len(self) - 1)
        self.simulations[i].set_state(state)
        self.refresh([i])

    position = _array("position", "of the bodies, (n, bodies, 3), m; live")
    orientation = _array("orientation", "of the bodies, (n, bodies, 4), quaternions (w, x, y, z); live")
    velocity = _array("velocity", "of the bodies, (n, bodies, 3), m/s; live")
    angular_velocity = _array("angular_velocity", "of the bodies, (n, bodies, 3), rad/s; live")
    force = _array("force", "external forces on the bodies, (n, bodies, 3), N; live, kept from step to step")
    torque = _array("torque", "external torques on the bodies, (n, bodies, 3), N m; live, kept from step to step")
    joint_position = _array("joint_position", "(n, joints), rad or m; live")
    joint_speed = _array("joint_speed", "(n, joints), rad/s or m/s; live")
    joint_effort = _array("joint_effort", "of motors, (n, joints), N m or N; live, kept from step to step")
    joint_target = _array("joint_target", "of drives, (n, joints), rad or m; live, kept from step to step")
    energy = _array("energy", "of each world after the last step, (n,), J; live")
    error = _array("error", "relative error of each world's last step, (n,); live")

    def __repr__(self) -> str:
        return f"Batch({len(self)} worlds, {self.position.shape[1]} bodies each)"
