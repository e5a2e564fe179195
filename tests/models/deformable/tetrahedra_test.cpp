#include "nsn/models/deformable/tetrahedra.h"

#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/core/elastic/signed_svd.h"
#include "tests/support/one_tet.h"

namespace nsn {
namespace {

using test::Configuration;
using test::configurations;
using test::copy;
using test::deformed;
using test::dense_stiffness;
using test::force_at;
using test::kStep;
using test::one_tet;
using test::rotation;

const MaterialParameters kRubber = {1e5, 0.45, 1000.0};
struct Law {
  MaterialModel model;
  ElementRows rows;
};
std::vector<Law> laws() {
  return {{MaterialModel::kLinear, ElementRows::kStrains},
          {MaterialModel::kCorotational, ElementRows::kStrains},
          {MaterialModel::kCorotational, ElementRows::kStretches},
          {MaterialModel::kNeoHookean, ElementRows::kStretches},
          {MaterialModel::kNeoHookeanLog, ElementRows::kStretches}};
}
std::string name(const Law& law, const Configuration& configuration) {
  return material_names()[static_cast<std::size_t>(law.model)] +
         (law.rows == ElementRows::kStrains ? ", strains, " : ", stretches, ") + configuration.name;
}

Tetrahedra make(const TetMesh& mesh, const Law& law, TetrahedraOptions options = {}) {
  options.rows = law.rows;
  return Tetrahedra(mesh, law.model, kRubber, options);
}

// Largest stiffness of the element, the scale of every comparison below.
double stiffness_scale() {
  const Lame lame = lame_constants(kRubber);
  return (lame.Lambda + 2.0 * lame.G) * 0.1;
}

// N of one block of rows before any projection.
Mat3 row_stiffness(const Tetrahedra& law, const Law& kind, const Mat3& F, std::size_t block) {
  const Lame lame = lame_constants(kRubber);
  const Mat3 at_rest = Corotational{lame.G, lame.Lambda}.hessian(vec3(1, 1, 1));
  Mat3 N = block == 0 ? at_rest : lame.G * identity<3>();
  if (kind.rows == ElementRows::kStretches) {
    std::visit(
        [&](const auto& material) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(material)>, LinearElastic>) {
            N = material.hessian(signed_svd(F).s);
          }
        },
        make_material(kind.model, kRubber));
  }
  return law.rest_volume()(0) * N;
}

TEST(Tetrahedra, ForceIsMinusTheGradientOfTheEnergy) {
  const TetMesh mesh = one_tet();
  for (const Law& kind : laws()) {
    for (const Configuration& configuration : configurations()) {
      Tetrahedra law = make(mesh, kind);
      law.set_activation(0, 2000.0);
      const Vector x = deformed(mesh, configuration.F);
      const Vector f = force_at(law, x);
      for (std::size_t k = 0; k < 12; ++k) {
        // Step 1e-7 m at elements of 0.1 m: truncation and rounding are both near 1e-7 of the force
        // of a unit strain, stiffness * size.
        Vector up = copy(x);
        Vector down = copy(x);
        up(k) += 1e-7;
        down(k) -= 1e-7;
        const double difference = -(law.energy(up) - law.energy(down)) / 2e-7;
        EXPECT_NEAR(f(k), difference, 1e-6 * stiffness_scale() * 0.1) << name(kind, configuration);
      }
    }
  }
}

/// stiffness, 12 x 12, is -df/dx at x.
void expect_derivative_of_force(Tetrahedra& law, const Vector& x,
                                const std::vector<double>& stiffness, const std::string& what) {
  for (std::size_t j = 0; j < 12; ++j) {
    Vector up = copy(x);
    Vector down = copy(x);
    up(j) += 1e-7;
    down(j) -= 1e-7;
    const Vector fu = force_at(law, up);
    const Vector fd = force_at(law, down);
    for (std::size_t i = 0; i < 12; ++i) {
      // Rounding of the force, 1e-16 * 1e4 N / 1e-7 m, and truncation are far below 1e-5.
      EXPECT_NEAR(stiffness[12 * i + j], -(fu(i) - fd(i)) / 2e-7, 1e-5 * stiffness_scale())
          << what << " " << i << " " << j;
    }
  }
}

TEST(Tetrahedra, RowsAndGeometricStiffnessTogetherAreTheDerivativeOfTheForce) {
  // J^T N J - K = -df/dx with N of the material (before any projection), K not clamped.
  const TetMesh mesh = one_tet();
  for (const Law& kind : laws()) {
    for (const Configuration& configuration : configurations()) {
      TetrahedraOptions options;
      options.project_geometric = false;
      Tetrahedra law = make(mesh, kind, options);
      law.set_activation(0, 2000.0);
      const Vector x = deformed(mesh, configuration.F);
      ASSERT_EQ(law.evaluate(x, kStep), -1);
      std::vector<double> stiffness = dense_stiffness(law, StiffnessPart::kGeometric);
      for (std::size_t block = 0; block < static_cast<std::size_t>(law.blocks_per_tet()); ++block) {
        const Mat3 N = row_stiffness(law, kind, configuration.F, block);
        const ConstVector J = law.rows().J.value;
        for (std::size_t i = 0; i < 12; ++i) {
          for (std::size_t j = 0; j < 12; ++j) {
            for (std::size_t p = 0; p < 3; ++p) {
              for (std::size_t q = 0; q < 3; ++q) {
                stiffness[12 * i + j] += J(36 * block + 9 * (i / 3) + 3 * p + i % 3) *
                                         N(static_cast<int>(p), static_cast<int>(q)) *
                                         J(36 * block + 9 * (j / 3) + 3 * q + j % 3);
              }
            }
          }
        }
      }
      expect_derivative_of_force(law, x, stiffness, name(kind, configuration));
    }
  }
}

TEST(Tetrahedra, RowsAndExactGeometryTogetherAreTheDerivativeOfTheForceAlsoWhereRowsAreProjected) {
  const TetMesh mesh = one_tet();
  for (const Law& kind : laws()) {
    if (kind.model == MaterialModel::kLinear) continue;  // no geometry
    for (const Configuration& configuration : configurations()) {
      TetrahedraOptions options;
      options.compliance = ComplianceKind::kProjected;
      Tetrahedra law = make(mesh, kind, options);
      const Vector x = deformed(mesh, configuration.F);
      ASSERT_EQ(law.evaluate(x, kStep), -1);
      std::vector<double> total = dense_stiffness(law, StiffnessPart::kRows);
      const std::vector<double> geometry = dense_stiffness(law, StiffnessPart::kExactGeometric);
      for (std::size_t e = 0; e < total.size(); ++e) total[e] += geometry[e];
      const auto place = [](Index node, std::size_t e) {
        return static_cast<std::size_t>(3 * node) + e;
      };
      std::vector<Block> upper(10);
      law.element_stiffness(0, StiffnessPart::kExactGeometric, upper);
      std::size_t pair = 0;
      for (Index a = 0; a < 4; ++a) {
        for (Index b = a; b < 4; ++b, ++pair) {
          for (std::size_t e = 0; e < 9; ++e) {
            EXPECT_NEAR(upper[pair][e], geometry[12 * place(a, e / 3) + place(b, e % 3)],
                        1e-12 * stiffness_scale())
                << name(kind, configuration) << " nodes " << a << " " << b;
          }
        }
      }
      expect_derivative_of_force(law, x, total, name(kind, configuration));
    }
  }
}

TEST(Tetrahedra, RowsAreTheDerivativeOfTheirForces) {
  // dc/dq = N J where stretches are distinct (J is not unique elsewhere).
  const TetMesh mesh = one_tet();
  for (const Law& kind : laws()) {
    if (kind.rows == ElementRows::kStrains && kind.model == MaterialModel::kCorotational) continue;
    for (const Configuration& configuration : configurations()) {
      if (configuration.name == "rest" || configuration.name == "turned" ||
          configuration.name == "coincident" || configuration.name == "uniform") {
        continue;
      }
      Tetrahedra law = make(mesh, kind);
      const Vector x = deformed(mesh, configuration.F);
      ASSERT_EQ(law.evaluate(x, kStep), -1);
      const Vector J = copy(law.rows().J.value);
      const auto m = static_cast<std::size_t>(3 * law.blocks_per_tet());
      for (std::size_t j = 0; j < 12; ++j) {
        Vector up = copy(x);
        Vector down = copy(x);
        up(j) += 1e-7;
        down(j) -= 1e-7;
        ASSERT_EQ(law.evaluate(up, kStep), -1);
        const Vector cu = copy(law.rows().c);
        ASSERT_EQ(law.evaluate(down, kStep), -1);
        const Vector cd = copy(law.rows().c);
        for (std::size_t i = 0; i < m; ++i) {
          const Mat3 N = row_stiffness(law, kind, configuration.F, i / 3);
          double NJ = 0.0;
          for (std::size_t k = 0; k < 3; ++k) {
            NJ += N(static_cast<int>(i % 3), static_cast<int>(k)) *
                  J(36 * (i / 3) + 9 * (j / 3) + 3 * k + j % 3);
          }
          // c is of the size stiffness * 0.1 m; truncation of the difference is 1e-7 of that.
          EXPECT_NEAR((cu(i) - cd(i)) / 2e-7, NJ, 1e-6 * stiffness_scale())
              << name(kind, configuration);
        }
      }
    }
  }
}

TEST(Tetrahedra, ProjectedStiffnessIsPositiveSemidefiniteAndExactWhereNothingIsClamped) {
  const TetMesh mesh = one_tet();
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  for (const Law& kind : laws()) {
    for (const Configuration& configuration : configurations()) {
      TetrahedraOptions options;
      Tetrahedra clamped = make(mesh, kind, options);
      options.project_geometric = false;
      Tetrahedra exact = make(mesh, kind, options);
      const Vector x = deformed(mesh, configuration.F);
      ASSERT_EQ(clamped.evaluate(x, kStep), -1);
      ASSERT_EQ(exact.evaluate(x, kStep), -1);
      for (const StiffnessPart part :
           {StiffnessPart::kGeometric, StiffnessPart::kRows, StiffnessPart::kTotal}) {
        const std::vector<double> A = dense_stiffness(clamped, part);
        const std::vector<double> B = dense_stiffness(exact, part);
        for (std::size_t i = 0; i < 144; ++i) {
          EXPECT_NEAR(A[i], A[12 * (i % 12) + i / 12], 1e-10 * stiffness_scale());
        }
        for (int trial = 0; trial < 50; ++trial) {
          double v[12];
          for (double& y : v) y = normal(random);
          double vAv = 0.0;
          double vBv = 0.0;
          for (std::size_t i = 0; i < 144; ++i) {
            vAv += v[i / 12] * A[i] * v[i % 12];
            vBv += v[i / 12] * B[i] * v[i % 12];
          }
          EXPECT_GE(vAv, -1e-9 * stiffness_scale()) << name(kind, configuration);
          EXPECT_GE(vAv, vBv - 1e-9 * stiffness_scale()) << name(kind, configuration);
          if (configuration.name == "rest") {
            EXPECT_NEAR(vAv, vBv, 1e-9 * stiffness_scale()) << name(kind, configuration);
          }
        }
      }
    }
  }
}

TEST(Tetrahedra, NodeBlocksAreTheDiagonalOfTheFullStiffness) {
  const TetMesh mesh = one_tet();
  Tetrahedra law = make(mesh, {MaterialModel::kNeoHookean, ElementRows::kStretches});
  ASSERT_EQ(law.evaluate(deformed(mesh, configurations()[4].F), kStep), -1);
  const std::vector<double> A = dense_stiffness(law, StiffnessPart::kTotal);
  Vector blocks("blocks", 36);

  law.add_node_stiffness(StiffnessPart::kTotal, 2.0, blocks);

  for (std::size_t k = 0; k < 36; ++k) {
    const std::size_t i = 3 * (k / 9) + k % 9 / 3;
    const std::size_t j = 3 * (k / 9) + k % 3;
    EXPECT_NEAR(blocks(k), 2.0 * A[12 * i + j], 1e-12 * stiffness_scale());
  }
}

TEST(Tetrahedra, RigidMotionProducesNoForce) {
  TetMesh mesh = one_tet();
  mesh.node.push_back(vec3(0.1, 0.11, 0.1));
  mesh.tet.push_back({0, 1, 2, 4});
  mesh.region.push_back(0);
  orient_tets(mesh);
  for (const Law& kind : laws()) {
    if (kind.model == MaterialModel::kLinear) continue;
    Tetrahedra law = make(mesh, kind);
    Vector x = deformed(mesh, rotation());
    for (std::size_t k = 0; k < x.extent(0); ++k) x(k) += 3.0;
    const Vector f = force_at(law, x);
    for (std::size_t k = 0; k < x.extent(0); ++k) {
      // Relative to the force of a unit strain, Y * area: positions of 3 m are rounded by 4e-16 m.
      EXPECT_NEAR(f(k), 0.0, 1e-9 * 1e5 * 0.01) << name(kind, {"rotation", {}});
    }
  }
}

TEST(Tetrahedra, ActivationInflatesAFreeElementByTheClosedForm) {
  // c = 0 at the uniform strain p (1 - 2 nu)/Y for the two linear laws.
  const TetMesh mesh = one_tet();
  const double p = 3000.0;
  const double strain = p * (1.0 - 2.0 * 0.45) / 1e5;
  for (const Law& kind : laws()) {
    if (kind.model != MaterialModel::kLinear && kind.model != MaterialModel::kCorotational)
      continue;
    Tetrahedra law = make(mesh, kind);
    law.set_activation(0, p);
    const Vector f = force_at(law, deformed(mesh, (1.0 + strain) * identity<3>()));
    for (std::size_t k = 0; k < 12; ++k) EXPECT_NEAR(f(k), 0.0, 1e-10 * p * 0.01);
  }
}

TEST(Tetrahedra, MassAndVolume) {
  const TetMesh mesh = one_tet();
  const Tetrahedra law = make(mesh, laws()[3]);
  double mass = 0.0;
  for (Index n = 0; n < 4; ++n) mass += law.node_mass()(n);
  EXPECT_NEAR(mass, 1000.0 * volume(mesh), 1e-15);
  EXPECT_NEAR(law.deformed_volume(deformed(mesh, 2.0 * identity<3>())), 8.0 * volume(mesh), 1e-15);
  EXPECT_LT(law.deformed_volume(deformed(mesh, diagonal(vec3(1, 1, -1)))), 0.0);
}

TEST(Tetrahedra, StiffnessFactorsScaleTheForceNotTheMass) {
  const TetMesh mesh = one_tet();
  TetrahedraOptions options;
  options.stiffness_scale = {10.0};
  Tetrahedra stiff = make(mesh, laws()[3], options);
  Tetrahedra plain = make(mesh, laws()[3]);
  const Vector x = deformed(mesh, configurations()[4].F);
  const Vector f10 = force_at(stiff, x);
  const Vector f1 = force_at(plain, x);
  for (std::size_t k = 0; k < 12; ++k) EXPECT_NEAR(f10(k), 10.0 * f1(k), 1e-9);
  EXPECT_EQ(stiff.node_mass()(0), plain.node_mass()(0));
}

TEST(Tetrahedra, PointLikeElementHasFiniteRowsAndStiffness) {
  const TetMesh mesh = one_tet();
  for (const Law& kind : laws()) {
    Tetrahedra law = make(mesh, kind);
    ASSERT_EQ(law.evaluate(deformed(mesh, Mat3{}), kStep), -1);
    for (const double a : dense_stiffness(law, StiffnessPart::kTotal)) {
      EXPECT_TRUE(std::isfinite(a)) << name(kind, {"point", {}});
    }
    for (std::size_t k = 0; k < law.rows().E.extent(0); ++k) {
      EXPECT_TRUE(std::isfinite(law.rows().E(k))) << name(kind, {"point", {}});
    }
  }
}

TEST(Tetrahedra, NotFinitePositionIsAStatusThatNamesTheElement) {
  TetMesh mesh = one_tet();
  mesh.node.push_back(vec3(0.1, 0.11, 0.1));
  mesh.tet.push_back({0, 1, 2, 4});
  mesh.region.push_back(0);
  orient_tets(mesh);
  for (const Law& kind : laws()) {
    Tetrahedra law = make(mesh, kind);
    Vector x = deformed(mesh, identity<3>());
    x(12) = NAN;  // node 4 belongs to tetrahedron 1 alone
    EXPECT_EQ(law.evaluate(x, kStep), 1);
  }
}

TEST(Tetrahedra, RefusesBadInput) {
  const auto message = [](const TetMesh& mesh, const TetrahedraOptions& options,
                          const MaterialParameters& parameters,
                          MaterialModel model) -> std::string {
    try {
      const Tetrahedra law(mesh, model, parameters, options);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  const auto of_mesh = [&](const TetMesh& mesh) {
    return message(mesh, {}, kRubber, MaterialModel::kNeoHookean);
  };
  TetMesh inverted = one_tet();
  std::swap(inverted.tet[0][0], inverted.tet[0][1]);
  EXPECT_NE(of_mesh(inverted).find("tetrahedron 0 (nodes 0 3 1 2) is inverted"), std::string::npos);
  TetMesh flat = one_tet();
  flat.node[3] = 0.5 * (flat.node[0] + flat.node[1]);
  EXPECT_NE(of_mesh(flat).find("tetrahedron 0 (nodes 3 0 1 2) has no volume"), std::string::npos);
  TetMesh loose = one_tet();
  loose.node.push_back(vec3(1, 1, 1));
  EXPECT_EQ(of_mesh(loose), "node 4 belongs to no tetrahedron (1 such nodes)");
  TetMesh nan = one_tet();
  nan.node[2][1] = NAN;
  EXPECT_EQ(of_mesh(nan), "node 2 has no finite position");
  TetMesh outside = one_tet();
  outside.tet[0][2] = 4;
  EXPECT_EQ(of_mesh(outside), "tetrahedron 0: node 4 is not one of 4");
  EXPECT_EQ(of_mesh({}), "the mesh has no tetrahedra");
  EXPECT_NE(message(one_tet(), {}, {1e5, 0.5, 1000.0}, MaterialModel::kLinear), "");
  TetrahedraOptions strains;
  strains.rows = ElementRows::kStrains;
  EXPECT_EQ(message(one_tet(), strains, kRubber, MaterialModel::kNeoHookean),
            "strain rows go with the linear and the corotational material, not with 'neo-hookean'");
}

}  // namespace
}  // namespace nsn
