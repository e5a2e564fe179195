// Problems made from a seed do what public ones do where there are none: solved from a zero guess
// by the automatic method, judged by code that shares nothing with the solver, written and read.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/io/siconos_text.h"
#include "nsn/core/problems/friction_solver.h"
#include "nsn/core/problems/numerical_rank.h"
#include "nsn/models/problems/random_friction_problem.h"
#include "tests/support/friction_checker.h"

namespace nsn {
namespace {

constexpr double kSiconosTolerance = 1e-8;   // what is asked for
constexpr double kUnitFreeTolerance = 1e-6;  // a hundred times that, in any units

class GeneratedProblem : public testing::TestWithParam<std::uint64_t> {
 protected:
  /// Up to 80 contacts, friction that leaves none of these unsolved.
  RandomFrictionProblem random_ =
      random_friction_problem(GetParam(), {.max_contacts = 80, .min_contacts = 5, .max_mu = 0.9});
};

TEST_P(GeneratedProblem, IsSolvedToTheToleranceByAnotherJudge) {
  const FrictionResult result = FrictionSolver({}, standard_backends()).solve(random_.problem);
  const test::Verdict verdict = test::judge(random_.problem, result.r);

  EXPECT_TRUE(result.solved()) << to_string(result.status);
  EXPECT_LE(verdict.siconos, kSiconosTolerance);
  EXPECT_LE(verdict.unit_free, kUnitFreeTolerance);
}

TEST_P(GeneratedProblem, JudgeAcceptsThePlantedSolutionAndNoOther) {
  const test::Verdict planted = test::judge(random_.problem, random_.r);
  Vector half("half", random_.r.extent(0));
  for (std::size_t i = 0; i < half.extent(0); ++i) half(i) = 0.5 * random_.r(i);

  EXPECT_LT(planted.siconos, 1e-12);  // rounding of q = u - W r, scaled by |q|
  EXPECT_GT(test::judge(random_.problem, half).unit_free, 100.0 * kUnitFreeTolerance);
}

TEST_P(GeneratedProblem, IsTheSameAfterWritingAndReading) {
  const FrictionFile file =
      parse_siconos_text(to_siconos_text(random_.problem), "generated", FrictionFormat::kAuto);
  const auto& read = std::get<FrictionProblem>(file.problem);

  ASSERT_EQ(read.contacts(), random_.problem.contacts());
  const test::Verdict before = test::judge(random_.problem, random_.r);
  const test::Verdict after = test::judge(read, random_.r);
  EXPECT_EQ(before.u, after.u);  // every digit of W, q is written
}

/// The degrees of freedom bound the rank of W = J M^-1 J^T.
TEST_P(GeneratedProblem, RankIsAtMostThatOfItsBodies) {
  const auto rows = static_cast<double>(3 * random_.problem.contacts());
  const Index rank = numerical_rank(random_.problem);
  EXPECT_GT(rank, 0);
  EXPECT_LE(static_cast<double>(rank), std::min(1.0, random_.rank) * rows + 0.5);  // rounded
}

INSTANTIATE_TEST_SUITE_P(Seeds, GeneratedProblem, testing::Range<std::uint64_t>(1, 25));

}  // namespace
}  // namespace nsn
