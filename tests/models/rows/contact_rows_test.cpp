// Rows of one contact between two bodies against finite differences: Jacobian and geometric stiffness.
#include "nsn/models/rows/contact_rows.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "nsn/models/world/world.h"

namespace nsn {
namespace {

constexpr double kH = 0.01;  // s
constexpr double kMove =
    1e-6;  // m or rad, of central differences: 1e-12 of truncation, 1e-10 of rounding

/// Two turned bodies and a contact between them, with round sides.
struct OneContact {
  World world;
  ContactRowSet rows;

  OneContact() {
    for (const double side : {1.0, -1.0}) {
      Body body;
      body.mass = 2.0;
      body.inertia = diagonal(Vec3{0.1, 0.2, 0.3});
      body.position = {0.2 * side, -0.1, 0.5 * side};
      body.orientation = normalized(Quaternion{0.9, 0.2 * side, -0.3, 0.1});
      world.add_body(body);
    }
    Contact contact;
    contact.body_a = 0;
    contact.body_b = 1;
    contact.local_a = {0.3, -0.4, -0.6};
    contact.local_b = {-0.2, 0.5, 0.7};
    contact.radius_a = 0.05;
    contact.radius_b = 0.02;
    contact.normal = (1.0 / 3.0) * Vec3{1.0, 2.0, 2.0};
    contact.mu = 0.5;
    contact.thickness = 0.01;
    rows.contacts().push_back(contact);
    rows.finish();
  }

  /// Body b moved along direction k (0 to 2: x, y, z; 3 to 5: turned about them).
  Configuration moved(int b, int k, double by) const {
    Configuration at;
    at.start(world.bodies(), world.particles(), kH);
    std::array<Vec3, 2> v{};
    v[static_cast<std::size_t>(k / 3)][k % 3] = by / kH;
    at.move(world.body(b), b, v[0], v[1]);
    return at;
  }

  RowBlock block(const Configuration& at) const {
    RowBlock out;
    rows.evaluate(0, at, out);
    return out;
  }
};

TEST(ContactRows, NormalRowIsTheDerivativeOfTheGap) {
  const OneContact one;
  const RowBlock here = one.block(one.moved(0, 0, 0.0));
  for (int b = 0; b < 2; ++b) {
    for (int k = 0; k < 6; ++k) {
      const double ahead = one.rows.gap(0, one.moved(b, k, kMove));
      const double behind = one.rows.gap(0, one.moved(b, k, -kMove));
      const Mat3& J = here.J[static_cast<std::size_t>(2 * b + k / 3)];
      EXPECT_NEAR(J(0, k % 3), (ahead - behind) / (2.0 * kMove), 1e-8) << b << " " << k;
    }
  }
  EXPECT_NEAR(here.value[0], one.rows.gap(0, one.moved(0, 0, 0.0)) / kH, 1e-12);
}

TEST(ContactRows, GapIsBetweenTheRoundSurfaces) {
  const OneContact one;
  const Contact& c = one.rows.contacts().front();
  const auto a = one.world.body(0);
  const auto b = one.world.body(1);
  const Vec3 surface_a = a.to_world(c.local_a) - c.radius_a * c.normal;
  const Vec3 surface_b = b.to_world(c.local_b) + c.radius_b * c.normal;

  EXPECT_NEAR(one.block(one.moved(0, 0, 0.0)).value[0] * kH,
              dot(c.normal, surface_a - surface_b) - c.thickness, 1e-14);
}

TEST(ContactRows, TangentRowsAreSlidingVelocities) {
  const OneContact one;
  const RowBlock here = one.block(one.moved(0, 0, 0.0));
  for (int b = 0; b < 2; ++b) {
    for (int k = 0; k < 6; ++k) {
      // Moving by kMove takes the velocity kMove / h; the arms turn by as little.
      const RowBlock there = one.block(one.moved(b, k, kMove));
      const RowBlock back = one.block(one.moved(b, k, -kMove));
      const Mat3& J = here.J[static_cast<std::size_t>(2 * b + k / 3)];
      for (int row = 1; row < 3; ++row) {
        const double slope = kH * (there.value[row] - back.value[row]) / (2.0 * kMove);
        EXPECT_NEAR(J(row, k % 3), slope, 1e-8) << b << " " << k << " " << row;
      }
    }
  }
}

TEST(ContactRows, ForcesOfTheTwoBodiesAreOpposite) {
  const OneContact one;
  const RowBlock block = one.block(one.moved(0, 0, 0.0));
  const Vec3 r{3.0, -1.0, 0.5};
  EXPECT_NEAR(norm(transpose(block.J[0]) * r + transpose(block.J[2]) * r), 0.0, 1e-15);
  EXPECT_NEAR(norm(transpose(block.J[0]) * r - one.rows.to_world(0, r)), 0.0, 1e-15);
}

/// K = sym d(J^T r) / d q of each turning body, for a push and for friction.
TEST(ContactRows, StiffnessIsTheDerivativeOfTheForce) {
  const OneContact one;
  for (const Vec3& r : {Vec3{2.0, 0.0, 0.0}, Vec3{0.0, 1.0, -0.5}, Vec3{2.0, 1.0, -0.5}}) {
    std::array<Mat3, 4> K{};
    one.rows.add_stiffness(0, one.moved(0, 0, 0.0), r, K);
    for (int b = 0; b < 2; ++b) {
      const auto angular = static_cast<std::size_t>(2 * b + 1);
      Mat3 slope;
      for (int k = 0; k < 3; ++k) {
        const Vec3 ahead = transpose(one.block(one.moved(b, 3 + k, kMove)).J[angular]) * r;
        const Vec3 behind = transpose(one.block(one.moved(b, 3 + k, -kMove)).J[angular]) * r;
        for (int i = 0; i < 3; ++i) slope(i, k) = (ahead[i] - behind[i]) / (2.0 * kMove);
      }
      double size = 0.0;
      for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
          EXPECT_NEAR(K[angular](i, k), 0.5 * (slope(i, k) + slope(k, i)), 1e-8) << b << i << k;
          size = std::max(size, std::abs(K[angular](i, k)));
        }
      }
      EXPECT_GT(size, 0.1);  // there is something to compare
      EXPECT_EQ(norm(K[angular - 1] * Vec3{1, 1, 1}), 0.0);
    }
  }
}

}  // namespace
}  // namespace nsn
