/// Algebraic multigrid by AMGCL, as a solver of its own and as the preconditioner "amg".
///
/// P is one cycle over a hierarchy of coarser matrices S_(l+1) = R_l S_l P_l:
///
///   smooth, restrict the residual, solve for it on the next level, prolong, smooth again
///
/// Where the operator stores 3x3 blocks the levels are made of blocks, plainly aggregated and smoothed by
/// their incomplete factors; where it knows positions, smoothed aggregation keeps the motions of a rigid
/// body, which a stiffness nearly annihilates (a Schur complement of contacts does not).
///
/// It is symmetric, and made for symmetric positive (semi)definite S. The hierarchy is built of
/// S + shift diag S, so that the coarsest level, which is factorised, is never singular although S
/// may be; a row of S without any entry gets the diagonal entry 1 there. New values in a known
/// pattern keep the transfer operators R and P and renew everything else.
///
/// The solver "amg" iterates with conjugate residuals or gradients preconditioned by P, or with P
/// alone: x += P (b - S x). Guard: where 20 iterations reduce the residual less than ten times, a
/// hierarchy whose transfer operators were kept is built anew; if it was new already, PCR with
/// Jacobi's preconditioner takes over, and the detail says so. On piles of hyperstatic contacts
/// that happens.
///
/// Licence: AMGCL is under the MIT licence.
#pragma once

#include "nsn/core/linear/solver_registry.h"

namespace nsn {

SolverInfo amg_backend();
/// The same with its default options, for pcg, pcr and gmres.
PreconditionerInfo amg_preconditioner();

}  // namespace nsn
