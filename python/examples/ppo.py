"""Proximal policy optimisation in numpy (Schulman et al. 2017) on an environment of nsn.

    python ppo.py [TASK] [--updates 150] [--envs 64] [--out DIR] [--seed 0]

Writes DIR/TASK.csv, a row per update: actions so far, seconds of CPU, mean length and return of the episodes that ended
in it; DIR/TASK.npz, the policy; DIR/TASK.svg, the curve, where matplotlib is installed."""
import argparse
import csv
import pathlib
import time

import numpy as np

import nsn.envs


class Network:
    """Layers of tanh and a linear one, with their gradient."""

    def __init__(self, sizes, rng, last):
        self.W = [rng.normal(size=(a, b)) * np.sqrt(1 / a) for a, b in zip(sizes, sizes[1:])]
        self.W[-1] *= last
        self.b = [np.zeros(b) for b in sizes[1:]]

    @property
    def parameters(self):
        return self.W + self.b

    def __call__(self, x):
        self.kept = [x]
        for W, b in zip(self.W[:-1], self.b[:-1]):
            self.kept.append(np.tanh(self.kept[-1] @ W + b))
        return self.kept[-1] @ self.W[-1] + self.b[-1]

    def gradient(self, dy):
        """Of sum(dy * y), for the last call."""
        dW, db = [], []
        for k in reversed(range(len(self.W))):
            dW.insert(0, self.kept[k].T @ dy)
            db.insert(0, dy.sum(axis=0))
            if k:
                dy = (dy @ self.W[k].T) * (1 - self.kept[k] ** 2)
        return dW + db


class Adam:
    def __init__(self, parameters, rate):
        self.parameters, self.rate, self.t = parameters, rate, 0
        self.m = [np.zeros_like(p) for p in parameters]
        self.v = [np.zeros_like(p) for p in parameters]

    def step(self, gradient, longest=0.5):
        norm = np.sqrt(sum((g**2).sum() for g in gradient))
        scale = min(1.0, longest / (norm + 1e-9))
        self.t += 1
        for p, g, m, v in zip(self.parameters, gradient, self.m, self.v):
            m += 0.1 * (scale * g - m)
            v += 0.001 * ((scale * g) ** 2 - v)
            p -= self.rate * (m / (1 - 0.9**self.t)) / (np.sqrt(v / (1 - 0.999**self.t)) + 1e-8)


class Agent:
    """A Gaussian policy around a network, and a network for the value of a state."""

    def __init__(self, observations, actions, rng, hidden=64):
        self.policy = Network([observations, hidden, hidden, actions], rng, 0.01)
        self.value = Network([observations, hidden, hidden, 1], rng, 1.0)
        self.log_sigma = np.full(actions, -0.5)
        self.mean, self.square, self.seen = np.zeros(observations), np.ones(observations), 1e-4
        self.rng = rng
        self.adam = Adam(self.policy.parameters + [self.log_sigma] + self.value.parameters, 3e-4)

    def normal(self, o):
        return np.clip((o - self.mean) / np.sqrt(np.maximum(self.square - self.mean**2, 1e-6)), -10, 10)

    def watch(self, o):
        """Running mean and square of observations."""
        n = len(o)
        self.seen += n
        self.mean += (o.mean(axis=0) - self.mean) * n / self.seen
        self.square += ((o**2).mean(axis=0) - self.square) * n / self.seen

    def log_density(self, a, mean):
        return -(0.5 * ((a - mean) / np.exp(self.log_sigma)) ** 2 + self.log_sigma).sum(axis=-1)

    def act(self, x):
        mean = self.policy(x)
        a = mean + np.exp(self.log_sigma) * self.rng.normal(size=mean.shape)
        return a, self.log_density(a, mean), self.value(x)[:, 0]

    def improve(self, x, a, density, advantage, target, epochs=8, parts=8, clip=0.2):
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        for _ in range(epochs):
            for part in np.array_split(self.rng.permutation(len(x)), parts):
                mean = self.policy(x[part])
                ratio = np.exp(np.clip(self.log_density(a[part], mean) - density[part], -20, 20))
                A = advantage[part]
                # d/d log density of -min(ratio A, clip(ratio) A)
                inside = (A > 0) & (ratio < 1 + clip) | (A <= 0) & (ratio > 1 - clip)
                slope = np.where(inside, -ratio * A, 0.0)[:, None] / len(part)
                sigma = np.exp(self.log_sigma)
                off = (a[part] - mean) / sigma
                down = self.policy.gradient(slope * off / sigma)
                spread = (slope * (off**2 - 1)).sum(axis=0) - 1e-3  # and some entropy
                error = self.value(x[part])[:, 0] - target[part]
                self.adam.step(down + [spread] + self.value.gradient(0.5 * error[:, None] / len(part)))
        np.clip(self.log_sigma, -3, 0.5, out=self.log_sigma)


def advantages(reward, value, last, terminated, ended, discount=0.99, trace=0.95):
    """Generalised advantage estimation over (time, environments)."""
    out, running = np.zeros_like(reward), np.zeros(reward.shape[1])
    following = np.vstack([value[1:], last])
    for t in reversed(range(len(reward))):
        delta = reward[t] + discount * following[t] * ~terminated[t] - value[t]
        running = delta + discount * trace * running * ~ended[t]
        out[t] = running
    return out


def train(task, updates, n, horizon, seed, report):
    rng = np.random.default_rng(seed)
    envs = nsn.envs.make(task, n)
    agent = Agent(envs.single_observation_space.shape[0], envs.single_action_space.shape[0], rng)
    o, _ = envs.reset(seed=seed)
    length, total = np.zeros(n), np.zeros(n)
    start = time.process_time()
    for update in range(updates):
        rows, lengths, returns = [], [], []
        for _ in range(horizon):
            agent.watch(o)
            x = agent.normal(o)
            a, density, value = agent.act(x)
            fresh = envs.over.copy()  # this action starts an episode; it is no experience
            o, reward, terminated, truncated, _ = envs.step(a)
            rows.append((x, a, density, value, reward, terminated, terminated | truncated, ~fresh))
            total, length = total + reward, length + ~fresh
            for k in np.flatnonzero(terminated | truncated):
                lengths.append(length[k])
                returns.append(total[k])
                total[k] = length[k] = 0.0
        x, a, density, value, reward, terminated, ended, real = (np.array(column) for column in zip(*rows))
        A = advantages(reward, value, agent.value(agent.normal(o))[:, 0], terminated, ended)
        agent.improve(x[real], a[real], density[real], A[real], (A + value)[real])
        report(update, (update + 1) * horizon * n, time.process_time() - start, lengths, returns)
    return agent


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", nargs="?", default="BallOnPlate", choices=list(nsn.envs.TASKS))
    parser.add_argument("--updates", type=int, default=150)
    parser.add_argument("--envs", type=int, default=64)
    parser.add_argument("--horizon", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/ppo"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    curve = []
    with open(options.out / f"{options.task}.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["update", "actions", "cpu_s", "episodes", "mean_length", "mean_return"])

        def report(update, actions, seconds, lengths, returns):
            if not lengths:
                return
            row = [update, actions, f"{seconds:.1f}", len(lengths), f"{np.mean(lengths):.1f}", f"{np.mean(returns):.2f}"]
            table.writerow(row)
            file.flush()
            curve.append((actions, np.mean(returns)))
            print(f"update {row[0]}: {row[1]} actions, {row[2]} s, {row[3]} episodes of {row[4]} actions, return {row[5]}")

        agent = train(options.task, options.updates, options.envs, options.horizon, options.seed, report)
    np.savez(options.out / f"{options.task}.npz", log_sigma=agent.log_sigma, mean=agent.mean, square=agent.square,
             **{f"W{k}": W for k, W in enumerate(agent.policy.W)}, **{f"b{k}": b for k, b in enumerate(agent.policy.b)})
    try:
        import matplotlib
        matplotlib.use("svg")
        from matplotlib import pyplot
    except ImportError:
        return
    figure, axes = pyplot.subplots(figsize=(6, 3.5))
    axes.plot(*zip(*curve))
    axes.set(xlabel="actions", ylabel="mean return of an episode", title=options.task)
    figure.tight_layout()
    figure.savefig(options.out / f"{options.task}.svg")


if __name__ == "__main__":
    main()
