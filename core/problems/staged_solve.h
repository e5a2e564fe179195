/// One solve of a friction problem in stages, and what they leave behind.
///
///   StagedSolve solve(options, std::move(problem), system, &system, result, Clock::now());
///   solve_and_check(solve, options, r0, measure, result);  // measure(): errors on the given data
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "nsn/core/base/clock.h"
#include "nsn/core/base/work_clock.h"
#include "nsn/core/contact/dual_system.h"
#include "nsn/core/contact/proximal_newton.h"
#include "nsn/core/problems/classic_friction.h"
#include "nsn/core/problems/friction_blocks.h"
#include "nsn/core/problems/friction_solver.h"
#include "nsn/core/problems/shift_map.h"

namespace nsn {

/// What the stages need to know of a problem besides its system.
struct StagedProblem {
  std::vector<RowLaw> laws;
  Vector q;                // three per contact
  bool symmetric = true;   // W
  double asymmetry = 0.0;  // of W
  Index blocks = 0;        // of W; 0 if it is not formed
};

/// Gives W to the system; what is left for the stages.
StagedProblem take(FrictionBlocks& blocks, DualSystem& system);

class StagedSolve {
 public:
  /// dual: the same system if W is formed, null otherwise; Gauss-Seidel needs it.
  /// options and registry must outlive it.
  StagedSolve(const FrictionSolverOptions& options, const SolverRegistry& registry,
              StagedProblem problem, NewtonSystem& system, DualSystem* dual, FrictionResult& result,
              Clock::time_point start);

  /// All stages of the method that the options ask for, from r0 (three per contact).
  void run(ConstVector r0);
  /// The errors formed again miss the tolerance: aims lower and goes on, as far as that is
  /// possible.
  bool tighten();
  void best(Vector r) const { newton_->best_reactions(r); }

 private:
  void limit_time(double seconds);
  bool out_of_time() const { return clock_.out_of_time(); }
  void run_auto();
  bool first_stages(double flops);
  void rescue();
  bool certify();
  bool indefinite();
  bool has_convex_form() const;
  bool associated();
  bool shift_map(int factorizations, std::string reason);
  bool dips(int factorizations, std::string reason);
  bool newton_from(ConstVector x, double alpha, int factorizations, std::string reason);
  int left() const;
  void start_at_random();
  double random_decade();
  double uniform();
  bool proximal(double alpha, std::string reason);
  bool admm(int iterations, std::string reason);
  bool gauss_seidel(int sweeps, std::string reason);
  bool classic();
  bool finish(std::string name, std::string reason, int iterations, int factorizations,
              Clock::time_point begin, bool solved);

  const FrictionSolverOptions& options_;
  const SolverRegistry& registry_;
  StagedProblem blocks_;
  FrictionResult& result_;
  WorkClock clock_;
  NewtonSystem& system_;
  DualSystem* dual_;
  std::unique_ptr<ProximalNewton> newton_;
  std::unique_ptr<ShiftMap> shift_map_;
  int convex_factorizations_ = 0;
  double newton_at_ = kInfinity;  // error of the shift map where Newton was last started
  Vector swept_;                  // of the dips, scaled
  bool certificate_asked_ = false;
  double goal_ = 0.9;
  std::uint64_t random_ = 0x2545F4914F6CDD1DULL;
};

/// What "solved" means.
bool within(const FrictionError& error, const FrictionSolverOptions& options);

/// Runs the stages, measures on the given data, and aims lower if rounding stands between.
void solve_and_check(StagedSolve& solve, const FrictionSolverOptions& options, ConstVector r0,
                     const std::function<void()>& measure, FrictionResult& result);

}  // namespace nsn
