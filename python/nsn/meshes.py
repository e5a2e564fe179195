"""Tetrahedral meshes of deformable bodies: made by formula, of arrays, from files."""
from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays, _core
from ._arrays import Floats, Vector


class TetMesh:
    """Nodes (n, 3), m, and tetrahedra (m, 4)."""

    def __init__(self, nodes: ArrayLike, tets: ArrayLike, _made: Any = None):
        if _made is None:
            points = _arrays.finite("nodes", nodes, (None, 3))
            t = np.asarray(tets)
            if t.dtype.kind not in "iu" or t.ndim != 2 or t.shape[1] != 4:
                raise ValueError(f"tets: integers of shape (n, 4) are needed, got {t.dtype} of shape {t.shape}")
            if t.size and not (0 <= t.min() and t.max() < len(points)):
                raise ValueError(f"tets: an index is outside of the {len(points)} nodes")
            _made = _core.tet_mesh(points, np.ascontiguousarray(t, dtype=np.int32))
        self._core = _made

    @property
    def nodes(self) -> Floats:
        return self._core.nodes

    @property
    def tets(self) -> NDArray[np.int32]:
        return self._core.tets

    @property
    def volume(self) -> float:
        """m^3."""
        return self._core.volume

    def __reduce__(self) -> tuple[Any, ...]:
        return TetMesh, (self.nodes, self.tets)

    def __repr__(self) -> str:
        return f"TetMesh({self._core.num_nodes} nodes, {self._core.num_tets} tetrahedra)"


def ball(radius: float, tets: int = 320) -> TetMesh:
    """A ball around the origin, m. tets: how many, 180 or more."""
    return TetMesh((), (), _core.ball_mesh(_arrays.number("radius", radius), _arrays.integer("tets", tets, 1, 10**8)))


def bar(size: Vector, cells: tuple[int, int, int] = (8, 2, 2)) -> TetMesh:
    """A box from the origin to `size`, m, cut into `cells` cells along its edges, six tetrahedra each."""
    edges = _arrays.vec3("size", size)
    n = _arrays.integers("cells", cells, 1, 10**4)
    if len(n) != 3:
        raise ValueError(f"cells: {len(n)} numbers, needed 3")
    if n[0] * n[1] * n[2] > 10**8:
        raise ValueError(f"cells: {n[0] * n[1] * n[2]} cells are more than any memory holds")
    return TetMesh((), (), _core.bar_mesh(edges, n))


def finger(chambers: int = 8, *, length: float = 0.115, width: float = 0.02) -> TetMesh:
    """A bending actuator along x, m: chambers over a layer that does not stretch."""
    return TetMesh((), (), _core.finger_mesh(_arrays.integer("chambers", chambers, 1, 1000),
                                             _arrays.number("length", length), _arrays.number("width", width)))


def read(path: str | os.PathLike[str], *, repair: bool = False) -> TetMesh:
    """From .msh, .vtk, .vtu, .node/.ele or .tet. repair: leaves out unused nodes and turns inverted tetrahedra."""
    return TetMesh((), (), _core.read_tet_mesh(_arrays.path("path", path), bool(repair)))
