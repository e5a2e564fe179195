// The error of a step: what counts in m/s, and that nothing which is not a number gets lost.
#include "nsn/core/step/step_error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace nsn {
namespace {

Vector view(std::vector<double>& values) {
  return Vector(values.data(), values.size());
}

/// A rod of 2 kg along x, radius of gyration 0.3 m across it, in free motion.
struct Rod {
  static constexpr double kMass = 2.0;
  static constexpr double kAcross = 0.18;  // kg m^2: 2 * 0.3^2

  std::vector<double> M{kMass, 0, 0, 0, kMass,   0, 0, 0, kMass,
                        0,     0, 0, 0, kAcross, 0, 0, 0, kAcross};
  std::vector<double> M_inverse = std::vector<double>(18, 0.0);
  std::vector<double> u_free = std::vector<double>(6, 0.0);
  std::vector<double> u = std::vector<double>(6, 0.0);
  std::vector<Index> row_begin{0};
  System system;

  Rod() {
    system.h = 0.01;
    system.M = view(M);
    system.M_inverse = view(M_inverse);
    system.u_free = view(u_free);
    system.rigid_nodes = 2;
    system.row_begin = IndexVector(row_begin.data(), row_begin.size());
    system.pattern_id = 1;
  }

  StepError error() {
    StepEvaluation at;
    at.fit(system);
    return at.error(system, view(u), {});
  }
};

/// The rod held by a contact and by two blocks of joints, at rest: no error.
struct HeldRod : Rod {
  std::vector<double> E = std::vector<double>(27, 0.0);
  std::vector<double> rho = std::vector<double>(9, 1.0);
  std::vector<double> r = std::vector<double>(9, 0.0);
  std::vector<double> value = std::vector<double>(9, 0.0);
  std::vector<Index> column{0, 0, 0};

  HeldRod() {
    row_begin = {0, 1, 2, 3};
    RowLaw joint;
    joint.kind = RowLaw::Kind::kBox;
    system.laws = {RowLaw::contact(0.5), joint, joint};
    system.E = view(E);
    system.rho_error = view(rho);
    system.row_begin = IndexVector(row_begin.data(), row_begin.size());
    system.column = IndexVector(column.data(), column.size());
  }

  StepError row_error() {
    StepEvaluation at;
    at.fit(system);
    std::copy(value.begin(), value.end(), at.value.data());
    return at.error(system, view(u), view(r));
  }
};

TEST(StepError, SpinsCountByTheRadiusOfGyration) {
  Rod rod;
  rod.u[1] = 0.5;
  EXPECT_DOUBLE_EQ(rod.error().momentum, 0.5);
  rod.u[4] = 10.0;  // rad/s

  EXPECT_DOUBLE_EQ(rod.error().momentum, 3.0);
  EXPECT_DOUBLE_EQ(rod.error().total, 3.0);
}

TEST(StepError, OneEntryThatIsNoNumberMakesItInfinite) {
  for (std::size_t k = 0; k < 6; ++k) {
    Rod rod;
    rod.u[k] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isinf(rod.error().total)) << k;
  }
}

TEST(StepError, OneRowThatIsNoNumberMakesItInfinite) {
  EXPECT_EQ(HeldRod().row_error().total, 0.0);
  for (std::size_t k = 0; k < 9; ++k) {
    HeldRod rod;
    rod.value[k] = std::numeric_limits<double>::quiet_NaN();
    const StepError error = rod.row_error();
    EXPECT_TRUE(std::isinf(error.total)) << k;
    EXPECT_EQ(error.worst, static_cast<Index>(k / 3)) << k;
  }
}

/// One contact and two blocks of joints; rho = (1, 2, 2) of the contact, h = 0.01 s.
TEST(StepError, PartsOfAContactAreWhatTheirDefinitionsSay) {
  HeldRod rod;
  rod.rho[1] = rod.rho[2] = 2.0;
  const auto error = [&](const std::vector<double>& r, const std::vector<double>& v) {
    std::copy(r.begin(), r.end(), rod.r.begin());
    std::copy(v.begin(), v.end(), rod.value.begin());
    return rod.row_error();
  };
  // Opens at 0.3 m/s and is pushed by 2 kg m/s: the smaller of the two, times h as a length.
  EXPECT_DOUBLE_EQ(error({2, 0, 0}, {0.3, 0, 0}).normal, 0.003);
  EXPECT_DOUBLE_EQ(error({2, 0, 0}, {0.3, 0, 0}).total, 0.3);
  EXPECT_DOUBLE_EQ(error({0.2, 0, 0}, {0.3, 0, 0}).total, 0.2);
  EXPECT_DOUBLE_EQ(error({0, 0, 0}, {-0.3, 0, 0}).total, 0.3);
  EXPECT_DOUBLE_EQ(error({0, 0, 0}, {0.3, 0, 0}).total, 0.0);
  // Within the disc of radius mu r_N = 1 all of the sliding velocity is error.
  EXPECT_NEAR(error({2, 0.5, 0}, {0, 0.4, 0}).friction, 0.4, 1e-15);
  EXPECT_NEAR(error({2, 0.5, 0}, {0, 0.4, 0}).total, 0.4, 1e-15);
  EXPECT_NEAR(error({2, 0, 0}, {0, 0.3, 0.4}).friction, 0.5, 1e-15);
  // On the edge against the velocity it is none; 0.2 short of the edge, 0.2 times rho.
  EXPECT_NEAR(error({2, 1, 0}, {0, -0.4, 0}).friction, 0.0, 1e-15);
  EXPECT_NEAR(error({2, 0.8, 0}, {0, -4.0, 0}).friction, 0.4, 1e-15);
  // Friction without a normal impulse is error itself.
  EXPECT_NEAR(error({0, 0.8, 0}, {0, 0, 0}).friction, 1.6, 1e-15);
}

TEST(StepError, PartOfAJointIsItsVelocity) {
  HeldRod rod;
  rod.value[4] = -0.7;
  const StepError error = rod.row_error();
  EXPECT_DOUBLE_EQ(error.box, 0.7);
  EXPECT_DOUBLE_EQ(error.total, 0.7);
  EXPECT_EQ(error.worst, 1);
  EXPECT_DOUBLE_EQ(error.normal, 0.0);
}

}  // namespace
}  // namespace nsn
