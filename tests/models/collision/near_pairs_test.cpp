// Features found with a slack: the contacts are those of features found again, bit by bit.
#include "nsn/models/collision/near_pairs.h"

#include <array>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/models/collision/mesh_pairs.h"
#include "nsn/models/scenes/parts.h"

namespace nsn {
namespace {

/// A ball of 80 triangles and 1 m with bumps, of which each triangle is there with the chance
/// `there`.
TriangleMesh bumpy(SceneRandom& random, double size, double there, bool two_sided) {
  SurfaceMesh ball = icosphere(1);
  for (Vec3& p : ball.points) p = size * (1.0 + random.uniform(-0.2, 0.2)) * p;
  std::vector<std::array<int, 3>> triangles;
  for (const auto& t : ball.polygons) {
    if (random.uniform(0.0, 1.0) <= there) triangles.push_back({t[0], t[1], t[2]});
  }
  // A fin: three triangles share an edge.
  if (there < 1.0) triangles.push_back({ball.polygons[0][0], ball.polygons[0][1], 40});
  return {ball.points, triangles, {.two_sided = two_sided}};
}

Vec3 direction(SceneRandom& random) {
  return column(rotation_matrix(random.orientation()), 0);
}

/// Moved by no more than `distance` at any point within the reach of its origin.
Pose moved(const Pose& pose, double distance, double reach, SceneRandom& random) {
  const double part = random.uniform(0.0, 1.0);
  // Of a rotation by an angle the Frobenius norm is less than sqrt(2) times the angle.
  const double angle = (1.0 - part) * distance / (1.5 * reach);
  const Mat3 turn = rotation_matrix(rotation_exp(angle * direction(random)));
  return {pose.x + part * distance * direction(random), turn * pose.R};
}

void expect_same_bits(const Manifold& known, const Manifold& fresh) {
  ASSERT_EQ(known.size(), fresh.size());
  for (std::size_t k = 0; k < known.size(); ++k) {
    EXPECT_EQ(known[k].feature, fresh[k].feature);
    EXPECT_EQ(std::memcmp(&known[k].on_a, &fresh[k].on_a, sizeof(Vec3)), 0);
    EXPECT_EQ(std::memcmp(&known[k].on_b, &fresh[k].on_b, sizeof(Vec3)), 0);
    EXPECT_EQ(std::memcmp(&known[k].normal, &fresh[k].normal, sizeof(Vec3)), 0);
  }
}

struct Case {
  double size_b = 1.0;
  double there = 1.0;  // of the triangles
  bool two_sided = false;
  double nearest = 1.4;  // between the middles, m
  double furthest = 2.4;
};

class NearFeaturesOf : public testing::TestWithParam<Case> {};

TEST_P(NearFeaturesOf, GiveTheContactsOfAllFeaturesWhileTheyHold) {
  const Case& c = GetParam();
  const double margin = 0.05;
  SceneRandom random(3);
  std::size_t total = 0;
  for (int k = 0; k < 60; ++k) {
    const TriangleMesh a = bumpy(random, 1.0, c.there, c.two_sided);
    const TriangleMesh b = bumpy(random, c.size_b, c.there, c.two_sided && k % 2 == 0);
    const Pose pose_b{direction(random), rotation_matrix(random.orientation())};
    const Pose pose_a{pose_b.x + random.uniform(c.nearest, c.furthest) * direction(random),
                      rotation_matrix(random.orientation())};
    const double reach = 1.2;
    const double distance = random.uniform(0.001, 0.2);
    const Slack slack{distance, distance / reach};
    NearFeatures near;
    Manifold known;
    Manifold fresh;
    collide_mesh_mesh(a, pose_a, b, pose_b, margin, slack, near, known);
    collide_mesh_mesh(a, pose_a, b, pose_b, margin, fresh);
    expect_same_bits(known, fresh);
    for (int step = 0; step < 20; ++step) {
      const Pose pose = moved(pose_a, distance, reach, random);
      known.clear();
      fresh.clear();
      collide_mesh_mesh(a, pose, b, pose_b, margin, near, known);
      collide_mesh_mesh(a, pose, b, pose_b, margin, fresh);
      expect_same_bits(known, fresh);
      total += fresh.size();
    }
  }
  EXPECT_GT(total, 1000U);
}

INSTANTIATE_TEST_SUITE_P(Meshes, NearFeaturesOf,
                         testing::Values(Case{},                                 // touching
                                         Case{.nearest = 0.3, .furthest = 1.5},  // overlapping
                                         Case{.size_b = 0.3, .nearest = 0.0, .furthest = 0.8},
                                         Case{.there = 0.7},  // open, not manifold
                                         Case{.there = 0.8, .two_sided = true}));

TEST(NearPairs, HoldUntilTheyHaveMovedByTheSlack) {
  const auto pair = [](double x, double margin) {
    return PlacedPair{{0, 1}, {{x, 0, 0}, identity<3>()}, {}, 1.0, margin};
  };
  NearPairs pairs;
  pairs.start_step();
  EXPECT_EQ(pairs.reuse(pair(3.0, 0.1)), nullptr);
  pairs.add(pair(3.0, 0.1), {0.2, 0.2});
  pairs.start_step();
  EXPECT_NE(pairs.reuse(pair(3.1, 0.1)), nullptr);
  pairs.start_step();  // counted from where they were found
  EXPECT_NE(pairs.reuse(pair(2.9, 0.15)), nullptr);
  pairs.start_step();
  EXPECT_EQ(pairs.reuse(pair(2.9, 0.25)), nullptr) << "a greater margin";
  pairs.start_step();
  EXPECT_EQ(pairs.reuse(pair(3.0, 0.1)), nullptr) << "they were not kept";
  pairs.add(pair(3.0, 0.1), {0.2, 0.2});
  pairs.start_step();
  EXPECT_EQ(pairs.reuse(pair(3.3, 0.01)), nullptr) << "too far, though the margin is smaller";
}

}  // namespace
}  // namespace nsn
