#include "nsn/models/deformable/strain_rate_damping.h"

#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/core/base/math3.h"
#include "tests/support/one_tet.h"
#include "tests/support/simulate.h"

namespace nsn {
namespace {

using test::copy;
using test::deformed;
using test::dense_stiffness;
using test::force_at;
using test::kStep;

const MaterialParameters kRubber = {1e5, 0.45, 1000.0};
constexpr double kRelaxation = 0.02;

/// Largest stiffness of the element of 0.1 m: the scale of every comparison.
double stiffness_scale() {
  const Lame lame = lame_constants(kRubber);
  return (kRelaxation / kStep) * (lame.Lambda + 2.0 * lame.G) * 0.1;
}

/// Where a step starts: stretches that are distinct, and an axis that the end does not share.
std::vector<Mat3> starts() {
  const Mat3 R = test::rotation();
  return {identity<3>(), R * diagonal(vec3(1.3, 1.0, 0.9)) * R};
}

TEST(StrainRateDamping, StiffnessIsTheDerivativeOfTheForceEverywhere) {
  const TetMesh mesh = test::one_tet();
  StrainRateDamping law(mesh, kRubber, kRelaxation);
  for (const Mat3& start : starts()) {
    for (const test::Configuration& configuration : test::configurations()) {
      law.start_step(deformed(mesh, start));
      const Vector x = deformed(mesh, configuration.F);
      ASSERT_EQ(law.evaluate(x, kStep), -1);
      const std::vector<double> rows = dense_stiffness(law, StiffnessPart::kRows);
      const std::vector<double> geometric = dense_stiffness(law, StiffnessPart::kExactGeometric);
      for (std::size_t j = 0; j < 12; ++j) {
        Vector up = copy(x);
        Vector down = copy(x);
        up(j) += 1e-6;
        down(j) -= 1e-6;
        const Vector fu = force_at(law, up);
        const Vector fd = force_at(law, down);
        for (std::size_t i = 0; i < 12; ++i) {
          // The force is a polynomial: truncation is (1e-6 / 0.1)^2, rounding 1e-16 / 1e-5.
          EXPECT_NEAR(rows[12 * i + j] + geometric[12 * i + j], -(fu(i) - fd(i)) / 2e-6,
                      1e-8 * stiffness_scale())
              << configuration.name << " " << i << " " << j;
        }
      }
    }
  }
}

TEST(StrainRateDamping, ProjectedStiffnessIsPositiveSemidefiniteAndNoLess) {
  const TetMesh mesh = test::one_tet();
  StrainRateDamping law(mesh, kRubber, kRelaxation);
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (const test::Configuration& configuration : test::configurations()) {
    law.start_step(deformed(mesh, starts()[1]));
    ASSERT_EQ(law.evaluate(deformed(mesh, configuration.F), kStep), -1);
    const std::vector<double> projected = dense_stiffness(law, StiffnessPart::kGeometric);
    const std::vector<double> exact = dense_stiffness(law, StiffnessPart::kExactGeometric);
    for (int trial = 0; trial < 50; ++trial) {
      double v[12];
      for (double& y : v) y = normal(random);
      double vPv = 0.0;
      double vEv = 0.0;
      for (std::size_t i = 0; i < 144; ++i) {
        vPv += v[i / 12] * projected[i] * v[i % 12];
        vEv += v[i / 12] * exact[i] * v[i % 12];
      }
      EXPECT_GE(vPv, -1e-12 * stiffness_scale()) << configuration.name;
      EXPECT_GE(vPv, vEv - 1e-12 * stiffness_scale()) << configuration.name;
    }
  }
}

TEST(StrainRateDamping, NoForceFromARigidMotionOfAnyShape) {
  const TetMesh mesh = test::one_tet();
  StrainRateDamping law(mesh, kRubber, kRelaxation);
  for (const test::Configuration& configuration : test::configurations()) {
    law.start_step(deformed(mesh, configuration.F));
    Vector x = deformed(mesh, test::rotation() * configuration.F);
    for (std::size_t k = 0; k < 12; ++k) x(k) += 3.0;
    const Vector f = force_at(law, x);
    // Positions of 3 m are rounded by 4e-16 m, strains of the element by 1e-14.
    for (std::size_t k = 0; k < 12; ++k) EXPECT_NEAR(f(k), 0.0, 1e-12 * stiffness_scale() * 0.1);
  }
}

TEST(StrainRateDamping, TakesEnergyOutOfAnySmallMotion) {
  const TetMesh mesh = test::one_tet();
  StrainRateDamping law(mesh, kRubber, kRelaxation);
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (const test::Configuration& configuration : test::configurations()) {
    const Vector x0 = deformed(mesh, configuration.F);
    law.start_step(x0);
    for (int trial = 0; trial < 100; ++trial) {
      Vector x = copy(x0);
      for (std::size_t k = 0; k < 12; ++k) x(k) += 1e-4 * normal(random);
      const Vector f = force_at(law, x);
      double work = 0.0;
      for (std::size_t k = 0; k < 12; ++k) work += f(k) * (x(k) - x0(k));
      EXPECT_LT(work, 0.0) << configuration.name;
    }
  }
}

TEST(StrainRateDamping, RefusesWhatIsNoRelaxationTime) {
  const TetMesh mesh = test::one_tet();
  EXPECT_THROW(StrainRateDamping(mesh, kRubber, -0.1), std::invalid_argument);
  EXPECT_THROW(StrainRateDamping(mesh, kRubber, std::nan("")), std::invalid_argument);
  EXPECT_THROW(StrainRateDamping(mesh, kRubber, 0.1, std::vector<double>{1.0, 1.0}),
               std::invalid_argument);
}

/// A regular tetrahedron with nodes at half the corners of a cube of 0.1 m. By its symmetry a
/// uniform strain A, a multiple of I or diagonal without a trace, is a mode of vibration.
struct Mode {
  std::string name;
  Mat3 A;
};

class DecayingMode : public testing::TestWithParam<MaterialModel> {};

TEST_P(DecayingMode, FollowsTheClosedForm) {
  const double a = 0.05;
  const TetMesh mesh{
      {vec3(a, a, a), vec3(a, -a, -a), vec3(-a, a, -a), vec3(-a, -a, a)}, {{0, 2, 1, 3}}, {0}};
  const Lame lame = lame_constants(kRubber);
  const double h = 1e-4;
  for (const Mode& mode :
       {Mode{"breathing", identity<3>()}, Mode{"stretching", diagonal(vec3(1.0, -0.5, -0.5))}}) {
    // Strain energy density (2 mu |A|^2 + lambda tr(A)^2)/2 over sum m |A X|^2 / (2 V).
    double strain = 0.0;
    double inertia = 0.0;
    for (const double x : mode.A.a) strain += 2.0 * lame.G * x * x;
    strain += lame.Lambda * trace(mode.A) * trace(mode.A);
    for (const Vec3& X : mesh.node) inertia += 0.25 * kRubber.density * dot(mode.A * X, mode.A * X);
    const double omega2 = strain / inertia;
    DeformableOptions rubber;
    rubber.model = GetParam();
    rubber.material = kRubber;
    rubber.damping = 0.2 / std::sqrt(omega2);  // a tenth of the critical one
    World world;
    world.gravity = {};
    const int d = world.add_deformable(mesh, rubber);
    for (int n = 0; n < 4; ++n) {
      const ParticleRef particle = world.particle(n);
      particle.position += 1e-5 * (mode.A * particle.position);
    }
    SimulationOptions options;
    options.h = h;
    Simulation simulation(std::move(world), options, standard_backends());
    const double rate = 0.5 * rubber.damping * omega2;
    const double frequency = std::sqrt(omega2 - rate * rate);
    double x = 1.0;  // implicit Euler on x'' + tau omega^2 x' + omega^2 x = 0
    double u = 0.0;
    const int steps = static_cast<int>(4.0 * std::numbers::pi / frequency / h);  // two periods
    for (int k = 1; k <= steps; ++k) {
      ASSERT_TRUE(simulation.step().converged()) << mode.name;
      u = (u - h * omega2 * x) / (1.0 + h * omega2 * (h + rubber.damping));
      x += h * u;
      const Deformable& body = simulation.world().deformable(d);
      const Vec3& X = body.mesh.node[0];
      const Vec3 moved = simulation.world().particle(body.particle(0)).position - X;
      const double amplitude = dot(moved, mode.A * X) / dot(mode.A * X, mode.A * X) / 1e-5;
      // Strains of 1e-5 leave terms of their own size to the nonlinear law, and its digits.
      EXPECT_NEAR(amplitude, x, 2e-4) << mode.name << " step " << k;
      // The scheme is late by up to a step, h omega, and damps at the rate h omega^2 / 2.
      const double t = k * h;
      const double exact = std::exp(-rate * t) *
                           (std::cos(frequency * t) + rate / frequency * std::sin(frequency * t));
      const double scheme = h * std::sqrt(omega2) + 0.5 * h * omega2 * t;
      EXPECT_NEAR(amplitude, exact, scheme * std::exp(-rate * t)) << mode.name << " step " << k;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Materials, DecayingMode,
                         testing::Values(MaterialModel::kLinear, MaterialModel::kCorotational,
                                         MaterialModel::kNeoHookean,
                                         MaterialModel::kNeoHookeanLog));

TEST(StrainRateDamping, ConvergesLikeTheUndampedMaterialWhereStretchesCoincide) {
  // A bar in uniaxial tension: two stretches are the same everywhere.
  const auto iterations = [](const std::string& relaxation) {
    Simulation simulation =
        test::simulate("material-extension",
                       {{"cells", "1"}, {"material", "neo-hookean"}, {"damping", relaxation}});
    int sum = 0;
    for (int k = 0; k < 60; ++k) {
      const auto report = simulation.step();
      EXPECT_TRUE(report.converged()) << relaxation << " s, step " << k;
      sum += report.newton_iterations;
    }
    return sum;
  };
  const int undamped = iterations("0");
  EXPECT_LE(iterations("0.001"), undamped + 60);
  EXPECT_LE(iterations("0.02"), undamped + 60);
  EXPECT_LE(iterations("0.2"), undamped + 60);
}

}  // namespace
}  // namespace nsn
