#include "bench/friction/friction_report.h"

#include <gtest/gtest.h>

namespace nsn::bench {
namespace {

FrictionOutcome outcome(const std::string& problem, const std::string& method, double seconds,
                        bool solved = true) {
  FrictionOutcome result;
  result.problem = problem;
  result.method = method;
  result.seconds = seconds;
  result.solved = solved;
  result.dimension = 3;
  result.contacts = 1;
  return result;
}

// Two problems: fast is twice as fast on the first, alone on the second; nobody solves the third.
std::vector<FrictionOutcome> three_problems() {
  return {outcome("a", "fast", 1.0),        outcome("a", "slow", 2.0),
          outcome("b", "fast", 3.0),        outcome("b", "slow", 1.0, false),
          outcome("c", "fast", 1.0, false), outcome("c", "slow", 1.0, false)};
}

TEST(PerformanceProfile, IsTheShareWithinATimeRatio) {
  const auto curves = performance_profile(three_problems());

  ASSERT_EQ(curves.size(), 2U);
  EXPECT_EQ(curves[0].method, "fast");
  EXPECT_EQ(curves[0].tau, (std::vector<double>{1.0, 1.0, 1.0, 2.0}));
  EXPECT_EQ(curves[0].share, (std::vector<double>{0.0, 0.5, 1.0, 1.0}));
  EXPECT_EQ(curves[1].tau, (std::vector<double>{1.0, 2.0, 2.0}));
  EXPECT_EQ(curves[1].share, (std::vector<double>{0.0, 0.5, 0.5}));
}

TEST(PerformanceProfile, AMethodThatSolvesNothingStaysAtZero) {
  const auto curves =
      performance_profile({outcome("a", "good", 1.0), outcome("a", "bad", 1.0, false)});

  EXPECT_EQ(curves[1].share, (std::vector<double>{0.0, 0.0}));
}

TEST(FrictionRows, ARefusedFileKeepsItsReason) {
  FrictionOutcome refused;
  refused.problem = "a";
  refused.refusal = "a:1: broken";

  const auto row = to_rows({refused}).front();

  EXPECT_EQ(row["status"], "refused");
  EXPECT_EQ(row["detail"], "a:1: broken");
  EXPECT_TRUE(row["error_siconos"].is_null());
}

TEST(SolutionCsv, HasImpulsesThenVelocitiesWithAllDigits) {
  FrictionOutcome result = outcome("a", "auto", 1.0);
  result.dimension = 2;
  result.contacts = 2;
  result.r = {1.0 / 3.0, 0.0, 1.0, -2.0};
  result.u = {0.0, 5.0, 0.1, 0.0};

  EXPECT_EQ(solution_csv(result), "0.33333333333333331,0,0,5\n1,-2,0.10000000000000001,0\n");
}

TEST(FrictionPage, HoldsProblemsMethodsAndTheProfile) {
  const std::string page = to_html(three_problems(), 1e-8);

  for (const char* text : {"Performance profile", "fast", "slow", "<svg"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace nsn::bench
