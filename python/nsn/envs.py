"""Environments of gymnasium on nsn.Batch: learning with exact friction.

    envs = nsn.envs.make("BallOnPlate", 64)             # or gymnasium.make("nsn/BallOnPlate-v0")
    observation, info = envs.reset(seed=0)
    observation, reward, terminated, truncated, info = envs.step(envs.action_space.sample())

BallOnPlate   a plate on two driven axes keeps a ball that rolls on it near the middle
HumanoidRun   a humanoid with 21 motors runs to a target that moves when it is reached
DrawerOpen    a robot of two arms grasps a handle and opens a drawer by friction

Actions are in [-1, 1]. Worlds that end start again in the next step, as gymnasium's AutoresetMode.NEXT_STEP says."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from . import _arrays
from ._batch import Batch
from ._world import World
from . import scenes

try:
    import gymnasium
    from gymnasium.vector import AutoresetMode
except ImportError as error:
    raise ImportError("nsn.envs needs gymnasium: pip install gymnasium") from error

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


class VectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """Environments side by side on a Batch.

    actions: how many numbers one takes. act(batch, actions (n, actions)): sets efforts, targets, forces. observe(batch):
    (n, k). reward(batch, actions): (n,) and whether each has ended. start(batch, worlds, random): sets what differs from
    episode to episode in worlds that were reset. substeps: steps per action. limit: actions per episode."""

    def __init__(self, batch: Batch, *, actions: int, act: Callable[[Batch, Floats], None],
                 observe: Callable[[Batch], Floats], reward: Callable[[Batch, Floats], tuple[Floats, NDArray[np.bool_]]],
                 start: Callable[[Batch, Rows, np.random.Generator], None] | None = None, substeps: int = 4,
                 limit: int = 250):
        self.batch, self.act, self.observe, self.reward, self.start = batch, act, observe, reward, start
        self.substeps, self.limit = _arrays.integer("substeps", substeps, 1), _arrays.integer("limit", limit, 1)
        self.num_envs = len(batch)
        self.random = np.random.default_rng(0)
        self.width = actions
        self.single_action_space = gymnasium.spaces.Box(-1.0, 1.0, (actions,), np.float32)
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, self.num_envs)
        width = observe(batch).shape[1]
        self.single_observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (width,), np.float32)
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, self.num_envs)
        self.metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}
        self.age: Rows = np.zeros(self.num_envs, np.int64)
        self.over: NDArray[np.bool_] = np.zeros(self.num_envs, bool)

    def _begin(self, worlds: Rows) -> None:
        self.batch.reset(worlds.tolist())
        if self.start is not None and len(worlds):
            self.start(self.batch, worlds, self.random)
        self.age[worlds] = 0
        self.over[worlds] = False

    def reset(self, *, seed: int | Sequence[int | None] | None = None,
              options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        if seed is not None:
            self.random = np.random.default_rng(seed if isinstance(seed, int) else [s or 0 for s in seed])
        self._begin(np.arange(self.num_envs))
        return self.observe(self.batch).astype(np.float32), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        shape = (self.num_envs, self.width)
        taken = np.clip(_arrays.finite("actions", actions, shape), -1.0, 1.0)
        fresh = np.flatnonzero(self.over)
        self.act(self.batch, taken)
        self.batch.step(self.substeps)
        self.age += 1
        rewards, terminated = self.reward(self.batch, taken)
        broken = ~np.isfinite(rewards)
        rewards, terminated = np.where(broken, 0.0, rewards), terminated | broken
        truncated = (self.age >= self.limit) & ~terminated
        if len(fresh):
            self._begin(fresh)
            rewards[fresh], terminated[fresh], truncated[fresh] = 0.0, False, False
        self.over = terminated | truncated
        return self.observe(self.batch).astype(np.float32), rewards, terminated, truncated, {}


class Env(gymnasium.Env[Any, Any]):
    """One of them."""

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, task: str, **options: Any):
        self.vector = make(task, 1, **options)
        self.action_space = self.vector.single_action_space
        self.observation_space = self.vector.single_observation_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        observation, info = self.vector.reset(seed=seed)
        return observation[0], info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self.vector.step(np.asarray(action)[None])
        self.vector.over[:] = False  # the caller resets
        return observation[0], float(reward[0]), bool(terminated[0]), bool(truncated[0]), info


def _rotated_back(q: Floats, v: Floats) -> Floats:
    """Vectors in the axes of bodies."""
    w, u = q[:, :1], -q[:, 1:]
    t = 2 * np.cross(u, v)
    return np.asarray(v + w * t + np.cross(u, t))


# ---- a ball on a plate

PLATE, TILT = 0.6, 0.35  # edge of the plate, m; largest angle, rad


def _plate_world(_: int) -> World:
    world = World()
    base = world.add_body("static", name="base")
    plate = world.add_box((PLATE, PLATE, 0.02), 0.8, mass=2.0, name="plate", position=(0, 0, 0.5))
    joint = world.add_joint("universal", plate, base, point=(0, 0, 0.5), name="gimbal")
    for axis in (0, 1):
        world.joint(joint).set(axis, stiffness=200.0, gain=20.0, max_effort=20.0)
    world.add_sphere(0.03, 0.8, mass=0.1, name="ball", position=(0, 0, 0.54), rolling=1e-4)
    return world


def _ball_on_plate(n: int, **options: Any) -> VectorEnv:
    def start(batch: Batch, worlds: Rows, random: np.random.Generator) -> None:
        batch.position[worlds, 2, :2] = random.uniform(-0.2, 0.2, (len(worlds), 2))
        batch.velocity[worlds, 2, :2] = random.uniform(-0.2, 0.2, (len(worlds), 2))

    def act(batch: Batch, actions: Floats) -> None:
        batch.joint_target[:] = TILT * actions

    def observe(batch: Batch) -> Floats:
        x, v = batch.position[:, 2, :2], batch.velocity[:, 2, :2]
        return np.hstack([5 * x, 2 * v, 3 * batch.joint_position, 0.3 * batch.joint_speed])

    def reward(batch: Batch, actions: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        away = np.linalg.norm(batch.position[:, 2, :2], axis=1)
        fallen = (away > 0.5 * PLATE) | (batch.position[:, 2, 2] < 0.3)
        return np.where(fallen, -5.0, 1.0 - 5.0 * away - 0.02 * (actions**2).sum(axis=1)), fallen

    batch = Batch(_plate_world, n, preset="realtime")
    return VectorEnv(batch, actions=2, act=act, observe=observe, reward=reward, start=start, **options)


# ---- a humanoid that runs

def _humanoid_world(_: int) -> World:
    world = World()
    world.add_ground(1.0)
    world.add_robot("humanoid")
    return world


def _humanoid_run(n: int, **options: Any) -> VectorEnv:
    batch = Batch(_humanoid_world, n, preset="realtime")
    robot = batch.worlds[0].robots[0]
    gear = np.array([next((a["gear"] * a["gain"] for a in robot.description.actuators if a["joint"] == name), 0.0)
                     for name in batch.joint_names])
    torso = robot.bodies[0]
    target = np.zeros((n, 2))
    before = np.zeros(n)
    last = np.zeros((n, len(gear)))

    def away(batch: Batch) -> Floats:
        return np.asarray(np.linalg.norm(target - batch.position[:, torso, :2], axis=1))

    def place(batch: Batch, worlds: Rows, random: np.random.Generator) -> None:
        angle, distance = random.uniform(-np.pi, np.pi, len(worlds)), random.uniform(3.0, 10.0, len(worlds))
        target[worlds] = batch.position[worlds, torso, :2] + (distance * np.array([np.cos(angle), np.sin(angle)])).T

    def start(batch: Batch, worlds: Rows, random: np.random.Generator) -> None:
        batch.angular_velocity[worlds, torso] = random.uniform(-0.1, 0.1, (len(worlds), 3))
        place(batch, worlds, random)
        before[worlds], last[worlds] = away(batch)[worlds], 0.0

    def act(batch: Batch, actions: Floats) -> None:
        batch.joint_effort[:] = gear * actions

    def observe(batch: Batch) -> Floats:
        q, x = batch.orientation[:, torso], batch.position[:, torso]
        to = np.zeros((n, 3))
        to[:, :2] = target - x[:, :2]
        to /= np.maximum(np.linalg.norm(to, axis=1, keepdims=True), 1e-9)
        up = np.tile([0.0, 0.0, 1.0], (n, 1))
        return np.hstack([x[:, 2:] - 1.2, _rotated_back(q, up), _rotated_back(q, to), 0.3 * _rotated_back(q, batch.velocity[:, torso]),
                          0.2 * _rotated_back(q, batch.angular_velocity[:, torso]), batch.joint_position,
                          0.1 * batch.joint_speed, last])

    def reward(batch: Batch, actions: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        now = away(batch)
        speed = (before - now) / (env.substeps / 120)
        upright = 1 - 2 * (batch.orientation[:, torso, 1:3] ** 2).sum(axis=1)
        fallen = batch.position[:, torso, 2] < 0.85
        reached = np.flatnonzero((now < 0.5) & ~fallen)
        if len(reached):
            place(batch, reached, env.random)
            now = away(batch)
        before[:], last[:] = now, actions
        pay = 1.0 + 2.0 * np.clip(speed, -1, 4) + 0.3 * upright - 0.05 * (actions**2).sum(axis=1)
        pay[reached] += 10.0
        return np.where(fallen, -1.0, pay), fallen

    env = VectorEnv(batch, actions=len(gear), act=act, observe=observe, reward=reward, start=start,
                    **{"limit": 1000, "substeps": 2, **options})
    return env


# ---- a drawer

RIGHT = ("right_shoulder_pitch", "right_shoulder_roll", "right_upper_arm_yaw", "right_elbow", "right_forearm_yaw",
         "right_wrist_pitch", "right_wrist_yaw")


def _drawer_world(i: int) -> World:
    world = scenes.make("yumi-cabinet", count=1, seed=i)
    world.drop_control()
    return world


def _drawer_open(n: int, **options: Any) -> VectorEnv:
    batch = Batch(_drawer_world, n, preset="realtime")
    world = batch.worlds[0]
    names = batch.joint_names
    arm = [names.index(joint) for joint in RIGHT]
    fingers = [k for k, name in enumerate(names) if name.startswith("right_") and "finger" in name]
    slide = [k for k, name in enumerate(names) if name == "slide"][2]  # of the middle row's right drawer
    bodies = world._core.body_names()
    handle = [b for b, name in enumerate(bodies) if name == "handle"][2]
    tips = [b for b, name in enumerate(bodies) if name.startswith("right_") and "finger" in name]
    rest = batch.joint_position.copy()
    aim = rest[:, arm].copy()
    before = np.zeros(n)

    def start(batch: Batch, worlds: Rows, random: np.random.Generator) -> None:
        batch.joint_target[worlds] = rest[worlds]
        aim[worlds] = rest[worlds][:, arm] + random.uniform(-0.02, 0.02, (len(worlds), len(arm)))
        before[worlds] = 0.0

    def act(batch: Batch, actions: Floats) -> None:
        aim[:] = np.clip(aim + 0.05 * actions[:, :7], rest[:, arm] - 1.5, rest[:, arm] + 1.5)
        batch.joint_target[:, arm] = aim
        batch.joint_target[:, fingers] = np.where(actions[:, 7:] > 0, 0.022, -0.01)

    def reach(batch: Batch) -> Floats:
        return np.asarray(batch.position[:, handle] - batch.position[:, tips].mean(axis=1))

    def observe(batch: Batch) -> Floats:
        return np.hstack([batch.joint_position[:, arm], 0.3 * batch.joint_speed[:, arm], 20 * batch.joint_position[:, fingers],
                          5 * reach(batch), 5 * batch.joint_position[:, [slide]], aim])

    def reward(batch: Batch, actions: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        opened = batch.joint_position[:, slide]
        pay = 20 * (opened - before) + 0.1 * np.exp(-10 * np.linalg.norm(reach(batch), axis=1)) - 0.002 * (actions**2).sum(axis=1)
        before[:] = opened
        return pay + (opened > 0.2), opened > 0.2

    return VectorEnv(batch, actions=8, act=act, observe=observe, reward=reward, start=start,
                     **{"limit": 300, "substeps": 4, **options})


TASKS: dict[str, Callable[..., VectorEnv]] = {"BallOnPlate": _ball_on_plate, "HumanoidRun": _humanoid_run,
                                              "DrawerOpen": _drawer_open}


def make(task: str, n: int, **options: Any) -> VectorEnv:
    """n environments of a task side by side. options: substeps, limit."""
    if task not in TASKS:
        raise ValueError(f"no task '{task}'; there are " + ", ".join(TASKS))
    return TASKS[task](_arrays.integer("n", n, 1), **options)


def _entry(task: str, **options: Any) -> Env:
    return Env(task, **options)


def _vector_entry(task: str, num_envs: int = 1, **options: Any) -> VectorEnv:
    return make(task, num_envs, **options)


for _task in TASKS:
    _id = f"nsn/{_task}-v0"
    if _id not in gymnasium.registry:
        gymnasium.register(_id, entry_point=cast(Any, _entry), vector_entry_point=cast(Any, _vector_entry), kwargs={"task": _task})
