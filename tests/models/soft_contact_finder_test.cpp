// Edges that cross and surfaces that meet themselves.
#include "models/soft_contact_finder.h"

#include <cmath>

#include <gtest/gtest.h>

#include "models/mesh_generators.h"

namespace nsn {
namespace {

constexpr double kGap = 1e-3;

// A bar along x from -0.5 to 0.5, and one along y that lies across it, kGap above: no vertex is
// near the other's faces.
TetMesh bar_along(int axis, double bottom) {
  const Vec3 size = axis == 0 ? Vec3{1.0, 0.1, 0.1} : Vec3{0.1, 1.0, 0.1};
  TetMesh mesh = bar_mesh(size, {1, 1, 1});
  for (Vec3& x : mesh.node) x += Vec3{-0.5 * size[0], -0.5 * size[1], bottom};
  return mesh;
}

void expect_crossing(const SoftContactRowSet& found) {
  ASSERT_GT(found.size(), 0);
  for (const SoftContact& contact : found.contacts()) {
    EXPECT_EQ(contact.a.count, 2);  // two edges
    EXPECT_EQ(contact.b.count, 2);
    EXPECT_NEAR(std::abs(contact.normal[2]), 1.0, 1e-12);
  }
}

TEST(SoftContactFinder, EdgesOfTwoBodiesThatCrossMeet) {
  World world;
  world.margin = 2.0 * kGap;
  world.add_deformable(bar_along(0, 0.0), {});
  world.add_deformable(bar_along(1, 0.1 + kGap), {});
  SoftContactFinder finder;
  SoftContactRowSet found;
  finder.find(world, 0.01, found);
  expect_crossing(found);
}

TEST(SoftContactFinder, ABodyMeetsItselfOnlyWhereAsked) {
  // Two bars of one mesh, a metre apart at rest, brought together.
  TetMesh mesh = bar_along(0, 0.0);
  const TetMesh upper = bar_along(1, 1.1);
  const Index first = mesh.num_nodes();
  mesh.node.insert(mesh.node.end(), upper.node.begin(), upper.node.end());
  for (auto tet : upper.tet) {
    for (Index& n : tet) n += first;
    mesh.tet.push_back(tet);
    mesh.region.push_back(0);
  }
  for (const bool asked : {false, true}) {
    World world;
    world.margin = 2.0 * kGap;
    DeformableOptions options;
    options.self_contact = asked;
    const int d = world.add_deformable(mesh, options);
    for (Index n = first; n < mesh.num_nodes(); ++n) {
      world.particle(world.deformable(d).particle(n)).position[2] -= 1.0 - kGap;
    }
    SoftContactFinder finder;
    SoftContactRowSet found;
    finder.find(world, 0.01, found);
    if (asked) {
      expect_crossing(found);
    } else {
      EXPECT_EQ(found.size(), 0);
    }
  }
}

}  // namespace
}  // namespace nsn
