// A hand holds irregular objects while it is shaken: all of them, ten seconds each.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "nsn/models/scenes/irregular_objects.h"
#include "tests/support/robot_models.h"
#include "tests/support/simulate.h"

namespace nsn {
namespace {

constexpr int kPalm = 1;

Vec3 object_in_palm(const Simulation& simulation) {
  const World& world = simulation.world();
  const ConstBodyRef palm = world.body(kPalm);
  const ConstBodyRef object = world.body(world.num_bodies() - 1);
  return rotation_matrix(conjugate(palm.orientation)) * (object.position - palm.position);
}

void expect_holds(const std::string& hand, int kind) {
  Simulation simulation =
      test::simulate("allegro-grasp", {{"file", hand}, {"object", std::to_string(kind)}});
  int contacts = 0;
  int coarse = 0;
  const auto advance = [&](int steps) {
    for (int k = 0; k < steps; ++k) {
      const StepReport& report = simulation.step();
      contacts = std::max(contacts, report.contacts);
      coarse += report.error.total > 1e-6 ? 1 : 0;
      ASSERT_LT(report.drift.distance, 1e-6);
      ASSERT_LT(report.drift.limit_excess, 1e-4);
    }
  };

  advance(300);  // closed, let go, lifted
  const Vec3 lifted = object_in_palm(simulation);
  double slip = 0.0;
  for (int second = 0; second < 10; ++second) {
    advance(120);
    slip = std::max(slip, norm(object_in_palm(simulation) - lifted));
  }

  EXPECT_LT(slip, 5e-3);
  EXPECT_GE(contacts, 100);
  EXPECT_LT(coarse, 15);  // 1 % of 1500 steps
  std::printf("%s: %-10s slip %.3f mm, at most %d contacts, %d steps above 1e-6 m/s\n",
              hand.c_str(), irregular_object_name(kind), 1e3 * slip, contacts, coarse);
}

class AllegroGrasp : public testing::TestWithParam<int> {};

TEST_P(AllegroGrasp, HoldsTheObjectForTenSecondsOfShaking) {
  expect_holds(test::kOwnHand, GetParam());
}

TEST_P(AllegroGrasp, PublicHandHoldsItAsWell) {
  NSN_NEED_PUBLIC_DATA(std::string("robots/") + test::kPublicHand);
  expect_holds(test::kPublicHand, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Objects, AllegroGrasp, testing::Range(0, kIrregularObjects),
                         [](const auto& p) { return std::string(irregular_object_name(p.param)); });

}  // namespace
}  // namespace nsn
