// Sweeps before any matrix is built: what they solve is solved on the given data, and what they do not
// solve is left as if there had been none.
#include "nsn/core/problems/first_sweeps.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/problems/friction_solver.h"
#include "nsn/models/problems/random_friction_problem.h"
#include "tests/support/contact_problems.h"
#include "tests/support/friction_checker.h"

namespace nsn {
namespace {

/// W of `contacts` contacts over this many degrees of freedom.
FrictionProblem problem_of(Index contacts, Index dofs, double mu) {
  FrictionProblem problem;
  problem.W = to_scalar(test::random_delassus(contacts, dofs, 0.0, 5));
  problem.q = test::random_vector(3 * contacts, 6);
  problem.mu = test::vector_of(std::vector<double>(static_cast<std::size_t>(contacts), mu));
  return problem;
}

/// Contacts that do not feel each other: the diagonal blocks of W alone.
FrictionProblem uncoupled(Index contacts) {
  FrictionProblem problem = problem_of(contacts, 4 * contacts, 0.4);
  std::vector<Triplet> blocks;
  for (Index i = 0; i < problem.W.rows; ++i) {
    for (Index k = problem.W.row_begin(i); k < problem.W.row_begin(i + 1); ++k) {
      if (problem.W.column(k) / 3 == i / 3) {
        blocks.push_back({i, problem.W.column(k), problem.W.value(k)});
      }
    }
  }
  problem.W = csr_from_triplets(problem.W.rows, problem.W.rows, blocks);
  return problem;
}

FrictionResult solve_with(FrictionMethod method, const FrictionProblem& problem) {
  FrictionSolverOptions options;
  options.method = method;
  return FrictionSolver(options, standard_backends()).solve(problem);
}

TEST(FirstSweeps, SolveWhatIsEasyWithoutAFactorisation) {
  const FrictionProblem problem = uncoupled(12);
  const FrictionResult result = solve_with(FrictionMethod::kAuto, problem);
  const test::Verdict verdict = test::judge(problem, result.r);

  EXPECT_TRUE(result.solved());
  EXPECT_EQ(result.factorizations, 0);
  EXPECT_LE(result.sweeps, 2);
  EXPECT_LE(verdict.siconos, 1e-8);
  EXPECT_LE(verdict.unit_free, 1e-6);
}

TEST(FirstSweeps, LeaveWhatIsHardAsItWas) {
  const FrictionProblem problem =
      random_friction_problem(3, {.max_contacts = 40, .min_contacts = 20, .max_rank = 0.5}).problem;
  const FrictionResult result = solve_with(FrictionMethod::kAuto, problem);
  const FrictionResult alone = solve_with(FrictionMethod::kProximalNewton, problem);

  ASSERT_TRUE(result.solved());
  EXPECT_GT(result.factorizations, 0);
  EXPECT_GE(result.sweeps, 2);
  EXPECT_LE(result.sweeps, 20);
  EXPECT_EQ(result.factorizations, alone.factorizations);
  for (std::size_t k = 0; k < result.r.extent(0); ++k) EXPECT_EQ(result.r(k), alone.r(k));
}

TEST(FirstSweeps, AreForSmallProblems) {
  const Index kMost = FirstSweepsOptions{}.most_contacts;
  const FrictionResult small = solve_with(FrictionMethod::kAuto, uncoupled(kMost));
  const FrictionResult large = solve_with(FrictionMethod::kAuto, uncoupled(kMost + 1));

  EXPECT_GT(small.sweeps, 0);
  EXPECT_EQ(large.sweeps, 0);
  EXPECT_TRUE(small.solved() && large.solved());
}

/// Both errors are asked for: where impulses are large Siconos' error alone is met at once.
TEST(FirstSweeps, AnswerOnlyWhenBothErrorsAreMet) {
  const FrictionProblem problem = uncoupled(6);
  const BlockFrictionProblem blocks{test::random_delassus(6, 24, 0.0, 5), problem.q, problem.mu};
  std::vector<RowLaw> laws = contact_laws({problem.mu.data(), 6}, false);
  Vector x("x", 18);
  int asked = 0;
  const FirstSweeps refused = sweep_first(blocks.W, blocks.q, laws, 20, 1e-6, x,
                                          [&] {
                                            ++asked;
                                            return false;
                                          },
                                          {});
  EXPECT_FALSE(refused.solved);
  EXPECT_LE(refused.sweeps, 20);
  const FirstSweeps cancelled = sweep_first(
      blocks.W, blocks.q, laws, 20, 1e-6, x, [] { return true; }, [] { return true; });
  EXPECT_FALSE(cancelled.solved);
  EXPECT_EQ(cancelled.sweeps, 0);
}

}  // namespace
}  // namespace nsn
