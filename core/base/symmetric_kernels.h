/// Eigenvalues of symmetric 3x3 matrices as inline functions, for devices and for what needs many
/// (core/base/math3.h has the same as plain functions).
#pragma once

#include "nsn/core/base/math3.h"

namespace nsn::symmetric_kernels {

/// One Jacobi rotation that zeroes A(p, q).
NSN_FUNCTION void rotate(Mat3& A, Mat3& V, int p, int q) {
  if (A(p, q) == 0.0) return;
  const double theta = (A(q, q) - A(p, p)) / (2.0 * A(p, q));
  const double t = (theta >= 0 ? 1.0 : -1.0) / (std::fabs(theta) + std::sqrt(theta * theta + 1.0));
  const double c = 1.0 / std::sqrt(t * t + 1.0);
  const double s = t * c;
  const double a_pq = A(p, q);
  A(p, p) -= t * a_pq;
  A(q, q) += t * a_pq;
  A(p, q) = A(q, p) = 0.0;
  const int k = 3 - p - q;
  const double a_kp = A(k, p);
  const double a_kq = A(k, q);
  A(k, p) = A(p, k) = c * a_kp - s * a_kq;
  A(k, q) = A(q, k) = s * a_kp + c * a_kq;
  for (int i = 0; i < 3; ++i) {
    const double v_p = V(i, p);
    const double v_q = V(i, q);
    V(i, p) = c * v_p - s * v_q;
    V(i, q) = s * v_p + c * v_q;
  }
}

NSN_FUNCTION SymmetricEigen eigen(const Mat3& A) {
  Mat3 D = A;
  SymmetricEigen out{{}, identity<3>()};
  constexpr int kSweeps = 12;  // quadratic convergence: four or five suffice
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    const double off = std::fabs(D(0, 1)) + std::fabs(D(0, 2)) + std::fabs(D(1, 2));
    if (off == 0.0) break;
    rotate(D, out.vectors, 0, 1);
    rotate(D, out.vectors, 0, 2);
    rotate(D, out.vectors, 1, 2);
  }
  out.values = vec3(D(0, 0), D(1, 1), D(2, 2));
  return out;
}

/// Leading minors are positive by far more than rounding.
NSN_FUNCTION bool clearly_positive_definite(const Mat3& A) {
  constexpr double kMargin = 1e-6;
  const double d0 = A(0, 0);
  const double d1 = d0 * A(1, 1) - A(0, 1) * A(0, 1);
  if (!(d0 > 0.0) || !(d1 > kMargin * d0 * std::fabs(A(1, 1)))) return false;
  const double d2 = d1 * A(2, 2) - A(0, 0) * A(1, 2) * A(1, 2) - A(1, 1) * A(0, 2) * A(0, 2) +
                    2.0 * A(0, 1) * A(0, 2) * A(1, 2);
  return d2 > kMargin * d1 * std::fabs(A(2, 2));
}

/// The eigenvalue of an indefinite A whose sign is not that of the two others, and the projection
/// v v^T on its eigenvector.
struct Odd {
  double value = 0.0;
  Mat3 P;
};

/// In closed form; false where rounding would be felt (close to another eigenvalue, or to zero) and
/// where A is not indefinite but for rounding.
///
/// A = m I + p B with trace B = 0, B : B = 6. The eigenvalues t of +-B solve t^3 - 3t = 2c, with
/// the determinant 2c; the largest lies in [1, 2], and a start within a hundredth of it is known.
/// The cofactors of A - value I are those of the projection, times (value - l_1) (value - l_2).
NSN_FUNCTION bool find_odd(const Mat3& A, Odd& out) {
  constexpr double kMargin = 1e-3;
  constexpr int kSteps = 4;
  constexpr double kSingular = 1e-10;
  const double det = determinant(A);
  const double size = norm(A);
  if (!(std::fabs(det) > kSingular * size * size * size)) return false;
  const double sign = det > 0.0 ? 1.0 : -1.0;
  const double m = trace(A) / 3.0;
  Mat3 B = A;
  for (int i = 0; i < 3; ++i) B(i, i) -= m;
  const double p = std::sqrt(dot(B, B) / 6.0);
  double c = 0.5 * sign * determinant(B) / (p * p * p);
  c = c < -1.0 ? -1.0 : (c > 1.0 ? 1.0 : c);
  const double y = std::sqrt(0.5 * (1.0 + c));
  double t = 1.0 + y * (1.1547 - 0.1547 * y);
  for (int k = 0; k < kSteps; ++k) t -= (t * (t * t - 3.0) - 2.0 * c) / (3.0 * (t * t - 1.0));
  out.value = m + sign * p * t;
  const bool apart = t * t - 1.0 > kMargin && sign * out.value > kMargin * p;
  if (!apart || !(sign * (3.0 * m - out.value) < 0.0)) return false;
  Mat3 C = B;
  for (int i = 0; i < 3; ++i) C(i, i) -= sign * p * t;
  C = adjugate(C);
  out.P = (1.0 / trace(C)) * C;
  return true;
}

/// The nearest positive semidefinite matrix: negative eigenvalues become zero.
NSN_FUNCTION Mat3 positive_part(const Mat3& A) {
  if (dot(A, A) == 0.0) return {};
  if (clearly_positive_definite(A)) return A;
  if (clearly_positive_definite(-A)) return {};
  Odd odd;
  if (find_odd(A, odd)) return odd.value > 0.0 ? odd.value * odd.P : A - odd.value * odd.P;
  const SymmetricEigen all = eigen(A);
  Mat3 B;
  for (int k = 0; k < 3; ++k) {
    if (!(all.values[k] > 0.0)) continue;
    const Vec3 v = column(all.vectors, k);
    B = B + outer(all.values[k] * v, v);
  }
  return B;
}

}  // namespace nsn::symmetric_kernels
