"""Collision shapes, to be placed on bodies: nsn.World.add_shape."""
from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays, _core
from ._arrays import Floats, Vector


class Shape:
    """A shape; any number of bodies may carry it."""

    def __init__(self, core: Any, recipe: tuple[Any, ...]):
        self._core, self._recipe = core, recipe

    @property
    def type(self) -> str:
        """"box", "sphere", ..."""
        return self._core.type

    def surface(self) -> tuple[Floats, NDArray[np.int32]]:
        """Points (n, 3) and triangles (m, 3) of its surface, counter-clockwise seen from outside."""
        return self._core.surface()

    def __reduce__(self) -> tuple[Any, ...]:
        return self._recipe

    def __repr__(self) -> str:
        return f"nsn.shapes.{self.type}"


def _positive(name: str, value: Any) -> float:
    x = _arrays.number(name, value)
    if not 0 < x < np.inf:
        raise ValueError(f"{name}: {x}, it must be > 0")
    return x


def box(size: Vector) -> Shape:
    """A box with edges of these lengths, m, around its centre."""
    edges = _arrays.vec3("size", size)
    return Shape(_core.box(edges), (box, (edges,)))


def sphere(radius: float) -> Shape:
    """m."""
    r = _positive("radius", radius)
    return Shape(_core.sphere(r), (sphere, (r,)))


def capsule(radius: float, length: float) -> Shape:
    """Half balls at the ends of a segment along z of this length, m."""
    r, l = _positive("radius", radius), _arrays.number("length", length)
    return Shape(_core.capsule(r, l), (capsule, (r, l)))


def cylinder(radius: float, height: float) -> Shape:
    """Axis along z, m."""
    r, h = _positive("radius", radius), _positive("height", height)
    return Shape(_core.cylinder(r, h), (cylinder, (r, h)))


def plane(extent: float = 4.0) -> Shape:
    """Half-space below z = 0; extent: side of the square in pictures, m."""
    e = _positive("extent", extent)
    return Shape(_core.plane(e), (plane, (e,)))


def hull(points: ArrayLike) -> Shape:
    """Convex hull of points (n, 3), m."""
    p = _arrays.finite("points", points, (None, 3))
    return Shape(_core.hull(p), (hull, (p,)))


def _triangles(value: ArrayLike, points: int) -> NDArray[np.int32]:
    t = np.asarray(value)
    if t.dtype.kind not in "iu" or t.ndim != 2 or t.shape[1] != 3:
        raise ValueError(f"triangles: integers of shape (n, 3) are needed, got {t.dtype} of shape {t.shape}")
    if t.size and not (0 <= t.min() and t.max() < points):
        raise ValueError(f"triangles: an index is outside of the {points} vertices")
    return np.ascontiguousarray(t, dtype=np.int32)


def mesh(vertices: ArrayLike, triangles: ArrayLike, *, two_sided: bool = False, depth: float = 0.0) -> Shape:
    """A surface of triangles, open or closed, counter-clockwise seen from outside. depth: how far behind it something
    still touches it, m; 0: chosen by size."""
    v = _arrays.finite("vertices", vertices, (None, 3))
    t = _triangles(triangles, len(v))
    d = _arrays.number("depth", depth)
    return Shape(_core.triangle_mesh(v, t, bool(two_sided), d), (_again, (v, t, bool(two_sided), d)))


def _again(vertices: Floats, triangles: NDArray[np.int32], two_sided: bool, depth: float) -> Shape:
    return mesh(vertices, triangles, two_sided=two_sided, depth=depth)


def read(path: str | os.PathLike[str]) -> Shape:
    """A surface from an .obj or .stl file."""
    return mesh(*_core.read_surface(_arrays.path("path", path)))
