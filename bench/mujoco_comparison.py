#!/usr/bin/env python3
"""Our own robots and public ones as nsn reads them against MuJoCo: kinematics, inertia, statics, dynamics.

    python3 -m venv v && v/bin/pip install numpy "mujoco<4"
    v/bin/python bench/mujoco_comparison.py [--nsn build/release/bin/nsn] [--data ../shared/data] [--json FILE] [--csv FILE]

For each model, at random poses within its limits: frames of all links, mass and inertia of the whole, efforts that
hold the pose against gravity (from the kinematics, and measured in one step of the built model), accelerations of
a step of 1e-4 s without contacts, relative to the largest of the pose: the first one from rest; from random velocities
the second one (nsn's velocities are differences of positions; the first step has a velocity of an instant before it, the
second does not).
An explicit servo of 1 N m/rad on a finger tip of 5e-6 kg m^2, as MuJoCo has it, differs from an implicit one by
h^2 k / I = 2e-3: hence the limit of `acceleration_servo`. That it is this term, and nothing of first order in h, is seen
at h = 1e-5, where it must be a fifth of that or less, and without servos. Inertia of meshes: MuJoCo diagonalises it to
1e-8, hence that limit. MuJoCo gets the same files, with what it
refuses mended in a copy: the material the humanoid's file names and does not define, and the meshes of a URDF, which
it looks for elsewhere. Mimic joints are taken out of that copy for both, since MuJoCo reads none in URDF.
Exit code 0: all within the limits below.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

import mujoco
import numpy as np

mujoco.set_mju_user_warning(lambda text: print(text, file=sys.stderr))  # in place of a file MUJOCO_LOG.TXT here

LIMITS = {"position_m": 1e-9, "rotation": 1e-9, "mass": 1e-9, "inertia": 1e-7, "holding": 1e-6, "measured": 1e-6,
          "acceleration_rest": 1e-3, "acceleration_moving": 1e-3, "acceleration_servo": 2e-3, "acceleration_servo_h1e-5": 4e-4}
# quantity -> from random velocities, servos at work, time step (s)
CASES = {"acceleration_rest": (False, True, 1e-4), "acceleration_moving": (True, False, 1e-4),
         "acceleration_servo": (True, True, 1e-4), "acceleration_servo_h1e-5": (True, True, 1e-5)}


def mended(source, folder):
    """A copy that MuJoCo reads; nsn reads the same one for the URDF, the original otherwise."""
    tree = ET.parse(source)
    root = tree.getroot()
    copy = folder / source.name
    if root.tag == "robot":
        for link in root.findall("link"):
            for tag in ("visual", "collision"):
                for element in link.findall(tag):
                    if element.find("geometry/mesh") is not None:
                        link.remove(element)
        for joint in root.findall("joint"):
            for element in joint.findall("mimic"):
                joint.remove(element)
        ET.SubElement(ET.SubElement(root, "mujoco"), "compiler", fusestatic="false")
        tree.write(copy)
        return copy, copy
    names = {g.get("material") for g in root.iter("geom") if g.get("material")}
    known = {m.get("name") for m in root.iter("material")}
    if names <= known:
        return source, source
    asset = ET.SubElement(root, "asset")
    for name in sorted(names - known):
        ET.SubElement(asset, "material", name=name)
    tree.write(copy)
    return copy, source


def without_actuators(source, folder):
    """A copy of the file without them; meshes stay where they are."""
    tree = ET.parse(source)
    root = tree.getroot()
    if not root.findall("actuator"):
        return source
    for element in root.findall("actuator"):
        root.remove(element)
    for compiler in root.iter("compiler"):
        if compiler.get("meshdir"):
            compiler.set("meshdir", str(source.parent.resolve() / compiler.get("meshdir")))
    copy = folder / ("passive_" + source.name)
    tree.write(copy)
    return copy


def random_pose(model, rng):
    q, v = model.qpos0.copy(), np.zeros(model.nv)
    for j in range(model.njnt):
        a, d = model.jnt_qposadr[j], model.jnt_dofadr[j]
        if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE:
            q[a:a + 3] = rng.uniform(-1, 1, 3)
            quaternion = rng.normal(size=4)
            q[a + 3:a + 7] = quaternion / np.linalg.norm(quaternion)
            v[d:d + 6] = rng.uniform(-1, 1, 6)
        else:
            low, high = model.jnt_range[j] if model.jnt_limited[j] else (-np.pi, np.pi)
            middle, half = (low + high) / 2, 0.9 * (high - low) / 2
            q[a] = rng.uniform(middle - half, middle + half)
            v[d] = rng.uniform(-0.5, 0.5) * min(1.0, half)
    return q, v


def reordered(model, names, dofs_of):
    """Places of MuJoCo's coordinates (or velocities) in nsn's order of joints."""
    order = []
    for name in names:
        j = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name)
        order.extend(dofs_of(j))
    return np.array(order, dtype=int)


def relative(a, b):
    return float(np.max(np.abs(a - b)) / max(1e-12, np.max(np.abs(b))))


def compare(source, nsn, poses, seed):
    worst = {key: 0.0 for key in LIMITS}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for_mujoco, for_nsn = mended(source, folder)
        model = mujoco.MjModel.from_xml_path(str(for_mujoco))
        data = mujoco.MjData(model)
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
        model.opt.timestep = 1e-4
        report = json.loads(subprocess.run([nsn, "robot", for_nsn, "--root", "/", "--json", "-"], check=True, capture_output=True).stdout)
        joints = [j["name"] for j in report["results"][0]["joint_list"]]
        free = [int(model.jnt_type[j]) == int(mujoco.mjtJoint.mjJNT_FREE) for j in range(model.njnt)]
        q_order = reordered(model, joints, lambda j: range(model.jnt_qposadr[j], model.jnt_qposadr[j] + (7 if free[j] else 1)))
        v_order = reordered(model, joints, lambda j: range(model.jnt_dofadr[j], model.jnt_dofadr[j] + (6 if free[j] else 1)))
        rng = np.random.default_rng(seed)
        drawn = [random_pose(model, rng) for _ in range(poses)]
        runs = {}
        passive = without_actuators(for_nsn, folder)
        for kind, (moving, servos, h) in CASES.items():
            asked = folder / f"{kind}.json"
            asked.write_text(json.dumps([{"q": q[q_order].tolist(), "v": (v[v_order] * moving).tolist()} for q, v in drawn]))
            out = folder / f"{kind}_out.json"
            subprocess.run([nsn, "robot", for_nsn if servos else passive, "--root", "/", "--poses", asked, "--time-step", str(h),
                            "--json", out, "--quiet"], check=True)
            runs[kind] = json.loads(out.read_text())["results"][0]["poses"]
        for k, (q, v) in enumerate(drawn):
            pose = runs["acceleration_rest"][k]
            data.qpos[:], data.qvel[:], data.qacc[:] = q, 0, 0
            for a in range(model.nu):  # position servos at rest; motors off
                servo = model.actuator_biastype[a] == mujoco.mjtBias.mjBIAS_AFFINE
                data.ctrl[a] = q[model.jnt_qposadr[model.actuator_trnid[a, 0]]] if servo else 0
            mujoco.mj_forward(model, data)
            for frame in pose["frames"]:
                body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, frame["link"])
                if body < 0 and frame["link"] == "world":
                    continue
                for key in ("", "built_"):
                    worst["position_m"] = max(worst["position_m"], np.max(np.abs(data.xpos[body] - frame[key + "position_m"])))
                    dot = abs(np.dot(data.xquat[body], frame[key + "quaternion"]))
                    mine = np.array(frame[key + "quaternion"]) * np.sign(np.dot(data.xquat[body], frame[key + "quaternion"]))
                    worst["rotation"] = max(worst["rotation"], np.max(np.abs(mine - data.xquat[body])) if dot > 0 else 1.0)
            mass, centre, inertia = whole(model, data)
            worst["mass"] = max(worst["mass"], abs(pose["mass_kg"] - mass) / mass)
            worst["inertia"] = max(worst["inertia"], relative(np.array(pose["centre_m"]), centre), relative(full(pose["inertia_kgm2"]), inertia))
            saved = int(model.opt.disableflags)
            model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_LIMIT)
            data.qvel[:], data.qacc[:] = 0, 0
            mujoco.mj_inverse(model, data)
            needed = data.qfrc_inverse[v_order].copy()
            hinge = np.array([not f for j in joints for f in [free[mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, j)]] for _ in range(6 if f else 1)])
            worst["holding"] = max(worst["holding"], np.max(np.abs(np.array(pose["holding_efforts"]) - needed)))
            worst["measured"] = max(worst["measured"], np.max(np.abs(np.array(pose["measured_holding_efforts"]) - needed)[hinge]))
            model.opt.disableflags = saved
            for kind, (moving, servos, h) in CASES.items():
                data.qpos[:], data.qvel[:] = q, v * moving
                model.opt.timestep = h
                model.opt.disableflags = saved | (0 if servos else int(mujoco.mjtDisableBit.mjDSBL_ACTUATION))
                steps = []
                for _ in range(2):  # its step treats damping implicitly, as ours does
                    before = data.qvel.copy()
                    mujoco.mj_step(model, data)
                    steps.append((data.qvel - before) / model.opt.timestep)
                mine = np.array(runs[kind][k]["second_acceleration" if moving else "acceleration"])
                worst[kind] = max(worst[kind], relative(mine, steps[1 if moving else 0][v_order]))
            model.opt.disableflags = saved
    return worst


def whole(model, data):
    masses = model.body_mass
    mass = masses.sum()
    centre = (masses[:, None] * data.xipos).sum(0) / mass
    inertia = np.zeros((3, 3))
    for b in range(model.nbody):
        rotation = data.ximat[b].reshape(3, 3)
        arm = data.xipos[b] - centre
        inertia += rotation @ np.diag(model.body_inertia[b]) @ rotation.T + masses[b] * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return mass, centre, inertia


def full(v):
    return np.array([[v[0], v[3], v[4]], [v[3], v[1], v[5]], [v[4], v[5], v[2]]])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--nsn", default=here / "build/release/bin/nsn")
    parser.add_argument("--data", default=here.parent / "shared/data", type=pathlib.Path)
    parser.add_argument("--poses", default=100, type=int)
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--json")
    parser.add_argument("--csv", help="the table, one line a quantity")
    given = parser.parse_args()
    own, public = here / "models/robots/files", given.data / "robots"
    models = {"hand": own / "hand.xml", "humanoid": own / "humanoid.xml", "two-arms": own / "two-arms.urdf",
              "allegro": public / "allegro_mjcf/right_hand.xml", "nv_humanoid": public / "humanoid_mjcf/nv_humanoid.xml",
              "yumi": public / "yumi/urdf/yumi.urdf"}
    for name in [name for name, path in models.items() if not path.exists()]:
        print(f"skipped: {name}, there is no {models.pop(name)} (docs/data.md)")
    results, good = {}, True
    print(f"MuJoCo {mujoco.__version__}, {given.poses} poses each; largest differences")
    print(f"{'':10}" + "".join(f"{key:>26}" for key in LIMITS))
    print(f"{'limit':10}" + "".join(f"{value:26.0e}" for value in LIMITS.values()))
    for name, path in models.items():
        worst = compare(path, str(given.nsn), given.poses, given.seed)
        results[name] = {key: float(value) for key, value in worst.items()}
        good = good and all(worst[key] <= LIMITS[key] for key in LIMITS)
        print(f"{name:10}" + "".join(f"{worst[key]:26.1e}" for key in LIMITS))
    if given.csv:
        lines = ["quantity,limit," + ",".join(models)]
        lines += [f"{key},{LIMITS[key]}," + ",".join(repr(results[name][key]) for name in models) for key in LIMITS]
        pathlib.Path(given.csv).write_text("\n".join(lines) + "\n")
    if given.json:
        pathlib.Path(given.json).write_text(json.dumps(results, indent=1))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
