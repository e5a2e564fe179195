"""A stack, a motor on a hinge and a soft ball: who pushes whom."""
import numpy as np

import nsn

world = nsn.World()
ground = world.add_ground(mu=0.6)
low = world.add_box((0.4, 0.4, 0.2), position=(0, 0, 0.1), mass=5, name="low")
high = world.add_box((0.2, 0.2, 0.2), position=(0, 0, 0.3), mass=2, name="high")
wheel = world.add_box((0.1, 0.6, 0.1), position=(2, 0, 1), mass=1, name="wheel")
hinge = world.add_joint("revolute", wheel, ground, point=(2, 0, 1), axis=(1, 0, 0), speed=2.0, gain=50.0)
world.add_deformable(nsn.meshes.ball(0.1, tets=320), position=(0, 1, 0.12), young=1e5, poisson=0.4, mu=0.6)
sim = nsn.Simulation(world)
with sim.record() as run:
    sim.step(240)
run.save("forces.html")  # a page that shows all of it
c = sim.contacts
print("weight of the stack", 7 * 9.81, "N, ground on low", sim.contact_force(low, ground), "N")
print("low on high", sim.contact_force(high, low), "N")
soft = c[(c["deformable_a"] >= 0) | (c["deformable_b"] >= 0)]
print("soft ball:", len(soft), "contacts,", np.abs(soft["force"][:, 2]).sum(), "N on the floor")
print("hinge", sim.joint_position(hinge), "rad, effort", sim.joint_effort(hinge), "N m")
assert abs(sim.contact_force(low, ground)[2] - 7 * 9.81) < 1e-3
