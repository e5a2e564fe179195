#include "nsn/core/problems/lcp.h"

#include <cmath>

#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "tests/support/contact_problems.h"

namespace nsn {
namespace {

LinearComplementarityProblem problem_of(Index n, const std::vector<double>& M,
                                        const std::vector<double>& q) {
  std::vector<Triplet> triplets;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      triplets.push_back({i, j, M[static_cast<std::size_t>(n * i + j)]});
    }
  }
  return {csr_from_triplets(n, n, triplets), test::vector_of(q)};
}

LcpResult solve(const LinearComplementarityProblem& problem, LcpMethod method) {
  LcpOptions options;
  options.method = method;
  return solve_lcp(problem, standard_backends(), options);
}

// M = [2 1; 1 2], q = (-5, -6): z = (4/3, 7/3), w = 0.
TEST(Lcp, PositiveDefiniteByEveryMethod) {
  const auto problem = problem_of(2, {2, 1, 1, 2}, {-5, -6});
  for (const LcpMethod method :
       {LcpMethod::kAuto, LcpMethod::kNewton, LcpMethod::kLemke, LcpMethod::kEnumerate}) {
    const LcpResult result = solve(problem, method);

    EXPECT_TRUE(result.solved()) << to_string(method);
    EXPECT_NEAR(result.z(0), 4.0 / 3.0, 1e-7) << to_string(method);  // tolerance 1e-8 |q|
    EXPECT_NEAR(result.z(1), 7.0 / 3.0, 1e-7) << to_string(method);
  }
}

// [1 -3; 0 1] is a P-matrix (one solution for every q) whose symmetric part is indefinite; q = (1,
// -2) has z = (5, 2).
TEST(Lcp, LemkeSolvesWhatIsNotMonotone) {
  const LcpResult result = solve(problem_of(2, {1, -3, 0, 1}, {1, -2}), LcpMethod::kLemke);

  EXPECT_TRUE(result.solved());
  EXPECT_NEAR(result.z(0), 5.0, 1e-12);
  EXPECT_NEAR(result.z(1), 2.0, 1e-12);
}

// M = [0 1; 1 0], q = (-1, -1): Lemke's path ends on a ray, z = (1, 1) is a solution.
TEST(Lcp, EnumerationFollowsARay) {
  const auto problem = problem_of(2, {0, 1, 1, 0}, {-1, -1});

  EXPECT_EQ(solve(problem, LcpMethod::kLemke).status, LcpStatus::kRay);
  EXPECT_TRUE(solve(problem, LcpMethod::kEnumerate).solved());
  EXPECT_TRUE(solve(problem, LcpMethod::kAuto).solved());
}

// w_1 = -z_1 - 1 < 0 for every z >= 0: nothing is found, and nothing more is claimed.
TEST(Lcp, PatternsThatAllFailProveNothing) {
  const LcpResult result = solve(problem_of(1, {-1}, {-1}), LcpMethod::kAuto);

  EXPECT_EQ(result.status, LcpStatus::kEveryPatternTried);
  EXPECT_EQ(to_string(result.status).find("no-solution"), std::string_view::npos);
}

// w = z - 1e-12: z = 0 has an error of 1 of |q|, however small that is.
TEST(Lcp, TheToleranceIsRelativeToQ) {
  const auto problem = problem_of(2, {1, 0, 0, 1}, {-1e-12, 1e-12});
  for (const LcpMethod method : {LcpMethod::kAuto, LcpMethod::kLemke, LcpMethod::kEnumerate}) {
    const LcpResult result = solve(problem, method);

    ASSERT_TRUE(result.solved()) << to_string(method);
    EXPECT_NEAR(result.z(0), 1e-12, 1e-19) << to_string(method);
    EXPECT_LE(result.errors.unit_free, 1e-6) << to_string(method);
  }
}

TEST(Lcp, NonNegativeQNeedsNothing) {
  const LcpResult result = solve(problem_of(2, {-3, 1, 0, -2}, {1, 2}), LcpMethod::kLemke);

  EXPECT_TRUE(result.solved());
  EXPECT_EQ(result.iterations, 0);
}

TEST(Lcp, EmptyProblem) {
  EXPECT_TRUE(solve(problem_of(0, {}, {}), LcpMethod::kAuto).solved());
}

TEST(Lcp, BadInputIsNamed) {
  EXPECT_THROW(static_cast<void>(solve(problem_of(1, {std::nan("")}, {1}), LcpMethod::kAuto)),
               std::invalid_argument);
  EXPECT_THROW(static_cast<void>(solve(problem_of(2, {1, 0, 0, 1}, {1}), LcpMethod::kAuto)),
               std::invalid_argument);
  EXPECT_THROW(static_cast<void>(lcp_method_from_name("lemk")), std::invalid_argument);
}

}  // namespace
}  // namespace nsn
