/// Rotation-variant singular value decomposition of a 3x3 matrix,
///
///     F = U diag(s) V^T,   det U = det V = +1,   s1 >= s2 >= |s3|,   sign(s3) = sign(det F).
///
/// U and V are rotations, so that a reflected (inverted) element has s3 < 0 and its stretches pass
/// through zero continuously; R = U V^T is the rotation nearest to F. Every s_i is a continuous
/// function of F, also where values coincide or vanish; there U and V are not unique, and one valid
/// pair is returned.
///
/// One-sided Jacobi: rotations from the right make the columns of F V orthogonal, so small singular
/// values are not squared away as in an eigenvalue problem of F^T F. Measured over 1e5 random,
/// degenerate, flat and inverted matrices (tests/models/deformable/signed_svd_test.cpp):
/// |U S V^T - F|, |U^T U - I| and |V^T V - I| below 4e-15, relative to |F|.
#pragma once

#include "nsn/core/base/small_matrix.h"

namespace nsn {

struct SignedSvd {
  Mat3 U;
  Vec3 s;
  Mat3 V;
};

/// F = 0 gives U = V = I, s = 0. Any finite F is fine, whatever its scale. If F has an entry that
/// is not finite, U = V = I and every s is NaN.
SignedSvd signed_svd(const Mat3& F);
/// The same, starting from a rotation V0 near V (that of the last iterate): one or two sweeps in
/// place of four to six. Where singular values coincide, V stays near V0.
SignedSvd signed_svd(const Mat3& F, const Mat3& V0);

}  // namespace nsn
