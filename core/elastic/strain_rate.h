/// Strain-rate damping of one tetrahedron (models/deformable/strain_rate_damping.h) on any device.
/// Out: core/elastic/tetrahedron.h, and
///
///   out.stress(S)      weight/h K_e (G - G_0) as a tensor
#pragma once

#include "nsn/core/elastic/tetrahedron.h"

namespace nsn {

NSN_FUNCTION Strain green_strain(const Mat3& F) {
  const Mat3 C = transpose(F) * F;
  return {0.5 * (vec3(C(0, 0), C(1, 1), C(2, 2)) - vec3(1.0, 1.0, 1.0)),
          vec3(C(1, 2), C(0, 2), C(0, 1))};
}

struct StrainRateLaw {
  using Element = TetElement;  ///< weight: V_e times the factor times tau
  static constexpr int kNodes = 4;
  static constexpr int kStart = 6;

  LinearElastic material;

  NSN_FUNCTION static int blocks() { return 2; }
  NSN_FUNCTION static double length(const TetElement& e) { return e.length; }
  NSN_FUNCTION static bool clamps() { return true; }
  NSN_FUNCTION Lame lame() const { return {material.G, material.Lambda}; }

  /// G_0
  template <class Points>
  NSN_FUNCTION void start(const TetElement& e, const Points& x, double* kept) const {
    const Strain G = green_strain(deformation_gradient(e, x));
    store3(kept, G.normal);
    store3(kept + 3, G.shear);
  }

  template <class Points, class Out>
  NSN_FUNCTION void evaluate(const TetElement& e, double, const Points& x, const double* kept,
                             double h, const Out& out) const {
    const Mat3 F = deformation_gradient(e, x);
    const double w = e.weight / h;
    const Strain G = green_strain(F);
    const Strain change = {G.normal - load3(kept), G.shear - load3(kept + 3)};
    const Strain S = material.stress(change);
    const Vec3 n = w * S.normal;
    const Vec3 s = w * S.shear;
    for (int a = 0; a < 4; ++a) {
      const StrainDirections J = strain_directions(e.gradient[a], F);
      out.direction(0, a, J.normal);
      out.direction(1, a, J.shear);
    }
    out.force(0, n, change.normal, (1.0 / w) * strain_compliance(lame()));
    out.force(1, s, change.shear, (1.0 / (w * material.G)) * identity<3>());
    out.stress({{n[0], s[2], s[1], s[2], n[1], s[0], s[1], s[0], n[2]}});
  }
};

}  // namespace nsn
