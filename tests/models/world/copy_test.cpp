// A copy of a world is a world of its own: both move as the one alone does, bit by bit.
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "bench/support/run_hash.h"
#include "nsn/models/rows/row_set.h"
#include "tests/support/simulate.h"

namespace nsn {
namespace {

std::string hash_of(Simulation& simulation, int steps) {
  bench::RunHash hash;
  for (int k = 0; k < steps; ++k) {
    simulation.step();
    hash.add(simulation);
  }
  return hash.text();
}

class WorldCopy : public testing::TestWithParam<const char*> {};

TEST_P(WorldCopy, MovesAsTheOriginal) {
  World world = make_scene(GetParam());
  World copy = world;
  World assigned;
  assigned = world;
  Simulation first(std::move(world));
  const std::string expected = hash_of(first, 10);
  Simulation second(std::move(copy));
  for (int k = 0; k < 5; ++k) first.step();  // in between
  EXPECT_EQ(hash_of(second, 10), expected);
  Simulation third(std::move(assigned));
  EXPECT_EQ(hash_of(third, 10), expected);
}

INSTANTIATE_TEST_SUITE_P(Scenes, WorldCopy,
                         testing::Values("arch", "bridge", "soft-ball-drop", "pneunet",
                                         "allegro-ball", "yumi-cabinet"),
                         [](const auto& scene) {
                           std::string name = scene.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST(WorldCopy, GoesOnFromTheStateOfARun) {
  Simulation first(make_scene("card-house"));
  for (int k = 0; k < 10; ++k) first.step();
  Simulation second(first.world(), first.options());
  second.set_state(first.state());
  EXPECT_EQ(hash_of(second, 10), hash_of(first, 10));
}

/// Rows that nothing knows how to copy.
class OwnRows final : public RowSet {
 public:
  int size() const override { return 0; }
  NodeList nodes(int) const override { return {}; }
  RowLaw law(int, double) const override { return {}; }
  Vec3 compliance(int, double) const override { return {}; }
  std::uint64_t id(int) const override { return 0; }
  void evaluate(int, const Configuration&, RowBlock&) const override {}
  void add_stiffness(int, const Configuration&, const Vec3&, std::span<Mat3>) const override {}
};

TEST(WorldCopy, RefusesWhatBothWouldShare) {
  World rows;
  rows.add_rows(std::make_unique<OwnRows>());
  EXPECT_THROW(World{rows}, std::invalid_argument);
  World control;
  control.control_state.save = [] { return std::string("phase"); };
  EXPECT_THROW(World{control}, std::invalid_argument);
}

}  // namespace
}  // namespace nsn
