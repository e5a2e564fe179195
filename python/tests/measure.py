"""Costs of the module: measure.py [--check] [FILE.csv]. CPU times, the least of repeats; rows name, value, unit, at most.

--check leaves out what has no bound, and ends with 1 if a bound is not kept."""
import csv
import os
import signal
import subprocess
import sys
import threading
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


def interrupts(preset):
    """ms from Ctrl-C to the exception in a pile of 1000 balls, the longest of eight; this thread's CPU time."""
    clock = time.pthread_getcpuclockid(threading.get_ident())
    sim = nsn.Simulation(nsn.scenes.sphere_pile(balls=1000), preset=preset)
    longest = 0.0
    for k in range(8):
        pressed = []

        def press():
            time.sleep(0.3 + 0.07 * k)
            pressed.append(time.clock_gettime(clock))
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=press)
        thread.start()
        try:
            sim.step(10**6)
        except KeyboardInterrupt:
            longest = max(longest, time.clock_gettime(clock) - pressed[0])
        thread.join()
    return 1e3 * longest


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


def bounded():
    ratio, live = reading()
    yield "overhead of step()", f"{overhead():.2f}", "us", 1
    yield "import nsn", f"{importing('import nsn'):.0f}", "ms", 60
    yield "reading positions of 4000 bodies over a copy", f"{ratio:.2f}", "", 1.5
    for preset in ("accurate", "realtime", "paper"):
        yield f"Ctrl-C in a pile of 1000 balls, {preset}", f"{interrupts(preset):.0f}", "ms", 200
    yield "sum of positions of 4000 bodies", f"{live:.1f}", "us", ""


def unbounded():
    infos, state = contacts()
    yield "contacts of an arch", f"{infos:.1f}", "us", ""
    yield "get_state of an arch", f"{state:.1f}", "us", ""
    for task, actions, steps in rates():
        yield f"{task}, actions", f"{actions:.0f}", "1/s", ""
        yield f"{task}, steps", f"{steps:.0f}", "1/s", ""


def main():
    words = sys.argv[1:]
    check = "--check" in words
    files = [word for word in words if word != "--check"]
    rows = [*bounded(), *([] if check else unbounded())]
    with open(files[0], "w", newline="") if files else sys.stdout as out:
        csv.writer(out, lineterminator="\n").writerows([("what", "value", "unit", "at most"), *rows])
    broken = [what for what, value, _, most in rows if most != "" and float(value) > most]
    for what in broken:
        print(f"{what}: more than the bound", file=sys.stderr)
    sys.exit(1 if check and broken else 0)


if __name__ == "__main__":
    main()
