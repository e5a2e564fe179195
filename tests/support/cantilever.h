/// A clamped bar of tetrahedra under a load on its end, in static equilibrium.
#pragma once

#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/models/deformable/mesh_generators.h"
#include "nsn/models/deformable/tetrahedra.h"
#include "tests/support/static_equilibrium.h"

namespace nsn::test {

inline Vector rest_positions(const TetMesh& mesh) {
  Vector x("x", 3 * mesh.node.size());
  for (std::size_t n = 0; n < mesh.node.size(); ++n) {
    for (std::size_t i = 0; i < 3; ++i) x(3 * n + i) = mesh.node[n][static_cast<int>(i)];
  }
  return x;
}

struct Law {
  MaterialModel model;
  ElementRows rows;
};
inline const std::vector<Law> kInvariantLaws = {
    {MaterialModel::kCorotational, ElementRows::kStrains},
    {MaterialModel::kCorotational, ElementRows::kStretches},
    {MaterialModel::kNeoHookean, ElementRows::kStretches},
    {MaterialModel::kNeoHookeanLog, ElementRows::kStretches}};

inline Tetrahedra make(const TetMesh& mesh, const Law& law, const MaterialParameters& parameters) {
  TetrahedraOptions options;
  options.rows = law.rows;
  return Tetrahedra(mesh, law.model, parameters, options);
}

// A bar clamped at x = 0 with a load P in -z spread over its end face.
struct Cantilever {
  double length = 1.0;
  double width = 0.05;
  double height = 0.1;
  MaterialParameters material = {1e6, 0.3, 1000.0};
  bool planar = false;  // nodes keep their y: a narrow bar would buckle sideways

  double bending_stiffness() const {
    return material.youngs_modulus * width * height * height * height / 12.0;
  }
};

inline std::vector<char> fixed_unknowns(const Cantilever& bar, const TetMesh& mesh) {
  std::vector<char> fixed(3 * mesh.node.size(), 0);
  for (std::size_t n = 0; n < mesh.node.size(); ++n) {
    if (mesh.node[n][0] < 1e-9) fixed[3 * n] = fixed[3 * n + 1] = fixed[3 * n + 2] = 1;
    if (bar.planar) fixed[3 * n + 1] = 1;
  }
  return fixed;
}

// First frequency of bending in the plane of its height, rad/s.
inline double first_frequency(const Cantilever& bar, const Law& kind,
                              const std::array<Index, 3>& cells) {
  const TetMesh mesh = bar_mesh(vec3(bar.length, bar.width, bar.height), cells, CellPattern::kFive);
  Tetrahedra law = make(mesh, kind, bar.material);
  Vector mode("mode", 3 * mesh.node.size());
  for (std::size_t n = 0; n < mesh.node.size(); ++n) {
    mode(3 * n + 2) = mesh.node[n][0] * mesh.node[n][0];
  }
  StaticEquilibrium solver(law, fixed_unknowns(bar, mesh));
  return solver.lowest_frequency(rest_positions(mesh), law.node_mass(), mode);
}

struct Tip {
  double down = 0.0;     // mean displacement of the end face, -z
  double inwards = 0.0;  // -x
};

// Tip displacements under a sequence of growing loads (N); every one must converge.
inline std::vector<Tip> tip_displacements(const Cantilever& bar, const Law& kind,
                                          const std::array<Index, 3>& cells,
                                          const std::vector<double>& loads) {
  const TetMesh mesh = bar_mesh(vec3(bar.length, bar.width, bar.height), cells, CellPattern::kFive);
  Tetrahedra law = make(mesh, kind, bar.material);
  std::vector<std::size_t> end;
  for (std::size_t n = 0; n < mesh.node.size(); ++n) {
    if (mesh.node[n][0] > bar.length - 1e-9) end.push_back(n);
  }
  StaticEquilibrium solver(law, fixed_unknowns(bar, mesh));
  Vector x = rest_positions(mesh);
  Vector force("load", x.extent(0));
  std::vector<Tip> tips;
  for (const double load : loads) {
    for (const std::size_t n : end) force(3 * n + 2) = -load / static_cast<double>(end.size());
    const StaticResult result = solver.solve(x, force, 1e-6 * load, 200);
    EXPECT_TRUE(result.converged) << "load " << load << " N, residual " << result.residual << " N";
    Tip tip;
    for (const std::size_t n : end) {
      tip.down += (mesh.node[n][2] - x(3 * n + 2)) / static_cast<double>(end.size());
      tip.inwards += (mesh.node[n][0] - x(3 * n)) / static_cast<double>(end.size());
    }
    tips.push_back(tip);
  }
  return tips;
}

}  // namespace nsn::test
