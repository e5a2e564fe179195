/// Numerical rank of the Delassus operator: how many of its rows are independent.
///
/// The number of eigenvalues of the symmetric part S = (W + W^T) / 2 that exceed
/// tolerance * max diag(S). S is positive semidefinite up to rounding, so a pivoted Cholesky
/// factorisation finds it: the largest remaining diagonal entry of the Schur complement is the
/// pivot until none exceeds the threshold. Where the remainder shows that S is not semidefinite to
/// the tolerance (files with few digits) the eigenvalues are counted instead: Householder
/// tridiagonalisation, Sturm sequence.
#pragma once

#include "nsn/core/problems/friction_problem.h"

namespace nsn {

inline constexpr double kRankTolerance = 1e-11;
/// Above this the cost (rows x rank^2 products) is not worth a column of a table.
inline constexpr Index kLargestRankedRows = 3000;

/// -1 for more than kLargestRankedRows rows. S must be square.
Index numerical_rank(const Csr& S, double tolerance = kRankTolerance);

Index numerical_rank(const FrictionProblem& problem);
/// rank(H^T M^-1 H) = rank(H^T D^-1 H) with D = |diag M| for any positive definite M: no
/// factorisation of M.
Index numerical_rank(const GlobalFrictionProblem& problem);
Index numerical_rank(const LinearComplementarityProblem& problem);

}  // namespace nsn
