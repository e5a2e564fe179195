// Claims of the paper that take seconds: their verdicts are those of the page.
#include "bench/study/claims.h"

#include <gtest/gtest.h>

#include "tests/support/claims_page.h"

namespace nsn::study {
namespace {

TEST(Claims, HaveNamesOfTheirOwnAndNearMissesAreSuggested) {
  for (const Claim& claim : claims()) EXPECT_EQ(&claim_named(claim.row), &claim);
  try {
    claim_named("arch-krilov");
    FAIL() << "an unknown claim was found";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("arch-krylov"), std::string::npos) << error.what();
  }
}

TEST(Claims, AreAllOnThePage) {
  for (const Claim& claim : claims()) {
    EXPECT_TRUE(test::verdicts_of_the_page().contains(claim.row)) << claim.row;
  }
  EXPECT_EQ(test::verdicts_of_the_page().size(), claims().size());
}

TEST(Claims, ACommandThatNsnWouldRefuseIsRefused) {
  ClaimRuns runs;
  EXPECT_THROW(runs.run("nsn run arhc --steps 1"), std::invalid_argument);
  EXPECT_THROW(runs.run("nsn run arch --no-such-option 1"), std::invalid_argument);
  EXPECT_THROW(runs.run("nsn study arch"), std::invalid_argument);
}

TEST(Claims, WhatCannotBeMeasuredSaysWhy) {
  Claim claim = claim_of_runs("x", "x", {"nsn run arch --steps 1 --linear no-such-solver"}, true,
                              [](const std::vector<Row>&) { return Verdict{}; });
  ClaimRuns runs;
  const Row row = row_of(claim, runs);
  EXPECT_EQ(row.at("holds"), "not measured");
  EXPECT_NE(row.at("reason").get<std::string>().find("no-such-solver"), std::string::npos);
}

class QuickClaims : public testing::TestWithParam<Claim> {};

TEST_P(QuickClaims, HaveTheVerdictOfThePage) {
  test::expect_verdict_of_the_page(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Paper, QuickClaims, testing::ValuesIn(test::claims_that_are(true)),
                         test::claim_name);

}  // namespace
}  // namespace nsn::study
