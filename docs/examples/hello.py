import nsn

world = nsn.scenes.arch(mu=0.7)  # or nsn.World() and world.add_box(...)
sim = nsn.Simulation(world)
sim.step(240)
print(sim.report.status, world.position[-1], sim.contacts["force"].sum(axis=0))
