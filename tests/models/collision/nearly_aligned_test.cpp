// Boxes whose edges are nearly in line: what a manifold says lies on both of them.
#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "nsn/models/collision/box.h"
#include "nsn/models/collision/convex_pairs.h"

namespace nsn {
namespace {

/// How far x is from the box, m; 0 inside.
double outside(const Vec3& half, const Pose& pose, const Vec3& x) {
  const Vec3 local = pose.inverse_apply(x);
  Vec3 beyond;
  for (int k = 0; k < 3; ++k) beyond[k] = std::max(0.0, std::abs(local[k]) - half[k]);
  return norm(beyond);
}

/// Two cards that lean against each other, one turned by `twist` about the vertical and moved by `shift`.
void expect_points_on_both(double twist, const Vec3& shift, const Vec3& lean) {
  const Box card({0.001, 0.06, 0.09});
  const Vec3 half = card.half();
  const auto placed = [&](const Vec3& x, const Vec3& turn) {
    return Pose{
        x, rotation_matrix(rotation_about({0, 0, 1}, turn[2]) * rotation_about({0, 1, 0}, turn[1]) *
                           rotation_about({1, 0, 0}, turn[0]))};
  };
  const double half_foot = 0.0005 * std::cos(0.349) + 0.045 * std::sin(0.349);
  const Pose a = placed({half_foot, 0.0, 0.0}, {lean[0], -0.349 + lean[1], twist});
  const Pose b = placed(shift - Vec3{half_foot, 0.0, 0.0}, {0.0, 0.349, 0.0});
  Manifold points;
  constexpr double kMargin = 1e-3;
  collide_box_box(card, a, card, b, kMargin, points);
  for (const ContactPoint& point : points) {
    const double most = std::abs(gap(point)) + 1e-6;
    EXPECT_LE(outside(half, a, point.on_a), most) << "twist " << twist;
    EXPECT_LE(outside(half, b, point.on_b), most) << "twist " << twist;
    EXPECT_GE(gap(point), -1e-4) << "twist " << twist;
  }
}

TEST(NearlyAligned, ManifoldsOfThinBoxesStayOnTheBoxes) {
  std::mt19937 random(27);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (const double size : {1e-9, 1e-8, 1e-7, 1e-6, 1e-5}) {
    for (int k = 0; k < 4000; ++k) {
      const double twist = size * unit(random);
      const Vec3 shift{size * unit(random), size * unit(random), size * unit(random)};
      expect_points_on_both(twist, shift, {size * unit(random), size * unit(random), 0.0});
    }
  }
}

}  // namespace
}  // namespace nsn
