/// A certificate that a contact problem has no solution, whatever its friction.
///
/// A motion that the contacts admit has u_N = q_N + (H^T dv)_N >= 0. An impulse z >= 0 on the normals that moves nothing,
/// W_NN z = 0, and yet has q_N . z < 0 excludes all of them, since z . u_N = q_N . z. In finite precision it is a bound:
///
///     every admissible motion has  |dv|_M >= need |q_N|,    need = -q_N . z / (|q_N| sqrt(z . W_NN z))
///
/// with q in scaled variables (core/contact/scaled_problem.h), so that both sides are in sqrt(kg) m/s: bodies between
/// walls that close in on them would have to be a million times as fast as the walls. Impulses in the cones, r with
/// W r = 0 and q . r < 0, exclude nothing: the law asks for u_N >= 0 alone, and friction may do work.
///
/// z is the answer of the problem without friction, softened by alpha:
///
///     0 <= z  orthogonal to  W_NN z + q_N + alpha z >= 0,    alpha = 1e-2, 1e-4, ... 1e-10
///
/// by the primal-dual active set method. It stays bounded if there is a solution, and grows along z otherwise.
#pragma once

#include <functional>
#include <span>

#include "nsn/core/contact/row_law.h"
#include "nsn/core/linear/linear_solver.h"
#include "nsn/core/matrix/block_csr.h"

namespace nsn {

struct NoSolutionOptions {
  /// Smallest need that counts, > 1: what contacts ask for by rounding alone needs less.
  double need = 1e4;
  /// Largest z . W_NN z over the sum of the sizes of its terms, > 0: z moves nothing but for rounding. A body 1e12 times
  /// as heavy as another is moved by z, and there is a solution: a large need alone proves nothing.
  double rounding = 1e-13;
  /// Of principal parts of W_NN, >= 1: feasible problems take 1 to 15, squeezed ones up to 33.
  int max_factorizations = 40;
};

struct NoSolution {
  bool certified = false;
  double need = 0.0;  ///< of z; 0: there is a motion that leaves all contacts
  Vector z;           ///< one impulse per contact, scaled variables, |z|_2 = 1; zero if need is 0
  int factorizations = 0;
};

/// -q_N . z / (|q_N| sqrt(z . W_NN z)), 0 where z is no certificate at all (an entry < 0, no z, q_N . z >= 0).
/// W, q: three rows per block, in scaled variables; z: one number per block.
double velocity_needed(const BlockCsr& W, ConstVector q, ConstVector z);
/// |z . W_NN z| over the sum of |z_i W_ij z_j|, or, where it is more, as of an indefinite W, the square of the largest
/// entry of W z, tangents too, over the largest sum of its terms; 0 without any.
double motion_by(const BlockCsr& W, ConstVector z);

/// W, q in scaled variables; laws: blocks that are no contacts take no part, and their impulses can take
/// away what is certified, so that with any of them nothing is.
/// solver: of the normal rows, positive definite, another pattern each time. stop(): asked before every factorisation; true ends the search without a certificate.
NoSolution find_no_solution(const BlockCsr& W, ConstVector q, std::span<const RowLaw> laws,
                            LinearSolver& solver, const NoSolutionOptions& options = {},
                            const std::function<bool()>& stop = {});

}  // namespace nsn
