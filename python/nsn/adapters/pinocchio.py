"""Pinocchio's models; contact forces by nsn.

    contacts = [nsn.adapters.pinocchio.Contact(frame, point, normal=(0, 0, 1), mu=0.6, gap=0.0)]
    step = nsn.adapters.pinocchio.contact_problem(model, data, q, v, tau, contacts, h=1e-3).solve()
    q = pinocchio.integrate(model, q, step.v * 1e-3)"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _arrays
from .._arrays import Vector
from ._dynamics import StepProblem


@dataclass(frozen=True)
class Contact:
    """A point of what a frame is fixed to, against the world or another frame."""

    frame: int  #: of the model; what the force is on
    point: Vector  #: in the world, m
    normal: Vector = (0.0, 0.0, 1.0)  #: unit, world axes, towards `frame`
    mu: float = 0.5
    gap: float = 0.0  #: m
    other: int | None = None  #: the frame it touches; None: the world


def _tangents(n: Any) -> Any:
    t = np.cross(n, np.eye(3)[np.argmin(abs(n))])
    t /= np.linalg.norm(t)
    return np.array([n, t, np.cross(n, t)])


def contact_problem(model: Any, data: Any, q: ArrayLike, v: ArrayLike, tau: ArrayLike, contacts: Sequence[Contact], *,
                    h: float) -> StepProblem:
    """The contact problem of a time step h (s) of a pinocchio.Model from (q, v) under the efforts tau."""
    try:
        import pinocchio as pin
    except ImportError as error:
        raise ImportError("nsn.adapters.pinocchio needs Pinocchio: pip install pin") from error
    q, v, tau = (_arrays.finite(name, x, (size,)) for name, x, size in (("q", q, model.nq), ("v", v, model.nv), ("tau", tau, model.nv)))
    if not 0 < h < np.inf:
        raise ValueError(f"h: {h}, it must be > 0")
    M = np.array(pin.crba(model, data, q))
    M = np.triu(M) + np.triu(M, 1).T
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    free = v + h * np.linalg.solve(M, tau - pin.nonLinearEffects(model, data, q, v))

    def velocity_of(frame: int, point: Any) -> Any:
        if not 0 <= frame < model.nframes:
            raise ValueError(f"frame: {frame}, there are {model.nframes}")
        J = pin.getFrameJacobian(model, data, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
        arm = point - data.oMf[frame].translation
        return J[:3] - pin.skew(arm) @ J[3:]

    rows, frames, points = [], [], []
    for k, c in enumerate(contacts):
        point, normal = np.array(_arrays.vec3("point", c.point)), np.array(_arrays.vec3("normal", c.normal))
        if abs(np.linalg.norm(normal) - 1) > 1e-6:
            raise ValueError(f"contact {k}: normal {normal.tolist()} is no unit vector")
        axes = _tangents(normal)
        relative = velocity_of(c.frame, point) - (velocity_of(c.other, point) if c.other is not None else 0.0)
        rows.append(axes @ relative)
        frames.append(axes)
        points.append(point)
    n = len(rows)
    return StepProblem(M, np.concatenate(rows) if n else np.zeros((0, model.nv)), free,
                       np.array([_arrays.number("mu", c.mu) for c in contacts]),
                       np.array([max(_arrays.number("gap", c.gap), 0.0) / h for c in contacts]), h,
                       np.array(points).reshape(n, 3), np.array(frames).reshape(n, 3, 3))
