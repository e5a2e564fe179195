/// A problem through M and H: in which form it is solved, and the solve in it.
///
///   dual    over contacts: W = H^T M^-1 H
///   primal  over degrees of freedom: S = M + H D^-1 H^T (primal_system.h); W is never formed
#pragma once

#include <memory>
#include <string>

#include "nsn/core/base/clock.h"
#include "nsn/core/linear/solver_registry.h"
#include "nsn/core/problems/friction_problem.h"
#include "nsn/core/problems/friction_solver.h"
#include "nsn/core/problems/mass_matrix.h"
#include "nsn/core/problems/primal_system.h"
#include "nsn/core/problems/staged_solve.h"

namespace nsn {

struct FormChoice {
  bool primal = false;
  std::string reason;
};

class GlobalSolve {
 public:
  GlobalSolve(const FrictionSolverOptions& options, const SolverRegistry& registry,
              const GlobalFrictionProblem& problem, MassMatrix& mass, FrictionResult& result,
              Clock::time_point start);

  /// M is singular: says so in the result.
  void refuse();
  /// The form with fewer operations.
  FormChoice choose();
  /// start: three impulses per contact.
  void run_primal(const Vector& start, const std::string& reason);
  void run_dual(const Vector& start, const std::string& reason);

 private:
  void make_primal();
  void report_form(const char* name, const std::string& reason);
  double dual_flops();
  void run(const Vector& padded, StagedProblem staged, NewtonSystem& system, DualSystem* dual,
           const Vector& diagonal);

  const FrictionSolverOptions& options_;
  const SolverRegistry& registry_;
  const GlobalFrictionProblem& problem_;
  MassMatrix& mass_;
  FrictionResult& result_;
  Clock::time_point start_;
  Csr Ht_;
  std::unique_ptr<PrimalSystem> primal_;
};

}  // namespace nsn
