/// Weld with compliance: a fixed joint whose six rows yield, along and about the axes of frame b.
///
/// A beam of rigid pieces is a row of these: rigid in d, bending and torsion stiffness 1 / angular.
#pragma once

#include "nsn/models/joints/joint.h"

namespace nsn {

/// Zero is rigid.
struct WeldCompliance {
  Vec3 linear;           ///< m/N, >= 0
  Vec3 angular;          ///< rad/(N m), >= 0
  Vec3 linear_damping;   ///< N s/m, >= 0
  Vec3 angular_damping;  ///< N m s/rad, >= 0
};
Joint weld_joint(int body_a, int body_b, const WeldCompliance& compliance);

}  // namespace nsn
