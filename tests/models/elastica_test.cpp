// Large deflections of a cantilever of tetrahedra against the elastica.
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/cantilever.h"

namespace nsn {
namespace {

using test::Cantilever;
using test::kInvariantLaws;
using test::Law;
using test::Tip;
using test::tip_displacements;

// P L^2 / (E I), tip w / L, tip u / L [Bisshopp & Drucker 1945].
const std::vector<std::array<double, 3>> kElastica = {{1.0, 0.30172, 0.05643},
                                                      {2.0, 0.49346, 0.16064},
                                                      {5.0, 0.71379, 0.38763},
                                                      {10.0, 0.81061, 0.55500}};

TEST(CantileverBar, LargeDeflectionFollowsTheElastica) {
  const Cantilever bar;
  std::vector<double> loads;
  for (const auto& row : kElastica) loads.push_back(row[0] * bar.bending_stiffness());
  for (const Law& kind : {kInvariantLaws[0]}) {
    const std::vector<Tip> tips = tip_displacements(bar, kind, {80, 2, 16}, loads);
    for (std::size_t k = 0; k < kElastica.size(); ++k) {
      EXPECT_NEAR(tips[k].down / kElastica[k][1], 1.0, 0.02) << "load " << kElastica[k][0];
      // Of second order in the deflection, so twice as far off, and shortened by the stretch of the
      // axis that an elastica does not have: measured 3.4, 2.4, below 2, below 2 %.
      EXPECT_NEAR(tips[k].inwards / kElastica[k][2], 1.0, 0.04) << "load " << kElastica[k][0];
    }
  }
}

}  // namespace
}  // namespace nsn
