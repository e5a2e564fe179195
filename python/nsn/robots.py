"""Robots from URDF and MJCF files, and of our own: nsn.robots.names()."""
from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from . import _arrays, _core
from ._arrays import Floats, Vector

if TYPE_CHECKING:
    from ._world import World


class RobotDescription:
    """A robot as its file describes it."""

    def __init__(self, path: str | os.PathLike[str], packages: Mapping[str, str] | None = None):
        self._args = (_arrays.path("path", path), dict(packages or {}))
        self._core = _core.read_robot(self._args[0], list(self._args[1].items()))

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def links(self) -> list[str]:
        return self._core.links

    @property
    def joints(self) -> list[dict[str, Any]]:
        """name, kind, link, lower, upper, effort, velocity of each; m, rad, N, N m."""
        return self._core.joints

    @property
    def actuators(self) -> list[dict[str, Any]]:
        """name, kind, joint, gear, gain, lower, upper (of the control) of each."""
        return self._core.actuators

    @property
    def unsupported(self) -> list[tuple[str, int]]:
        """What the file uses and nsn does not, each with its count."""
        return self._core.unsupported

    @property
    def warnings(self) -> list[str]:
        return self._core.warnings

    @property
    def reference(self) -> Floats:
        """All coordinates where links sit at their frames."""
        return np.asarray(self._core.reference(), dtype=np.float64)

    def __reduce__(self) -> tuple[Any, ...]:
        return RobotDescription, self._args

    def __repr__(self) -> str:
        return f"RobotDescription({self.name}: {len(self.links)} links, {len(self.joints)} joints)"


def read(path: str | os.PathLike[str], *, packages: Mapping[str, str] | None = None) -> RobotDescription:
    """A URDF or MJCF file, or a robot of our own by name. packages: folders of package://NAME/."""
    return RobotDescription(path, packages)


def names() -> list[str]:
    """Robots of our own."""
    return _core.own_robots()


class Robot:
    """A robot in a world: nsn.World.add_robot."""

    def __init__(self, core: Any, description: RobotDescription):
        self._core = core
        self.description = description

    @property
    def bodies(self) -> list[int]:
        """Its moving bodies, by index in the world."""
        return self._core.bodies

    @property
    def dofs(self) -> list[str]:
        """Names of the joints of its degrees of freedom, in order; a free joint has six."""
        return self._core.dofs

    @property
    def joints(self) -> list[str]:
        """Names of its hinges and slides, in order: what q_of, set_target and add_effort take."""
        seen = self.description.joints
        return [j["name"] for j in seen if j["kind"] in ("hinge", "slide")]

    @property
    def notes(self) -> list[str]:
        """What was approximated."""
        return self._core.notes

    @property
    def q(self) -> Floats:
        """All coordinates where the world is now: m, rad, quaternions of ball and free joints."""
        return self._core.coordinates()

    def _dof(self, joint: str | int) -> int:
        if isinstance(joint, str):
            return self._core.dof(joint)
        return _arrays.integer("joint", joint)

    def position(self, joint: str | int) -> float:
        """Coordinate of a hinge or slide, rad or m."""
        return self._core.position(self._dof(joint))

    def speed(self, joint: str | int) -> float:
        """rad/s or m/s."""
        return self._core.speed(self._dof(joint))

    def set_state(self, q: ArrayLike, v: ArrayLike = ()) -> None:
        """Moves all bodies to coordinates q with velocities v; none: rest."""
        self._core.set_state(_arrays.finite("q", q, (None,)).tolist(), _arrays.finite("v", v, (None,)).tolist())

    def set_gains(self, joint: str | int, stiffness: float, damping: float, *, max_effort: float | None = None) -> None:
        """Of the joint's drive: N/m and N s/m, or N m/rad and N m s/rad."""
        effort = None if max_effort is None else _arrays.number("max_effort", max_effort)
        self._core.set_gains(self._dof(joint), _arrays.number("stiffness", stiffness),
                             _arrays.number("damping", damping), effort)

    def set_target(self, joint: str | int, target: float, rate: float = 0.0) -> None:
        """Of the joint's drive: rad or m, and per second."""
        self._core.set_target(self._dof(joint), _arrays.number("target", target), _arrays.number("rate", rate))

    def add_effort(self, joint: str | int, effort: float) -> None:
        """Adds a motor's effort, N m or N, to the forces on the two bodies; they last until clear_efforts()."""
        self._core.add_effort(self._dof(joint), _arrays.number("effort", effort))

    def clear_efforts(self) -> None:
        self._core.clear_efforts()

    def link_pose(self, link: str) -> tuple[Floats, Floats]:
        """Position (m) and orientation (w, x, y, z) of a link's frame in the world."""
        position, orientation = self._core.link_pose(_arrays.text("link", link))
        return np.array(position), np.array(orientation)

    def __repr__(self) -> str:
        return f"Robot({self.description.name}: {len(self.bodies)} bodies, {len(self.dofs)} degrees of freedom)"


def _build(world: World, description: RobotDescription, position: Vector, orientation: Vector, q: ArrayLike,
           v: ArrayLike, options: dict[str, Any]) -> Robot:
    core = _core.build_robot(world._core, description._core, _arrays.vec3("base", position),
                             _arrays.quaternion("base", orientation), _arrays.finite("q", q, (None,)).tolist(),
                             _arrays.finite("v", v, (None,)).tolist(), options)
    return Robot(core, description)
