"""A wheel in an environment that has numpy only: each part once, without a word on stderr."""
import copy
import pickle
import sys

import numpy as np

import nsn

assert "site-packages" in nsn.__file__, nsn.__file__
result = nsn.solve(np.eye(3), [-1.0, 2.0, 0.0], 0.5)
assert result.solved and np.allclose(result.r, (1, -0.5, 0), atol=1e-6)
assert nsn.linear_solve(np.diag([1.0, 2.0, 3.0]), [1.0, 2.0, 3.0], "klu").solved
names = {info.name for info in nsn.available_solvers()}
assert {"contact-lu", "pcr", "pcg", "amg", "eigen-ldlt", "klu"} <= names and "cholmod" not in names
world = nsn.scenes.arch(mu=0.7)
world.add_hull([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], position=(9, 0, 5))
sim = nsn.Simulation(world)
assert sim.step(60).converged
twins = [copy.copy(sim), pickle.loads(pickle.dumps(sim))]
for s in (sim, *twins):
    s.step(10)
assert all(s.get_state() == sim.get_state() for s in twins)
robots = nsn.World()
robots.add_robot("humanoid")
batch = nsn.Batch(lambda i: nsn.scenes.a_frame(), 4)
batch.step(5)
soft = nsn.World()
soft.add_deformable(nsn.meshes.ball(0.1, 320))
nsn.Simulation(soft).step(3)
assert not [m for m in ("scipy", "matplotlib", "gymnasium") if m in sys.modules]
print(f"nsn {nsn.__version__} works in Python {sys.version.split()[0]} with numpy {np.__version__}")
