// Coordinates of joints: gradients and curvatures against finite differences, for every kind.
#include "nsn/models/joints/joint_coordinate.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/models/joints/cylindrical.h"

namespace nsn {
namespace {

using Kind = JointCoordinate::Kind;

/// Two bodies and their frames; far from any symmetric position.
struct Pair {
  BodyState a, b;
  JointFrame frame_a{{0.3, -0.2, 0.5}, normalized(Quaternion{0.9, 0.1, -0.3, 0.2})};
  JointFrame frame_b{{-0.4, 0.1, 0.2}, normalized(Quaternion{0.8, -0.2, 0.1, 0.4})};

  Pair() {
    set(a, {0.2, 0.5, -0.3}, normalized(Quaternion{0.7, 0.3, -0.4, 0.5}));
    set(b, {-0.1, 0.2, 0.6}, normalized(Quaternion{0.6, 0.1, -0.2, 0.7}));
  }
  static void set(BodyState& state, const Vec3& x, const Quaternion& q) {
    state.x = x;
    state.q = q;
    state.R = rotation_matrix(q);
  }
  static void turn(BodyState& state, const Vec3& angle) {
    set(state, state.x, normalized(rotation_exp(angle) * state.q));
  }
  FramePair frames() const { return place_frames(a, frame_a, b, frame_b); }
};

std::vector<JointCoordinate> all_kinds() {
  std::vector<JointCoordinate> list{{Kind::kTwist}, {Kind::kDistance}, {Kind::kAngle}};
  for (std::int8_t i = 0; i < 3; ++i) {
    for (const Kind kind : {Kind::kPoint, Kind::kAlong, Kind::kTurn, Kind::kRotation}) {
      list.push_back({kind, i, 0});
    }
    for (std::int8_t j = 0; j < 3; ++j) {
      list.push_back({Kind::kCosine, i, j});
      list.push_back({Kind::kElevation, i, j});
      if (i == j) continue;
      list.push_back({Kind::kAzimuthA, i, j});
      list.push_back({Kind::kAzimuthB, i, j});
    }
  }
  return list;
}

std::string name(const JointCoordinate& c) {
  return "kind " + std::to_string(static_cast<int>(c.kind)) + " axes " + std::to_string(c.i) +
         std::to_string(c.j);
}

/// How a small motion e along unit k changes the pair; k = 0 ... 2 x_a, 3 ... 5 x_b, then angles.
Pair moved(Pair pair, int k, double e) {
  Vec3 step;
  step[k % 3] = e;
  if (k < 3) Pair::set(pair.a, pair.a.x + step, pair.a.q);
  if (k >= 3 && k < 6) Pair::set(pair.b, pair.b.x + step, pair.b.q);
  if (k >= 6 && k < 9) Pair::turn(pair.a, step);
  if (k >= 9) Pair::turn(pair.b, step);
  return pair;
}

double component(const CoordinateGradient& g, int k) {
  if (k < 3) return g.linear[k];
  if (k < 6) return -g.linear[k - 3];
  return k < 9 ? g.angular_a[k - 6] : g.angular_b[k - 9];
}

TEST(JointCoordinate, GradientsMatchFiniteDifferences) {
  const Pair pair;
  constexpr double kStep = 1e-5;
  for (const JointCoordinate& c : all_kinds()) {
    const CoordinateGradient g = coordinate_gradient(c, pair.frames());
    for (int k = 0; k < 12; ++k) {
      const double up = coordinate_gradient(c, moved(pair, k, kStep).frames()).value;
      const double down = coordinate_gradient(c, moved(pair, k, -kStep).frames()).value;
      // Truncation kStep^2 times a third derivative of order one, rounding 1e-16 / kStep.
      EXPECT_NEAR(component(g, k), (up - down) / (2.0 * kStep), 1e-9) << name(c) << " by " << k;
    }
  }
}

TEST(JointCoordinate, ValuesAloneAreThoseOfTheGradients) {
  const FramePair pair = Pair().frames();
  for (const JointCoordinate& c : all_kinds()) {
    EXPECT_EQ(coordinate_value(c, pair), coordinate_gradient(c, pair).value) << name(c);
  }
}

/// exp(e_i + e_j) is one turn, so C(+i+j) - C(+i-j) ... gives the symmetric second derivative.
double second_difference(const JointCoordinate& c, const Pair& pair, int block, int i, int j) {
  constexpr double kStep = 1e-4;
  const auto value = [&](double s, double t) {
    Vec3 step;
    step[i] += s * kStep;
    step[j] += t * kStep;
    Pair p = pair;
    if (block == 0) Pair::set(p.a, p.a.x + step, p.a.q);
    if (block == 1) Pair::turn(p.a, step);
    if (block == 2) Pair::turn(p.b, step);
    return coordinate_gradient(c, p.frames()).value;
  };
  return (value(1, 1) - value(1, -1) - value(-1, 1) + value(-1, -1)) / (4.0 * kStep * kStep);
}

CoordinateCurvature curvature_of(const JointCoordinate& c, const Pair& pair) {
  CoordinateCurvature sum;
  add_curvature(c, pair.frames(), 1.0, sum);
  return sum;
}

TEST(JointCoordinate, CurvaturesMatchFiniteDifferences) {
  const Pair pair;
  for (const JointCoordinate& c : all_kinds()) {
    const CoordinateCurvature curvature = curvature_of(c, pair);
    const Mat3* const blocks[] = {&curvature.linear, &curvature.angular_a, &curvature.angular_b};
    for (int block = 0; block < 3; ++block) {
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          // Rounding 4e-16 / 4e-8 and truncation 1e-8.
          EXPECT_NEAR((*blocks[block])(i, j), second_difference(c, pair, block, i, j), 1e-6)
              << name(c) << " block " << block << " entry " << i << j;
        }
      }
    }
  }
}

TEST(JointCoordinate, RotationIsTheLogarithmOfTheTurnAndSmoothWhereThereIsNone) {
  Pair pair;
  pair.frame_a = pair.frame_b = {};
  Pair::set(pair.b, {}, normalized(Quaternion{0.6, 0.1, -0.2, 0.7}));
  const Vec3 axis = (1.0 / 3.0) * Vec3{1, -2, 2};
  // 9.9e-3 and 1.01e-2: either side of where the series end.
  for (const double angle : {0.0, 1e-9, 9.9e-3, 1.01e-2, 0.5, 3.1}) {
    Pair::set(pair.a, {}, pair.b.q * rotation_exp(angle * axis));
    EXPECT_NEAR(coordinate_gradient({Kind::kAngle}, pair.frames()).value, angle, 1e-14);
    for (std::int8_t i = 0; i < 3; ++i) {
      const JointCoordinate c{Kind::kRotation, i, 0};
      const CoordinateGradient g = coordinate_gradient(c, pair.frames());
      EXPECT_NEAR(g.value, angle * axis[i], 1e-14);
      // Along the axis of the turn it is that angle alone.
      EXPECT_NEAR(dot(g.angular_a, pair.b.R * axis), axis[i], 1e-14);
      const Mat3 K = curvature_of(c, pair).angular_a;
      EXPECT_NEAR(K(0, 1), second_difference(c, pair, 1, 0, 1), 1e-6) << angle;
    }
  }
}

TEST(JointCoordinate, TwistIsTheAngleAboutTheAxisOfB) {
  Pair pair;
  pair.frame_a = pair.frame_b = {};
  Pair::set(pair.b, {}, normalized(Quaternion{0.6, 0.1, -0.2, 0.7}));
  for (const double angle : {-3.0, -0.1, 0.0, 0.4, 3.1}) {
    Pair::set(pair.a, {}, pair.b.q * rotation_about({0, 0, 1}, angle));
    const CoordinateGradient g = coordinate_gradient({Kind::kTwist}, pair.frames());
    EXPECT_NEAR(g.value, angle, 1e-14);
    EXPECT_LT(norm(g.angular_a - column(pair.b.R, 2)), 1e-14);  // turns about b_z alone
  }
}

TEST(JointCoordinate, ACylinderSlidesAlongTheAxisItTurnsAbout) {
  const Joint joint = cylindrical_joint(0, 1);
  Pair pair;
  pair.frame_a = pair.frame_b = {};
  Pair::set(pair.b, {0.1, 0.2, 0.3}, normalized(Quaternion{0.6, 0.1, -0.2, 0.7}));
  Pair::set(pair.a, pair.b.x + pair.b.R * vec3(0.0, 0.0, 0.7),
            pair.b.q * rotation_about({0, 0, 1}, 0.4));

  ASSERT_EQ(joint.axes.size(), 2U);
  EXPECT_NEAR(coordinate_gradient(joint.axes[0].coordinate, pair.frames()).value, 0.4, 1e-14);
  EXPECT_NEAR(coordinate_gradient(joint.axes[1].coordinate, pair.frames()).value, 0.7, 1e-14);
}

}  // namespace
}  // namespace nsn
