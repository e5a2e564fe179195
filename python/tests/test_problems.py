"""Bare problems: answers, shapes of input, files."""
import os
import signal
import threading

import numpy as np
import pytest
import scipy.sparse as sp

import nsn


def random_problem(contacts, seed=0, dimension=3):
    rng = np.random.default_rng(seed)
    n = dimension * contacts
    G = rng.normal(size=(n, n + 3))
    G[rng.random(G.shape) < 0.5] = 0.0
    return G @ G.T, rng.normal(size=n), rng.uniform(0.2, 0.9, contacts)


def in_cone(r, mu, tolerance=1e-9):
    r = r.reshape(len(mu), -1)
    return (np.linalg.norm(r[:, 1:], axis=1) <= mu * r[:, 0] + tolerance).all()


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("form", ["dense", "csr", "csc", "coo", "matrix"])
def test_solve_meets_the_law(dimension, form):
    W, q, mu = random_problem(12, dimension=dimension)
    A = {"dense": lambda: W, "csr": lambda: sp.csr_array(W), "csc": lambda: sp.csc_array(W),
         "coo": lambda: sp.coo_array(W), "matrix": lambda: sp.csr_matrix(W)}[form]()
    result = nsn.solve(A, q, mu, dimension=dimension, check=True)
    u = W @ result.r + q
    assert np.allclose(result.u, u, atol=1e-10)
    assert in_cone(result.r, mu)
    modified = u.reshape(len(mu), -1).copy()
    modified[:, 0] += mu * np.linalg.norm(modified[:, 1:], axis=1)  # in the dual cone, orthogonal to r
    assert abs((modified * result.r.reshape(len(mu), -1)).sum(axis=1)).max() < 1e-5
    assert nsn.friction_error(A, q, mu, result.r, dimension=dimension).siconos == pytest.approx(result.error, rel=1e-6, abs=1e-14)


def test_blocks_are_solved_as_scalars_are():
    W, q, mu = random_problem(20, seed=3)
    scalars = nsn.solve(sp.csr_array(W), q, mu)
    blocks = nsn.solve(sp.bsr_array(W, blocksize=(3, 3)), q, mu)
    assert (scalars.r == blocks.r).all() and blocks.solved


def test_blocks_without_mirror_images_or_diagonal():
    W = np.kron(np.diag([1.0, 2.0]), np.eye(3))
    W[0:3, 3:6] = 0.1 * np.eye(3)  # not symmetric
    A = sp.bsr_array(W, blocksize=(3, 3))
    q = np.array([-1.0, 0.3, 0, -1.0, 0, 0.2])
    result = nsn.solve(A, q, 0.5)
    assert result.solved
    assert np.allclose(result.u, W @ result.r + q)


def test_csr_is_used_in_place():
    from nsn import _arrays
    A = sp.csr_array(random_problem(4)[0])
    _, _, _, indptr, indices, data = _arrays.matrix("A", A)
    assert np.shares_memory(data, A.data) and np.shares_memory(indices, A.indices)
    B = sp.bsr_array(random_problem(4)[0], blocksize=(3, 3))
    assert np.shares_memory(_arrays.matrix("B", B, blocks=True)[5], B.data)


def test_indices_of_64_bits_and_unsorted_rows():
    W, q, mu = random_problem(6)
    A = sp.csr_array(W)
    A.indices, A.indptr = A.indices.astype(np.int64), A.indptr.astype(np.int64)
    expected = nsn.solve(W, q, mu).r
    assert np.allclose(nsn.solve(A, q, mu).r, expected)
    reversed_rows = sp.csr_array((np.array([2.0, 1.0, 3.0]), np.array([1, 0, 2]), np.array([0, 2, 2, 3])), shape=(3, 3))
    reversed_rows.has_sorted_indices = False
    before = reversed_rows.indices.copy()
    nsn.solve(reversed_rows + sp.eye_array(3), np.array([-1.0, 0, 0]), 0.3)
    nsn.linear_solve(sp.csr_array(reversed_rows + sp.eye_array(3)), np.ones(3), "klu")
    assert (reversed_rows.indices == before).all()


def test_read_only_and_strided_input():
    W, q, mu = random_problem(6)
    expected = nsn.solve(W, q, mu).r
    for array in (W, q, mu):
        array.setflags(write=False)
    assert (nsn.solve(W, q, mu).r == expected).all()
    spaced = np.zeros(2 * len(q))[::2]
    spaced[:] = q
    assert (nsn.solve(np.asfortranarray(W), spaced, list(mu)).r == expected).all()


def test_global_form_agrees_with_the_local_one():
    rng = np.random.default_rng(5)
    M = np.diag(rng.uniform(1, 2, 12))
    H = rng.normal(size=(12, 9))
    f, w = rng.normal(size=12), rng.normal(size=9)
    local = nsn.solve(H.T @ np.linalg.solve(M, H), H.T @ np.linalg.solve(M, f) + w, 0.4)
    for form in ("dual", "primal", "auto"):
        result = nsn.solve_global(M, H, f, w, 0.4, form=form)
        assert result.solved and np.allclose(result.u, local.u, atol=1e-6)
        assert np.allclose(M @ result.v, H @ result.r + f, atol=1e-6)


def test_lcp():
    M = np.array([[2.0, 1.0], [1.0, 2.0]])
    result = nsn.solve_lcp(M, [-5.0, -6.0], check=True)
    assert np.allclose(result.z, [4 / 3, 7 / 3]) and np.allclose(result.w, 0, atol=1e-8)


def test_not_solved_is_returned_or_raised():
    W, q, mu = random_problem(10)
    result = nsn.solve(W, q, mu, max_factorizations=1)
    assert not result.solved and result.status == "budget-reached"
    with pytest.raises(nsn.NotConverged) as caught:
        nsn.solve(W, q, mu, max_factorizations=1, check=True)
    assert caught.value.result.status == "budget-reached"


@pytest.mark.parametrize("format", ["siconos", "fclib"])
def test_problems_are_written_and_read(tmp_path, format):
    if format == "fclib" and not nsn._core.HAS_HDF5:
        pytest.skip("this build has no HDF5")
    W, q, mu = random_problem(5)
    path = tmp_path / ("problem" + (".hdf5" if format == "fclib" else ".dat"))
    nsn.write_problem(path, nsn.FrictionProblem("local", W=W, q=q, mu=mu), format=format)
    back = nsn.read_problem(path)
    assert back.kind == "local" and (back.W.toarray() == W).all() and (back.q == q).all() and (back.mu == mu).all()
    assert (back.solve().r == nsn.solve(back.W, q, mu).r).all()
    M, H = np.diag(np.arange(1.0, 7.0)), np.arange(18.0).reshape(6, 3)
    problem = nsn.FrictionProblem("global", M=M, H=H, f=np.ones(6), w=np.ones(3), mu=[0.5])
    nsn.write_problem(path, problem, format=format)
    assert (nsn.read_problem(path).H.toarray() == H).all()


def test_a_broken_file_is_named(tmp_path):
    path = tmp_path / "broken.dat"
    path.write_text("3 1 what\n")
    with pytest.raises(nsn.InputError, match="broken.dat"):
        nsn.read_problem(path)
    with pytest.raises(OSError, match="missing.dat"):
        nsn.read_problem(tmp_path / "missing.dat")


@pytest.mark.parametrize("arguments, words", [
    (dict(q=[1.0, np.nan, 0]), "q: holds NaN"),
    (dict(mu=-0.1), "mu: -0.1 at contact 0"),
    (dict(mu=[0.1, 0.2]), r"mu: shape \(2,\) for 1 contacts"),
    (dict(W=np.eye(4)), "W: 4 rows, q has 3"),
    (dict(W=np.ones((3, 2))), "W: 3 x 2, needed square"),
    (dict(W=np.full((3, 3), np.inf)), "W holds NaN"),
    (dict(W=["a"]), "W: numbers are needed"),
    (dict(method="autto"), "did you mean 'auto'"),
    (dict(linear="pcq"), "did you mean"),
    (dict(tol=0.0), "tolerance is 0"),
    (dict(dimension=4), "dimension: 4"),
    (dict(r0=[1.0]), r"r0: shape \(1,\)"),
    (dict(q=[[1.0, 2.0, 3.0]]), r"q: shape \(1, 3\)"),
    (dict(q=np.ones(3) * 1j), "q: numbers are needed"),
])
def test_sentences(arguments, words):
    given = dict(W=np.eye(3), q=[-1.0, 0, 0], mu=0.5) | arguments
    with pytest.raises((ValueError, TypeError), match=words):
        nsn.solve(**given)


def test_ctrl_c_ends_a_solve():
    rng = np.random.default_rng(1)
    n = 1500
    G = rng.normal(size=(n, n // 2))
    W = G @ G.T / n
    q = rng.normal(size=n)
    started = threading.Event()

    def press():
        started.wait(60)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        nsn.solve(W, q, 0.8, method="nsgs", tol=1e-16, time_limit=60, progress=started.set)
    thread.join()


def test_progress_is_called():
    calls = []
    W, q, mu = random_problem(6)
    nsn.solve(W, q, mu, progress=lambda: calls.append(1))
    assert calls
