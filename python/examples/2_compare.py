"""Linear solvers on a scipy matrix: residual over iterations, as a picture."""
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp

import nsn

n = 100
T = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
A = (sp.kron(T, sp.eye_array(n)) + sp.kron(sp.eye_array(n), T)).tocsr()
b = np.random.default_rng(0).normal(size=n * n)
figure, axes = plt.subplots()
for solver in ("pcg", "pcr", "pcg:precond=block-jacobi", "amg", "eigen-ldlt", "klu"):
    result = nsn.linear_solve(A, b, solver, rtol=1e-8, history=True)
    print(result)
    if result.history.size:
        result.plot(axes)
axes.legend()
figure.savefig("compare.png")
