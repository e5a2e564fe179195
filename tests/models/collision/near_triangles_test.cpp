// Triangles of two meshes near each other, against all pairs; directions that edges can share.
#include "nsn/models/collision/near_triangles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/models/collision/feature_distance.h"
#include "nsn/models/scenes/parts.h"

namespace nsn {
namespace {

using Triangle = std::array<Vec3, 3>;

/// A ball of this many triangles with bumps and hollows as deep as `depth` of its radius of 1 m.
TriangleMesh bumpy(int refinements, double depth, SceneRandom& random) {
  SurfaceMesh ball = icosphere(refinements);
  for (Vec3& p : ball.points) p = (1.0 + random.uniform(-depth, depth)) * p;
  std::vector<std::array<int, 3>> triangles;
  for (const auto& t : ball.polygons) triangles.push_back({t[0], t[1], t[2]});
  return {ball.points, triangles};
}

/// Of two triangles that do not pass through each other: a corner and a face, or two edges.
double distance(const Triangle& s, const Triangle& t) {
  double squared = 1e300;
  for (std::size_t i = 0; i < 3; ++i) {
    squared = std::min({squared, closest_on_triangle(s[i], t[0], t[1], t[2]).distance_squared,
                        closest_on_triangle(t[i], s[0], s[1], s[2]).distance_squared});
    for (std::size_t j = 0; j < 3; ++j) {
      const BetweenSegments near =
          closest_between_segments(s[i], s[(i + 1) % 3], t[j], t[(j + 1) % 3]);
      squared = std::min(squared, near.distance_squared);
    }
  }
  return std::sqrt(squared);
}

bool holds(const std::vector<int>& ascending, int k) {
  return std::binary_search(ascending.begin(), ascending.end(), k);
}

bool in(const Region& region, const Vec3& p) {
  const bool below = dot(region.up, p) <= region.top + 1e-12;
  return below && meet(widened(region.box, 1e-12), {p, p});
}

/// Small meshes are taken whole, large ones half by half: both must hold what is near.
TEST(NearTriangles, MissNoneOfAllPairs) {
  SceneRandom random(4);
  NearTriangles near;
  int poses_with_some = 0;
  for (const int refinements : {1, 2}) {
    const TriangleMesh a = bumpy(refinements, 0.2, random);
    const TriangleMesh b = bumpy(refinements, 0.2, random);
    for (int k = 0; k < 20; ++k) {
      const Vec3 x = random.uniform(1.5, 2.4) * column(rotation_matrix(random.orientation()), 0);
      const Pose pose{x, rotation_matrix(random.orientation())};
      const double reach = random.uniform(0.01, 0.3);

      near.find(a, b, pose, reach);

      double least = 1e300;
      for (int t = 0; t < static_cast<int>(b.triangles().size()); ++t) {
        Triangle moved = b.corners(t);
        for (Vec3& p : moved) p = pose.apply(p);
        for (int s = 0; s < static_cast<int>(a.triangles().size()); ++s) {
          if (!meet(widened(a.box(s), reach), box_of(moved))) continue;
          const double apart = distance(a.corners(s), moved);
          least = std::min(least, apart);
          if (apart > reach) continue;
          ASSERT_TRUE(holds(near.of_a(), s) && holds(near.of_b(), t)) << k << " " << s << " " << t;
        }
        for (const Vec3& p : a.points()) {
          if (closest_on_triangle(p, moved[0], moved[1], moved[2]).distance_squared >
              reach * reach) {
            continue;
          }
          ASSERT_TRUE(in(near.region_a(), p)) << k;
        }
      }
      EXPECT_LE(near.gap(), least + 1e-12) << k;
      if (least <= reach) ++poses_with_some;
      EXPECT_LT(near.of_a().size() + near.of_b().size(), a.triangles().size()) << k;  // few
    }
  }
  EXPECT_GT(poses_with_some, 10);
}

TEST(NearTriangles, AreNoneOfMeshesThatADirectionSeparates) {
  SceneRandom random(4);
  const TriangleMesh ball = bumpy(1, 0.0, random);
  NearTriangles near;

  near.find(ball, ball, {{2.2, 0.3, -0.1}, identity<3>()}, 0.1);
  EXPECT_TRUE(near.empty());
  EXPECT_GT(near.gap(), 0.1);

  near.find(ball, ball, {{1.9, 0.0, 0.0}, identity<3>()}, 0.1);
  EXPECT_FALSE(near.empty());
}

bool can_oppose(const NormalArc& a, const NormalArc& b) {
  return opposition_excess(a, dot(a.middle, b.middle), b.cosine, b.sine) <= 0.0;
}

/// Arcs in one plane, where the answer is one about angles.
TEST(NormalArc, OpposesAnotherWhereTheAnglesOverlap) {
  const auto direction = [](double degrees) {
    const double angle = degrees * std::numbers::pi / 180.0;
    return Vec3{std::cos(angle), std::sin(angle), 0.0};
  };
  const NormalArc arc = normal_arc(direction(-20.0), direction(30.0));
  EXPECT_TRUE(can_oppose(arc, normal_arc(direction(209.0), direction(240.0))));
  EXPECT_FALSE(can_oppose(arc, normal_arc(direction(211.0), direction(240.0))));
  EXPECT_TRUE(can_oppose(arc, normal_arc(direction(120.0), direction(161.0))));
  EXPECT_FALSE(can_oppose(arc, normal_arc(direction(120.0), direction(159.0))));
  EXPECT_TRUE(can_oppose(arc, {})) << "an edge that nothing is known about";
  EXPECT_TRUE(can_oppose({}, {}));
  EXPECT_TRUE(can_oppose(arc, normal_arc(direction(0.0), direction(180.0)))) << "no middle";
}

}  // namespace
}  // namespace nsn
