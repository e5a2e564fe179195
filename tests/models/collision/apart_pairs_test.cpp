// Meshes that stay apart: what is remembered from step to step changes no contact.
#include "nsn/models/collision/apart_pairs.h"

#include <array>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/models/collision/separation.h"
#include "nsn/models/scenes/parts.h"
#include "nsn/models/step/contact_finder.h"

namespace nsn {
namespace {

/// A ball of 80 triangles and 1 m with bumps, of which each triangle is there with the chance
/// `there`.
TriangleMesh bumpy(SceneRandom& random, double there, MeshOptions options) {
  SurfaceMesh ball = icosphere(1);
  for (Vec3& p : ball.points) p = (1.0 + random.uniform(-0.2, 0.2)) * p;
  std::vector<std::array<int, 3>> triangles;
  for (const auto& t : ball.polygons) {
    if (random.uniform(0.0, 1.0) <= there) triangles.push_back({t[0], t[1], t[2]});
  }
  return {ball.points, triangles, std::move(options)};
}

/// A sheet of 2 m with a fin: three triangles share the edges in its middle.
TriangleMesh finned_sheet() {
  std::vector<Vec3> points;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) points.push_back({i - 1.0, j - 1.0, 0.05 * i * j});
  }
  std::vector<std::array<int, 3>> triangles;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const int k = 3 * i + j;
      triangles.push_back({k, k + 3, k + 4});
      triangles.push_back({k, k + 4, k + 1});
    }
  }
  for (int i = 0; i < 2; ++i) {
    points.push_back({i - 0.5, 0.0, 0.6});
    triangles.push_back({3 * i + 1, 3 * i + 4, static_cast<int>(points.size()) - 1});
  }
  return {points, triangles, {.two_sided = true}};
}

World crowd(int count, SceneRandom& random) {
  World world;
  world.margin = 0.05;
  for (int k = 0; k < count; ++k) {
    const auto mesh =
        std::make_shared<TriangleMesh>(k % 4 == 0   ? finned_sheet()
                                       : k % 4 == 1 ? bumpy(random, 0.6, {})
                                       : k % 4 == 2 ? bumpy(random, 0.8, {.two_sided = true})
                                                    : bumpy(random, 1.0, {}));
    Body body;
    body.mass = 1.0;
    body.inertia = identity<3>();
    body.orientation = random.orientation();
    world.add_shape(world.add_body(body), mesh, {.mu = 0.5});
  }
  return world;
}

Vec3 anywhere(SceneRandom& random, double side) {
  return {random.uniform(0.0, side), random.uniform(0.0, side), random.uniform(0.0, side)};
}

/// Moves all bodies by their speeds; now and then one appears somewhere else.
void advance(World& world, double h, double side, SceneRandom& random) {
  for (const BodyRef body : world.bodies()) {
    body.position += h * body.velocity;
    body.orientation = normalized(rotation_exp(h * body.angular_velocity) * body.orientation);
    if (random.uniform(0.0, 1.0) < 0.02) body.position = anywhere(random, side);
  }
}

bool same_bits(const Vec3& a, const Vec3& b) {
  return std::memcmp(&a, &b, sizeof(Vec3)) == 0;
}

class MovingCrowd : public testing::TestWithParam<double> {};  // greatest speed, m/s

TEST_P(MovingCrowd, HasTheContactsThatAFreshFinderFindsBitByBit) {
  const double h = 1.0 / 120.0;
  const double side = 5.0;
  SceneRandom random(11);
  World world = crowd(20, random);
  for (const BodyRef body : world.bodies()) {
    const double speed = GetParam();
    body.position = anywhere(random, side);
    body.velocity = anywhere(random, 2.0 * speed) - Vec3{speed, speed, speed};
    body.angular_velocity = anywhere(random, 2.0 * speed) - Vec3{speed, speed, speed};
  }
  ContactFinder warm;
  ContactRowSet known;
  std::size_t total = 0;
  for (int k = 0; k < 100; ++k) {
    warm.find(world, h, known);
    ContactFinder fresh;
    ContactRowSet there;
    fresh.find(world, h, there);

    ASSERT_EQ(known.contacts().size(), there.contacts().size()) << k;
    for (std::size_t c = 0; c < known.contacts().size(); ++c) {
      const Contact& a = known.contacts()[c];
      const Contact& b = there.contacts()[c];
      ASSERT_EQ(a.id, b.id) << k;
      ASSERT_TRUE(same_bits(a.local_a, b.local_a) && same_bits(a.local_b, b.local_b)) << k;
      ASSERT_TRUE(same_bits(a.normal, b.normal)) << k;
    }
    total += known.contacts().size();
    advance(world, h, side, random);
  }
  EXPECT_GT(total, 1000U);
}

INSTANTIATE_TEST_SUITE_P(Speeds, MovingCrowd, testing::Values(0.01, 0.5, 5.0, 50.0));

TEST(ApartPairs, AreApartUntilTheyHaveMovedByTheGap) {
  const Pose b{{0.3, -0.2, 0.1}, rotation_matrix(normalized(Quaternion{0.8, 0.2, -0.3, 0.4}))};
  const auto pair = [&](const Vec3& x, double margin) {
    return PlacedPair{{0, 1}, {b.apply(x), b.R}, b, 1.0, margin};
  };
  ApartPairs pairs;
  pairs.start_step();
  EXPECT_FALSE(pairs.still_apart(pair({3, 0, 0}, 0.1), 0.0));
  pairs.keep(pair({3, 0, 0}, 0.1), 1.0);
  pairs.start_step();
  EXPECT_TRUE(pairs.still_apart(pair({2.5, 0, 0}, 0.1), 0.01));
  pairs.start_step();  // 0.5 m, counted from where the gap was found
  EXPECT_TRUE(pairs.still_apart(pair({3.5, 0, 0}, 0.1), 0.01));
  pairs.start_step();
  EXPECT_FALSE(pairs.still_apart(pair({2.5, 0, 0}, 0.5), 0.01)) << "a greater margin";
  pairs.start_step();
  EXPECT_FALSE(pairs.still_apart(pair({3, 0, 0}, 0.1), 0.01)) << "it was not kept";
}

TEST(Separation, HoldsForAllCorners) {
  SceneRandom random(5);
  const TriangleMesh a = bumpy(random, 1.0, {});
  const TriangleMesh b = bumpy(random, 1.0, {});
  int apart = 0;
  for (int k = 0; k < 50; ++k) {
    const Vec3 x = random.uniform(1.0, 3.0) * column(rotation_matrix(random.orientation()), 0);
    const Pose pose{x, rotation_matrix(random.orientation())};

    const Separation found = find_separation(a, b, pose, 0.1);

    double low = 1e300;
    for (const Vec3& p : a.points()) low = std::min(low, dot(found.up, p));
    double high = -1e300;
    for (const Vec3& p : b.points()) high = std::max(high, dot(found.up, pose.apply(p)));
    EXPECT_NEAR(found.gap, low - high, 1e-12);
    EXPECT_NEAR(found.low, low, 1e-12);
    EXPECT_LT(norm(pose.R * found.down + found.up), 1e-12);
    if (found.gap > 0.1) ++apart;
  }
  EXPECT_GT(apart, 10);
}

}  // namespace
}  // namespace nsn
