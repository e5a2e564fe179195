/// Six strains as two blocks of rows, normal (xx, yy, zz) and engineering shear (yz, xz, xy), and
/// the stiffness between them.
#pragma once

#include <span>

#include "models/materials.h"

namespace nsn {

/// 2 mu I + lambda 1 1^T, the normal block of K_e; the shear block is mu I.
Mat3 strain_stiffness(const Lame& lame);
/// Its inverse.
Mat3 strain_compliance(const Lame& lame);

/// d sym(A^T F)/dx_a at fixed A, 9 numbers a node and block, gradients g_a: A = R for the strain in
/// a rotated frame, A = F for Green's strain.
void strain_jacobian(std::span<const Vec3, 4> gradient, const Mat3& A, double* normal,
                     double* shear);

}  // namespace nsn
