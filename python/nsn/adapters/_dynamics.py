"""What the adapters of robot simulators share: a time step through mass, contact directions and free velocity."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._arrays import Floats
from .._friction import FrictionResult, solve


@dataclass(frozen=True)
class StepProblem:
    """The contacts of a time step:

        M (v - v_free) = J^T r,    u = J v + (bias, 0, 0) = W r + q

    J has three rows per contact: normal, from the first body to the second, and two tangents. The bias of a contact
    with gap g >= 0 is g / h: the gap may close, not more."""

    M: Floats  #: mass, dofs x dofs
    J: Floats  #: 3 contacts x dofs
    v_free: Floats  #: without contacts, at the end of the step
    mu: Floats  #: of each contact
    bias: Floats  #: of each contact, m/s
    h: float  #: s
    points: Floats = field(default_factory=lambda: np.empty((0, 3)))  #: of each contact, m
    frames: Floats = field(default_factory=lambda: np.empty((0, 3, 3)))  #: rows: normal, tangents

    @property
    def contacts(self) -> int:
        return len(self.mu)

    @property
    def W(self) -> Floats:
        """Delassus operator J M^-1 J^T."""
        return np.asarray(self.J @ np.linalg.solve(self.M, self.J.T))

    @property
    def q(self) -> Floats:
        free = self.J @ self.v_free
        free[::3] += self.bias
        return np.asarray(free)

    def solve(self, r0: Any = None, **options: Any) -> Step:
        """By nsn.solve with its options."""
        if self.contacts == 0:
            return Step(self, self.v_free.copy(), np.zeros((0, 3)), None)
        W = self.W
        result = solve(0.5 * (W + W.T), self.q, self.mu, r0, **options)
        v = self.v_free + np.linalg.solve(self.M, self.J.T @ result.r)
        return Step(self, v, result.r.reshape(-1, 3) / self.h, result)


@dataclass(frozen=True)
class Step:
    """What came out."""

    problem: StepProblem
    v: Floats  #: generalised velocities at the end of the step
    force: Floats  #: of each contact on its second body, in its frame: normal, tangents, N
    result: FrictionResult | None  #: None: no contacts

    @property
    def solved(self) -> bool:
        return self.result is None or self.result.solved
