"""Problems of Siconos, FCLIB, MuJoCo and Pinocchio."""
import types

import numpy as np
import pytest
import scipy.sparse as sp

import nsn


def problem(seed=0):
    rng = np.random.default_rng(seed)
    G = rng.normal(size=(9, 12))
    return nsn.FrictionProblem("local", W=sp.csr_array(G @ G.T), q=rng.normal(size=9), mu=np.array([0.3, 0.5, 0.7]))


def test_siconos_arrays():
    from nsn.adapters import siconos
    ours = problem()
    theirs = siconos.to_siconos(ours)
    if not isinstance(theirs, dict):
        pytest.skip("Siconos is installed: nothing to stand in for")
    assert theirs["M"].flags.f_contiguous and theirs["numberOfContacts"] == 3
    for M in (theirs["M"], theirs["M"].ravel(order="F"), sp.csc_array(theirs["M"])):
        back = siconos.from_siconos(types.SimpleNamespace(**theirs | {"M": M}))
        assert (back.solve().r == ours.solve().r).all()
    with pytest.raises(TypeError, match="numberOfContacts"):
        siconos.from_siconos(types.SimpleNamespace(dimension=3))


def test_fclib(tmp_path):
    pytest.importorskip("h5py", reason="h5py is not installed")
    from nsn.adapters import fclib
    ours, path = problem(), tmp_path / "a.hdf5"
    fclib.write(path, ours, title="three contacts")
    back = fclib.read(path)
    assert (back.W.toarray() == ours.W.toarray()).all() and (back.q == ours.q).all() and (back.mu == ours.mu).all()
    if nsn._core.HAS_HDF5:  # and the library's own reader and writer agree
        assert (nsn.read_problem(path).W.toarray() == ours.W.toarray()).all()
        nsn.write_problem(tmp_path / "b.hdf5", ours, format="fclib")
        assert (fclib.read(tmp_path / "b.hdf5").W.toarray() == ours.W.toarray()).all()
        M, H = np.diag(np.arange(1.0, 5.0)), np.arange(12.0).reshape(4, 3)
        nsn.write_problem(tmp_path / "c.hdf5", nsn.FrictionProblem("global", M=M, H=H, f=np.ones(4), w=np.ones(3), mu=[0.5]), format="fclib")
        globally = fclib.read(tmp_path / "c.hdf5")
        assert globally.kind == "global" and (globally.H.toarray() == H).all() and globally.solve().solved
    (tmp_path / "d.hdf5").write_bytes(path.read_bytes()[:1000])
    with pytest.raises(nsn.InputError, match="d.hdf5"):
        fclib.read(tmp_path / "d.hdf5")


# ---- MuJoCo

INCLINE = """<mujoco><option timestep="0.002" gravity="{gx} 0 {gz}"/><worldbody>
  <geom type="plane" size="5 5 .1" friction="0.5" margin="0.001"/>
  <body pos="0 0 .05"><freejoint/><geom type="box" size=".1 .1 .05" mass="1" friction="0.5" margin="0.001"/></body>
</worldbody></mujoco>"""

PINCH = """<mujoco><option timestep="0.002"/><default><geom friction="1" margin="0.001"/></default><worldbody>
  <body name="left" pos="-0.07 0 1"><joint type="slide" axis="1 0 0"/><geom type="box" size=".02 .05 .05" mass="0.2"/></body>
  <body name="right" pos="0.07 0 1"><joint type="slide" axis="1 0 0"/><geom type="box" size=".02 .05 .05" mass="0.2"/></body>
  <body name="capsule" pos="0 0 1"><freejoint/><geom type="capsule" size=".05 .04" euler="90 0 0" mass="0.5"/></body>
</worldbody><actuator><motor joint="" gear="1"/></actuator></mujoco>"""
PINCH = PINCH.replace('name="left" pos="-0.07 0 1"><joint', 'name="left" pos="-0.07 0 1"><joint name="l"').replace(
    'name="right" pos="0.07 0 1"><joint', 'name="right" pos="0.07 0 1"><joint name="r"').replace(
    '<motor joint="" gear="1"/>', '<motor joint="l"/><motor joint="r"/>')


def creep(xml, control, axis, step, steps=500):
    """Speed of the last body along an axis over the second half of the time, m/s."""
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    data.ctrl[:] = control
    for k in range(steps):
        if k == steps // 2:
            start = data.xpos[-1].copy()
        (step or mujoco.mj_step)(model, data)
    mujoco.mj_forward(model, data)
    return float(abs(data.xpos[-1] - start)[axis] / (0.5 * steps * model.opt.timestep))


def test_mujocos_incline_at_98_hundredths_of_mu():
    from nsn.adapters import mujoco
    angle = np.arctan(0.98 * 0.5)
    xml = INCLINE.format(gx=9.81 * np.sin(angle), gz=-9.81 * np.cos(angle))
    assert creep(xml, [], 0, None) > 1e-4 and creep(xml, [], 0, mujoco.step) < 1e-8
    steep = np.arctan(1.02 * 0.5)
    assert creep(INCLINE.format(gx=9.81 * np.sin(steep), gz=-9.81 * np.cos(steep)), [], 0, mujoco.step) > 1e-2


def test_mujocos_pinched_capsule():
    from nsn.adapters import mujoco
    theirs, ours = (creep(PINCH, [10.0, -10.0], 2, step) for step in (None, mujoco.step))
    assert theirs > 5e-5 and ours < 1e-8, (theirs, ours)


def test_mujocos_forces_carry_the_weight():
    module = pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    from nsn.adapters import mujoco
    model = module.MjModel.from_xml_string(INCLINE.format(gx=0, gz=-9.81))
    data = module.MjData(model)
    for _ in range(200):
        done = mujoco.step(model, data)
    assert done.solved and done.force[:, 0].sum() == pytest.approx(9.81, rel=1e-6)
    problem = done.problem
    assert np.allclose(problem.M @ (done.v - problem.v_free), problem.J.T @ (done.force * problem.h).ravel(), atol=1e-9)
    assert np.allclose(problem.frames[:, 0], (0, 0, 1), atol=1e-6)


# ---- Pinocchio

def test_pinocchio():
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    from nsn.adapters import pinocchio
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root")
    model.appendBodyToJoint(joint, pin.Inertia.FromBox(2.0, 0.2, 0.2, 0.1), pin.SE3.Identity())
    frame = model.addBodyFrame("box", joint, pin.SE3.Identity(), 0)
    data, h = model.createData(), 1e-3
    q = pin.neutral(model)
    q[2] = 0.05
    v = np.zeros(6)
    v[0] = 1.0
    corners = [(x, y, 0.0) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    for _ in range(100):
        at = np.array(q[:3]) - (0, 0, 0.05)
        contacts = [pinocchio.Contact(frame, at + c, mu=0.5) for c in corners]
        done = pinocchio.contact_problem(model, data, q, v, np.zeros(6), contacts, h=h).solve()
        v = done.v
        q = pin.integrate(model, q, v * h)
    assert done.force[:, 0].sum() == pytest.approx(2 * 9.81, rel=1e-6)
    assert v[0] == pytest.approx(1.0 - 0.5 * 9.81 * 100 * h, rel=1e-6)
    with pytest.raises(ValueError, match="no unit vector"):
        pinocchio.contact_problem(model, data, q, v, np.zeros(6), [pinocchio.Contact(frame, (0, 0, 0), (0, 0, 2))], h=h)
