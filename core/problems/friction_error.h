/// How far (r, u) is from solving a frictional-contact problem, always on the data as given.
///
///     siconos    |r - Pi(r - u^)|_2 / max(|q|, |r|, |u|)
///     unit-free  |{ rho_i (r_i - Pi(r_i - u^_i / rho_i)) }|_2 / |q|_2,      rho_i = |W_ii|_2, 1/kg
///
/// with u^ = u + mu |u_T| e_N (ncp/natural_map.h). The first is what Siconos reports; it mixes impulses and velocities
/// and is lax if |r| is large. The second is the same in any units. Both are 0 if q = 0 and r = 0.
#pragma once

#include <span>

#include "nsn/core/base/types.h"
#include "nsn/core/matrix/block_csr.h"
#include "nsn/core/problems/friction_problem.h"

namespace nsn {

struct FrictionError {
  double siconos = 0.0;  ///< infinite if r or u is not finite
  double unit_free = 0.0;
  double dynamics = 0.0;             ///< global problems: |M v - H r - f| / max(|f|, |M v|, |H r|)
  double min_normal_velocity = 0.0;  ///< min u_N, m/s; 0 without contacts
  double max_cone_violation = 0.0;   ///< max(|r_T| - mu r_N, -r_N, 0), kg m/s
  Index worst_contact = -1;          ///< by its share of the unit-free error
};

/// rho_i from the diagonal blocks of W, one per contact, 1/kg; floored at 1e-12 of the largest.
void contact_rho(const Csr& W, Index dimension, Vector rho);
/// The same from W in blocks; a padding row must not exceed the others.
void contact_rho(const BlockCsr& W, Vector rho);
/// The same from the diagonal blocks alone, 9 numbers per contact.
void contact_rho_of_diagonal(ConstVector diagonal, Vector rho);

/// 1, or the power of two that brings `size` near 1 where its square would be no ordinary number.
/// Problems scale: (f q, f r, f u) solve one another.
double factor_for(double size);

/// Errors of (r, u), `dimension` numbers per contact; q_norm = |q|_2.
FrictionError friction_error(Index dimension, ConstVector mu, ConstVector rho, double q_norm,
                             ConstVector r, ConstVector u);

/// u = W r + q formed from the problem's own data, then the errors of (r, u). u is returned.
FrictionError friction_error(const FrictionProblem& problem, ConstVector r, Vector u);

}  // namespace nsn
