// What the front of every linear solver lets out, whatever the solver behind it does.
#include <limits>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/core/linear/linear_operator.h"
#include "nsn/core/linear/linear_solver.h"
#include "nsn/core/matrix/csr.h"

namespace nsn {
namespace {

/// Answers what it is told to, and calls it good.
class Told final : public LinearSolver {
 public:
  Told(std::vector<double> answer, LinearStatus status, bool direct)
      : answer_(std::move(answer)), status_(status) {
    can_.direct = direct;
  }
  std::string_view name() const override { return "told"; }
  const Capabilities& capabilities() const override { return can_; }

 private:
  void do_analyze(const LinearOperator&) override {}
  Preparation do_factorize(const LinearOperator&) override { return {}; }
  void do_solve(const LinearOperator&, ConstVector, Vector x, const LinearControl&, const Monitor&,
                LinearReport& report) override {
    for (std::size_t k = 0; k < x.extent(0); ++k) x(k) = answer_[k];
    report.status = status_;
  }
  double bytes_held() const override { return 0.0; }

  std::vector<double> answer_;
  LinearStatus status_;
  Capabilities can_;
};

struct Outcome {
  LinearReport report;
  double x0, x1;
};

/// S = [1 0; 0 -]: row 1 has no entries. b = (1, 0).
Outcome solve(const std::vector<double>& answer, LinearStatus status,
              const LinearControl& control) {
  Told solver(answer, status, status == LinearStatus::kDirect);
  const CsrOperator op(csr_from_triplets(2, 2, std::vector<Triplet>{{0, 0, 1.0}}));
  solver.prepare(op);
  const Vector b("b", 2), x("x", 2);
  b(0) = 1.0;
  const LinearReport report = solver.solve(b, x, control);
  return {report, x(0), x(1)};
}

TEST(LinearFront, NothingNonFiniteLeavesThroughARowWithoutEntries) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const bool lean : {false, true}) {
    for (const bool trust : {false, true}) {
      const Outcome out = solve({1.0, nan}, LinearStatus::kDirect, {.lean = lean, .trust = trust});
      EXPECT_EQ(out.report.status, LinearStatus::kNonFinite) << lean << trust;
      EXPECT_EQ(out.x0, 0.0);
      EXPECT_EQ(out.x1, 0.0);
    }
  }
}

TEST(LinearFront, AGuessIsAnAnswerOnlyWithinTheTolerance) {
  const CsrOperator op(csr_from_triplets(1, 1, std::vector<Triplet>{{0, 0, 1.0}}));
  const Vector b("b", 1), x("x", 1);
  b(0) = 1.0;
  for (const double miss : {0.005, 0.05}) {
    Told solver({1.0}, LinearStatus::kConvergedRelative, false);
    solver.prepare(op);
    x(0) = 1.0 - miss;
    EXPECT_TRUE(solver.solve(b, x, {.rtol = 0.01}).ok());
    EXPECT_EQ(x(0), miss < 0.01 ? 1.0 - miss : 1.0);
  }
}

TEST(LinearFront, AnAnswerFarWorseThanTheStartIsGivenBack) {
  for (const LinearStatus status : {LinearStatus::kBudgetReached, LinearStatus::kMaxIterations}) {
    const Outcome out = solve({2.4e38, 0.0}, status, {.iteration_budget = 20, .lean = true});
    EXPECT_EQ(out.report.status, LinearStatus::kBreakdown);
    EXPECT_FALSE(out.report.ok());
    EXPECT_FALSE(out.report.detail.empty());
    EXPECT_EQ(out.x0, 0.0);
  }
  // One that is only not good yet stays.
  EXPECT_EQ(solve({50.0, 0.0}, LinearStatus::kBudgetReached, {.iteration_budget = 2}).x0, 50.0);
}

}  // namespace
}  // namespace nsn
