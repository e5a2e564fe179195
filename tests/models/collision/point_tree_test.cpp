// What is found without looking at every vertex is what looking at every vertex finds.
#include "nsn/models/collision/point_tree.h"

#include <algorithm>
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/models/collision/convex_hull.h"
#include "nsn/models/collision/pair_table.h"
#include "nsn/models/collision/plane.h"
#include "nsn/models/collision/triangle_mesh.h"
#include "nsn/models/scenes/parts.h"

namespace nsn {
namespace {

Vec3 random_vector(SceneRandom& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

/// One leaf, and many.
TEST(PointTree, FindsTheFurthestOfAllPointsToTheLastBit) {
  SceneRandom random(1);
  for (const int count : {1, 2, 24, 25, 300}) {
    std::vector<Vec3> points;
    for (int k = 0; k < count; ++k) points.push_back(random_vector(random, 1.0));
    const PointTree tree(points);
    for (int k = 0; k < 200; ++k) {
      const Mat3 R = rotation_matrix(random.orientation());
      const Vec3 n = column(R, 0);
      double most = -1e300;
      Aabb box = kNowhere;
      for (const Vec3& p : points) {
        most = std::max(most, dot(n, p));
        grow(box, R * p);
      }
      ASSERT_EQ(dot(n, tree.furthest(n)), most) << count;
      const Aabb found = tree.box(R);
      for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(found.lower[i], box.lower[i]) << count;
        ASSERT_EQ(found.upper[i], box.upper[i]) << count;
      }
    }
  }
}

/// Poses from far above the plane to far below it: as many points as vertices within the margin.
TEST(PlanePairs, HaveEveryVertexWithinTheMargin) {
  const SurfaceMesh ball = icosphere(2);
  std::vector<std::array<int, 3>> triangles;
  for (const auto& t : ball.polygons) triangles.push_back({t[0], t[1], t[2]});
  const TriangleMesh mesh(ball.points, triangles);
  const ConvexHull hull = ConvexHull::of_faces(ball);
  const Plane plane;
  const PairTable table = standard_pairs();
  SceneRandom random(2);
  int none = 0;
  int some = 0;
  for (int k = 0; k < 500; ++k) {
    const Pose pose{random_vector(random, 1.5), rotation_matrix(random.orientation())};
    const Pose ground{random_vector(random, 0.1), rotation_matrix(random.orientation())};
    const double margin = random.uniform(0.0, 0.1);
    const Vec3 n = column(ground.R, 2);
    const auto within = std::count_if(ball.points.begin(), ball.points.end(), [&](const Vec3& p) {
      return dot(n, pose.apply(p) - ground.x) <= margin;
    });
    for (const Shape* shape :
         {static_cast<const Shape*>(&mesh), static_cast<const Shape*>(&hull)}) {
      Manifold found;
      table.find(shape->type(), plane.type()).collide(*shape, pose, plane, ground, margin, found);
      ASSERT_EQ(static_cast<std::ptrdiff_t>(found.size()), within) << shape->type() << " " << k;
    }
    ++(within == 0 ? none : some);
  }
  EXPECT_GT(none, 30);
  EXPECT_GT(some, 100);
}

}  // namespace
}  // namespace nsn
