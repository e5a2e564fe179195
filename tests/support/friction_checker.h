/// An independent judge of claimed solutions: naive code in long double that shares nothing with
/// core but the problem's data.
///
///   u = W r + q again (global: M v = H r + f by Gaussian elimination of M's connected parts, then
///   u = H^T v + w), then
///     siconos    |r - Pi(r - u^)|_2 / max(|q|, |r|, |u|)
///     unit_free  |{ (r_i - Pi(r_i - rho_i u^_i)) / rho_i }|_2 / |q|_2,    rho_i = 1 / |W_ii|_2
///   with u^ = u + mu |u_T| e_N; for an LCP the same with one row per contact and mu = 0.
#pragma once

#include <vector>

#include "nsn/core/problems/friction_problem.h"

namespace nsn::test {

struct Verdict {
  double siconos = 0.0;
  double unit_free = 0.0;
  double min_normal_velocity = 0.0;  ///< m/s
  double max_cone_violation = 0.0;   ///< kg m/s
  std::vector<double> u;             ///< recomputed
};

Verdict judge(const FrictionProblem& problem, ConstVector r);
Verdict judge(const GlobalFrictionProblem& problem, ConstVector r);
Verdict judge(const LinearComplementarityProblem& problem, ConstVector z);

}  // namespace nsn::test
