"""Costs of the module: measure.py [FILE.csv]. CPU times, the least of repeats; rows name, value, unit."""
import csv
import subprocess
import sys
import time

import numpy as np

import nsn


def least(action, repeats=7, calls=1):
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        action()
        best = min(best, time.process_time() - start)
    return best / calls


def overhead():
    """us that step() costs beyond a step of step(n)."""
    def sliding():
        world = nsn.World()
        world.add_box((1, 1, 1))  # nothing touches it: a step is as short as it can be
        return nsn.Simulation(world)

    n = 20000
    sim = sliding()

    def one_by_one():
        for _ in range(n):
            sim.step()

    return 1e6 * (least(one_by_one, 9, n) - least(lambda: sim.step(n), 9, n))


def importing(what):
    """CPU ms of an import beyond that of numpy."""
    code = f"import numpy, time; s = time.process_time(); {what}; print(time.process_time() - s)"
    return 1e3 * min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout) for _ in range(9))


def reading():
    """Sum over positions of 4000 bodies, over that of a contiguous copy."""
    world = nsn.World()
    for _ in range(4000):
        world.add_sphere(0.1)
    copy = world.position.copy()
    n = 2000
    live = least(lambda: [world.position.sum() for _ in range(n)], 9, n)
    return live / least(lambda: [copy.sum() for _ in range(n)], 9, n), 1e6 * live


def contacts():
    sim = nsn.Simulation(nsn.scenes.arch())
    sim.step(10)
    n = 2000
    return 1e6 * least(lambda: [sim.contacts for _ in range(n)], 5, n), 1e6 * least(lambda: [sim.get_state() for _ in range(n)], 5, n)


def rates():
    """Actions and steps of an environment a second of CPU, random actions."""
    import nsn.envs
    for task, n in (("BallOnPlate", 64), ("HumanoidRun", 16), ("DrawerOpen", 16)):
        envs = nsn.envs.make(task, n)
        envs.reset(seed=0)
        envs.action_space.seed(0)
        actions = [envs.action_space.sample() for _ in range(30)]
        seconds = least(lambda: [envs.step(a) for a in actions], 3)
        yield task, n * len(actions) / seconds, n * len(actions) * envs.substeps / seconds


def main():
    ratio, live = reading()
    infos, state = contacts()
    rows = [("overhead of step()", f"{overhead():.2f}", "us"), ("import nsn", f"{importing('import nsn'):.0f}", "ms"),
            ("reading positions of 4000 bodies over a copy", f"{ratio:.2f}", ""), ("sum of positions of 4000 bodies", f"{live:.1f}", "us"),
            ("contacts of an arch", f"{infos:.1f}", "us"), ("get_state of an arch", f"{state:.1f}", "us")]
    for task, actions, steps in rates():
        rows += [(f"{task}, actions", f"{actions:.0f}", "1/s"), (f"{task}, steps", f"{steps:.0f}", "1/s")]
    out = open(sys.argv[1], "w", newline="") if len(sys.argv) > 1 else sys.stdout
    csv.writer(out, lineterminator="\n").writerows([("what", "value", "unit"), *rows])


if __name__ == "__main__":
    main()
