/// One tetrahedron in every kind of configuration, for laws over the nodes of a mesh.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/core/elastic/signed_svd.h"
#include "nsn/models/deformable/generalised_compliance.h"
#include "nsn/models/deformable/tet_mesh.h"

namespace nsn::test {

constexpr double kStep = 1.0 / 120.0;

inline TetMesh one_tet() {
  return {
      {vec3(0.1, 0.0, 0.0), vec3(0.0, 0.12, 0.01), vec3(0.02, 0.0, 0.09), vec3(-0.03, 0.01, 0.0)},
      {{3, 0, 1, 2}},
      {0}};
}

// x = F X of every node.
inline Vector deformed(const TetMesh& mesh, const Mat3& F) {
  Vector x("x", 3 * mesh.node.size());
  for (std::size_t n = 0; n < mesh.node.size(); ++n) {
    const Vec3 y = F * mesh.node[n];
    for (int i = 0; i < 3; ++i) x(3 * n + static_cast<std::size_t>(i)) = y[i];
  }
  return x;
}

inline Mat3 rotation() {
  return signed_svd({{0.3, -0.2, 0.9, 0.1, 0.8, -0.5, 0.7, 0.6, 0.4}}).U;
}

struct Configuration {
  std::string name;
  Mat3 F;
};

inline std::vector<Configuration> configurations() {
  const Mat3 R = rotation();
  const Mat3 Q = transpose(signed_svd({{0.1, -0.7, 0.2, 0.5, 0.3, 0.4, -0.6, 0.2, 0.9}}).V);
  return {{"rest", identity<3>()},
          {"turned", R},
          {"stretched", R * diagonal(vec3(2.5, 0.9, 0.6)) * Q},
          {"squeezed", R * diagonal(vec3(1.3, 1.1, 0.2)) * Q},
          {"inverted", R * diagonal(vec3(1.4, 0.9, -0.5)) * Q},
          {"flat", R * diagonal(vec3(1.2, 0.8, 0.0)) * Q},
          {"thread", R * diagonal(vec3(1.2, 0.1, 0.0)) * Q},
          {"coincident", R * diagonal(vec3(1.7, 1.7, 0.8)) * Q},
          {"uniform", 1.4 * R}};
}

inline Vector force_at(GeneralisedCompliance& law, ConstVector x) {
  EXPECT_EQ(law.evaluate(x, kStep), -1);
  Vector f("f", x.extent(0));
  law.add_force(f);
  return f;
}

inline Vector copy(ConstVector x) {
  Vector y("copy", x.extent(0));
  Kokkos::deep_copy(y, x);
  return y;
}

// Stiffness of the last evaluation as a dense row-major matrix.
inline std::vector<double> dense_stiffness(const GeneralisedCompliance& law, StiffnessPart part) {
  BlockCsr A = law.stiffness_pattern();
  law.add_stiffness(part, 1.0, A);
  const auto n = static_cast<std::size_t>(3 * A.rows);
  std::vector<double> dense(n * n, 0.0);
  for (Index i = 0; i < A.rows; ++i) {
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      for (Index e = 0; e < 9; ++e) {
        const auto row = static_cast<std::size_t>(3 * i + e / 3);
        const auto column = static_cast<std::size_t>(3 * A.column(k) + e % 3);
        dense[row * n + column] = A.value(9 * k + e);
      }
    }
  }
  return dense;
}

}  // namespace nsn::test
