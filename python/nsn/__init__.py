"""Exact Coulomb friction by non-smooth Newton methods.

    import nsn
    world = nsn.scenes.arch(mu=0.7)                # or nsn.World() and world.add_box(...)
    sim = nsn.Simulation(world)
    sim.step(240)
    print(sim.report.status, sim.contacts["force"])

Friction problems without a model: solve, solve_global, solve_lcp, read_problem, write_problem, friction_error.
Linear algebra: linear_solve, LinearSolver, compare, available_solvers, add_solver.
Worlds: World, Simulation, Batch, scenes, shapes, meshes, robots. Other tools: nsn.adapters; environments: nsn.envs.

Units are SI, quaternions (w, x, y, z), the normal component comes first, forces are those on body a."""
from __future__ import annotations

import atexit as _atexit
import os as _os

from . import _core
from ._core import VERSION as __version__, InputError, StepReport, num_threads
from . import meshes, robots, scenes, shapes
from ._batch import Batch
from ._friction import (FrictionError, FrictionProblem, FrictionResult, LcpResult, Stage, friction_error,
                        friction_methods, read_problem, solve, solve_global, solve_lcp, write_problem)
from ._linear import (LinearResult, LinearSolver, NotConverged, Registry, SolverInfo, Table, add_solver,
                      available_solvers, compare, linear_solve, registry)
from ._record import MEASURES, Run
from ._simulation import CONTACT, ITERATION, NewtonSystem, Simulation, newton_options, presets
from ._world import Bodies, Body, Deformable, Joint, World
from .robots import Robot

# A child of fork() has none of the threads that OpenMP believes in: it computes on its own thread.
_os.register_at_fork(after_in_child=_core.after_fork_in_child)
# What C++ keeps of Python (solvers) is given back while Python still runs.
_atexit.register(_core.drop_python)

__all__ = [
    "Batch", "Bodies", "Body", "CONTACT", "Deformable", "FrictionError", "FrictionProblem", "FrictionResult",
    "ITERATION", "InputError", "Joint", "LcpResult", "LinearResult", "LinearSolver", "MEASURES", "NewtonSystem",
    "NotConverged", "Registry", "Robot", "Run", "Simulation", "SolverInfo", "Stage", "StepReport", "Table", "World", "__version__",
    "add_solver", "available_solvers", "compare", "friction_error", "friction_methods", "linear_solve", "meshes",
    "newton_options", "num_threads", "presets", "read_problem", "registry", "robots", "scenes", "shapes", "solve",
    "solve_global", "solve_lcp", "write_problem"]
