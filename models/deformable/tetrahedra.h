/// Constant-strain tetrahedra as generalised compliance.
///
/// With shape gradients g_a (a = 1..4, 1/m, sum 0) of the rest shape the deformation gradient is
/// F = sum_a x_a g_a^T = U diag(s) V^T (core/elastic/signed_svd.h). Two choices of rows:
///
/// *Stretches*, 3 rows, every isotropic material (materials.h):
///
///     c = V_e (dPsi/ds - p),   J_a = diag(V^T g_a) U^T,   N = V_e d2Psi/ds2
///
/// *Strains*, 6 rows as two blocks (normal, engineering shear), linear and corotational:
///
///     c = V_e (K_e e - p (1,1,1,0,0,0)),    N = V_e K_e, constant,
///     J_a = de/dx_a at fixed rotation R = U V^T (linear: R = I), e = sym(R^T F) - I.
///
/// The six strains carry shear stiffness in their rows; three stretches leave all of it to K.
/// Differs from the paper: it prints J = (ds/dq)^T with f = -J^T c; J is ds/dq.
///
/// p: activation, an isotropic stress (Pa) added in the rotated frame,
///
///     Psi_p = -p (s1 + s2 + s3 - 3)
///
/// p > 0 inflates; a free element grows by the strain p (1 - 2 nu)/Y. Constant in s, so N is
/// the material's own. Damping is a law of its own: models/deformable/strain_rate_damping.h.
///
/// What one of them yields is core/elastic/tetrahedron.h. Geometric stiffness (generalised_compliance.h): in the frames U and V the 9x9 second derivative
/// of Psi splits into d2Psi/ds2 and six modes, for each pair (i, j)
///
///     flip   (E_ij + E_ji)/sqrt 2    with   (c_i - c_j)/(s_i - s_j)
///     twist  (E_ij - E_ji)/sqrt 2    with   (c_i + c_j)/(s_i + s_j)
///
/// Stretch rows leave all six to -K, corotational strain rows only the twists, linear rows none.
/// Projected, each mode is clamped at 0: -K stays positive semidefinite, and is exact where no mode
/// is negative. Under pressure twists are: there only the exact -K converges quadratically.
///
/// Memory: some 1000 bytes an element with 3 rows, 1400 with 6; nothing grows faster than the mesh.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "nsn/core/elastic/tetrahedron.h"
#include "nsn/models/deformable/element_options.h"
#include "nsn/models/deformable/generalised_compliance.h"
#include "nsn/models/deformable/materials.h"
#include "nsn/models/deformable/tet_mesh.h"

namespace nsn {

class Tetrahedra final : public GeneralisedCompliance {
 public:
  /// Throws std::invalid_argument: a defect of the mesh (tet_mesh.h), a material parameter or
  /// option out of range, rows that do not go with the material.
  Tetrahedra(const TetMesh& mesh, MaterialModel model, const MaterialParameters& parameters,
             TetrahedraOptions options = {});

  Index num_tets() const { return num_elements(); }
  /// Block rows of one tetrahedron: 1 with stretches, 2 with strains.
  Index blocks_per_tet() const { return blocks_per_element(); }

  /// Rest volumes, m^3, and lumped masses of the nodes (a quarter of each tetrahedron's), kg.
  ConstVector rest_volume() const { return volume_; }
  ConstVector node_mass() const { return mass_; }

  /// Edge of a cube of the tetrahedron's rest volume, m.
  double row_length(Index tet) const override { return element(tet).length; }
  bool record(LawRecord& out) const override;
  std::unique_ptr<GeneralisedCompliance> clone() const override;

  /// p of one tetrahedron, Pa; finite. Takes effect with the next evaluate().
  void set_activation(Index tet, double pressure);
  double activation(Index tet) const { return activation_(tet); }

  /// F of tetrahedron t at positions x.
  Mat3 deformation_gradient(Index t, ConstVector x) const {
    return nsn::deformation_gradient(element(t), NodePositions{x});
  }
  /// P of the material at F, without activation, Pa.
  Mat3 nominal_stress(const Mat3& F) const;
  /// Sum of det F times rest volume, m^3; negative parts where elements are inverted.
  double deformed_volume(ConstVector x) const;

 private:
  struct Stored;  // keeps what an element yields
  void do_start_step(ConstVector x) override;
  Index do_evaluate(ConstVector x, double h) override;
  double do_energy(ConstVector x) const override;
  Block do_stiffness(Index element, int a, int b, StiffnessPart part) const override;
  void do_element_stiffness(Index element, StiffnessPart part,
                            std::span<Block> upper) const override;

  const TetElement& element(Index t) const { return elements_[static_cast<std::size_t>(t)]; }
  bool linear() const { return std::holds_alternative<TetrahedronLaw<LinearElastic>>(law_); }
  class Geometry;
  TetModes modes(Index t, StiffnessPart part) const;
  /// N minus what the rows carry of it: -J^T (.) J is missing in a projected H.
  bool falls_short(Index t) const;
  void add_row_block(Index t, int a, int b, Block& out) const;

  LawsOf<ElasticMaterial>::Variant law_;
  bool project_geometric_ = true;
  std::vector<TetElement> elements_;
  Vector volume_;      // V_e
  Vector mass_;        // per node
  Vector activation_;  // p
  Vector stiffness_;   // E^-1, 9 per block row
  Vector start_;       // frames from which every evaluation of the step sets out, 9 each
  Vector frames_;      // U and V, 18 per tetrahedron
  Vector modes_;       // flips and twists left to -K, not clamped, N/m * m^2, 6 per tetrahedron
  Vector shortfall_;   // N - E^-1 of projected stretch rows, 9 per tetrahedron
};

}  // namespace nsn
