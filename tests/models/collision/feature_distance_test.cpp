// Point - segment, point - triangle and segment - segment against certificates of optimality: a
// point c of a convex set is the nearest one to p exactly if (p - c) . (v - c) <= 0 for every
// corner v. Two segments, which may be nearly parallel, against a search in long double.
#include "nsn/models/collision/feature_distance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace nsn {
namespace {

constexpr int kPoses = 20000;
// Coordinates of size 1: products of three differences round at 1e-16, times a few operations.
constexpr double kTolerance = 1e-14;

class Random {
 public:
  double uniform() { return distribution_(engine_); }
  /// Some coordinates are drawn from {-1, 0, 1}: parallel, coincident and degenerate input.
  Vec3 point(bool lattice) {
    Vec3 p{uniform(), uniform(), uniform()};
    if (lattice) {
      for (int k = 0; k < 3; ++k) p[k] = std::round(p[k]);
    }
    return p;
  }

 private:
  std::mt19937_64 engine_{7};
  std::uniform_real_distribution<double> distribution_{-1.0, 1.0};
};

void expect_nearest(const Vec3& p, const Vec3& nearest, const std::vector<Vec3>& corners) {
  for (const Vec3& v : corners) ASSERT_LE(dot(p - nearest, v - nearest), kTolerance);
}

TEST(PointSegment, IsOptimalOnRandomAndDegenerateInput) {
  Random random;
  for (int k = 0; k < kPoses; ++k) {
    const bool lattice = k % 2 == 0;
    const Vec3 p = random.point(lattice);
    const Vec3 a = random.point(lattice);
    const Vec3 b = random.point(lattice);

    const OnSegment near = closest_on_segment(p, a, b);

    expect_nearest(p, near.point, {a, b});
    ASSERT_LE(norm(near.point - ((1.0 - near.t) * a + near.t * b)), kTolerance);
    ASSERT_NEAR(near.distance_squared, dot(p - near.point, p - near.point), kTolerance);
  }
}

TEST(PointTriangle, IsOptimalOnRandomAndDegenerateInput) {
  Random random;
  for (int k = 0; k < kPoses; ++k) {
    const bool lattice = k % 2 == 0;
    const Vec3 p = random.point(lattice);
    const std::array<Vec3, 3> v{random.point(lattice), random.point(lattice),
                                random.point(lattice)};

    const OnTriangle near = closest_on_triangle(p, v[0], v[1], v[2]);

    // The foot's error grows with the slenderness of the triangle: 1e-16 / 1e-2 at these sizes.
    for (const Vec3& corner : v) ASSERT_LE(dot(p - near.point, corner - near.point), 1e-12);
    const Vec3& w = near.weights;
    ASSERT_GE(std::min({w[0], w[1], w[2]}), 0.0);
    ASSERT_NEAR(w[0] + w[1] + w[2], 1.0, kTolerance);
    ASSERT_LE(norm(near.point - (w[0] * v[0] + w[1] * v[1] + w[2] * v[2])), 1e-11);
    ASSERT_NEAR(near.distance_squared, dot(p - near.point, p - near.point), 1e-12);
  }
}

TEST(PointTriangle, NamesThePart) {
  const Vec3 a{0, 0, 0};
  const Vec3 b{1, 0, 0};
  const Vec3 c{0, 1, 0};
  const auto part = [&](const Vec3& p) { return closest_on_triangle(p, a, b, c).part; };

  EXPECT_EQ(part({0.2, 0.2, 1}), TrianglePart::kFace);
  EXPECT_EQ(part({-1, -1, 1}), TrianglePart::kA);
  EXPECT_EQ(part({2, -1, 0}), TrianglePart::kB);
  EXPECT_EQ(part({-1, 2, 0}), TrianglePart::kC);
  EXPECT_EQ(part({0.5, -1, 0}), TrianglePart::kAB);
  EXPECT_EQ(part({1, 1, 0}), TrianglePart::kBC);
  EXPECT_EQ(part({-1, 0.5, 0}), TrianglePart::kCA);
}

/// The smallest distance from a point of one segment to the other one, a convex function of s, by
/// thirds; in long double, as its minimum is flat.
double reference_distance(const Vec3& p0, const Vec3& p1, const Vec3& q0, const Vec3& q1) {
  using Real = long double;
  const auto distance_squared = [&](Real s) {
    Real r[3];
    Real e[3];
    Real along = 0;
    Real length = 0;
    for (int k = 0; k < 3; ++k) {
      r[k] = p0[k] + s * (static_cast<Real>(p1[k]) - p0[k]) - q0[k];
      e[k] = static_cast<Real>(q1[k]) - q0[k];
      along += r[k] * e[k];
      length += e[k] * e[k];
    }
    const Real t = length > 0 ? std::clamp<Real>(along / length, 0, 1) : 0;
    Real sum = 0;
    for (int k = 0; k < 3; ++k) sum += (r[k] - t * e[k]) * (r[k] - t * e[k]);
    return sum;
  };
  Real low = 0;
  Real high = 1;
  for (int k = 0; k < 120; ++k) {
    const Real third = (high - low) / 3;
    if (distance_squared(low + third) <= distance_squared(high - third)) {
      high -= third;
    } else {
      low += third;
    }
  }
  return static_cast<double>(
      std::sqrt(std::min({distance_squared(0), distance_squared(1), distance_squared(low)})));
}

TEST(SegmentSegment, IsOptimalOnRandomParallelAndDegenerateInput) {
  Random random;
  for (int k = 0; k < kPoses; ++k) {
    const bool lattice = k % 2 == 0;
    const Vec3 p0 = random.point(lattice);
    const Vec3 p1 = random.point(lattice);
    const Vec3 q0 = random.point(lattice);
    // Every third pair is nearly parallel, down to angles of 1e-16.
    const double tilt = std::pow(10.0, -8.0 - 8.0 * std::abs(random.uniform()));
    const Vec3 q1 =
        k % 3 == 0 ? q0 + (p1 - p0) + tilt * random.point(false) : random.point(lattice);

    const BetweenSegments near = closest_between_segments(p0, p1, q0, q1);

    const double distance = norm(near.on_p - near.on_q);
    ASSERT_NEAR(distance, reference_distance(p0, p1, q0, q1), 1e-9);
    ASSERT_LE(norm(near.on_p - (p0 + near.s * (p1 - p0))), kTolerance);
    ASSERT_LE(norm(near.on_q - (q0 + near.t * (q1 - q0))), kTolerance);
    ASSERT_NEAR(near.distance_squared, distance * distance, kTolerance);
  }
}

TEST(SegmentSegment, CrossingOnlyBetweenTheEnds) {
  EXPECT_TRUE(closest_between_segments({-1, 0, 0}, {1, 0, 0}, {0, -1, 1}, {0, 1, 1}).crossing);
  EXPECT_FALSE(closest_between_segments({-1, 0, 0}, {1, 0, 0}, {2, -1, 1}, {2, 1, 1}).crossing);
  EXPECT_FALSE(closest_between_segments({-1, 0, 0}, {1, 0, 0}, {-1, 0, 1}, {1, 0, 1}).crossing);
}

}  // namespace
}  // namespace nsn
