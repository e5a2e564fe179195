// Every pair of convex shapes on 1e4 random, aligned, touching and containing poses.
//
// The reference shares nothing with the library but the vertices of the shapes. A direction n
// bounds the signed distance from below,
//
//   gap(n) = min_{a in A} n . a - max_{b in B} n . b  <=  signed distance,
//
// and two points of the shapes bound it from above while the shapes are apart: together they prove
// a distance. In penetration the signed distance is the largest gap of any direction, searched here
// over all candidate directions or over the whole sphere.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/models/collision/box.h"
#include "nsn/models/collision/capsule.h"
#include "nsn/models/collision/convex_hull.h"
#include "nsn/models/collision/convex_pairs.h"
#include "nsn/models/collision/cylinder.h"
#include "nsn/models/collision/cylinder_pairs.h"
#include "nsn/models/collision/pair_table.h"
#include "nsn/models/collision/sphere.h"

namespace nsn {
namespace {

constexpr double kTolerance = 1e-9;  // m, on shapes of size 1

/// What the reference knows of a shape: its core's corners, face normals and edge directions, a
/// radius about it.
struct Solid {
  std::string name;
  std::shared_ptr<const Shape> shape;
  std::vector<Vec3> corners;
  std::vector<Vec3> normals;
  std::vector<Vec3> edges;
  double radius = 0.0;
};

Solid ball() {
  return {"sphere", std::make_shared<Sphere>(0.4), {{}}, {}, {}, 0.4};
}
Solid capsule() {
  return {
      "capsule", std::make_shared<Capsule>(0.25, 0.8), {{0, 0, -0.4}, {0, 0, 0.4}}, {}, {{0, 0, 1}},
      0.25};
}
Solid box() {
  Solid solid{"box", std::make_shared<Box>(Vec3{0.8, 0.6, 1.1}), {}, {}, {}, 0.0};
  for (const double x : {-0.4, 0.4}) {
    for (const double y : {-0.3, 0.3}) {
      for (const double z : {-0.55, 0.55}) solid.corners.push_back({x, y, z});
    }
  }
  solid.normals = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  solid.edges = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  return solid;
}

/// A skew octahedron: eight triangles, twelve edges.
Solid hull() {
  SurfaceMesh mesh;
  mesh.points = {{0.5, 0.05, 0}, {-0.4, 0, 0.1}, {0, 0.45, 0},
                 {0.1, -0.5, 0}, {0, 0, 0.6},    {0, 0.1, -0.4}};
  mesh.polygons = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                   {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  Solid solid{"hull", std::make_shared<ConvexHull>(ConvexHull::of_faces(mesh)), mesh.points, {}, {},
              0.0};
  for (const auto& f : mesh.polygons) {
    const Vec3& a = mesh.points[static_cast<std::size_t>(f[0])];
    const Vec3& b = mesh.points[static_cast<std::size_t>(f[1])];
    const Vec3& c = mesh.points[static_cast<std::size_t>(f[2])];
    solid.normals.push_back(normalized(cross(b - a, c - a)));
    for (const Vec3& e : {b - a, c - b, a - c}) solid.edges.push_back(normalized(e));
  }
  return solid;
}

Solid cylinder() {
  // Its reach is known in closed form; the corners serve nothing else.
  return {"cylinder", std::make_shared<Cylinder>(0.35, 0.9), {}, {}, {}, 0.0};
}

Solid solid_named(const std::string& name) {
  if (name == "sphere") return ball();
  if (name == "capsule") return capsule();
  if (name == "cylinder") return cylinder();
  if (name == "hull") return hull();
  return box();
}

double reach(const Solid& s, const Pose& pose, const Vec3& n) {
  double furthest = -1e300;
  if (s.name == "cylinder") {
    const Vec3 d = transpose_times(pose.R, n);
    return dot(n, pose.x) + 0.35 * std::hypot(d[0], d[1]) + 0.45 * std::abs(d[2]);
  }
  for (const Vec3& c : s.corners) furthest = std::max(furthest, dot(n, pose.apply(c)));
  return furthest + s.radius;
}
double gap_along(const Solid& a, const Pose& p, const Solid& b, const Pose& q, const Vec3& n) {
  return -reach(a, p, -n) - reach(b, q, n);
}

/// Distance of a point to the core from outside or, negative, to its faces from inside.
double height_over(const Solid& s, const Pose& pose, const Vec3& world) {
  const Vec3 x = pose.inverse_apply(world);
  if (s.name == "sphere") return norm(x) - s.radius;
  if (s.name == "capsule") {
    return norm(x - Vec3{0, 0, std::clamp(x[2], -0.4, 0.4)}) - s.radius;
  }
  if (s.name == "cylinder") {
    return std::max(std::hypot(x[0], x[1]) - 0.35, std::abs(x[2]) - 0.45);
  }
  double highest = -1e300;
  for (const Vec3& n : s.normals) {
    double offset = -1e300;
    for (const Vec3& c : s.corners) offset = std::max(offset, dot(n, c));
    highest = std::max(highest, dot(n, x) - offset);
  }
  return highest;
}

/// Largest gap over all directions that can be normal to the difference of two polytopes.
double largest_gap(const Solid& a, const Pose& p, const Solid& b, const Pose& q) {
  double largest = -1e300;
  const auto offer = [&](const Vec3& n) {
    const double size = norm(n);
    if (size < 1e-12) return;
    for (const double sign : {1.0, -1.0}) {
      largest = std::max(largest, gap_along(a, p, b, q, (sign / size) * n));
    }
  };
  for (const Vec3& n : a.normals) offer(p.R * n);
  for (const Vec3& n : b.normals) offer(q.R * n);
  for (const Vec3& d : a.edges) {
    for (const Vec3& e : b.edges) offer(cross(p.R * d, q.R * e));
  }
  // Lines and points have no volume: any perpendicular.
  for (const auto& [s, pose] : {std::pair{&a, &p}, std::pair{&b, &q}}) {
    if (s->normals.empty() && a.normals.empty() && b.normals.empty()) {
      for (int k = 0; k < 720; ++k) {
        const double angle = std::numbers::pi * k / 720;
        offer(pose->R * Vec3{std::cos(angle), std::sin(angle), 0});
      }
    }
  }
  return largest;
}

/// The same over the whole sphere: the best of many seeds, climbed by steps that shrink. As good as
/// its seeds: a bound from below, reached nearly always.
double searched_gap(const Solid& a, const Pose& p, const Solid& b, const Pose& q) {
  constexpr int kSeeds = 400;
  std::vector<std::pair<double, Vec3>> seeds;
  for (int k = 0; k < kSeeds; ++k) {
    const double z = 1.0 - (2.0 * k + 1.0) / kSeeds;
    const double angle = 2.399963229728653 * k;
    const double r = std::sqrt(1.0 - z * z);
    const Vec3 n{r * std::cos(angle), r * std::sin(angle), z};
    seeds.emplace_back(gap_along(a, p, b, q, n), n);
  }
  std::partial_sort(seeds.begin(), seeds.begin() + 6, seeds.end(),
                    [](const auto& x, const auto& y) { return x.first > y.first; });
  double largest = -1e300;
  for (int s = 0; s < 6; ++s) {
    auto [gap_here, n] = seeds[static_cast<std::size_t>(s)];
    for (double step = 0.1; step > 1e-8;) {
      const TangentFrame frame = tangent_frame(n);
      bool better = false;
      for (int k = 0; k < 8 && !better; ++k) {
        const double angle = 0.25 * std::numbers::pi * k;
        const Vec3 trial =
            normalized(n + step * (std::cos(angle) * frame.t1 + std::sin(angle) * frame.t2));
        const double there = gap_along(a, p, b, q, trial);
        if (there <= gap_here + 1e-13) continue;
        gap_here = there;
        n = trial;
        better = true;
      }
      if (!better) step *= 0.5;
    }
    largest = std::max(largest, gap_here);
  }
  return largest;
}

Closest closest_of(const Solid& a, const Pose& p, const Solid& b, const Pose& q) {
  if (b.name != "cylinder") return closest_convex(*a.shape, p, *b.shape, q);
  if (a.name != "cylinder") return closest_convex_cylinder(*a.shape, p, *b.shape, q);
  return closest_cylinders(*a.shape, p, *b.shape, q);
}

class Poses {
 public:
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  Mat3 rotation() {
    std::normal_distribution<double> normal;
    return rotation_matrix(
        normalized(Quaternion{normal(engine_), normal(engine_), normal(engine_), normal(engine_)}));
  }
  /// A quarter turn about a random axis of the frame.
  Mat3 quarter() {
    Vec3 axis;
    axis[static_cast<int>(uniform(0.0, 3.0)) % 3] = 1.0;
    return rotation_matrix(
        rotation_about(axis, 0.5 * std::numbers::pi * std::floor(uniform(0.0, 4.0))));
  }
  /// Kinds: random; aligned on a lattice of 0.05 (faces and edges in line, touching); concentric.
  Pose pose(int k) {
    Pose pose;
    pose.R = k % 4 == 1 ? quarter() : rotation();
    if (k % 8 == 7) return pose;
    for (int i = 0; i < 3; ++i) pose.x[i] = uniform(-0.8, 0.8);
    if (k % 4 == 1) {
      for (int i = 0; i < 3; ++i) pose.x[i] = 0.05 * std::round(20.0 * pose.x[i]);
    }
    return pose;
  }

 private:
  std::mt19937_64 engine_{11};
};

class ConvexPair : public testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(ConvexPair, DistanceNormalAndPointsAreExact) {
  const Solid a = solid_named(GetParam().first);
  const Solid b = solid_named(GetParam().second);
  Poses poses;
  int apart = 0;
  for (int k = 0; k < 10000; ++k) {
    const Pose p = poses.pose(k);
    const Pose q{{}, k % 4 == 1 ? identity<3>() : poses.rotation()};

    const Closest closest = closest_of(a, p, b, q);

    const Vec3& n = closest.normal;
    ASSERT_NEAR(norm(n), 1.0, 1e-12) << k;
    ASSERT_LE(norm(closest.on_a - closest.on_b - closest.distance * n), kTolerance) << k;
    ASSERT_NEAR(height_over(a, p, closest.on_a), 0.0, kTolerance) << k;
    ASSERT_NEAR(height_over(b, q, closest.on_b), 0.0, kTolerance) << k;
    ASSERT_NEAR(gap_along(a, p, b, q, n), closest.distance, kTolerance) << k;
    if (closest.distance > -a.radius - b.radius) ++apart;
    // Apart, or only the rounding overlaps: the three statements above are a proof.
    if (b.name == "cylinder") {
      if (closest.distance > -a.radius - b.radius || k % 40 != 0) continue;
      ASSERT_GE(closest.distance, searched_gap(a, p, b, q) - kTolerance) << k;
    } else if (closest.distance <= -a.radius - b.radius + 1e-6) {
      ASSERT_NEAR(closest.distance, largest_gap(a, p, b, q), kTolerance) << k;
    }
  }
  EXPECT_GT(apart, 1000);
}

TEST_P(ConvexPair, ManifoldHoldsTheNearestPointsAndNoneBeyondTheMargin) {
  const Solid a = solid_named(GetParam().first);
  const Solid b = solid_named(GetParam().second);
  const double margin = 0.1;
  const PairTable table = standard_pairs();
  const PairTable::Entry entry = table.find(a.shape->type(), b.shape->type());
  const bool swapped = entry.swapped;
  Poses poses;
  int found = 0;
  int exact = 0;
  for (int k = 0; k < 10000; ++k) {
    const Pose p = poses.pose(k);
    const Pose q{{}, k % 4 == 1 ? identity<3>() : poses.rotation()};
    const Closest closest = closest_of(a, p, b, q);

    Manifold m;
    if (swapped) {
      entry.collide(*b.shape, q, *a.shape, p, margin, m);
    } else {
      entry.collide(*a.shape, p, *b.shape, q, margin, m);
    }

    if (std::abs(closest.distance - margin) < 1e-9) continue;
    ASSERT_EQ(m.empty(), closest.distance > margin) << k << " " << closest.distance;
    if (m.empty()) continue;
    ASSERT_LE(m.size(), 9U);  // eight and the nearest point
    double smallest = 1e300;
    for (const ContactPoint& point : m) smallest = std::min(smallest, gap(point));
    for (const ContactPoint& point : m) {
      ASSERT_NEAR(norm(point.normal), 1.0, 1e-12);
      ASSERT_LE(gap(point), margin + kTolerance);
      const Vec3& on_a = swapped ? point.on_b : point.on_a;
      const Vec3& on_b = swapped ? point.on_a : point.on_b;
      // No point lies outside (corners count as inside an outline up to 1e-6 of the size). The far
      // end of a round shape tilted against a face lies inside it: on the ball about that end.
      const double height_a = height_over(a, p, on_a);
      const double height_b = height_over(b, q, on_b);
      // A cylinder's side whose normal is turned to a face's (11 degrees at most) or tilted moves
      // its points sideways.
      const double sideways = b.name == "cylinder" ? 0.2 * 0.35 : 3e-6;
      ASSERT_LE(std::max(height_a, height_b), sideways) << k;
      if (gap(point) > smallest) continue;
      // A preferred face turns the normal by 11 degrees at most: r (1 - cos) below a round surface.
      ASSERT_GE(std::min(height_a, height_b), -3e-6 - 0.02 * (a.radius + b.radius)) << k;
    }
    // A face is preferred by up to 1e-3 of the sizes.
    ASSERT_LE(smallest, closest.distance + kTolerance) << k;
    ASSERT_GE(smallest, closest.distance - 4e-3) << k;
    exact += std::abs(smallest - closest.distance) < kTolerance ? 1 : 0;
    ++found;
    for (std::size_t i = 0; i < m.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) ASSERT_NE(m[i].feature, m[j].feature) << k;
    }
  }
  RecordProperty("exact", exact);
  EXPECT_GT(exact, 0.9 * found) << found;
}

std::vector<std::pair<std::string, std::string>> all_pairs() {
  const std::vector<std::string> names{"sphere", "capsule", "box", "hull", "cylinder"};
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = i; j < names.size(); ++j) pairs.emplace_back(names[i], names[j]);
  }
  return pairs;
}

INSTANTIATE_TEST_SUITE_P(Shapes, ConvexPair, testing::ValuesIn(all_pairs()), [](const auto& pair) {
  return pair.param.first + "_" + pair.param.second;
});

}  // namespace
}  // namespace nsn
