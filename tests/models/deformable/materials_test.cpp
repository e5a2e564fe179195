#include "nsn/models/deformable/materials.h"

#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/core/base/math3.h"
#include "nsn/core/elastic/signed_svd.h"

namespace nsn {
namespace {

const MaterialParameters kRubber = {1e5, 0.45, 1000.0};

std::vector<MaterialModel> all_models() {
  return {MaterialModel::kLinear, MaterialModel::kCorotational, MaterialModel::kNeoHookean,
          MaterialModel::kNeoHookeanLog};
}

// Lateral stretch w at which the sides of a bar stretched to s are free of stress: secant iteration
// on P_yy(diag(s, w, w)) = 0.
double free_lateral_stretch(const ElasticMaterial& material, double s) {
  const auto side = [&](double w) {
    return nominal_stress(material, diagonal(vec3(s, w, w)))(1, 1);
  };
  double w0 = 1.0 / std::sqrt(s);  // volume kept; w = 0 is a root as well
  double w1 = w0 + 1e-3;
  for (int it = 0; it < 100 && std::fabs(w1 - w0) > 1e-15; ++it) {
    const double f0 = side(w0);
    const double f1 = side(w1);
    if (f1 == f0) break;
    const double w2 = w1 - f1 * (w1 - w0) / (f1 - f0);
    w0 = w1;
    w1 = w2;
  }
  return w1;
}

double uniaxial_stress(const ElasticMaterial& material, double s) {
  const double w = free_lateral_stretch(material, s);
  return nominal_stress(material, diagonal(vec3(s, w, w)))(0, 0);
}

// Nominal stress (Pa) of a bar of Y = 1e5, nu = 0.45, by closed form or an independent solution.
struct Uniaxial {
  MaterialModel model;
  double s, stress;
};
class UniaxialBar : public ::testing::TestWithParam<Uniaxial> {};

TEST_P(UniaxialBar, NominalStressWithFreeSides) {
  const auto [model, s, expected] = GetParam();

  const double stress = uniaxial_stress(make_material(model, kRubber), s);

  // The references are printed to 0.1 Pa.
  EXPECT_NEAR(stress, expected, 0.06);
}

INSTANTIATE_TEST_SUITE_P(Materials, UniaxialBar,
                         ::testing::Values(Uniaxial{MaterialModel::kLinear, 0.8, -20000.0},
                                           Uniaxial{MaterialModel::kLinear, 1.1, 10000.0},
                                           Uniaxial{MaterialModel::kLinear, 1.5, 50000.0},
                                           Uniaxial{MaterialModel::kLinear, 2.0, 100000.0},
                                           Uniaxial{MaterialModel::kCorotational, 0.8, -20000.0},
                                           Uniaxial{MaterialModel::kCorotational, 1.1, 10000.0},
                                           Uniaxial{MaterialModel::kCorotational, 1.5, 50000.0},
                                           Uniaxial{MaterialModel::kCorotational, 2.0, 100000.0},
                                           Uniaxial{MaterialModel::kNeoHookean, 0.8, -24946.1},
                                           Uniaxial{MaterialModel::kNeoHookean, 1.1, 9173.8},
                                           Uniaxial{MaterialModel::kNeoHookean, 1.5, 35887.6},
                                           Uniaxial{MaterialModel::kNeoHookean, 2.0, 59913.8},
                                           Uniaxial{MaterialModel::kNeoHookeanLog, 0.8, -25033.2},
                                           Uniaxial{MaterialModel::kNeoHookeanLog, 1.1, 9212.6},
                                           Uniaxial{MaterialModel::kNeoHookeanLog, 1.5, 37542.8},
                                           Uniaxial{MaterialModel::kNeoHookeanLog, 2.0, 66717.1}));

TEST(Materials, VolumeRatioOfABarStretchedThreefold) {
  const auto ratio = [](MaterialModel model) {
    const double w = free_lateral_stretch(make_material(model, kRubber), 3.0);
    return 3.0 * w * w;
  };
  // Corotational: w = 1 - 0.45 * 2 = 0.1 exactly. The others are known to three decimals.
  EXPECT_NEAR(ratio(MaterialModel::kCorotational), 0.03, 1e-12);
  EXPECT_NEAR(ratio(MaterialModel::kNeoHookean), 1.067, 5e-4);
  EXPECT_NEAR(ratio(MaterialModel::kNeoHookeanLog), 1.061, 5e-4);
}

TEST(Materials, RestIsAtRestAndStable) {
  for (const double nu : {-0.5, 0.0, 0.3, 0.45, 0.499}) {
    for (const MaterialModel model : all_models()) {
      const ElasticMaterial material = make_material(model, {2e6, nu, 1000.0});
      EXPECT_NEAR(energy_density(material, identity<3>()), 0.0, 1e-9 * 2e6);
      EXPECT_LE(max_abs(nominal_stress(material, identity<3>())), 1e-9 * 2e6 / (1 - 2 * nu));
    }
  }
}

TEST(Materials, SmallStrainStiffnessIsHookes) {
  // dP/dF at rest in a shear and in a stretch, by central differences of step 1e-5: error 1e-10.
  const Lame lame = lame_constants(kRubber);
  for (const MaterialModel model : all_models()) {
    const ElasticMaterial material = make_material(model, kRubber);
    Mat3 up = identity<3>();
    Mat3 down = identity<3>();
    up(0, 1) = 1e-5;
    down(0, 1) = -1e-5;
    up(2, 2) += 1e-5;
    down(2, 2) -= 1e-5;
    const Mat3 dP = (1.0 / 2e-5) * (nominal_stress(material, up) - nominal_stress(material, down));
    EXPECT_NEAR(dP(0, 1) / lame.G, 1.0, 1e-8);
    EXPECT_NEAR(dP(1, 0) / lame.G, 1.0, 1e-8);
    EXPECT_NEAR(dP(2, 2) / (lame.Lambda + 2.0 * lame.G), 1.0, 1e-8);
    EXPECT_NEAR(dP(0, 0) / lame.Lambda, 1.0, 1e-8);
  }
}

TEST(Materials, RotationLeavesTheEnergyAlone) {
  const Mat3 R = {{0, -1, 0, 1, 0, 0, 0, 0, 1}};
  const Mat3 F = {{1.2, 0.1, 0.3, -0.2, 0.8, 0.0, 0.1, 0.2, 1.1}};
  for (const MaterialModel model : all_models()) {
    if (model == MaterialModel::kLinear) continue;
    const ElasticMaterial material = make_material(model, kRubber);
    EXPECT_NEAR(energy_density(material, R * F) / energy_density(material, F), 1.0, 1e-13);
    EXPECT_LE(max_abs(nominal_stress(material, R * F) - R * nominal_stress(material, F)), 1e-9);
  }
}

TEST(Materials, StressIsTheDerivativeOfTheEnergy) {
  const std::vector<Mat3> configurations = {
      identity<3>(), Mat3{{1.2, 0.1, 0.3, -0.2, 0.8, 0.0, 0.1, 0.2, 1.1}},
      Mat3{{1.2, 0.1, 0.3, -0.2, -0.8, 0.0, 0.1, 0.2, 1.1}},  // inverted
      Mat3{{1.0, 0.0, 0.2, 0.0, 1.5, 0.0, 0.0, 0.0, 0.0}},    // flat
      Mat3{{2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.5}}};   // coincident
  for (const MaterialModel model : all_models()) {
    const ElasticMaterial material = make_material(model, kRubber);
    for (const Mat3& F : configurations) {
      const Mat3 P = nominal_stress(material, F);
      for (int k = 0; k < 9; ++k) {
        Mat3 up = F;
        Mat3 down = F;
        up.a[k] += 1e-6;
        down.a[k] -= 1e-6;
        const double difference =
            (energy_density(material, up) - energy_density(material, down)) / 2e-6;
        // Rounding of the energy, 1e-16 * 1e6 Pa / 1e-6, is 1e-4 Pa beside stresses of 1e5 Pa.
        EXPECT_NEAR(P.a[k], difference, 1e-3) << material_names()[static_cast<std::size_t>(model)];
      }
    }
  }
}

template <class Material>
void expect_derivatives_match(const Material& material) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(0.2, 2.0);
  for (int trial = 0; trial < 200; ++trial) {
    const double sign = trial % 2 == 0 ? 1.0 : -1.0;
    const Vec3 s = vec3(uniform(random) + 2.0, uniform(random) + 1.0, 0.3 * sign * uniform(random));
    const Mat3 N = material.hessian(s);
    const Vec3 g = material.gradient(s);
    for (int j = 0; j < 3; ++j) {
      Vec3 up = s;
      Vec3 down = s;
      up[j] += 1e-6;
      down[j] -= 1e-6;
      EXPECT_NEAR((material.energy(up) - material.energy(down)) / 2e-6, g[j], 1e-8 * 1e6);
      const Vec3 column_j = (1.0 / 2e-6) * (material.gradient(up) - material.gradient(down));
      for (int i = 0; i < 3; ++i) EXPECT_NEAR(column_j[i], N(i, j), 1e-8 * 1e7);
    }
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3;
      const int j = (k + 2) % 3;
      EXPECT_NEAR(material.flip(s)[k], (g[i] - g[j]) / (s[i] - s[j]), 1e-7 * 1e6);
      EXPECT_NEAR(material.twist(s)[k], (g[i] + g[j]) / (s[i] + s[j]), 1e-7 * 1e6);
    }
  }
}

TEST(Materials, GradientHessianFlipAndTwistMatchDifferences) {
  expect_derivatives_match(
      std::get<Corotational>(make_material(MaterialModel::kCorotational, kRubber)));
  expect_derivatives_match(
      std::get<StableNeoHookean>(make_material(MaterialModel::kNeoHookean, kRubber)));
  expect_derivatives_match(
      std::get<StableNeoHookeanLog>(make_material(MaterialModel::kNeoHookeanLog, kRubber)));
}

TEST(Materials, ParametersOutOfRangeAreNamed) {
  const auto message = [](const MaterialParameters& parameters) -> std::string {
    try {
      make_material(MaterialModel::kNeoHookean, parameters);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({1e5, 0.5, 1000.0}),
            "Poisson's ratio 0.5 is outside (-1, 0.5): at 0.5 a material is incompressible");
  EXPECT_NE(message({1e5, -1.0, 1000.0}), "");
  EXPECT_NE(message({1e5, NAN, 1000.0}), "");
  EXPECT_EQ(message({0.0, 0.3, 1000.0}), "Young's modulus 0 Pa is not positive");
  EXPECT_NE(message({INFINITY, 0.3, 1000.0}), "");
  EXPECT_EQ(message({1e5, 0.3, -1.0}), "density -1 kg/m^3 is not positive");
  EXPECT_THROW(material_from_name("rubber"), std::invalid_argument);
  EXPECT_EQ(material_from_name("neo-hookean-log"), MaterialModel::kNeoHookeanLog);
}

TEST(SafeCompliance, ProjectionRaisesOnlyWhatIsBelowTheFloor) {
  const Mat3 Q = signed_svd({{0.3, -0.2, 0.9, 0.1, 0.8, -0.5, 0.7, 0.6, 0.4}}).U;
  const Mat3 N = Q * (diagonal(vec3(5.0, 2.0, -3.0)) * transpose(Q));

  const StiffnessAndCompliance safe = safe_compliance(N, ComplianceKind::kProjected, 0.01);

  const Mat3 expected = Q * (diagonal(vec3(5.0, 2.0, 0.01)) * transpose(Q));
  EXPECT_LE(max_abs(safe.N - expected), 1e-13);
  EXPECT_LE(max_abs(safe.N * safe.E - identity<3>()), 1e-12);
}

TEST(SafeCompliance, DefiniteStiffnessIsInvertedAsItIs) {
  const Mat3 N = {{4, 1, 0, 1, 3, -1, 0, -1, 5}};

  const StiffnessAndCompliance safe = safe_compliance(N, ComplianceKind::kProjected, 1e-3);

  EXPECT_EQ(max_abs(safe.N - N), 0.0);
  EXPECT_LE(max_abs(N * safe.E - identity<3>()), 1e-15);
}

TEST(SafeCompliance, DiagonalFormIsAMajorant) {
  const Mat3 N = {{2, 1.9, 1.9, 1.9, 2, 1.9, 1.9, 1.9, 2}};

  const StiffnessAndCompliance safe = safe_compliance(N, ComplianceKind::kDiagonal, 1e-3);

  EXPECT_NEAR(safe.E(0, 0), 1.0 / 5.8, 1e-15);
  EXPECT_EQ(safe.E(0, 1), 0.0);
  EXPECT_EQ(max_abs(positive_part(N - safe.N)), 0.0);
}

}  // namespace
}  // namespace nsn
