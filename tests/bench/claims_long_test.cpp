// Claims of the paper that take minutes: their verdicts are those of the page.
#include <gtest/gtest.h>

#include "tests/support/claims_page.h"

namespace nsn::study {
namespace {

class LongClaims : public testing::TestWithParam<Claim> {};

TEST_P(LongClaims, HaveTheVerdictOfThePage) {
  test::expect_verdict_of_the_page(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Paper, LongClaims, testing::ValuesIn(test::claims_that_are(false)),
                         test::claim_name);

}  // namespace
}  // namespace nsn::study
