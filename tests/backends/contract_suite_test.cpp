// The contract suite notices solvers that break the contract.
#include <algorithm>

#include <gtest/gtest.h>

#include "nsn/core/base/vector_kernels.h"
#include "nsn/tests/contract/linear_solver_contract.h"

namespace nsn {
namespace {

enum class Flaw { kNone, kStaleValues, kBoasts, kTooManyIterations, kKeepsSilent, kThrows };

/// x <- x + omega D^-1 (b - S x) with the diagonal of the last factorisation, and one flaw.
class Flawed final : public LinearSolver {
 public:
  explicit Flawed(Flaw flaw) : flaw_(flaw) {}
  std::string_view name() const override { return "flawed"; }
  const Capabilities& capabilities() const override { return capabilities_; }

 private:
  void do_analyze(const LinearOperator& op) override {
    diagonal_ = Vector("d", static_cast<std::size_t>(op.rows()));
    r_ = Vector("r", static_cast<std::size_t>(op.rows()));
    fresh_ = true;
  }
  Preparation do_factorize(const LinearOperator& op) override {
    if (flaw_ == Flaw::kThrows) throw std::runtime_error("no");
    op.diagonal(diagonal_);
    stale_ = flaw_ == Flaw::kStaleValues && !fresh_;
    fresh_ = false;
    return {};
  }
  void do_solve(const LinearOperator& op, ConstVector b, Vector x, const LinearControl& control,
                const Monitor& monitor, LinearReport& report) override {
    const int most = control.iteration_budget > 0
                         ? std::min(control.iteration_budget, control.max_iterations)
                         : control.max_iterations;
    const double target = std::max(control.rtol * report.rhs_norm, control.atol);
    double residual = report.initial_residual;
    const int extra = flaw_ == Flaw::kTooManyIterations ? 1 : 0;
    if (stale_) Kokkos::deep_copy(x, 0.0);
    while (!stale_ && residual > target && report.iterations < most + extra &&
           residual < 1e3 * report.initial_residual) {
      op.apply(x, r_);
      residual = residual_norm(b, r_, r_);
      if (monitor) monitor({report.iterations, residual, 0.0, 0.0});
      if (residual <= target) break;
      for (Index i = 0; i < op.rows(); ++i) {
        if (diagonal_(i) != 0.0) x(i) += 0.9 * r_(i) / diagonal_(i);
      }
      ++report.iterations;
      report.bytes_moved += op.bytes_per_apply();
    }
    report.status = residual <= control.rtol * report.rhs_norm ? LinearStatus::kConvergedRelative
                    : residual <= control.atol                 ? LinearStatus::kConvergedAbsolute
                    : report.iterations >= most && control.iteration_budget > 0
                        ? LinearStatus::kBudgetReached
                    : report.iterations >= most ? LinearStatus::kMaxIterations
                                                : LinearStatus::kStagnation;
    if (flaw_ == Flaw::kBoasts && !report.ok()) report.status = LinearStatus::kConvergedRelative;
    if (flaw_ != Flaw::kKeepsSilent && !report.ok()) report.detail = "no convergence";
  }
  double bytes_held() const override { return 8.0; }

  Capabilities capabilities_;
  Flaw flaw_;
  bool fresh_ = true;
  bool stale_ = false;
  Vector diagonal_;
  Vector r_;
};

std::vector<std::string> failing_cases(Flaw flaw) {
  SolverRegistry registry;
  SolverInfo info;
  info.name = "flawed";
  info.make = [flaw](const Options&, const SolverRegistry&) {
    return std::make_unique<Flawed>(flaw);
  };
  registry.add(info);
  std::vector<std::string> names;
  for (const auto& failure : contract::run_linear_solver_contract(registry, "flawed")) {
    names.push_back(failure.case_name);
  }
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

TEST(ContractSuite, PassesAnHonestSolver) {
  EXPECT_EQ(failing_cases(Flaw::kNone), std::vector<std::string>{});
}

TEST(ContractSuite, NoticesValuesThatWereNotTaken) {
  EXPECT_TRUE(contains(failing_cases(Flaw::kStaleValues), "changed-values"));
}

TEST(ContractSuite, NoticesAnAnswerThatIsNone) {
  EXPECT_TRUE(contains(failing_cases(Flaw::kBoasts), "singular-inconsistent"));
}

TEST(ContractSuite, NoticesIterationsBeyondTheBudget) {
  EXPECT_TRUE(contains(failing_cases(Flaw::kTooManyIterations), "iteration-budget"));
}

TEST(ContractSuite, NoticesAFailureWithoutExplanation) {
  EXPECT_TRUE(contains(failing_cases(Flaw::kKeepsSilent), "max-iterations"));
}

TEST(ContractSuite, NoticesExceptionsInPlaceOfAStatus) {
  EXPECT_TRUE(contains(failing_cases(Flaw::kThrows), "spd"));
}

}  // namespace
}  // namespace nsn
