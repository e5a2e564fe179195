"""Batches and environments."""
import numpy as np
import pytest

import nsn


def arches(n=4):
    return nsn.Batch(lambda i: nsn.scenes.arch(mu=0.5 + 0.05 * i), n, preset="accurate")


def test_a_batch_is_its_worlds():
    batch = arches()
    batch.step(20)
    for i in range(4):
        sim = nsn.Simulation(nsn.scenes.arch(mu=0.5 + 0.05 * i))
        sim.step(20)
        assert (batch.position[i] == sim.world.position).all()
        assert (batch.worlds[i].position == sim.world.position).all()
        assert batch.energy[i] == sim.report.energy


def test_arrays_are_what_a_step_starts_from():
    batch = arches(2)
    batch.velocity[1, :, 0] = 1.0
    x = batch.position
    before = x[:, 1:, 0].copy()
    batch.step(1)
    assert np.shares_memory(x, batch.position)
    moved = x[:, 1:, 0] - before
    assert abs(moved[0]).max() < 1e-3 and moved[1].mean() > 5e-3
    batch.force[0, 1] = (0, 0, 500.0)
    batch.step(10)
    assert batch.velocity[0, 1, 2] != 0


def test_reset_and_states():
    batch = arches()
    start = batch.position.copy()
    batch.step(10)
    state = batch.get_state(2)
    batch.step(10)
    later = batch.position[2].copy()
    batch.set_state(2, state)
    batch.reset([0, 1])
    assert (batch.position[:2] == start[:2]).all() and not (batch.position[3] == start[3]).all()
    batch.step(10)
    assert (batch.position[2] == later).all()


def test_efforts_and_targets():
    def make(i):
        world = nsn.World()
        post = world.add_body("static")
        arm = world.add_box((1, 0.1, 0.1), position=(0.5, 0, 0), mass=2)
        world.add_joint("revolute", arm, post, axis=(0, -1, 0), name="hinge", stiffness=1e4, gain=100.0)
        return world

    batch = nsn.Batch(make, 3)
    assert batch.joint_names == ["hinge"]
    batch.joint_target[:, 0] = (0.0, 0.1, 0.2)
    batch.step(240)
    assert np.allclose(batch.joint_position[:, 0], (0.0, 0.1, 0.2), atol=2e-3)
    batch.joint_effort[:, 0] = 2 * 9.81 * 0.5  # holds the arm
    batch.joint_target[:] = 0
    batch.step(480)
    assert abs(batch.joint_position).max() < 2e-4
    batch.joint_effort[1, 0] = np.nan
    with pytest.raises(ValueError, match="world 1: joint 'hinge': effort nan"):
        batch.step()


@pytest.mark.parametrize("call, words", [
    (lambda: nsn.Batch(lambda i: nsn.scenes.arch(), 0), "n: 0"),
    (lambda: nsn.Batch(lambda i: nsn.scenes.arch(blocks=10 + 2 * i), 2), "a batch needs worlds of one kind"),
    (lambda: nsn.Batch(nsn.scenes.arch(), 2), "make: a function"),
    (lambda: nsn.Batch(lambda i: 7, 2), "a nsn.World is needed"),
    (lambda: arches().reset([9]), "worlds: 9"),
    (lambda: arches().get_state(9), "world: 9"),
    (lambda: arches().step(-1), "n: -1"),
])
def test_sentences(call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call()


# ---- environments

gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")


@pytest.mark.parametrize("task", ["BallOnPlate", "HumanoidRun", "DrawerOpen"])
def test_environments(task):
    import nsn.envs
    envs = gymnasium.make_vec(f"nsn/{task}-v0", num_envs=3, limit=8)
    envs.action_space.seed(0)
    first, _ = envs.reset(seed=1)
    assert envs.observation_space.contains(first) and np.isfinite(first).all()
    actions = [envs.action_space.sample() for _ in range(12)]

    def roll():
        envs.reset(seed=1)
        return [envs.step(a) for a in actions]

    one, two = roll(), roll()
    for a, b in zip(one, two):
        assert all((x == y).all() for x, y in zip(a[:4], b[:4]))  # the same seed, the same episode
    assert one[7][3].all() and not one[8][3].any()  # truncated at the limit, then begun again
    assert (one[8][1] == 0).all()
    single = gymnasium.make(f"nsn/{task}-v0")
    o, _ = single.reset(seed=3)
    assert single.observation_space.contains(o)
    o, r, *_ = single.step(single.action_space.sample())
    assert isinstance(r, float)
    with pytest.raises(ValueError, match="actions"):
        envs.step(np.zeros((2, 1)))


def test_gymnasiums_own_checks():
    from gymnasium.utils.env_checker import check_env

    import nsn.envs
    check_env(nsn.envs.Env("BallOnPlate"), skip_render_check=True)


def test_a_policy_learns(tmp_path):
    """The example's learner on the small task: an episode pays more after a few updates."""
    import os
    import pathlib
    import subprocess
    import sys
    example = pathlib.Path(__file__).parent.parent / "examples" / "ppo.py"
    environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    subprocess.run([sys.executable, str(example), "--updates", "9", "--out", str(tmp_path)], check=True, capture_output=True,
                   env=environment)
    rows = [line.split(",") for line in (tmp_path / "BallOnPlate.csv").read_text().splitlines()[1:]]
    assert float(rows[-1][-1]) > 50 > 20 > float(rows[0][-1])
