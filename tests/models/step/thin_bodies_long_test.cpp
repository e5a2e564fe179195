// A sheet, a card and blades keep their sides for a minute (label long).
#include <gtest/gtest.h>

#include "tests/support/thin_bodies.h"

namespace nsn {
namespace {

TEST(ThinBodiesLong, KeepTheirSidesForAMinuteInAccurate) {
  test::expect_sides_kept("accurate", 7200);
}

TEST(ThinBodiesLong, KeepTheirSidesForAMinuteInRealtime) {
  test::expect_sides_kept("realtime", 7200);
}

}  // namespace
}  // namespace nsn
