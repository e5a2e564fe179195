"""Building worlds, live arrays, copies."""
import copy
import gc
import pickle

import numpy as np
import pytest

import nsn


def boxes(n=3):
    world = nsn.World()
    ground = world.add_ground(mu=0.5)
    return world, ground, [world.add_box((1, 1, 1), position=(0, 0, 0.5 + i), name=f"box{i}") for i in range(n)]


def test_mass_and_inertia():
    world = nsn.World()
    box = world.body(world.add_box((1, 2, 3), density=100))
    assert box.mass == pytest.approx(600)
    assert np.allclose(box.inertia, 50 * np.diag([4 + 9, 1 + 9, 1 + 4]))
    ball = world.body(world.add_sphere(0.5, mass=2))
    assert np.allclose(ball.inertia, np.eye(3) * 0.4 * 2 * 0.25)
    told = world.body(world.add_capsule(0.1, 1, mass=3, inertia=(1, 2, 3)))
    assert np.allclose(told.inertia, np.diag([1, 2, 3]))
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    assert world.body(world.add_hull(corners, density=1)).mass == pytest.approx(8)


def test_arrays_are_live_contiguous_and_outlive_the_world():
    world, _, (a, *_) = boxes()
    x = world.position
    assert x.flags.c_contiguous and x.flags.writeable and x.shape == (4, 3)
    assert np.shares_memory(x, world.position)
    x[a, 0] = 7.0
    assert world.body(a).position[0] == 7.0
    sim = nsn.Simulation(world)
    assert np.shares_memory(x, world.position)
    sim.step(5)
    assert np.shares_memory(x, world.position)
    values = x.copy()
    del sim, world
    gc.collect()
    assert (x == values).all()


def test_growth_leaves_old_views_as_they_were():
    world, _, _ = boxes()
    old, values = world.position, world.position.copy()
    for _ in range(50):
        world.add_sphere(0.1, position=(9, 9, 9))
    assert (old == values).all() and len(world.position) == 54
    old[:] = 1e9
    assert world.position.max() < 1e9
    sim = nsn.Simulation(world)
    sim.control = lambda s: s.world.add_sphere(0.1, position=(20 + s.time, 0, 5))
    held = world.velocity
    sim.step(3)
    assert len(world.position) == 57 and len(held) == 54


def test_particles():
    world = nsn.World()
    d = world.add_deformable(nsn.meshes.bar((1, 0.1, 0.1), (4, 1, 1)), position=(0, 0, 1), density=100, name="bar")
    body = world.deformables[d]
    assert body.mass == pytest.approx(1.0) and body.volume_ratio == pytest.approx(1.0)
    assert np.allclose(body.centre, (0.5, 0.05, 1.05))
    assert len(world.particle_position) == body.num_nodes == 20
    for p in range(20):
        if world.particle_position[p, 0] == 0.0:
            world.fix_particle(p)
    sim = nsn.Simulation(world)
    sim.step(20)
    assert body.position[:, 2].min() < 0.99 and body.position[:, 0].min() == 0.0


def test_names_and_indices():
    world, ground, _ = boxes()
    assert world.bodies["box1"].index == 2 and world.body("ground").kind == "static"
    assert [b.name for b in world.bodies] == ["ground", "box0", "box1", "box2"]
    with pytest.raises(KeyError, match="did you mean 'box1'"):
        world.bodies["bax1"]
    with pytest.raises(IndexError, match="there are 4"):
        world.body(9)
    world.body("box0").velocity = (1, 2, 3)
    assert (world.velocity[1] == (1, 2, 3)).all()
    with pytest.raises(ValueError, match="velocity"):
        world.body("box0").velocity = (1, np.nan, 3)


@pytest.mark.parametrize("kind, axes", [("revolute", 1), ("prismatic", 1), ("cylindrical", 2), ("spherical", 0),
                                        ("universal", 2), ("fixed", 0), ("weld", 0), ("distance", 0)])
def test_joints_hold(kind, axes):
    world = nsn.World()
    post = world.add_body("static")
    arm = world.add_box((1, 0.1, 0.1), position=(0.5, 0, 0), name="arm")
    more = {"weld": dict(angular=(1e-3, 1e-3, 1e-3)), "distance": dict(point_a=(0, 0, 0), point_b=(-1, 0, 0))}
    joint = world.add_joint(kind, arm, post, axis=(0, 1, 0), name="j", **more.get(kind, {}))
    assert world.joint("j").type.startswith(kind[:4]) and world.joint(joint).num_axes == axes
    sim = nsn.Simulation(world)
    report = sim.step(60)
    assert report.joint_distance < 1e-6 and report.converged
    if axes:
        assert sim.joint_position(joint) != 0.0
    force, torque = sim.joint_reaction(joint)
    assert np.isfinite(force).all() and force.shape == (3,)


def test_joint_numbers():
    world = nsn.World()
    post = world.add_body("static")
    arm = world.add_box((1, 0.1, 0.1), position=(0.5, 0, 0))
    j = world.add_joint("revolute", arm, post, axis=(0, 1, 0), limit=(-0.1, 0.2))
    sim = nsn.Simulation(world)
    sim.step(240)
    assert sim.joint_position(j) == pytest.approx(0.2, abs=1e-6)
    world.joint(j).set(stiffness=1e5, gain=1e3, target=-0.05)
    assert world.joint(j).get("target") == -0.05
    sim.step(240)
    assert sim.joint_position(j) == pytest.approx(-0.05, abs=2e-3)
    with pytest.raises(ValueError):
        world.joint(j).set(lower=1.0, upper=-1.0)
    assert world.joint(j).get("upper") == 0.2  # nothing has changed
    with pytest.raises(ValueError, match="'target_' is not a number"):
        world.joint(j).set(target_=1)


def test_removal():
    world, ground, (a, b, c) = boxes()
    hinge = world.add_joint("fixed", a, b)
    with pytest.raises(ValueError):
        world.remove_body(a)
    world.remove_joint(hinge)
    world.remove_body(a)
    assert not world._core.has_body(a) and len(list(world.bodies)) == 3
    sim = nsn.Simulation(world)
    sim.step(60)
    assert world.body(b).position[2] < 1.2


def test_filters_and_pairs():
    world, ground, (a, *_) = boxes(1)
    world.ignore_pair(ground, a)
    sim = nsn.Simulation(world)
    sim.step(30)
    assert len(sim.contacts) == 0 and world.body(a).position[2] < 0.3
    world, ground, (a, *_) = boxes(1)
    world.set_pair_friction(0, 1, 0.0)
    world.velocity[a] = (1, 0, 0)
    sim = nsn.Simulation(world)
    sim.step(30)
    assert world.velocity[a, 0] == pytest.approx(1.0, abs=1e-6)


def test_robot():
    world = nsn.World()
    world.add_ground(mu=1.0)
    robot = world.add_robot("two-arms", base=(0, 0, 0.5))
    assert robot.bodies and "right_elbow" in robot.joints and nsn.robots.names()
    q = robot.q
    k = robot.joints.index("right_elbow")
    q[k] = 0.5
    robot.set_state(q)
    assert robot.position("right_elbow") == pytest.approx(0.5)
    for joint in robot.joints:
        try:
            robot.set_gains(joint, 500.0, 50.0)
        except ValueError:
            continue  # a finger that follows the other one
    sim = nsn.Simulation(world, preset="realtime")
    robot.set_target("right_elbow", 0.7)
    sim.step(240)
    assert robot.position("right_elbow") == pytest.approx(0.7, abs=0.1)
    position, orientation = robot.link_pose("right_gripper")
    assert position.shape == (3,) and np.linalg.norm(orientation) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="no link 'x'"):
        robot.link_pose("x")
    with pytest.raises(ValueError):
        robot.set_target("right_elbo", 0.1)


def test_copy_and_pickle():
    world, ground, (a, b, c) = boxes()
    world.velocity[a] = (0.1, 0, 0)
    world.add_joint("revolute", c, b, point=world.position[c], axis=(0, 0, 1), gain=3.0)
    world.add_deformable(nsn.meshes.ball(0.2, 320), position=(3, 0, 1))
    world.gravity = (0, 0, -3.7)
    for twin in (copy.copy(world), copy.deepcopy(world), pickle.loads(pickle.dumps(world))):
        assert repr(twin) == repr(world) and (twin.gravity == world.gravity).all()
        assert (twin.position == world.position).all() and not np.shares_memory(twin.position, world.position)
        sims = [nsn.Simulation(w) for w in (twin, copy.copy(world))]
        for sim in sims:
            sim.step(20)
        assert (sims[0].world.position == sims[1].world.position).all()
        assert (sims[0].world.particle_position == sims[1].world.particle_position).all()
        assert twin.joint(0).get("gain") == 3.0


def test_joints_of_a_moved_world_survive_pickling():
    world, ground, (a, b, c) = boxes()
    sim = nsn.Simulation(world)
    world.velocity[c] = (0.5, 0, 0)
    sim.step(30)
    sim.world.add_joint("spherical", c, b, point=world.position[c])
    twin = pickle.loads(pickle.dumps(sim))
    sim.step(30), twin.step(30)
    assert (sim.world.position == twin.world.position).all()


def test_world_belongs_to_one_simulation():
    world, *_ = boxes()
    nsn.Simulation(world)
    with pytest.raises(ValueError, match="in a simulation already"):
        nsn.Simulation(world)


def test_a_refused_simulation_leaves_the_world():
    world, *_ = boxes()
    for options in (dict(dt=-1.0), dict(preset="fast"), dict(linear="nothing"), dict(damping="adaptive"), dict(nonsense=1)):
        with pytest.raises(ValueError):
            nsn.Simulation(world, **options)
    assert nsn.Simulation(world).step(3).converged


@pytest.mark.parametrize("call, words", [
    (lambda w: w.add_box((1, -1, 1)), "size"),
    (lambda w: w.add_box((1, 1)), r"size: shape \(2,\)"),
    (lambda w: w.add_sphere(0), "radius: 0"),
    (lambda w: w.add_box((1, 1, 1), mass=-3), "mass: -3"),
    (lambda w: w.add_box((1, 1, 1), colour=3), "colour"),
    (lambda w: w.add_box((1, 1, 1), mu=np.nan), "mu: is NaN"),
    (lambda w: w.add_box((1, 1, 1), orientation=(0, 0, 0, 0)), "orientation"),
    (lambda w: w.add_body("dinamic"), "kind 'dinamic'"),
    (lambda w: w.add_body(inertia=np.ones((2, 2))), r"inertia: shape \(2, 2\)"),
    (lambda w: w.add_joint("hinge", 0, 1), "no joint 'hinge'"),
    (lambda w: w.add_joint("revolute", 0, 77), "body 77: there are 2"),
    (lambda w: w.add_joint("revolute", 1, 1), "joint"),
    (lambda w: w.add_joint("revolute", 1, 0, axis=(0, 0, 0)), "axis"),
    (lambda w: w.add_joint("revolute", 1, 0, nonsense=1), "no argument 'nonsense'"),
    (lambda w: w.add_shape(0, "box"), "shape: a shape of nsn.shapes"),
    (lambda w: w.add_shape(5, nsn.shapes.sphere(1)), "no body 5"),
    (lambda w: w.add_deformable(nsn.meshes.ball(1, 320), poisson=0.5), "0.5"),
    (lambda w: w.add_deformable(nsn.meshes.ball(1, 320), model="rubber"), "neo-hookean"),
    (lambda w: w.add_deformable(nsn.meshes.TetMesh(np.zeros((4, 3)), [[0, 1, 2, 3]])), "volume"),
    (lambda w: w.add_robot("humanoit"), "humanoit"),
    (lambda w: w.add_hull([[0, 0, 0], [1, 0, 0], [0, 1, 0]]), "point"),
    (lambda w: w.add_mesh([[0, 0, 0]], [[0, 1, 2]]), "outside of the 1 vertices"),
    (lambda w: nsn.scenes.arch(mu="high"), "mu"),
    (lambda w: nsn.scenes.arch(nu=0.5), "did you mean 'mu'"),
    (lambda w: nsn.scenes.arc(), "did you mean"),
])
def test_sentences(call, words):
    world = nsn.World()
    world.add_body("static")
    world.add_box((1, 1, 1))
    bodies, shapes = world._core.num_bodies, len(world.shapes)
    with pytest.raises((ValueError, TypeError, IndexError, AttributeError, OSError), match=words):
        call(world)
    assert len(list(world.bodies)) == bodies
    nsn.Simulation(world).step()
