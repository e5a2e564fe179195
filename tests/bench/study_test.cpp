// Studies: what they claim is in their data, and what they kept comes back.
#include "bench/study/study.h"

#include <gtest/gtest.h>

#include "bench/study/frozen_step.h"
#include "bench/study/study_page.h"
#include "nsn/core/step/newton_options.h"

namespace nsn::study {
namespace {

TEST(Study, NamesAreUniqueAndNearMissesAreSuggested) {
  for (const Study& study : studies()) EXPECT_EQ(&study_named(study.name), &study);
  try {
    study_named("rscalling");
    FAIL() << "an unknown study was found";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("rscaling"), std::string::npos) << error.what();
  }
}

TEST(Study, PreconditionedMinimumMapIsSolvedInOneStepFromAnywhere) {
  const StudyOutcome outcome = kink_study({});

  // r = 1/4 is the slope of the constraint: both branches are parallel.
  for (const Row& row : outcome.rows) {
    const int most = row.at("minimum_map_most_iterations");
    if (row.at("r") == 0.25) {
      EXPECT_EQ(most, 1);
    } else {
      EXPECT_GT(most, 1);
    }
  }
}

TEST(Study, FrictionErrorsVanishAtTheConeLimitAndWIsNeverNegative) {
  const StudyOutcome outcome = friction_functions_study({});

  int at_limit = 0;
  for (const Row& row : outcome.rows) {
    EXPECT_GE(row.at("w_minimum_map").get<double>(), 0.0);
    EXPECT_GE(row.at("w_fischer_burmeister").get<double>(), 0.0);
    if (row.at("force_n") != row.at("cone_limit_n")) continue;
    ++at_limit;
    // W = |v| / F: 0.5 m/s over 5 N.
    EXPECT_NEAR(row.at("w_minimum_map").get<double>(), 0.1, 1e-15);
    EXPECT_NEAR(row.at("w_fischer_burmeister").get<double>(), 0.1, 1e-15);
    EXPECT_NEAR(row.at("phi_fischer_burmeister_mps").get<double>(), 0.0, 1e-15);
  }
  EXPECT_EQ(at_limit, 2);
}

TEST(Study, LimitsOfRoundingLieBetweenWhatIsReachedAndTheStart) {
  const StudyOutcome outcome = precision_study({.quick = true});

  int converged = 0;
  for (const Row& row : outcome.rows) {
    const double start = row.at("first_error_mps");
    const double least = row.at("least_error_mps");
    EXPECT_LT(row.at("limit_32_bit_mps").get<double>(), start) << row;
    EXPECT_LT(row.at("step_limit_32_bit_mps").get<double>(), start) << row;
    EXPECT_LT(row.at("limit_64_bit_mps").get<double>(), row.at("limit_32_bit_mps").get<double>());
    if (row.at("scene") != "arch" || row.at("storage") != "double") continue;
    ++converged;  // forty iterations of the heavy stack do not come to rounding
    EXPECT_LT(least, row.at("limit_64_bit_mps").get<double>()) << row;
    EXPECT_LT(row.at("limit_64_bit_mps").get<double>(), 100.0 * least) << row;
  }
  EXPECT_EQ(converged, 2);
}

TEST(Study, MethodsOnAFrozenStepLeaveItAsItWas) {
  NewtonOptions paper = newton_preset("paper");
  paper.linear = {"contact-lu"};
  paper.paper().linear_iterations = 0;
  std::vector<double> errors;
  freeze({"heavy-stack", {}, 3}, [&](StepEquations& equations) {
    const double rho = equations.system().rho(0);
    for (const auto scaling :
         {ComplementarityScaling::kEffectiveMass, ComplementarityScaling::kIdentity,
          ComplementarityScaling::kEffectiveMass}) {
      errors.push_back(
          try_method(equations, paper, {.scaling = scaling}).history.back().error.total);
      EXPECT_EQ(equations.system().rho(0), rho);
    }
  });

  ASSERT_EQ(errors.size(), 3U);
  EXPECT_EQ(errors[0], errors[2]) << "the same method twice, another in between";
  EXPECT_NE(errors[0], errors[1]) << "the scaling had no effect";
}

TEST(Study, OutcomesSurviveTheirFile) {
  const StudyOutcome before = kink_study({});

  const auto text = to_json(before).dump();
  const StudyOutcome after = from_json(nlohmann::ordered_json::parse(text));

  EXPECT_EQ(to_json(after).dump(), text);
  EXPECT_EQ(study_page({after}, {}), study_page({before}, {}));
}

TEST(Study, PageShowsFindingChartTableAndDownload) {
  const StudyOutcome outcome = kink_study({});

  const std::string page = study_page({outcome}, {{"command", "nsn study kink"}});

  EXPECT_NE(page.find("With r = dc/dlambda the minimum map is solved in at most 1"),
            std::string::npos);
  EXPECT_NE(page.find("<svg"), std::string::npos);
  EXPECT_NE(page.find("minimum_map_most_iterations"), std::string::npos);
  EXPECT_NE(page.find("kink.csv"), std::string::npos);
  EXPECT_NE(page.find("nsn study kink"), std::string::npos);
}

}  // namespace
}  // namespace nsn::study
