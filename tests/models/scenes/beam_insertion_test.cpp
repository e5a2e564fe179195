// The flexible beam is pushed into its socket: stiff welds, many redundant contacts.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/simulate.h"

namespace nsn {
namespace {

/// Half of the clearance and what the contacts yield.
constexpr double kSideways = 0.5e-3 + 1e-6;

void expect_flush(const World& world, double short_by) {
  for (int piece = 1; piece <= 16; ++piece) {
    const Vec3 p = world.body(piece).position;
    const double flush = 0.64 - (piece - 0.5) * 0.04;  // with the tail in the mouth
    EXPECT_NEAR(p[0], flush, short_by) << piece;
    EXPECT_LT(std::max(std::abs(p[1]), std::abs(p[2])), kSideways + short_by) << piece;
  }
}

TEST(BeamInsertion, EndsInItsSocket) {
  Simulation simulation = test::simulate("beam-insertion");
  double worst = 0.0;
  int failed = 0;
  for (int k = 0; k < 240; ++k) {
    const StepReport& report = simulation.step();
    worst = std::max(worst, report.error.total);
    failed += report.converged() ? 0 : 1;
  }
  EXPECT_EQ(failed, 0);
  EXPECT_LT(worst, 1e-8);                      // m/s, fully implicit, in every step
  expect_flush(simulation.world(), 1e-6);      // the drive's limit stops the tail in the mouth
  EXPECT_LT(simulation.report().speed, 1e-6);  // and there it stays
}

TEST(BeamInsertion, EndsInItsSocketAtABoundedCost) {
  Simulation simulation = test::simulate("beam-insertion", {}, test::with_preset("realtime"));
  int total = 0;
  for (int k = 0; k < 240; ++k) {
    const int used = simulation.step().factorizations;
    EXPECT_LE(used, 18);  // a hard step may take three times its six
    total += used;
  }
  EXPECT_LE(total, 6 * 240);
  expect_flush(simulation.world(), 1e-3);  // errors of 1e-3 m/s are left standing
}

}  // namespace
}  // namespace nsn
