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

TEST(Study, FrictionWeightsMeetOnTheBoundAndAreNeverNegative) {
  const StudyOutcome outcome = friction_functions_study({});

  int on_bound = 0;
  for (const Row& row : outcome.rows) {
    const double minimum = row.at("w_minimum_map_per_kg");
    const double fischer = row.at("w_fischer_burmeister_per_kg");
    EXPECT_GE(minimum, 0.0);
    EXPECT_GE(fischer, 0.0);
    if (std::abs(row.at("impulse_over_bound").get<double>() - 1.0) > 1e-6) continue;
    ++on_bound;
    // W = |v| / F with F = 1; the grid misses the bound by rounding only.
    EXPECT_NEAR(minimum, row.at("slip_mps").get<double>(), 1e-12);
    EXPECT_NEAR(fischer, row.at("slip_mps").get<double>(), 1e-12);
  }
  EXPECT_EQ(on_bound, 3);
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
