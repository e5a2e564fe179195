#include "nsn/core/base/math3.h"

#include <algorithm>

#include "nsn/core/base/rotation_kernels.h"

namespace nsn {

namespace {

/// One Jacobi rotation that zeroes A(p, q).
void rotate(Mat3& A, Mat3& V, int p, int q) {
  if (A(p, q) == 0.0) return;
  const double theta = (A(q, q) - A(p, p)) / (2.0 * A(p, q));
  const double t = (theta >= 0 ? 1.0 : -1.0) / (std::abs(theta) + std::sqrt(theta * theta + 1.0));
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

/// Leading minors are positive by far more than rounding.
bool clearly_positive_definite(const Mat3& A) {
  constexpr double kMargin = 1e-6;
  const double d0 = A(0, 0);
  const double d1 = d0 * A(1, 1) - A(0, 1) * A(0, 1);
  if (!(d0 > 0.0) || !(d1 > kMargin * d0 * std::abs(A(1, 1)))) return false;
  const double d2 = d1 * A(2, 2) - A(0, 0) * A(1, 2) * A(1, 2) - A(1, 1) * A(0, 2) * A(0, 2) +
                    2.0 * A(0, 1) * A(0, 2) * A(1, 2);
  return d2 > kMargin * d1 * std::abs(A(2, 2));
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
bool find_odd(const Mat3& A, Odd& out) {
  constexpr double kMargin = 1e-3;
  constexpr int kSteps = 4;
  constexpr double kSingular = 1e-10;
  const double det = determinant(A);
  const double size = norm(A);
  if (!(std::abs(det) > kSingular * size * size * size)) return false;
  const double sign = det > 0.0 ? 1.0 : -1.0;
  const double m = trace(A) / 3.0;
  Mat3 B = A;
  for (int i = 0; i < 3; ++i) B(i, i) -= m;
  const double p = std::sqrt(dot(B, B) / 6.0);
  const double c = std::clamp(0.5 * sign * determinant(B) / (p * p * p), -1.0, 1.0);
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

}  // namespace

double spectral_norm(const Mat3& A) {
  const double* const a = A.a;
  // C = A^T A; its largest eigenvalue by the trigonometric formula for symmetric 3x3 matrices.
  const double c00 = a[0] * a[0] + a[3] * a[3] + a[6] * a[6];
  const double c11 = a[1] * a[1] + a[4] * a[4] + a[7] * a[7];
  const double c22 = a[2] * a[2] + a[5] * a[5] + a[8] * a[8];
  const double c01 = a[0] * a[1] + a[3] * a[4] + a[6] * a[7];
  const double c02 = a[0] * a[2] + a[3] * a[5] + a[6] * a[8];
  const double c12 = a[1] * a[2] + a[4] * a[5] + a[7] * a[8];
  const double mean = (c00 + c11 + c22) / 3.0;
  const double d0 = c00 - mean;
  const double d1 = c11 - mean;
  const double d2 = c22 - mean;
  const double off = c01 * c01 + c02 * c02 + c12 * c12;
  const double p = std::sqrt((d0 * d0 + d1 * d1 + d2 * d2 + 2.0 * off) / 6.0);
  if (!(p > 0.0)) return std::sqrt(std::max(mean, 0.0));
  const double det =
      d0 * (d1 * d2 - c12 * c12) - c01 * (c01 * d2 - c12 * c02) + c02 * (c01 * c12 - d1 * c02);
  const double cosine = std::clamp(0.5 * det / (p * p * p), -1.0, 1.0);
  return std::sqrt(std::max(mean + 2.0 * p * std::cos(std::acos(cosine) / 3.0), 0.0));
}

SymmetricEigen symmetric_eigen(const Mat3& A) {
  Mat3 D = A;
  SymmetricEigen out{{}, identity<3>()};
  constexpr int kSweeps = 12;  // quadratic convergence: four or five suffice
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    const double off = std::abs(D(0, 1)) + std::abs(D(0, 2)) + std::abs(D(1, 2));
    if (off == 0.0) break;
    rotate(D, out.vectors, 0, 1);
    rotate(D, out.vectors, 0, 2);
    rotate(D, out.vectors, 1, 2);
  }
  out.values = {D(0, 0), D(1, 1), D(2, 2)};
  return out;
}

bool positive_definite(const Mat3& A) {
  if (clearly_positive_definite(A)) return true;
  const Vec3 values = symmetric_eigen(A).values;
  return values[0] > 0.0 && values[1] > 0.0 && values[2] > 0.0;
}

Mat3 positive_part(const Mat3& A) {
  if (dot(A, A) == 0.0) return {};
  if (clearly_positive_definite(A)) return A;
  if (clearly_positive_definite(-A)) return {};
  Odd odd;
  if (find_odd(A, odd)) return odd.value > 0.0 ? odd.value * odd.P : A - odd.value * odd.P;
  const SymmetricEigen eigen = symmetric_eigen(A);
  Mat3 B;
  for (int k = 0; k < 3; ++k) {
    if (!(eigen.values[k] > 0.0)) continue;
    const Vec3 v{eigen.vectors(0, k), eigen.vectors(1, k), eigen.vectors(2, k)};
    B = B + outer(eigen.values[k] * v, v);
  }
  return B;
}

Quaternion normalized(const Quaternion& q) {
  return rotation_kernels::unit_length(q);
}

Quaternion rotation_exp(const Vec3& v) {
  return rotation_kernels::exp(v);
}

TangentFrame tangent_frame(const Vec3& n) {
  // Branch on the hemisphere so that the denominator stays at least 1.
  const double sign = n[2] >= 0.0 ? 1.0 : -1.0;
  const double a = -1.0 / (sign + n[2]);
  const double b = n[0] * n[1] * a;
  return {{1.0 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]},
          {b, sign + n[1] * n[1] * a, -n[1]}};
}

}  // namespace nsn
