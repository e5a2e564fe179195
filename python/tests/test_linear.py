"""Linear solvers, and those written in Python."""
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as linalg

import nsn


def poisson(n):
    T = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    return (sp.kron(T, sp.eye_array(n)) + sp.kron(sp.eye_array(n), T)).tocsr()


A = poisson(12)
b = np.random.default_rng(0).normal(size=A.shape[0])
EXACT = linalg.spsolve(A.tocsc(), b)


@pytest.mark.parametrize("solver", [info.name for info in nsn.available_solvers()])
def test_every_solver_solves(solver):
    result = nsn.linear_solve(A, b, solver)
    assert result.solved, result
    assert np.allclose(result.x, EXACT, rtol=1e-6, atol=1e-7)


def test_blocks():
    B = sp.bsr_array(A.toarray(), blocksize=(3, 3))
    for solver in ("contact-lu", "pcr", "klu"):
        assert np.allclose(nsn.linear_solve(B, b, solver).x, EXACT, atol=1e-7)


def test_solver_keeps_its_analysis():
    solver = nsn.LinearSolver("klu")
    assert np.allclose(solver.analyze(A).factorize(A).solve(b).x, EXACT)
    assert np.allclose(solver.factorize(2.0 * A).solve(b).x, EXACT / 2)
    assert solver.info.direct and solver.info.unsymmetric
    with pytest.raises(ValueError, match=r"b: shape \(3,\)"):
        solver.solve([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="factorize"):
        nsn.LinearSolver("pcr").solve(b)


def test_a_solver_outlives_the_callers_matrix():
    solver = nsn.LinearSolver("pcr")
    solver.factorize(poisson(12))  # nobody else keeps it
    np.zeros(10**6)
    assert np.allclose(solver.solve(b).x, EXACT, atol=1e-7)


def test_history_monitor_and_start():
    norms = []
    result = nsn.linear_solve(A, b, "pcg", monitor=lambda k, norm: norms.append(norm), history=True)
    assert list(result.history) == norms and norms[-1] < norms[0]
    again = nsn.linear_solve(A, b, "pcg", x0=result.x, rtol=1e-8)
    assert again.iterations == 0

    class Own(Exception):
        pass

    def stop(k, norm):
        raise Own

    with pytest.raises(Own):
        nsn.linear_solve(A, b, "pcg", monitor=stop)


def test_statuses():
    singular = sp.csr_array(np.diag([1.0, 0.0, 2.0]))
    result = nsn.linear_solve(singular, np.ones(3), "klu")
    assert not result.solved and "pivot" in result.status + result.detail
    with pytest.raises(nsn.NotConverged):
        nsn.linear_solve(singular, np.ones(3), "klu", check=True)
    with pytest.raises(ValueError, match="not symmetric"):
        nsn.linear_solve(np.triu(np.ones((3, 3))), np.ones(3), "pcr")
    with pytest.raises(ValueError, match="did you mean"):
        nsn.linear_solve(A, b, "pcq")
    with pytest.raises(ValueError, match="A: holds NaN"):
        nsn.linear_solve(np.full((3, 3), np.nan), np.ones(3))


def test_compare():
    table = nsn.compare({"poisson": (A, b), "unsymmetric": (sp.csr_array(np.triu(np.ones((9, 9)))), np.ones(9))},
                        ["pcr", "klu"])
    assert table["solved"] == [True, True, False, True]
    assert "<td>klu</td>" in table.to_html() and "unsymmetric" in repr(table)


def splu(registry, name="mine", **keywords):
    registry.add(name, lambda M: linalg.splu(M.tocsc()).solve, **keywords)


def test_own_solver_in_a_simulation():
    registry = nsn.Registry()
    splu(registry)
    mine, theirs = (nsn.Simulation(nsn.scenes.arch(), linear=s, registry=registry) for s in ("mine", "contact-lu"))
    mine.step(10), theirs.step(10)
    assert abs(mine.world.position - theirs.world.position).max() < 1e-9
    with pytest.raises(ValueError):
        splu(registry)  # the name is taken
    with pytest.raises(ValueError, match="unknown linear solver 'mine'"):
        nsn.Simulation(nsn.scenes.arch(), linear="mine")  # another registry


def test_own_solver_many_islands():
    registry, calls = nsn.Registry(), []

    def factorize(M):
        calls.append(1)
        return linalg.splu(M.tocsc()).solve

    registry.add("mine", factorize)
    world = nsn.World()
    world.add_ground(mu=0.5)
    for i in range(100):
        world.add_box((0.1, 0.1, 0.1), position=(0.3 * (i % 10), 0.3 * (i // 10), 0.049))
    sim = nsn.Simulation(world, linear="mine", registry=registry)
    report = sim.step()
    assert report.islands == 100 and len(calls) >= 100
    assert np.isfinite(world.position).all()


def test_own_solver_that_fails():
    def with_answer(answer):
        registry = nsn.Registry()
        registry.add("mine", answer)
        return lambda: nsn.linear_solve(A, b, "mine", registry=registry)

    def raises(error):
        def factorize(M):
            raise error
        return factorize

    for error in (ArithmeticError("no pivot"), np.linalg.LinAlgError("no pivot"), RuntimeError("it is singular")):
        result = with_answer(raises(error))()
        assert not result.solved and str(error) in result.detail
    with pytest.raises(KeyError, match="mistake"):
        with_answer(raises(KeyError("mistake")))()
    with pytest.raises(ValueError, match="float64 array of 144 numbers"):
        with_answer(lambda M: lambda b: b[:3])()
    with pytest.raises(TypeError, match="must return a function"):
        with_answer(lambda M: 7)()
    with pytest.raises(ValueError):
        with_answer(lambda M: lambda b: "text")()


def test_solver_info():
    everything = {info.name: info for info in nsn.available_solvers(all=True)}
    assert "contact-lu" in everything and everything["pcr"].options
    for info in everything.values():
        assert info.summary and (info.available or info.reason)
