/// What rows finite elements have (models/deformable/tetrahedra.h).
#pragma once

#include <vector>

#include "nsn/core/elastic/tetrahedron.h"

namespace nsn {

struct TetrahedraOptions {
  ElementRows rows = ElementRows::kStretches;  ///< strains: linear (always) and corotational
  ComplianceKind compliance = ComplianceKind::kProjected;
  /// Least stiffness in N, as a share of the shear stiffness 2 G V_e, > 0.
  double stiffness_floor = 1e-3;
  bool project_geometric = true;  ///< clamp the modes of -K; false: exact, H may become indefinite
  /// Factor on Psi of each tetrahedron, > 0: stiffer or softer parts. Empty: 1.
  std::vector<double> stiffness_scale{};
};

}  // namespace nsn
