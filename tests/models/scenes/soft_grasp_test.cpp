// Friction on deformable bodies against closed forms: what is squeezed holds or slips.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/models/scenes/scene.h"
#include "nsn/models/step/simulation.h"

namespace nsn {
namespace {

Simulation simulate(const std::string& scene, const Options::Assignments& parameters) {
  return Simulation(make_scene(scene, parameters), SimulationOptions{}, standard_backends());
}

// Normal force of one plate, N.
double plate_force(const Simulation& simulation) {
  double sum = 0.0;
  for (const ContactInfo& c : simulation.contacts()) {
    if (c.deformable_a >= 0) sum += 0.5 * std::abs(dot(c.force, c.normal));
  }
  return sum;
}

double height(const Simulation& simulation) {
  return centre_of_mass(simulation.world(), simulation.world().deformable(0))[2];
}

TEST(Squeeze, SlipsBelowAndHoldsAboveTheFrictionLimit) {
  // The plates press with N once they have closed; the ball stays iff 2 mu N >= m g.
  Simulation gripped = simulate("squeeze", {{"mu", "1"}, {"tets", "180"}});
  for (int k = 0; k < 60; ++k) gripped.step();
  const double N = plate_force(gripped);
  const double weight = 9.81 * mass(gripped.world(), gripped.world().deformable(0));
  const double limit = weight / (2.0 * N);
  ASSERT_GT(limit, 0.01);
  ASSERT_LT(limit, 1.0);
  for (const double share :
       {0.85, 1.15}) {  // N changes by some percent as friction shears the ball
    Simulation simulation =
        simulate("squeeze", {{"mu", std::to_string(share * limit)}, {"tets", "180"}});
    for (int k = 0; k < 120; ++k) simulation.step();
    const double before = height(simulation);
    for (int k = 0; k < 60; ++k) simulation.step();
    const double sunk = before - height(simulation);
    if (share < 1.0) {
      EXPECT_GT(sunk, 0.01) << "mu " << share << " of the limit " << limit;
    } else {
      EXPECT_LT(sunk, 1e-4) << "mu " << share << " of the limit " << limit;
    }
  }
}

}  // namespace
}  // namespace nsn
