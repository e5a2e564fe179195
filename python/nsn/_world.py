"""Worlds: bodies, shapes, joints, deformables, robots."""
from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays, _core, meshes as _meshes, robots as _robots, shapes as _shapes
from ._arrays import Floats, Vector

F = TypeVar("F", bound=Callable[..., Any])
#: A method, its arguments, and where the bodies were that it joined.
_Call: TypeAlias = tuple[str, tuple[Any, ...], dict[str, Any], list[tuple[int, Floats, Floats]]]


def _kept(value: Any) -> Any:
    return np.array(value) if isinstance(value, np.ndarray) else value


def _poses(world: World, a: Any, b: Any, **_: Any) -> list[tuple[int, Floats, Floats]]:
    c = world._core
    return [(int(k.__index__()), np.array(c.position[k]), np.array(c.orientation[k])) for k in (a, b)]


def _recorded(method: F) -> F:
    """Calls from outside are kept: pickle builds the world again by them."""

    @functools.wraps(method)
    def call(self: World, *args: Any, **keywords: Any) -> Any:
        if self._quiet:
            return method(self, *args, **keywords)
        self._quiet = True
        try:
            result = method(self, *args, **keywords)
        finally:
            self._quiet = False
        poses = _poses(self, *args[1:3], **keywords) if method.__name__ == "add_joint" else []
        kept = {k: _kept(v) for k, v in keywords.items()}
        self._recipe.append((method.__name__, tuple(_kept(a) for a in args), kept, poses))
        return result

    return cast(F, call)


class Bodies:
    """The bodies of a world by name or index: world.bodies["door"].position."""

    def __init__(self, world: World):
        self._world = world

    def __len__(self) -> int:
        return self._world._core.num_bodies

    def __iter__(self) -> Iterator[Body]:
        return (Body(self._world, b) for b in range(len(self)) if self._world._core.has_body(b))

    def __getitem__(self, key: str | int) -> Body:
        return self._world.body(key)

    def __repr__(self) -> str:
        return f"{len(self)} bodies: " + ", ".join(b.name or str(b.index) for b in self)


def _row(name: str, doc: str) -> property:
    def get(self: Body) -> Floats:
        return getattr(self._world._core, name)[self.index]

    def put(self: Body, value: Vector) -> None:
        row = getattr(self._world._core, name)[self.index]
        row[:] = _arrays.finite(name, value, row.shape)

    return property(get, put, doc=doc)


class Body:
    """One body of a world; a view."""

    def __init__(self, world: World, index: int):
        self._world, self.index = world, index

    @property
    def name(self) -> str:
        return self._world._core.body_names()[self.index]

    @property
    def kind(self) -> str:
        """"dynamic", "static" or "kinematic" (moves with its own velocity, whatever pushes it)."""
        return self._world._core.kind(self.index)

    @kind.setter
    def kind(self, value: str) -> None:
        self._world._core.set_kind(self.index, _arrays.text("kind", value))

    @property
    def mass(self) -> float:
        """kg."""
        return float(self._world._core.mass[self.index])

    position = _row("position", "of the centre of mass, m")
    orientation = _row("orientation", "unit quaternion (w, x, y, z) from body to world axes")
    velocity = _row("velocity", "m/s")
    angular_velocity = _row("angular_velocity", "world axes, rad/s")
    force = _row("force", "external force at the centre of mass, N; gravity comes on top")
    torque = _row("torque", "external torque, N m")
    inertia = _row("inertia", "about the centre of mass, body axes, kg m^2")

    def __index__(self) -> int:
        return self.index

    def __repr__(self) -> str:
        return f"Body({self.index}, {self.name!r}, {self.kind}, {self.mass:g} kg)"


class Deformable:
    """One deformable body of a world."""

    def __init__(self, world: World, index: int):
        self._world, self.index = world, index
        self.name, self.first_particle, self.num_nodes, self.num_tets, boundary, triangles = world._core.deformable(index)
        self.boundary: NDArray[np.int32] = np.array(boundary, dtype=np.int32)  #: particles on its surface
        self.triangles: NDArray[np.int32] = triangles  #: of the surface, indices into `boundary`

    @property
    def particles(self) -> slice:
        """Its nodes: world.particle_position[d.particles]."""
        return slice(self.first_particle, self.first_particle + self.num_nodes)

    @property
    def position(self) -> Floats:
        """Of its nodes, m."""
        return self._world.particle_position[self.particles]

    @property
    def mass(self) -> float:
        """kg."""
        return self._world._core.deformable_measures(self.index)[0]

    @property
    def centre(self) -> Floats:
        """Centre of mass, m."""
        return np.array(self._world._core.deformable_measures(self.index)[1])

    @property
    def volume_ratio(self) -> float:
        """Volume over rest volume."""
        return self._world._core.deformable_measures(self.index)[2]

    def set_activation(self, pressure: float | ArrayLike) -> None:
        """Isotropic stress inside of it, Pa, of all tetrahedra or of each; > 0 inflates."""
        self._world._core.set_activation(self.index, np.atleast_1d(_arrays.finite("pressure", pressure)))

    def __repr__(self) -> str:
        return f"Deformable({self.index}, {self.name!r}, {self.num_tets} tetrahedra)"


class Joint:
    """One joint of a world. Its axes are the coordinates that stay free."""

    def __init__(self, world: World, index: int):
        self._world, self.index = world, index
        self.name, self.type, self.body_a, self.body_b, self.num_axes = world._core.joint(index)

    def set(self, axis: int = 0, **numbers: float) -> None:
        """lower, upper (rad or m); target, speed, stiffness, gain, max_effort of the drive, -stiffness (C - target)
        - gain (dC/dt - speed) within max_effort; friction; spring, damping, rest; armature."""
        self._world._core.set_axis(self.index, _arrays.integer("axis", axis),
                                   [(k, _arrays.number(k, v)) for k, v in numbers.items()])

    def get(self, number: str, axis: int = 0) -> float:
        """One of the numbers that set() takes."""
        return self._world._core.axis_number(self.index, _arrays.integer("axis", axis), _arrays.text("number", number))

    def __index__(self) -> int:
        return self.index

    def __repr__(self) -> str:
        return f"Joint({self.index}, {self.type}, {self.name!r}, bodies {self.body_a} and {self.body_b})"


_SURFACE = ("compliance", "thickness", "restitution", "rolling", "spinning")
_AXIS = ("stiffness", "gain", "target", "speed", "max_effort", "friction", "spring", "damping", "rest", "armature")
JOINT_KINDS = ("revolute", "prismatic", "spherical", "ball", "universal", "cylindrical", "fixed", "weld", "distance")


def _surface(mu: float, keywords: dict[str, Any]) -> dict[str, float]:
    surface = {"mu": _arrays.number("mu", mu)}
    for key, value in keywords.items():
        if key not in _SURFACE:
            raise TypeError(f"no argument '{key}'; a surface has mu, " + ", ".join(_SURFACE))
        surface[key] = _arrays.number(key, value)
    return surface


def _live(name: str, doc: str) -> property:
    def get(self: Any) -> Floats:
        return getattr(self._core, name)

    def put(self: Any, value: ArrayLike) -> None:
        rows = getattr(self._core, name)
        rows[...] = _arrays.finite(name, np.broadcast_to(np.asarray(value), rows.shape), rows.shape)

    return property(get, put, doc=doc)


class World:
    """Everything a scene consists of. Units: kg, m, s, N. Orientations: unit quaternions (w, x, y, z).

        world = nsn.World()
        ground = world.add_ground(mu=0.5)
        box = world.add_box((1, 1, 1), position=(0, 0, 0.5), mass=600)
        sim = nsn.Simulation(world)

    position, velocity, ... are live: numpy arrays of the memory that the simulation works in. They stay valid if
    bodies are added later, with the values they had; ask the world again for the new ones."""

    def __init__(self, gravity: Vector = (0.0, 0.0, -9.81)):
        self._core: Any = _core.World()
        self._recipe: list[_Call] = []
        self._origin: tuple[Any, ...] = ()
        self._quiet = False
        self._robots: list[_robots.Robot] = []
        self._core.gravity = _arrays.vec3("gravity", gravity)

    @classmethod
    def _of(cls, core: Any, origin: tuple[Any, ...]) -> World:
        world = cls.__new__(cls)
        world._core, world._recipe, world._origin, world._quiet, world._robots = core, [], origin, False, []
        return world

    # ---- bodies and shapes

    @_recorded
    def add_body(self, kind: str = "dynamic", *, mass: float | None = None, inertia: ArrayLike | None = None,
                 density: float = 1000.0, position: Vector = (0, 0, 0), orientation: Vector = (1, 0, 0, 0),
                 velocity: Vector = (0, 0, 0), angular_velocity: Vector = (0, 0, 0), name: str = "") -> int:
        """Returns the body's index. kind: "dynamic", "static" or "kinematic". mass (kg) and inertia (3 x 3 or diagonal,
        kg m^2, about the centre of mass in body axes): those of its shapes of this density (kg/m^3) unless given.
        position: of the centre of mass, m."""
        tensor = None
        if inertia is not None:
            given = _arrays.finite("inertia", inertia)
            if given.shape == (3,):
                given = np.diag(given)
            if given.shape != (3, 3):
                raise ValueError(f"inertia: shape {given.shape}, needed (3, 3) or (3,)")
            tensor = given.reshape(-1).tolist()
        if mass is not None and not 0 < _arrays.number("mass", mass) < np.inf:
            raise ValueError(f"mass: {mass}, it must be > 0")
        return self._core.add_body(
            _arrays.text("name", name), _arrays.text("kind", kind), 0.0 if mass is None else float(mass), tensor,
            _arrays.number("density", density), _arrays.vec3("position", position),
            _arrays.quaternion("orientation", orientation), _arrays.vec3("velocity", velocity),
            _arrays.vec3("angular_velocity", angular_velocity))

    @_recorded
    def add_shape(self, body: int, shape: _shapes.Shape, mu: float = 0.5, *, offset: Vector = (0, 0, 0),
                  rotation: Vector = (1, 0, 0, 0), **surface: float) -> int:
        """Puts a shape on a body; returns its index. mu: friction, two surfaces combine by geometric mean. offset: of
        the shape's origin in body axes, m. compliance (m/N), thickness (m), restitution (0 to 1), rolling and spinning
        resistance (m)."""
        if not isinstance(shape, _shapes.Shape):
            raise TypeError(f"shape: a shape of nsn.shapes is needed, got {shape!r}")
        return self._core.add_shape(_arrays.integer("body", body), shape._core, _surface(mu, surface),
                                    _arrays.vec3("offset", offset), _arrays.quaternion("rotation", rotation))

    @_recorded
    def add_ground(self, mu: float = 0.5, *, height: float = 0.0, **surface: float) -> int:
        """A static body with a plane, z up; returns the body."""
        return self._one_shape(_shapes.plane(), mu, surface,
                               {"kind": "static", "name": "ground", "position": (0, 0, _arrays.number("height", height))})

    @_recorded
    def add_box(self, size: Vector, mu: float = 0.5, **body: Any) -> int:
        """A body with a box with edges of these lengths, m, around its centre of mass; mass and inertia by density
        unless told. Keywords are those of add_body and of a surface. Returns the body."""
        return self._shaped(_shapes.box(size), mu, body)

    @_recorded
    def add_sphere(self, radius: float, mu: float = 0.5, **body: Any) -> int:
        """As add_box: a ball, m."""
        return self._shaped(_shapes.sphere(radius), mu, body)

    @_recorded
    def add_capsule(self, radius: float, length: float, mu: float = 0.5, **body: Any) -> int:
        """As add_box: half balls at the ends of a segment along z of this length, m."""
        return self._shaped(_shapes.capsule(radius, length), mu, body)

    @_recorded
    def add_cylinder(self, radius: float, height: float, mu: float = 0.5, **body: Any) -> int:
        """As add_box: axis along z, m."""
        return self._shaped(_shapes.cylinder(radius, height), mu, body)

    @_recorded
    def add_hull(self, points: ArrayLike, mu: float = 0.5, **body: Any) -> int:
        """As add_box: the convex hull of points in body axes, m. Its centre of mass must be their origin unless mass
        and inertia are told."""
        return self._shaped(_shapes.hull(points), mu, body)

    @_recorded
    def add_mesh(self, vertices: ArrayLike | str | os.PathLike[str], triangles: ArrayLike | None = None, mu: float = 0.5,
                 **body: Any) -> int:
        """As add_box: a surface of triangles, or the path of an .obj or .stl file."""
        if triangles is None:
            if not isinstance(vertices, (str, os.PathLike)):
                raise TypeError("triangles: needed unless the first argument is the path of a file")
            shape = _shapes.read(vertices)
        else:
            shape = _shapes.mesh(cast(Any, vertices), triangles)
        return self._shaped(shape, mu, body)

    def _shaped(self, shape: _shapes.Shape, mu: float, keywords: dict[str, Any]) -> int:
        surface = {k: keywords.pop(k) for k in _SURFACE if k in keywords}
        return self._one_shape(shape, mu, surface, keywords)

    def _one_shape(self, shape: _shapes.Shape, mu: float, surface: dict[str, Any], body: dict[str, Any]) -> int:
        _surface(mu, surface)
        b = World.add_body(self, **body)
        try:
            World.add_shape(self, b, shape, mu, **surface)
        except Exception:
            self._core.remove_body(b)
            raise
        return b

    @_recorded
    def remove_body(self, body: int) -> None:
        """With its shapes; indices of the others stay. Raises ValueError naming what still needs it."""
        self._core.remove_body(_arrays.integer("body", body))

    @_recorded
    def remove_shape(self, shape: int) -> None:
        self._core.remove_shape(_arrays.integer("shape", shape))

    @_recorded
    def remove_joint(self, joint: int) -> None:
        self._core.remove_joint(_arrays.integer("joint", joint))

    @_recorded
    def remove_deformable(self, deformable: int) -> None:
        self._core.remove_deformable(_arrays.integer("deformable", deformable))

    @_recorded
    def set_pair_friction(self, shape_a: int, shape_b: int, mu: float) -> None:
        """Friction of one pair of shapes in place of the geometric mean."""
        self._core.set_pair_friction(_arrays.integer("shape_a", shape_a), _arrays.integer("shape_b", shape_b),
                                     _arrays.number("mu", mu))

    @_recorded
    def ignore_pair(self, body_a: int, body_b: int) -> None:
        """The shapes of these two bodies never touch."""
        self._core.ignore_pair(_arrays.integer("body_a", body_a), _arrays.integer("body_b", body_b))

    @_recorded
    def set_filter(self, shape: int, *, category: int = 1, mask: int = 2**32 - 1, group: int = 0) -> None:
        """Two shapes meet if each one's mask has a bit of the other's category, and never if they are of two groups
        other than 0."""
        self._core.set_filter(_arrays.integer("shape", shape), _arrays.integer("category", category, 0, 2**32 - 1),
                              _arrays.integer("mask", mask, 0, 2**32 - 1), _arrays.integer("group", group))

    # ---- joints

    @_recorded
    def add_joint(self, kind: str, a: int, b: int, *, point: Vector = (0, 0, 0), axis: Vector = (0, 0, 1),
                  limit: tuple[float, float] | None = None, collide: bool = False, name: str = "", **more: Any) -> int:
        """Joins body a, which moves, to body b where they are now; all its coordinates are zero there. Returns its
        index.

        kind: revolute, prismatic, cylindrical, spherical (ball), universal, fixed, weld, distance. point, axis: in world
        axes, m. limit: of the first coordinate, rad or m. Drive of the first coordinate: target, speed, stiffness, gain,
        max_effort; and friction, spring, damping, rest, armature (Joint.set has the other coordinates).
        weld: linear, angular (compliances, 3 each, m/N and rad/(N m)), linear_damping, angular_damping.
        distance: point_a, point_b (world, m), and length or range=(shortest, longest), compliance. collide: the shapes of
        a and b can touch."""
        kind, name = _arrays.text("kind", kind), _arrays.text("name", name)
        a, b = _arrays.integer("a", a), _arrays.integer("b", b)
        at, along = _arrays.vec3("point", point), _arrays.vec3("axis", axis)
        if kind == "weld":
            keys = ("linear", "angular", "linear_damping", "angular_damping")
            yields = [_arrays.vec3(k, more.pop(k, (0, 0, 0))) for k in keys]
            self._no_more(kind, more)
            return self._core.add_weld(a, b, at, along, yields, name, bool(collide))
        if kind == "distance":
            return self._add_distance(a, b, more, name, bool(collide))
        numbers = [(k, _arrays.number(k, more.pop(k))) for k in _AXIS if k in more]
        if limit is not None:
            lower, upper = limit
            numbers += [("lower", _arrays.number("limit", lower)), ("upper", _arrays.number("limit", upper))]
        self._no_more(kind, more)
        return self._core.add_joint(kind, a, b, at, along, [numbers] if numbers else [], name, bool(collide))

    @staticmethod
    def _no_more(kind: str, more: dict[str, Any]) -> None:
        if more:
            raise TypeError(f"a {kind} joint has no argument '{next(iter(more))}'")

    def _add_distance(self, a: int, b: int, more: dict[str, Any], name: str, collide: bool) -> int:
        if "point_a" not in more or "point_b" not in more:
            raise TypeError("a distance joint needs point_a and point_b")
        pa, pb = _arrays.vec3("point_a", more.pop("point_a")), _arrays.vec3("point_b", more.pop("point_b"))
        compliance = _arrays.number("compliance", more.pop("compliance", 0.0))
        apart = float(np.linalg.norm(np.subtract(pa, pb)))
        shortest = longest = _arrays.number("length", more.pop("length", apart))
        if "range" in more:
            shortest, longest = (_arrays.number("range", x) for x in more.pop("range"))
        self._no_more("distance", more)
        return self._core.add_distance(a, b, pa, pb, shortest, longest, compliance, name, collide)

    # ---- deformables and robots

    @_recorded
    def add_deformable(self, mesh: _meshes.TetMesh, *, position: Vector = (0, 0, 0), orientation: Vector = (1, 0, 0, 0),
                       young: float = 1e5, poisson: float = 0.3, density: float = 1000.0, model: str = "neo-hookean",
                       damping: float = 0.0, mu: float = 0.5, self_contact: bool = False,
                       ignored_bodies: Sequence[int] = (), name: str = "", **surface: float) -> int:
        """Particles at the nodes of a mesh, finite elements between them. Returns the deformable's index.

        young: Pa. poisson: (-1, 0.5). density: kg/m^3. model: "linear", "corotational", "neo-hookean",
        "neo-hookean-log". damping: relaxation time of strain rates, s."""
        if not isinstance(mesh, _meshes.TetMesh):
            raise TypeError(f"mesh: a nsn.meshes.TetMesh is needed, got {mesh!r}")
        return self._core.add_deformable(
            mesh._core, _arrays.text("name", name), _arrays.text("model", model), _arrays.number("young", young),
            _arrays.number("poisson", poisson), _arrays.number("density", density), _arrays.number("damping", damping),
            _surface(mu, surface), bool(self_contact), _arrays.integers("ignored_bodies", ignored_bodies),
            _arrays.vec3("position", position), _arrays.quaternion("orientation", orientation))

    @_recorded
    def fix_particle(self, particle: int, fixed: bool = True) -> None:
        """It stays where it is."""
        self._core.fix_particle(_arrays.integer("particle", particle), bool(fixed))

    @_recorded
    def add_robot(self, robot: str | os.PathLike[str] | _robots.RobotDescription, *, base: Vector = (0, 0, 0),
                  orientation: Vector = (1, 0, 0, 0), q: ArrayLike = (), v: ArrayLike = (), base_body: int = -1,
                  merge_fixed: bool = True, self_collision: bool = True, hulls: bool = True, hull_points: int = 64,
                  shapes: bool = True, world_shapes: bool = False, group: int = 0, mu: float | None = None) -> _robots.Robot:
        """A robot from a URDF or MJCF file, or of our own by name (nsn.robots.names()).

        base, orientation: of its file's world in this one. q, v: coordinates and velocities to start from. base_body: a
        body that carries it. hulls: meshes by their convex hulls, of the extreme points along hull_points directions (0:
        of all points, exact and slow). world_shapes: add the floor of an MJCF file. group: robots of two groups other than
        0 never touch. mu: friction of all its shapes in place of the file's."""
        description = robot if isinstance(robot, _robots.RobotDescription) else _robots.RobotDescription(robot)
        built = _robots._build(self, description, base, orientation, q, v, {
            "base_body": _arrays.integer("base_body", base_body, -1), "merge_fixed": bool(merge_fixed),
            "self_collision": bool(self_collision), "hulls": bool(hulls),
            "hull_points": _arrays.integer("hull_points", hull_points, 0), "shapes": bool(shapes),
            "world_shapes": bool(world_shapes), "group": _arrays.integer("group", group),
            "mu": None if mu is None else _arrays.number("mu", mu)})
        self._robots.append(built)
        return built

    add_urdf = add_robot
    add_mjcf = add_robot

    @_recorded
    def drop_control(self) -> None:
        """Ends what drives a scene (scripts, random pushes): drives keep their last targets."""
        self._core.drop_control()

    # ---- what is there

    @property
    def bodies(self) -> Bodies:
        """By name or index."""
        return Bodies(self)

    def body(self, key: str | int) -> Body:
        """By name or index."""
        if isinstance(key, str):
            names = self._core.body_names()
            if key not in names:
                near = _near(key, [n for n in names if n])
                raise KeyError(f"no body '{key}'{near}")
            return Body(self, names.index(key))
        index = _arrays.integer("body", key)
        if not self._core.has_body(index):
            raise IndexError(f"body {index}: there are {self._core.num_bodies}")
        return Body(self, index)

    @property
    def joints(self) -> list[Joint]:
        return [Joint(self, j) for j in range(self._core.num_joints)]

    def joint(self, key: str | int) -> Joint:
        """By name or index."""
        if isinstance(key, str):
            for joint in self.joints:
                if joint.name == key:
                    return joint
            raise KeyError(f"no joint '{key}'" + _near(key, [j.name for j in self.joints if j.name]))
        return Joint(self, _arrays.integer("joint", key))

    @property
    def deformables(self) -> list[Deformable]:
        return [Deformable(self, d) for d in range(self._core.num_deformables)]

    @property
    def robots(self) -> list[_robots.Robot]:
        """Those that add_robot made."""
        return list(self._robots)

    @property
    def shapes(self) -> list[tuple[int, str, float, Floats, Floats]]:
        """(body, type, mu, offset, rotation) of each; type "" where it was removed."""
        return [(b, t, mu, np.array(o), np.array(r)) for b, t, mu, o, r in self._core.shapes()]

    def shape_surface(self, shape: int) -> tuple[Floats, NDArray[np.int32]]:
        """Points (n, 3) and triangles (m, 3) in the axes of the shape."""
        return self._core.shape(_arrays.integer("shape", shape)).surface()

    @property
    def time(self) -> float:
        """s."""
        return self._core.time

    @time.setter
    def time(self, value: float) -> None:
        self._core.time = _arrays.number("time", value)

    @property
    def gravity(self) -> Floats:
        """m/s^2."""
        return np.array(self._core.gravity)

    @gravity.setter
    def gravity(self, value: Vector) -> None:
        self._core.gravity = _arrays.vec3("gravity", value)

    @property
    def margin(self) -> float:
        """Contacts are found up to this gap, m, and what speed adds to it."""
        return self._core.margin

    @margin.setter
    def margin(self, value: float) -> None:
        self._core.margin = _arrays.number("margin", value)

    @property
    def energy(self) -> float:
        """Kinetic, potential and elastic, J."""
        return self._core.energy

    # ---- state: live arrays

    position = _live("position", "of the bodies' centres of mass, (n, 3), m; live")
    orientation = _live("orientation", "of the bodies, quaternions (w, x, y, z), (n, 4); live")
    velocity = _live("velocity", "of the bodies' centres of mass, (n, 3), m/s; live")
    angular_velocity = _live("angular_velocity", "of the bodies, world axes, (n, 3), rad/s; live")
    force = _live("force", "external forces on the bodies, (n, 3), N; live, kept from step to step")
    torque = _live("torque", "external torques on the bodies, (n, 3), N m; live, kept from step to step")
    mass = _live("mass", "of the bodies, (n,), kg; live")
    inertia = _live("inertia", "of the bodies, body axes, (n, 3, 3), kg m^2; live")
    particle_position = _live("particle_position", "of the nodes of deformables, (n, 3), m; live")
    particle_velocity = _live("particle_velocity", "of the nodes of deformables, (n, 3), m/s; live")
    particle_force = _live("particle_force", "external forces on the nodes of deformables, (n, 3), N; live")
    particle_mass = _live("particle_mass", "of the nodes of deformables, (n,), kg; live")

    # ---- copies

    def __copy__(self) -> World:
        try:
            copy = World._of(self._core.copy(), self._origin)
        except ValueError:  # a control with a memory, which two worlds cannot share
            return _rebuilt(*self._pickled())
        copy._recipe = list(self._recipe)
        copy._robots = [_robots.Robot(r._core.moved_to(copy._core), r.description) for r in self._robots]
        return copy

    def __deepcopy__(self, memo: dict[int, Any]) -> World:
        return self.__copy__()

    def _pickled(self) -> tuple[Any, ...]:
        return self._origin, self._recipe, bytes(self._core.state()), self._core.margin

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, self._pickled()

    def __repr__(self) -> str:
        c = self._core
        return (f"World({c.num_bodies} bodies, {c.num_joints} joints, {c.num_deformables} deformables, "
                f"{c.num_particles} particles, t = {c.time:g} s)")


def _near(name: str, names: list[str]) -> str:
    import difflib
    near = difflib.get_close_matches(name, names, 2)
    return "; did you mean " + " or ".join(f"'{n}'" for n in near) + "?" if near else ""


def _rebuilt(origin: tuple[Any, ...], recipe: list[_Call], state: bytes, margin: float) -> World:
    if origin:
        name, parameters = origin
        world = World._of(_core.make_scene(name, parameters), origin)
    else:
        world = World()
    for method, args, keywords, poses in recipe:
        for body, position, orientation in poses:
            world._core.position[body] = position
            world._core.orientation[body] = orientation
        getattr(world, method)(*args, **keywords)
    world._core.set_state(state)
    world._core.margin = margin
    return world
