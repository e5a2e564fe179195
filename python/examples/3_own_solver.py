"""A linear solver in Python becomes a backend: scipy's SuperLU inside the Newton loop."""
import scipy.sparse.linalg as linalg

import nsn

calls = 0


def superlu(A):  # a scipy.sparse.csr_array, a view of nsn's own arrays
    global calls
    calls += 1
    return linalg.splu(A.tocsc()).solve  # a function b -> x


nsn.add_solver("superlu", superlu, "scipy.sparse.linalg.splu")
mine, theirs = (nsn.Simulation(nsn.scenes.arch(mu=0.6), linear=s) for s in ("superlu", "contact-lu"))
for sim in (mine, theirs):
    report = sim.step(60)
    print(report.status, report.relative_error)
difference = abs(mine.world.position - theirs.world.position).max()
print(calls, "factorisations; positions differ by", difference, "m")
assert difference < 1e-9
