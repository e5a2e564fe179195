"""What happens around a process: exit codes, messages, fork, spawn, import."""
import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

import nsn

HERE = pathlib.Path(nsn.__file__).parent.parent


def run(code, folder, threads=2, **environment):
    env = dict(os.environ, PYTHONPATH=str(HERE), OMP_NUM_THREADS=str(threads), **environment)
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, cwd=folder, env=env,
                          timeout=300)


SHORT = {
    "import": "import nsn",
    "solve": "import nsn; nsn.solve([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [-1, 2, 0], 0.5)",
    "views outlive everything": "import nsn; x = nsn.scenes.arch().position; r = nsn.solve([[1]*1], [-1.0], [], dimension=2) if 0 else x",
    "simulation": "import nsn; sim = nsn.Simulation(nsn.scenes.arch()); sim.step(5)",
    "soft": "import nsn; w = nsn.World(); w.add_deformable(nsn.meshes.ball(0.1, 320)); s = nsn.Simulation(w); s.step(2)",
    "control": "import nsn; s = nsn.Simulation(nsn.scenes.arch()); s.control = lambda sim: sim.time; s.step(3)",
    "control in a cycle": "import nsn; s = nsn.Simulation(nsn.scenes.arch()); s.control = lambda sim: s.time; s.after_step = s.control; s.step(3)",
    "observer": "import nsn; s = nsn.Simulation(nsn.scenes.arch()); seen = []; s.observe(seen.append); s.step(2)",
    "own solver": """
        import nsn, scipy.sparse.linalg as l
        nsn.add_solver("mine", lambda A: l.splu(A.tocsc()).solve)
        s = nsn.Simulation(nsn.scenes.arch(), linear="mine")
        s.step(2)""",
    "own solver unused": "import nsn; nsn.add_solver('mine', lambda A: None)",
    "registry dropped": "import nsn; r = nsn.Registry(); r.add('mine', lambda A: r); del r",
    "batch": "import nsn; b = nsn.Batch(lambda i: nsn.scenes.arch(), 3); b.step(2); x = b.position",
    "robot": "import nsn; w = nsn.World(); r = w.add_robot('humanoid'); s = nsn.Simulation(w); s.step()",
    "error caught": """
        import nsn
        try:
            nsn.scenes.arch(mu=-1)
        except ValueError as error:
            kept = error""",
    "sys.exit in control": """
        import nsn, sys
        s = nsn.Simulation(nsn.scenes.arch(), control=lambda sim: sys.exit(0))
        s.step(3)""",
    "globals that hold everything": """
        import nsn, copy, pickle
        s = nsn.Simulation(nsn.scenes.arch()); s.step()
        t = copy.copy(s); p = pickle.dumps(s); c = s.contacts; h = s.history(0); r = s.report""",
    "linear solver": "import nsn, numpy as np; k = nsn.LinearSolver('klu').factorize(np.eye(3)); r = k.solve([1, 2, 3])",
    "thread": """
        import nsn, threading
        s = nsn.Simulation(nsn.scenes.arch())
        t = threading.Thread(target=s.step, args=(20,)); t.start(); t.join()""",
    "daemon thread at exit": """
        import nsn, threading
        s = nsn.Simulation(nsn.scenes.arch())
        threading.Thread(target=s.step, args=(20,), daemon=True).start()""",
    "error in a worker thread": """
        import nsn, threading
        def f():
            try: nsn.solve([[1]], [1], 1)
            except ValueError: pass
        t = threading.Thread(target=f); t.start(); t.join()""",
}


@pytest.mark.parametrize("name", SHORT)
def test_exit_code_and_silence(name, tmp_path):
    report = {} if "daemon" in name else {"NSN_LEAK_WARNINGS": "1"}
    done = run(SHORT[name], tmp_path, **report)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")


def test_fork_pool_after_threads_were_used(tmp_path):
    """Children of a process that used two threads compute serially, with the parent's results."""
    done = run("""
        import multiprocessing, nsn
        def positions(mu):
            sim = nsn.Simulation(nsn.scenes.wall(mu=mu))
            sim.step(3)
            return sim.world.position.copy(), nsn.num_threads()
        mine = [positions(mu)[0] for mu in (0.4, 0.5)]
        with multiprocessing.get_context("fork").Pool(2) as pool:
            theirs = pool.map(positions, (0.4, 0.5))
        assert all((a == b).all() for a, (b, _) in zip(mine, theirs))
        print(nsn.num_threads(), theirs[0][1])""", tmp_path)
    assert done.stdout == "2 1\n" and done.stderr == "", done.stderr


def test_spawn_pool(tmp_path):
    (tmp_path / "work.py").write_text(textwrap.dedent("""
        import multiprocessing, nsn
        def height(mu):
            sim = nsn.Simulation(nsn.scenes.a_frame(mu=mu))
            sim.step(10)
            return float(sim.world.position[:, 2].max())
        if __name__ == "__main__":
            with multiprocessing.get_context("spawn").Pool(2) as pool:
                assert pool.map(height, (0.2, 0.5)) == [height(0.2), height(0.5)]
        """))
    env = dict(os.environ, PYTHONPATH=str(HERE))
    done = subprocess.run([sys.executable, "work.py"], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")


def test_results_do_not_depend_on_threads(tmp_path):
    code = """
        import hashlib, nsn
        sim = nsn.Simulation(nsn.scenes.wall()); sim.step(5)
        b = nsn.Batch(lambda i: nsn.scenes.arch(mu=0.5 + 0.05 * i), 4); b.step(20)
        print(hashlib.sha256(sim.get_state() + b.position.tobytes()).hexdigest())"""
    assert run(code, tmp_path, threads=1).stdout == run(code, tmp_path, threads=2).stdout != ""


def test_import_is_quick_and_light(tmp_path):
    done = run("""
        import numpy, time, sys
        start = time.process_time()
        import nsn
        print(time.process_time() - start, *[m for m in ("scipy", "matplotlib", "gymnasium", "IPython") if m in sys.modules])
        """, tmp_path, threads=1)
    seconds, *heavy = done.stdout.split()
    assert not heavy and float(seconds) < 0.2  # 60 ms on an idle machine: python/tests/measure.py


def test_scipy_is_asked_for_in_a_sentence(tmp_path):
    done = run("""
        import sys
        sys.modules["scipy"] = sys.modules["scipy.sparse"] = None
        import nsn, numpy as np
        assert nsn.solve(np.eye(3), [-1, 0, 0], 0.5).solved and nsn.linear_solve(np.eye(3), np.ones(3)).solved
        try:
            nsn.add_solver("mine", lambda A: None)
        except ImportError as error:
            print(error)""", tmp_path)
    assert "pip install scipy" in done.stdout, done.stderr


def test_two_modules_with_kokkos_in_one_process(tmp_path):
    """Nothing of ours is seen by others: no Kokkos symbol is exported."""
    library = next(HERE.joinpath("nsn").glob("_core*.so"))
    names = subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True).stdout.splitlines()
    assert [name.split()[-1] for name in names] == ["PyInit__core"]
