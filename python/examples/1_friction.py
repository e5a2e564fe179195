"""One contact: mass 1 kg, mu 0.5, falling at 1 m/s and sliding at 2 m/s; u = W r + q, normal component first."""
import numpy as np
import scipy.sparse as sp

import nsn

W = sp.eye_array(3, format="csr")  # 1/kg
q = np.array([-1.0, 2.0, 0.0])  # m/s
result = nsn.solve(W, q, mu=0.5)
print(result.status, "r =", result.r, "u =", result.u, "error", result.error)
for stage in result.stages:
    print(f"  {stage.name}: {stage.iterations} iterations ({stage.reason})")
again = nsn.solve(W, q, mu=0.5, r0=result.r)  # from the answer
assert result.solved and again.newton_iterations == 0
