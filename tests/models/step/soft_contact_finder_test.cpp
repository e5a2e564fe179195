// Edges that cross, surfaces that meet themselves, a ball on several triangles.
#include "nsn/models/step/soft_contact_finder.h"

#include <cmath>
#include <memory>
#include <numbers>

#include <gtest/gtest.h>

#include "nsn/models/collision/sphere.h"
#include "nsn/models/deformable/mesh_generators.h"

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

TEST(SoftContactFinder, ABallInAGrooveMeetsBothSides) {
  // Two slabs whose tops fall towards x = 0 by 30 degrees. With the nearest triangle alone the ball
  // would rest on one side in one step and on the other in the next.
  const double slope = std::numbers::pi / 6.0;
  const double radius = 0.1;
  TetMesh mesh;
  for (const double side : {-1.0, 1.0}) {
    const Mat3 R = rotation_matrix(rotation_about({0, 1, 0}, -side * slope));
    const Index first = mesh.num_nodes();
    TetMesh slab = bar_mesh({1.0, 1.0, 0.1}, {1, 1, 1});
    for (const Vec3& x : slab.node) {
      mesh.node.push_back(R * (x + Vec3{side < 0.0 ? -1.0 : 0.0, -0.3, -0.1}));
    }
    for (auto tet : slab.tet) {
      for (Index& n : tet) n += first;
      mesh.tet.push_back(tet);
      mesh.region.push_back(0);
    }
  }
  World world;
  world.margin = 2.0 * kGap;
  world.add_deformable(mesh, {});
  Body ball;
  ball.mass = 1.0;
  ball.inertia = identity<3>();
  ball.position = {0.2 * kGap, 0.0, (radius + kGap) / std::cos(slope)};  // a little to the right
  world.add_shape(world.add_body(ball), std::make_shared<Sphere>(radius));
  SoftContactFinder finder;
  SoftContactRowSet found;
  finder.find(world, 0.01, found);
  ASSERT_EQ(found.size(), 2);
  EXPECT_NE(found.contacts()[0].id, found.contacts()[1].id);
  for (const SoftContact& contact : found.contacts()) {
    EXPECT_EQ(contact.a.count, 3);  // a triangle
    EXPECT_NEAR(std::abs(contact.normal[0]), std::sin(slope), 1e-12);
    EXPECT_NEAR(std::abs(contact.normal[2]), std::cos(slope), 1e-12);
  }
  EXPECT_LT(found.contacts()[0].normal[0] * found.contacts()[1].normal[0], 0.0);
}

}  // namespace
}  // namespace nsn
