/// Any Krylov method (KSP) and preconditioner (PC) of PETSc, by name and by raw options, in one process.
///
///   petsc:ksp=cg,pc=icc                                      the default
///   petsc:ksp=cg,pc=hypre,options=-pc_hypre_boomeramg_strong_threshold 0.5
///   petsc:ksp=preonly,pc=cholesky,options=-pc_factor_mat_solver_type mumps
///
/// Raw options are words separated by blanks, for this solver alone; one that nobody read is an error
/// that names it. The norm is |b - S x| where the method has it; where it has not, the residual is
/// measured, and the iteration goes on with a sharper tolerance, `confirm` times at most. `preonly` is
/// a direct solver: up to two steps of refinement.
///
/// What a solver takes depends on ksp and pc: its capabilities say so (SolverInfo::capabilities_with).
/// An operator J H^-1 J^T + C without entries is taken with pc=none and pc=jacobi.
#pragma once

#include "nsn/core/linear/solver_registry.h"

namespace nsn {

SolverInfo petsc_backend();

}  // namespace nsn
