/// "auto": the solver that a system is predicted to cost least, and others where it fails.
///
///   symmetric     contact-lu · cholmod · pcg:precond=block-ilu · gmres:precond=block-ilu · pcr
///   unsymmetric   contact-lu · gmres:precond=block-ilu · klu
///   matrix-free   contact-lu over nodes where the operator is J H^-1 J^T + C with a regular C
///                 (core/step/reductions/primal_solver.h) · pcr:precond=jacobi · gmres:precond=jacobi
///
/// Costs are seconds of a machine of fixed rates, from what the patterns say: operations of a
/// factorisation, of incomplete factors, bytes of an iteration. They never come from a clock: the same
/// system gives the same choice on every machine. How many iterations a system takes no pattern says:
/// kExpectedIterations at first, later what the last solve on this pattern took. An iteration that
/// has cost as much as factors would is given up for them, unless as many iterations again will do at
/// its rate so far. Blocks of few rows are factorised without further thought.
///
/// The detail of a report says why, and which solvers failed on the way.
#pragma once

#include "nsn/core/linear/solver_registry.h"

namespace nsn {

SolverInfo auto_backend();

}  // namespace nsn
