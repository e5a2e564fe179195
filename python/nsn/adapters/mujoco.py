"""MuJoCo's models, states and contacts; contact forces by nsn.

    problem = nsn.adapters.mujoco.contact_problem(model, data)     # of the step that starts here
    step = problem.solve()                                         # .v, .force, .result
    nsn.adapters.mujoco.step(model, data)                          # instead of mujoco.mj_step

MuJoCo finds contacts, forms inertia, Jacobians and all smooth forces; what its soft contacts do is done by nsn: contacts
are rigid, friction is Coulomb's, exactly. Give colliding geoms a small margin (1e-3 m), so that a contact is known
before it closes."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._dynamics import Step, StepProblem


def _mujoco() -> Any:
    try:
        import mujoco
    except ImportError as error:
        raise ImportError("nsn.adapters.mujoco needs MuJoCo: pip install mujoco") from error
    return mujoco


def _mass(mujoco: Any, model: Any, data: Any) -> Any:
    """With what Euler's implicit joint damping adds."""
    M = np.empty((model.nv, model.nv))
    column = np.empty(model.nv)
    for k in range(model.nv):
        unit = np.zeros(model.nv)
        unit[k] = 1.0
        mujoco.mj_mulM(model, data, column, unit)
        M[:, k] = column
    M += model.opt.timestep * np.diag(model.dof_damping)
    return 0.5 * (M + M.T)


def _others(mujoco: Any, model: Any, data: Any) -> Any:
    """Generalised forces of the constraints that are no contacts (limits, equalities, dry joint friction), as MuJoCo has
    them."""
    kinds = mujoco.mjtConstraint
    contact = np.isin(data.efc_type[: data.nefc], [int(getattr(kinds, name)) for name in dir(kinds)
                                                   if name.startswith("mjCNSTR_CONTACT")])
    force = np.where(contact, 0.0, data.efc_force[: data.nefc])
    out = np.zeros(model.nv)
    if force.any():
        padded = data.efc_force.copy()
        padded[: data.nefc] = force
        mujoco.mj_mulJacTVec(model, data, out, padded[: data.nefc])
    return out


def contact_problem(model: Any, data: Any, *, forward: bool = True) -> StepProblem:
    """The contact problem of the time step that starts at `data`. forward: calls mujoco.mj_forward first; otherwise it has
    been called. Torsional and rolling friction are left out; friction that differs between the two tangents is
    refused."""
    mujoco = _mujoco()
    if forward:
        mujoco.mj_forward(model, data)
    h = float(model.opt.timestep)
    rows, mu, bias, points, frames = [], [], [], [], []
    translations = np.empty((3, model.nv)), np.empty((3, model.nv))
    for c in range(data.ncon):
        contact = data.contact[c]
        if min(contact.geom) < 0:
            raise ValueError(f"contact {c}: of a flexible body, which has no counterpart here")
        frame = np.array(contact.frame).reshape(3, 3)
        for geom, jacobian in zip(contact.geom, translations):
            mujoco.mj_jac(model, data, jacobian, None, contact.pos, int(model.geom_bodyid[geom]))
        sliding = contact.friction[:2]
        if contact.dim > 1 and sliding[0] != sliding[1]:
            raise ValueError(f"contact {c}: friction {sliding[0]:g} and {sliding[1]:g} along its tangents, one is needed")
        rows.append(frame @ (translations[1] - translations[0]))
        mu.append(float(sliding[0]) if contact.dim > 1 else 0.0)
        bias.append(max(float(contact.dist), 0.0) / h)
        points.append(np.array(contact.pos))
        frames.append(frame)
    M = _mass(mujoco, model, data)
    force = data.qfrc_smooth + _others(mujoco, model, data)
    n = len(mu)
    return StepProblem(M, np.concatenate(rows) if n else np.zeros((0, model.nv)), data.qvel + h * np.linalg.solve(M, force),
                       np.array(mu), np.array(bias), h, np.array(points).reshape(n, 3), np.array(frames).reshape(n, 3, 3))


def step(model: Any, data: Any, **options: Any) -> Step:
    """One time step with contacts by nsn, in place of mujoco.mj_step: velocities, then positions, then time. options:
    those of nsn.solve."""
    mujoco = _mujoco()
    done = contact_problem(model, data).solve(**options)
    data.qacc[:] = (done.v - data.qvel) / model.opt.timestep
    data.qvel[:] = done.v
    mujoco.mj_integratePos(model, data.qpos, data.qvel, model.opt.timestep)
    data.time += model.opt.timestep
    return done
