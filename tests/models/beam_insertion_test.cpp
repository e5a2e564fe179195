// The flexible beam is pushed into its socket: stiff welds, many redundant contacts.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/simulate.h"

namespace nsn {
namespace {

TEST(BeamInsertion, EndsInItsSocket) {
  Simulation simulation = test::simulate("beam-insertion");
  double worst = 0.0;
  for (int k = 0; k < 240; ++k) worst = std::max(worst, simulation.step().error.total);
  EXPECT_LT(worst, 1e-8);  // m/s, fully implicit, in every step
  for (int piece = 1; piece <= 16; ++piece) {
    const Vec3 p = simulation.world().body(piece).position;
    const double flush = 0.64 - (piece - 0.5) * 0.04;  // with the tail in the mouth
    EXPECT_GT(p[0], flush - 0.02) << piece;            // friction stops the last half piece
    EXPECT_LT(p[0], flush + 1e-6) << piece;
    EXPECT_LT(std::hypot(p[1], p[2]), 1e-3) << piece;  // clearance 0.5 mm either way
  }
}

}  // namespace
}  // namespace nsn
