"""A robot from a URDF or MJCF file, or one of nsn's own, on a floor; a restored state goes on bit for bit."""
import sys

import nsn

world = nsn.World()
world.add_ground(mu=0.8)
robot = world.add_robot(sys.argv[1] if len(sys.argv) > 1 else "humanoid")
print(len(robot.bodies), "bodies; joints:", ", ".join(robot.joints[:6]), "...")
sim = nsn.Simulation(world, preset="realtime")
saved = sim.get_state()
report = sim.step(120)
print(report.status, "t =", world.time, "s, error", report.relative_error, "energy", report.energy, "J")
first = world.position.copy()
sim.set_state(saved)
sim.step(120)
assert (world.position == first).all()
