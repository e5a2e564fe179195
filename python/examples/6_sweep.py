"""Which friction lets an A-frame stand? A process pool over mu."""
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # a process per core
from concurrent.futures import ProcessPoolExecutor

import numpy as np

import nsn


def drop(mu):
    sim = nsn.Simulation(nsn.scenes.a_frame(mu=float(mu)))
    start = sim.world.position.copy()
    sim.step(120)
    return float(np.abs(sim.world.position - start).max())


if __name__ == "__main__":
    mus = np.linspace(0.1, 0.6, 11)
    with ProcessPoolExecutor(2) as pool:
        for mu, way in zip(mus, pool.map(drop, mus)):
            print(f"mu {mu:.2f}: moved {way:.4f} m", "stands" if way < 1e-3 else "falls")
