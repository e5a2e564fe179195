#include "nsn/models/deformable/springs.h"

#include <cmath>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace nsn {
namespace {

constexpr double kStep = 0.01;

Vector positions(const std::vector<double>& values) {
  Vector x("x", values.size());
  for (std::size_t k = 0; k < values.size(); ++k) x(k) = values[k];
  return x;
}

Vector force_at(Springs& law, ConstVector x) {
  EXPECT_EQ(law.evaluate(x, kStep), -1);
  Vector f("f", x.extent(0));
  law.add_force(f);
  return f;
}

TEST(Springs, PullTowardsTheRestLength) {
  Springs law(2, {{1, 0, 0.5, 100.0, 0.0}});
  const Vector x = positions({0, 0, 0, 2, 0, 0});

  const Vector f = force_at(law, x);

  EXPECT_DOUBLE_EQ(f(0), 150.0);
  EXPECT_DOUBLE_EQ(f(3), -150.0);
  EXPECT_DOUBLE_EQ(law.energy(x), 0.5 * 100.0 * 1.5 * 1.5);
}

TEST(Springs, StiffnessIsTheDerivativeOfTheForce) {
  // Stretched springs of three kinds: -df/dx = J^T N J - K exactly, nothing is clamped under
  // tension.
  Springs law(3, {{0, 1, 0.5, 100.0, 3.0}, {2, 1, 0.3, 50.0, 0.0}, {0, 2, 0.0, 70.0, 2.0}});
  const Vector x = positions({0, 0.1, 0, 1.1, 0.2, -0.3, 0.4, 0.9, 0.5});
  law.start_step(positions({0, 0, 0, 1, 0.2, -0.3, 0.4, 0.9, 0.4}));
  ASSERT_EQ(law.evaluate(x, kStep), -1);
  BlockCsr A = law.stiffness_pattern();
  law.add_stiffness(StiffnessPart::kTotal, 1.0, A);

  for (std::size_t j = 0; j < 9; ++j) {
    Vector up("up", 9);
    Vector down("down", 9);
    Kokkos::deep_copy(up, x);
    Kokkos::deep_copy(down, x);
    up(j) += 1e-6;
    down(j) -= 1e-6;
    const Vector fu = force_at(law, up);
    const Vector fd = force_at(law, down);
    Vector e("e", 9);
    Vector column("column", 9);
    e(j) = 1.0;
    multiply(A, e, column);
    // Truncation of the difference: 1e-12 * third derivative (1e3).
    for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(column(i), -(fu(i) - fd(i)) / 2e-6, 1e-6);
  }
}

TEST(Springs, CompressionDoesNotSoftenTheStiffness) {
  Springs law(2, {{0, 1, 1.0, 100.0, 0.0}});
  ASSERT_EQ(law.evaluate(positions({0, 0, 0, 0.5, 0, 0}), kStep), -1);
  Vector blocks("blocks", 18);

  law.add_node_stiffness(StiffnessPart::kGeometric, 1.0, blocks);

  for (std::size_t k = 0; k < 18; ++k) EXPECT_EQ(blocks(k), 0.0);
}

TEST(Springs, RowsOfAPaddedBlockLeaveTheirMultiplierAtZero) {
  Springs law(2, {{0, 1, 0.5, 100.0, 0.0}});
  ASSERT_EQ(law.evaluate(positions({0, 0, 0, 2, 0, 0}), kStep), -1);
  Vector value("value", 3);
  Vector C("C", 9);

  compliance_residual(law.rows(), positions({-150.0, 0.0, 0.0}), kStep, value);
  scaled_compliance(law.rows(), kStep, C);

  // lambda = -c in the first row, 0 in the unit rows: the residual vanishes.
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(value(k), 0.0, 1e-12);
  EXPECT_DOUBLE_EQ(C(0), 1.0 / 100.0 / (kStep * kStep));
  EXPECT_GT(C(4), 0.0);
  EXPECT_EQ(law.rows().J.value(3), 0.0);
}

TEST(Springs, CollapsedAndNotFinite) {
  Springs law(2, {{0, 1, 0.5, 100.0, 0.0}});
  EXPECT_EQ(law.evaluate(positions({1, 1, 1, 1, 1, 1}), kStep), -1);
  EXPECT_EQ(law.evaluate(positions({1, 1, 1, 1, NAN, 1}), kStep), 0);
}

TEST(Springs, BadValuesAreNamed) {
  const auto make = [](Spring spring) { const Springs law(2, {spring}); };
  EXPECT_THROW(make({0, 0, 1, 1, 0}), std::invalid_argument);
  EXPECT_THROW(make({0, 2, 1, 1, 0}), std::invalid_argument);
  EXPECT_THROW(make({0, 1, -1, 1, 0}), std::invalid_argument);
  EXPECT_THROW(make({0, 1, 1, 0, 0}), std::invalid_argument);
  EXPECT_THROW(make({0, 1, 1, NAN, 0}), std::invalid_argument);
  EXPECT_THROW(make({0, 1, 1, 1, -1}), std::invalid_argument);
}

}  // namespace
}  // namespace nsn
