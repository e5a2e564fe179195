// Conjugate residuals with incomplete factors in closed loop: 20 iterations are worth a factorisation.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/simulate.h"

namespace nsn {
namespace {

using test::simulate;

SimulationOptions paper_with(const std::string& linear) {
  SimulationOptions options = test::with_preset("paper");
  options.newton.linear = {linear};
  return options;
}

class BlockIluLoop : public testing::TestWithParam<const char*> {};

TEST_P(BlockIluLoop, GivesTheMotionOfADirectSolverToNineDigits) {
  auto direct = simulate(GetParam(), {}, paper_with(test::direct_solver()));
  auto iterative = simulate(GetParam(), {}, paper_with("pcr:precond=block-ilu"));
  for (int k = 0; k < 20; ++k) {
    direct.step();
    iterative.step();
  }
  double moved = 0.0;
  double apart = 0.0;
  const World& a = direct.world();
  const World& b = iterative.world();
  for (int body = 0; body < a.num_bodies(); ++body) {
    moved = std::max(moved, norm(a.body(body).velocity));
    apart = std::max(apart, norm(a.body(body).position - b.body(body).position));
  }

  EXPECT_GT(moved, 0.0);
  EXPECT_LE(apart, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Scenes, BlockIluLoop, testing::Values("beam-insertion", "table-pile"),
                         [](const auto& scene) {
                           std::string name = scene.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace nsn
