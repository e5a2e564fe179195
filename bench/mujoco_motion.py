#!/usr/bin/env python3
"""Robots of public packages in motion and at rest, by nsn and by MuJoCo: cost of a step, creep, sinking, slip.

    python3 -m venv v && v/bin/pip install numpy "mujoco<4"
    v/bin/pip download --no-deps -d w gymnasium dm-control mujoco-warp genesis-world      # unpack them into DIR
    v/bin/python bench/mujoco_motion.py DIR [--nsn build/release/bin/nsn] [--csv docs/data/mujoco_motion.csv] [--only NAME...]

Every model is let go where its file puts it, motors off, servos holding, with the time step of its file in both
programs, on one thread. MuJoCo runs as the file says (*default*), with elliptic cones (*elliptic*), and with elliptic
cones, noslip and a tight tolerance (*tight*). Columns:

    us         processor time of one step, the least of three rounds that take turns: MuJoCo in one call of many steps,
               nsn as the difference of a run and one of half the steps
    contacts   at the end
    creep_m    how far the fastest point goes in the last of eleven seconds
    sink_m     how far the lowest-going point goes down in it

MuJoCo's points are the centres of its geometries, a turn counting by their radius; nsn's are those of its pictures.
The row `pinch` has, in the columns of creep, the slip of a capsule of 0.5 kg between two fingers that press with 20 N each, m down over the third second.
A model that still moves at the end in `accurate` is listed with what it does; creep says little of it.
"""
import argparse
import csv
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import mujoco
import numpy as np

mujoco.set_mju_user_warning(lambda text: print(text, file=sys.stderr))  # in place of a file MUJOCO_LOG.TXT here

MODELS = {
    "ant": "gymnasium/envs/mujoco/assets/ant.xml",
    "walker2d": "gymnasium/envs/mujoco/assets/walker2d.xml",
    "hopper": "gymnasium/envs/mujoco/assets/hopper.xml",
    "half_cheetah": "gymnasium/envs/mujoco/assets/half_cheetah.xml",
    "humanoid": "gymnasium/envs/mujoco/assets/humanoid.xml",
    "humanoidstandup": "gymnasium/envs/mujoco/assets/humanoidstandup.xml",
    "suite_humanoid": "dm_control/suite/humanoid.xml",
    "suite_walker": "dm_control/suite/walker.xml",
    "suite_quadruped": "dm_control/suite/quadruped.xml",
    "suite_cheetah": "dm_control/suite/cheetah.xml",
    "warp_humanoid": "mujoco_warp/test_data/humanoid/humanoid.xml",
    "panda": "genesis/assets/xml/franka_emika_panda/panda.xml",
}
PINCH = """<mujoco model="pinch"><option timestep="0.005"/><worldbody>
  <body name="left" pos="-0.05 0 0.5"><joint type="slide" axis="1 0 0" stiffness="1000" springref="0.02" damping="20"/>
    <geom type="box" size="0.02 0.03 0.03" mass="0.2" friction="1"/></body>
  <body name="right" pos="0.05 0 0.5"><joint type="slide" axis="-1 0 0" stiffness="1000" springref="0.02" damping="20"/>
    <geom type="box" size="0.02 0.03 0.03" mass="0.2" friction="1"/></body>
  <body name="held" pos="0 0 0.5"><freejoint/><geom type="capsule" size="0.0299 0.05" mass="0.5" friction="1"/></body>
</worldbody></mujoco>
"""
WAYS = ["default", "elliptic", "tight"]
SECONDS = 11.0


def set_way(model, way):
    if way != "default":
        model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    if way == "tight":
        model.opt.noslip_iterations = 20
        model.opt.noslip_tolerance = 1e-12
        model.opt.tolerance = 1e-12
        model.opt.iterations = 200


def started(path, way):
    model = mujoco.MjModel.from_xml_path(str(path))
    set_way(model, way)
    data = mujoco.MjData(model)
    for a in range(model.nu):  # servos hold the pose it starts in
        if model.actuator_biastype[a] != mujoco.mjtBias.mjBIAS_AFFINE or not model.actuator_gainprm[a, 0] > 0.0:
            continue
        held = model.actuator_trnid[a, 0]
        scale = -model.actuator_biasprm[a, 1] / model.actuator_gainprm[a, 0]
        if model.actuator_trntype[a] == mujoco.mjtTrn.mjTRN_JOINT:
            data.ctrl[a] = scale * data.qpos[model.jnt_qposadr[held]]
        elif model.actuator_trntype[a] == mujoco.mjtTrn.mjTRN_TENDON:
            data.ctrl[a] = scale * model.tendon_length0[held]
    return model, data


def of_mujoco(path, way):
    """us, contacts, creep, sinking."""
    model, data = started(path, way)
    steps = round((SECONDS - 1.0) / model.opt.timestep)
    before = time.process_time()
    mujoco.mj_step(model, data, steps)
    us = (time.process_time() - before) / steps * 1e6
    x, R = data.geom_xpos.copy(), data.geom_xmat.copy()
    mujoco.mj_step(model, data, round(1.0 / model.opt.timestep))
    moves = model.geom_bodyid > 0
    reach = model.geom_rbound * np.linalg.norm(data.geom_xmat - R, axis=1)
    way_m = np.linalg.norm(data.geom_xpos - x, axis=1) + reach
    return us, data.ncon, way_m[moves].max(), (x - data.geom_xpos)[moves, 2].max()


def processor_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):  # 1: a step that did not converge
        raise RuntimeError(done.stderr.strip())
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def points(path):
    text = path.read_text()
    begin = text.index(">", text.index("<DataArray", text.index("<Points>"))) + 1
    return np.array(text[begin:text.index("</DataArray>", begin)].split(), float).reshape(-1, 3)


def command_of(nsn, path, preset, h, steps):
    return [nsn, "run", str(path), "--preset", preset, "--time-step", repr(h), "--threads", "1", "--steps", str(steps),
            "--quiet"]


def rest_of_nsn(nsn, path, preset, h, seconds=SECONDS):
    """contacts, creep, sinking."""
    second = round(1.0 / h)
    steps = round(seconds / h)
    with tempfile.TemporaryDirectory() as folder:
        command = command_of(nsn, path, preset, h, steps)
        processor_seconds(command + ["--frame-every", str(second), "--out", folder])
        frames = sorted(pathlib.Path(folder).glob("*.vtu"))
        first, last = points(frames[-2]), points(frames[-1])
        with open(pathlib.Path(folder) / "steps.csv", encoding="utf-8") as file:
            contacts = int(list(csv.DictReader(file))[-1]["contacts"])
    return contacts, np.linalg.norm(last - first, axis=1).max(), (first - last)[:, 2].max()


def cost_of_nsn(nsn, path, preset, h):
    steps = round((SECONDS - 1.0) / h)
    whole = processor_seconds(command_of(nsn, path, preset, h, 2 * steps))
    half = processor_seconds(command_of(nsn, path, preset, h, steps))
    return max(0.0, (whole - half) / steps * 1e6)


def compare(name, path, nsn, rounds):
    h = mujoco.MjModel.from_xml_path(str(path)).opt.timestep
    row = {"model": name, "time_step_s": h}
    for way in WAYS:
        row[f"{way}_us"], row[f"{way}_contacts"], row[f"{way}_creep_m"], row[f"{way}_sink_m"] = of_mujoco(path, way)
    for preset in ("realtime", "accurate"):
        row[f"{preset}_us"] = cost_of_nsn(nsn, path, preset, h)
        row[f"{preset}_contacts"], row[f"{preset}_creep_m"], row[f"{preset}_sink_m"] = rest_of_nsn(nsn, path, preset, h)
    for _ in range(rounds - 1):
        for way in WAYS:
            row[f"{way}_us"] = min(row[f"{way}_us"], of_mujoco(path, way)[0])
        for preset in ("realtime", "accurate"):
            row[f"{preset}_us"] = min(row[f"{preset}_us"], cost_of_nsn(nsn, path, preset, h))
    row["realtime_over_default"] = row["realtime_us"] / row["default_us"]
    return row


def pinch(nsn):
    """Slip, m/s down, of each way and preset."""
    slip = {}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "pinch.xml"
        path.write_text(PINCH)
        for way in WAYS:
            model, data = started(path, way)
            mujoco.mj_step(model, data, round(2.0 / model.opt.timestep))
            z = data.body("held").xpos[2]
            mujoco.mj_step(model, data, round(1.0 / model.opt.timestep))
            slip[way] = float(z - data.body("held").xpos[2])
        for preset in ("realtime", "accurate"):
            slip[preset] = float(rest_of_nsn(nsn, path, preset, 0.005, 3.0)[2])
    return slip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("packages", type=pathlib.Path, help="folder that holds the unpacked packages")
    parser.add_argument("--nsn", default=str(here / "build/release/bin/nsn"))
    parser.add_argument("--csv", type=pathlib.Path)
    parser.add_argument("--only", nargs="*", default=list(MODELS))
    parser.add_argument("--rounds", default=3, type=int)
    given = parser.parse_args()
    unknown = set(given.only) - set(MODELS)
    if unknown:
        sys.exit(f"no model {', '.join(sorted(unknown))}; there are {', '.join(MODELS)}")
    slip = pinch(given.nsn)
    print("slip of the pinched capsule, m/s: " + ", ".join(f"{way} {value:.2e}" for way, value in slip.items()))
    rows = []
    for name in given.only:
        found = sorted(given.packages.rglob(MODELS[name]))
        if not found:
            print(f"skipped: {name}, there is no {MODELS[name]} below {given.packages}")
            continue
        row = compare(name, found[0], given.nsn, given.rounds)
        rows.append(row)
        print(" ".join(f"{key}={value:.3g}" if isinstance(value, float) else f"{key}={value}" for key, value in row.items()), flush=True)
    ratios = [row["realtime_over_default"] for row in rows]
    if ratios:
        print(f"median of realtime over MuJoCo's default, {len(ratios)} models: {np.median(ratios):.2f}")
    if given.csv and rows:
        rows.append({"model": "pinch", **{f"{way}_creep_m": value for way, value in slip.items()}})
        with open(given.csv, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n", restval="")
            writer.writeheader()
            writer.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
