"""Random misuse: whatever is passed, the answer is an answer or an exception with a sentence, never a crash.

Each case takes a call that works and replaces one or two of its arguments by something else."""
import copy
import random

import numpy as np
import pytest
import scipy.sparse as sp

import nsn

NAN = float("nan")


class Odd:
    """Looks like many things."""

    shape = (3, 3)
    dtype = np.float64
    ndim = 2

    def __len__(self):
        return 3

    def __getitem__(self, k):
        raise RuntimeError("no item")


def strange(rng):
    """Arguments that callers pass by mistake."""
    n = rng.choice([0, 1, 2, 3, 4, 9, 10])
    big = sp.csr_array(np.eye(3))
    big.indices = big.indices.astype(np.int64)
    big.indices[0] = 2**40
    crossed = sp.csr_array(np.eye(3))
    crossed.indptr = np.array([0, 2, 1, 3], dtype=np.int32)
    outside = sp.csr_array(np.eye(3))
    outside.indices = np.array([0, 7, -2], dtype=np.int32)
    short = sp.csr_array(np.eye(3))
    short.data = short.data[:1]
    frozen = np.ones(3)
    frozen.setflags(write=False)
    return rng.choice([
        None, True, "", "arch", "\0", "x" * 10000, b"bytes", 0, -1, 1, 2**31, -(2**63), 10**30, 0.0, -0.0, 1e308, -1e308, 5e-324, NAN,
        float("inf"), 1j, [], [1], [1, 2, 3], [NAN] * 3, [[1, 2], [3]], (), {}, {"a": 1}, set(), object(), Odd(), lambda *a: 1,
        len, int, range(3), iter([1, 2, 3]), np.zeros(n), np.ones((n, 3)), np.full(3, NAN), np.zeros((0, 0)),
        np.zeros((3, 3), np.float32), np.ones(3, np.int64), np.ones((3, 3), complex), np.array(["a", "b", "c"]),
        np.array([object()] * 3), np.ones((6, 6))[::2, ::2], np.ones((3, 3)).T, np.ones(6)[::-2], frozen, np.array(2.0),
        np.zeros((2, 2, 2)), np.array([], dtype=object), sp.eye_array(3, format="csr"), sp.eye_array(4, format="csc"),
        sp.csr_array((3, 3)), sp.bsr_array(np.eye(6), blocksize=(2, 2)), sp.bsr_array(np.eye(6), blocksize=(3, 3)), sp.coo_array([1.0, 2.0]),
        sp.csr_array(np.eye(3) * NAN), big, crossed, outside, short, sp.csr_array(np.eye(3, dtype=complex)), nsn, nsn.World(),
        nsn.shapes.sphere(1), nsn.meshes.bar((1, 1, 1), (1, 1, 1)), nsn.Simulation])


def small_world():
    world = nsn.World()
    world.add_ground()
    world.add_box((1, 1, 1), position=(0, 0, 0.6), name="box")
    world.add_joint("revolute", world.add_sphere(0.2, position=(3, 0, 1)), 0)
    world.add_deformable(nsn.meshes.bar((1, 1, 1), (1, 1, 1)), position=(6, 0, 0.1))
    return world


def small_simulation():
    return nsn.Simulation(small_world())


def batch():
    return nsn.Batch(lambda i: small_world(), 2)


#: Calls that work: where the target comes from, a method, arguments, keywords.
CALLS = [
    (lambda: nsn, "solve", (np.eye(3), [-1, 0, 0], 0.5), dict(r0=[0, 0, 0], method="auto", linear="contact-lu", tol=1e-8, dimension=3, time_limit=1.0, max_factorizations=5, progress=None)),
    (lambda: nsn, "solve_global", (np.eye(3), np.eye(3), [1, 0, 0], [-1, 0, 0], 0.5), dict(r0=None, form="auto", time_limit=1.0)),
    (lambda: nsn, "solve_lcp", (np.eye(2), [-1, 1]), dict(method="auto", tol=1e-8)),
    (lambda: nsn, "friction_error", (np.eye(3), [-1, 0, 0], 0.5, [1, 0, 0]), {}),
    (lambda: nsn, "linear_solve", (np.eye(3), [1, 2, 3], "pcr"), dict(x0=None, rtol=1e-8, atol=0.0, max_iterations=5, symmetric=None, monitor=None)),
    (lambda: nsn, "compare", ({"a": (np.eye(3), [1, 2, 3])}, ["klu"]), dict(rtol=1e-8, repeat=1)),
    (lambda: nsn.LinearSolver("klu"), "factorize", (np.eye(3),), dict(symmetric=None)),
    (lambda: nsn.LinearSolver("klu").factorize(np.eye(3)), "solve", ([1, 2, 3],), dict(x0=None, rtol=1e-8)),
    (lambda: nsn.Registry(), "add", ("mine", lambda A: lambda b: b, "a summary"), {}),
    (lambda: nsn.Registry(), "info", ("klu",), {}),
    (lambda: nsn, "LinearSolver", ("klu",), {}),
    (lambda: nsn, "read_problem", ("/nowhere",), dict(format="auto")),
    (lambda: nsn, "write_problem", ("/dev/null", nsn.FrictionProblem("local", W=np.eye(3), q=[1, 0, 0], mu=[0.5])), dict(format="siconos")),
    (lambda: nsn, "World", ((0, 0, -9.81),), {}),
    (lambda: nsn.shapes, "box", ((1, 1, 1),), {}), (lambda: nsn.shapes, "sphere", (1,), {}),
    (lambda: nsn.shapes, "capsule", (1, 1), {}), (lambda: nsn.shapes, "cylinder", (1, 1), {}), (lambda: nsn.shapes, "plane", (1,), {}),
    (lambda: nsn.shapes, "hull", ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],), {}),
    (lambda: nsn.shapes, "mesh", ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]), dict(two_sided=False, depth=0.1)),
    (lambda: nsn.meshes, "TetMesh", ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 2, 3]]), {}),
    (lambda: nsn.meshes, "ball", (1, 320), {}), (lambda: nsn.meshes, "bar", ((1, 1, 1), (1, 1, 1)), {}),
    (lambda: nsn.meshes, "finger", (2,), dict(length=0.1, width=0.02)), (lambda: nsn.meshes, "read", ("/nowhere.msh",), {}),
    (lambda: nsn.robots, "read", ("humanoid",), {}),
    (small_world, "add_body", ("dynamic",), dict(mass=1, inertia=(1, 1, 1), density=1, position=(0, 0, 9), orientation=(1, 0, 0, 0), velocity=(0, 0, 0), angular_velocity=(0, 0, 0), name="a")),
    (small_world, "add_box", ((1, 1, 1), 0.5), dict(mass=1, position=(0, 0, 9), restitution=0.1, rolling=0.0, spinning=0.0, compliance=0.0, thickness=0.0)),
    (small_world, "add_shape", (1, nsn.shapes.sphere(1), 0.5), dict(offset=(0, 0, 0), rotation=(1, 0, 0, 0))),
    (small_world, "add_mesh", ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], 0.5), dict(kind="static")),
    (small_world, "add_joint", ("revolute", 1, 0), dict(point=(0, 0, 0), axis=(0, 0, 1), limit=(-1, 1), stiffness=1, gain=1, target=0, speed=0, max_effort=1, friction=1, spring=1, damping=1, rest=0, armature=1, collide=False, name="j")),
    (small_world, "add_joint", ("weld", 1, 0), dict(linear=(0, 0, 0), angular=(0, 0, 0), linear_damping=(0, 0, 0), angular_damping=(0, 0, 0))),
    (small_world, "add_joint", ("distance", 1, 0), dict(point_a=(0, 0, 1), point_b=(0, 0, 0), length=1, compliance=0)),
    (small_world, "add_joint", ("distance", 1, 0), dict(point_a=(0, 0, 1), point_b=(0, 0, 0), range=(0.5, 2))),
    (small_world, "add_deformable", (nsn.meshes.bar((1, 1, 1), (1, 1, 1)),), dict(position=(0, 0, 9), orientation=(1, 0, 0, 0), young=1e5, poisson=0.3, density=1e3, model="neo-hookean", damping=0.1, mu=0.5, self_contact=False, ignored_bodies=(), name="d")),
    (small_world, "add_robot", ("two-arms",), dict(base=(0, 0, 5), orientation=(1, 0, 0, 0), q=(), v=(), base_body=-1, hull_points=8, group=1, mu=0.5)),
    (small_world, "remove_body", (1,), {}), (small_world, "remove_shape", (1,), {}), (small_world, "remove_joint", (0,), {}),
    (small_world, "remove_deformable", (0,), {}), (small_world, "set_pair_friction", (0, 1, 0.5), {}),
    (small_world, "ignore_pair", (0, 1), {}), (small_world, "set_filter", (1,), dict(category=1, mask=1, group=0)),
    (small_world, "fix_particle", (0, True), {}), (small_world, "body", ("box",), {}), (small_world, "joint", (0,), {}),
    (small_world, "shape_surface", (1,), {}),
    (lambda: small_world().joint(0), "set", (0,), dict(lower=-1, upper=1, target=0)), (lambda: small_world().joint(0), "get", ("lower", 0), {}),
    (lambda: small_world().deformables[0], "set_activation", (1e3,), {}),
    (lambda: nsn, "Simulation", (small_world(),), dict(dt=0.01, preset="accurate", linear="contact-lu", control=None, after_step=None, registry=None)),
    (small_simulation, "step", (1,), {}), (small_simulation, "contact_force", (1, 0), {}), (small_simulation, "deformable_force", (0, 0), {}),
    (small_simulation, "joint_position", (0, 0), {}), (small_simulation, "joint_speed", (0, 0), {}), (small_simulation, "joint_effort", (0, 0), {}),
    (small_simulation, "joint_reaction", (0,), {}), (small_simulation, "history", (0,), {}), (small_simulation, "set_state", (b"",), {}),
    (small_simulation, "observe", (None,), {}), (small_simulation, "load", ("/nowhere",), {}), (small_simulation, "save", ("/nowhere/x",), {}),
    (small_simulation, "record", (), dict(title="a", every=1, frames=2, contacts=0, trace=True)),
    (lambda: small_simulation().record(), "save", ("/nowhere.txt",), dict(beside=None)),
    (lambda: small_simulation().record(), "page", (None,), {}),
    (lambda: nsn, "Batch", (lambda i: small_world(), 2), dict(dt=0.01, preset="realtime")),
    (batch, "step", (1,), {}), (batch, "reset", ([0],), {}), (batch, "get_state", (0,), {}), (batch, "set_state", (0, b""), {}), (batch, "refresh", ([0],), {}),
    (lambda: nsn.scenes, "arch", (), dict(mu=0.5, blocks=10)), (lambda: nsn.scenes, "make", ("arch",), dict(mu=0.5)),
]

EXPECTED = (ValueError, TypeError, IndexError, KeyError, AttributeError, OSError, RuntimeError, OverflowError, nsn.NotConverged, ImportError)


def one_case(seed):
    rng = random.Random(seed)
    make, method, args, keywords = CALLS[seed % len(CALLS)]
    target = make()
    args, keywords = list(args), dict(keywords)
    for _ in range(rng.choice([1, 1, 2])):
        place = rng.randrange(len(args) + len(keywords)) if args or keywords else 0
        if place < len(args):
            args[place] = strange(rng)
        elif keywords:
            keywords[list(keywords)[place - len(args)]] = strange(rng)
    if rng.random() < 0.05:
        keywords["nonsense"] = 1
    if method == "step" and args and isinstance(args[0], int) and args[0] > 10:
        return  # an honest wish
    error = None
    try:
        getattr(target, method)(*args, **keywords)
    except EXPECTED as caught:
        error = caught
        assert str(caught), (method, args, keywords)
        assert not isinstance(caught, MemoryError)
    # What was refused has broken nothing.
    if isinstance(target, nsn.World) and not isinstance(error, RuntimeError):
        try:
            nsn.Simulation(target).step(1)
        except ValueError as refused:
            assert str(refused)
    if isinstance(target, nsn.Simulation) and error is not None:
        target.step(1)


@pytest.mark.parametrize("part", range(6))
def test_random_misuse(part):
    for seed in range(part * 70, part * 70 + 70):
        one_case(seed)


@pytest.mark.long
def test_much_random_misuse():
    for seed in range(1000, 8000):
        one_case(seed)


def spoil(world, rng):
    """NaN and nonsense written into live arrays."""
    name = rng.choice(["position", "orientation", "velocity", "angular_velocity", "force", "torque", "mass", "inertia",
                       "particle_position", "particle_velocity", "particle_force", "particle_mass"])
    rows = getattr(world, name)
    rows.reshape(-1)[rng.randrange(rows.size)] = rng.choice([NAN, float("inf"), -1.0, 0.0, 1e308])


@pytest.mark.parametrize("seed", range(60))
def test_spoiled_arrays(seed):
    rng = random.Random(seed)
    sim = small_simulation()
    state = sim.get_state()
    spoil(sim.world, rng)
    try:
        sim.step(2)
    except ValueError as error:
        assert str(error)
    sim.set_state(state)
    assert sim.step(2).converged


def test_everything_after_the_world_is_gone():
    import gc
    sim = small_simulation()
    sim.step()
    body, joint, soft, arrays = sim.world.body(1), sim.world.joint(0), sim.world.deformables[0], sim.world.position
    contacts, report, history = sim.contacts, sim.report, sim.history(0)
    copied = copy.copy(sim.world)
    del sim
    gc.collect()
    assert body.mass > 0 and joint.get("lower") < 0 and soft.mass > 0 and arrays.shape == copied.position.shape
    assert len(contacts) >= 0 and report.converged and len(history) >= 0


def test_a_view_of_a_removed_body():
    world = small_world()
    world.remove_joint(0)
    body = world.body(2)
    world.remove_body(2)
    with pytest.raises((IndexError, ValueError)):
        world.body(2)
    body.position  # the row is there until the next body takes it
    world.add_sphere(0.1)
    assert world.body(2).mass > 0
