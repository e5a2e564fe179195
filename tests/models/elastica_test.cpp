// Large deflections of a cantilever of tetrahedra against the elastica.
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/cantilever.h"

namespace nsn {
namespace {

using test::Cantilever;
using test::kInvariantLaws;
using test::Tip;
using test::tip_displacements;

// P L^2 / (E I), tip w / L, tip u / L [Bisshopp & Drucker 1945].
const std::vector<std::array<double, 3>> kElastica = {{1.0, 0.30172, 0.05643},
                                                      {2.0, 0.49346, 0.16064},
                                                      {5.0, 0.71379, 0.38763},
                                                      {10.0, 0.81061, 0.55500}};

TEST(CantileverBar, LargeDeflectionFollowsTheElastica) {
  // Slender (L/h = 20), since an elastica has no stretch of its axis and no shear: both are of the
  // order (h/L)^2. Poisson's ratio 0: beam theory knows none.
  Cantilever bar;
  bar.height = 0.05;
  bar.material.poissons_ratio = 0.0;
  std::vector<double> loads;
  for (const auto& row : kElastica) loads.push_back(row[0] * bar.bending_stiffness());
  const std::vector<Tip> tips = tip_displacements(bar, kInvariantLaws[0], {160, 1, 16}, loads);
  for (std::size_t k = 0; k < kElastica.size(); ++k) {
    EXPECT_NEAR(tips[k].down / kElastica[k][1], 1.0, 0.02) << "load " << kElastica[k][0];
    EXPECT_NEAR(tips[k].inwards / kElastica[k][2], 1.0, 0.02) << "load " << kElastica[k][0];
  }
}

}  // namespace
}  // namespace nsn
