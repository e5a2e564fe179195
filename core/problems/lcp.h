/// Linear complementarity problems  w = M z + q,  0 <= w orthogonal to z >= 0.
///
/// A monotone one (M positive semidefinite, symmetric or not) is solved by the proximal Newton
/// method of core/contact/proximal_newton.h with box rows 0 <= z. One that is not is solved by
/// Lemke's complementary pivoting, and a small one that Lemke's ray stops at by trying every
/// complementary pattern.
#pragma once

#include <string>
#include <string_view>

#include "nsn/core/linear/solver_registry.h"
#include "nsn/core/problems/friction_error.h"
#include "nsn/core/problems/friction_problem.h"

namespace nsn {

enum class LcpMethod {
  kAuto,       ///< "auto": Newton, then Lemke, then enumeration, each where the last gave nothing
  kNewton,     ///< "newton"
  kLemke,      ///< "lemke"
  kEnumerate,  ///< "enumerate": all 2^n patterns, n <= 20
};
std::string_view to_string(LcpMethod method);
LcpMethod lcp_method_from_name(std::string_view name);

enum class LcpStatus {
  kSolved,
  kRay,  ///< Lemke ended on a ray: no solution if M is copositive plus, unknown otherwise
  /// None of the complementary patterns with a regular block gave a solution. That is no proof: one may
  /// lie where a block is singular, or be lost in rounding.
  kEveryPatternTried,
  kBudgetReached,  ///< iterations spent
  kTimeLimit,      ///< time_limit spent
};
std::string_view to_string(LcpStatus status);

struct LcpOptions {
  LcpMethod method = LcpMethod::kAuto;
  /// Of the errors of core/problems/friction_error.h with one frictionless row per contact: Siconos' at most
  /// this, the unit-free one at most 100 times as much.
  double tolerance = 1e-8;
  int max_iterations = 10000;  ///< pivots, or factorisations
  std::string linear = "contact-lu";
  double time_limit =
      0.0;  ///< s of wall clock; 0: none. Asked between iterations, pivots and patterns
};

struct LcpResult {
  LcpStatus status = LcpStatus::kBudgetReached;
  LcpMethod method = LcpMethod::kAuto;  ///< that gave the answer
  Vector z;
  Vector w;              ///< M z + q, formed again
  double error = 0.0;    ///< Siconos': |min(z, w)|_2 / max(|q|_2, |z|_2, |w|_2)
  FrictionError errors;  ///< that one, and the others
  int iterations = 0;
  double seconds = 0.0;

  bool solved() const { return status == LcpStatus::kSolved; }
};

/// Throws std::invalid_argument for a matrix that is not square, sizes that do not agree or numbers
/// that are not finite.
[[nodiscard]] LcpResult solve_lcp(const LinearComplementarityProblem& problem,
                                  const SolverRegistry& registry, const LcpOptions& options = {});

}  // namespace nsn
