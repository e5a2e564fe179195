/// Strain-rate damping of tetrahedra as generalised compliance: rows of their own beside those of
/// the elastic law (models/deformable/tetrahedra.h), whatever that is.
///
/// Kelvin-Voigt in Green's strain G = (F^T F - I)/2: six rows per tetrahedron
/// (core/elastic/strain_rows.h),
///
///     c = V_e (tau/h) K_e (G - G_0),    J_a = dG/dx_a,    N = V_e (tau/h) K_e, constant in q,
///
/// G_0 at the start of the step, tau a relaxation time: at small strains the viscous stress is tau
/// times the elastic one of the strain's rate, so that a mode of frequency omega decays by
/// exp(-tau omega^2 t / 2). G does not see a rotation, however large: rigid motions are not damped.
///
/// With the stress S = (tau/h) K_e (G - G_0) as a symmetric tensor the geometric stiffness is that
/// of any prestress, -K_ab = V_e (g_a . S g_b) I, exact everywhere: G is a polynomial of x, so
/// coincident stretches, flat and inverted elements are nothing special. (Differences of the
/// principal stretches themselves would have a kink where two of them meet.) Projected, S loses its
/// negative eigenvalues.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "nsn/core/elastic/strain_rate.h"
#include "nsn/models/deformable/generalised_compliance.h"
#include "nsn/models/deformable/materials.h"
#include "nsn/models/deformable/tet_mesh.h"

namespace nsn {

class StrainRateDamping final : public GeneralisedCompliance {
 public:
  /// relaxation_time > 0, s. stiffness_scale: as in TetrahedraOptions; empty: 1. Throws
  /// std::invalid_argument: a defect of the mesh, a parameter out of range.
  StrainRateDamping(const TetMesh& mesh, const MaterialParameters& parameters,
                    double relaxation_time, std::span<const double> stiffness_scale = {});

  /// Edge of a cube of the tetrahedron's rest volume, m.
  double row_length(Index tet) const override { return element(tet).length; }
  bool record(LawRecord& out) const override;
  std::unique_ptr<GeneralisedCompliance> clone() const override;

 private:
  struct Stored;  // keeps what an element yields
  void do_start_step(ConstVector x) override;
  Index do_evaluate(ConstVector x, double h) override;
  double do_energy(ConstVector) const override { return 0.0; }
  Block do_stiffness(Index element, int a, int b, StiffnessPart part) const override;
  void do_element_stiffness(Index element, StiffnessPart part,
                            std::span<Block> upper) const override;

  Mat3 prestress(Index t, StiffnessPart part) const;
  Mat3 row_block(Index t, int a, int b) const;
  const TetElement& element(Index t) const { return elements_[static_cast<std::size_t>(t)]; }

  StrainRateLaw law_;
  Mat3 normal_stiffness_;
  std::vector<TetElement> elements_;  // weight: V_e times stiffness factor times tau
  Vector start_;                      // G_0, 6 per tetrahedron
  Vector stress_;                     // weight/h K_e (G - G_0) as a tensor, 9 per tetrahedron
  double rate_ = 0.0;                 // 1/h of the last evaluation
};

}  // namespace nsn
