/// Rotation-variant singular value decomposition of a 3x3 matrix on any device,
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
/// degenerate, flat and inverted matrices (tests/core/elastic/signed_svd_test.cpp):
/// |U S V^T - F|, |U^T U - I| and |V^T V - I| below 4e-15, relative to |F|.
#pragma once

#include <cmath>
#include <limits>

#include "nsn/core/base/small_matrix.h"

namespace nsn {

struct SignedSvd {
  Mat3 U;
  Vec3 s;
  Mat3 V;
};

namespace svd_kernels {

inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
/// Quadratic convergence needs 4 to 6 sweeps; more are spent only on columns that are rounding
/// noise.
inline constexpr int kMaxSweeps = 12;
/// Where no turn was larger (tangent) the next ones are rounding: they are products of two.
inline constexpr double kSmallTurn = 1e-8;

/// Tangent of the smaller turn that annihilates b in [[a, b], [b, d]].
NSN_FUNCTION double tangent(double a, double b, double d) {
  const double tau = (d - a) / (2.0 * b);
  const double t = 1.0 / (std::fabs(tau) + std::sqrt(1.0 + tau * tau));
  return tau < 0.0 ? -t : t;
}

NSN_FUNCTION void rotate(Vec3& p, Vec3& q, double c, double s) {
  for (int i = 0; i < 3; ++i) {
    const double p_i = p[i];
    p[i] = c * p_i - s * q[i];
    q[i] = s * p_i + c * q[i];
  }
}

/// Makes columns p and q of B = F V orthogonal; returns how far they turned.
NSN_FUNCTION double orthogonalise(Vec3& b_p, Vec3& b_q, Vec3& v_p, Vec3& v_q) {
  const double a = dot(b_p, b_p);
  const double d = dot(b_q, b_q);
  const double b = dot(b_p, b_q);
  if (b * b <= kEpsilon * kEpsilon * (a * d)) return 0.0;
  const double t = tangent(a, b, d);
  const double c = 1.0 / std::sqrt(1.0 + t * t);
  rotate(b_p, b_q, c, t * c);
  rotate(v_p, v_q, c, t * c);
  return std::fabs(t);
}

/// The same of a symmetric C; k is the third row.
NSN_FUNCTION void diagonalise(double& pp, double& qq, double& pq, double& kp, double& kq, Vec3& v_p,
                              Vec3& v_q) {
  if (std::fabs(pq) <= kEpsilon * (pp + qq)) return;
  const double t = tangent(pp, pq, qq);
  const double c = 1.0 / std::sqrt(1.0 + t * t);
  const double old = kp;
  pp -= t * pq;
  qq += t * pq;
  pq = 0.0;
  kp = c * (old - t * kq);
  kq = c * (t * old + kq);
  rotate(v_p, v_q, c, t * c);
}

/// Swaps two columns, one of them negated: V stays a rotation.
NSN_FUNCTION void swap_columns(Vec3& p, Vec3& q) {
  const Vec3 old = p;
  p = q;
  q = -1.0 * old;
}

NSN_FUNCTION void sort_pair(Vec3& b_p, Vec3& b_q, Vec3& v_p, Vec3& v_q) {
  if (dot(b_p, b_p) >= dot(b_q, b_q)) return;
  swap_columns(b_p, b_q);
  swap_columns(v_p, v_q);
}

/// A unit vector at right angles to the unit vector u.
NSN_FUNCTION Vec3 any_perpendicular(const Vec3& u) {
  const double x = std::fabs(u[0]);
  const double y = std::fabs(u[1]);
  const double z = std::fabs(u[2]);
  const bool first = x <= y && x <= z;
  const bool second = !first && y <= z;
  const Vec3 v = cross(u, vec3(first ? 1.0 : 0.0, second ? 1.0 : 0.0, first || second ? 0.0 : 1.0));
  return (1.0 / norm(v)) * v;
}

/// The direction of b made orthogonal to u; any such direction where b has none.
NSN_FUNCTION Vec3 second_direction(const Vec3& u, const Vec3& b) {
  const double length = norm(b);
  if (length < 1e-290) return any_perpendicular(u);
  Vec3 v = (1.0 / length) * b;
  v -= dot(u, v) * u;
  const double rest = norm(v);
  // Only columns of rounding noise are still parallel to u after the sweeps.
  return rest < 0.5 ? any_perpendicular(u) : (1.0 / rest) * v;
}

/// Of a finite F whose fourth powers neither overflow nor underflow.
NSN_FUNCTION SignedSvd decompose(const Mat3& F, const Mat3& V0) {
  const Mat3 B = F * V0;
  Vec3 b0 = column(B, 0);
  Vec3 b1 = column(B, 1);
  Vec3 b2 = column(B, 2);
  Vec3 v0 = column(V0, 0);
  Vec3 v1 = column(V0, 1);
  Vec3 v2 = column(V0, 2);
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    const double t01 = orthogonalise(b0, b1, v0, v1);
    const double t02 = orthogonalise(b0, b2, v0, v2);
    const double t12 = orthogonalise(b1, b2, v1, v2);
    if (t01 <= kSmallTurn && t02 <= kSmallTurn && t12 <= kSmallTurn) break;
  }
  sort_pair(b0, b1, v0, v1);
  sort_pair(b1, b2, v1, v2);
  sort_pair(b0, b1, v0, v1);
  const double s0 = norm(b0);
  const Vec3 u0 = (1.0 / s0) * b0;
  const Vec3 u1 = second_direction(u0, b1);
  const Vec3 u2 = cross(u0, u1);
  // Rounding may put a coincident pair out of order by one unit in the last place.
  double s1 = dot(u1, b1);
  double s2 = dot(u2, b2);
  s1 = s1 < s0 ? s1 : s0;
  s2 = s2 < s1 ? s2 : s1;
  s2 = s2 > -s1 ? s2 : -s1;
  return {columns(u0, u1, u2), vec3(s0, s1, s2), columns(v0, v1, v2)};
}

/// Where F has no size to speak of, or too much of it.
NSN_FUNCTION SignedSvd decompose_scaled(Mat3 F, const Mat3& V0) {
  SignedSvd svd{identity<3>(), Vec3{}, identity<3>()};
  if (!all_finite(F)) {
    svd.s = vec3(kNoNumber, kNoNumber, kNoNumber);
    return svd;
  }
  const double largest = max_abs(F);
  if (largest == 0.0) return svd;
  int exponent = 0;
  std::frexp(largest, &exponent);
  for (double& x : F.a) x = std::ldexp(x, -exponent);  // exact
  svd = decompose(F, V0);
  for (double& s : svd.s.a) s = std::ldexp(s, exponent);
  return svd;
}

}  // namespace svd_kernels

/// Starting from a rotation V0 near V, orthonormal up to rounding: one or two sweeps in place of
/// four to six. Where singular values coincide, V stays near V0. F = 0 gives U = V = I, s = 0. Any
/// finite F is fine, whatever its scale. If F has an entry that is not finite, U = V = I and every s
/// is NaN.
NSN_FUNCTION SignedSvd signed_svd(const Mat3& F, const Mat3& V0) {
  const double size = dot(F, F);
  const bool scales = !(size > 1e-60 && size < 1e60);
  return scales ? svd_kernels::decompose_scaled(F, V0) : svd_kernels::decompose(F, V0);
}
NSN_FUNCTION SignedSvd signed_svd(const Mat3& F) {
  return signed_svd(F, identity<3>());
}

/// Such a V0 for whatever is near F: a rotation that diagonalises F^T F up to about a millionth, at
/// a third of the cost of a decomposition. I where F^T F is not finite.
NSN_FUNCTION Mat3 stretch_frame(const Mat3& F) {
  constexpr int kSweeps = 3;
  const Mat3 C = transpose(F) * F;
  double c00 = C(0, 0), c11 = C(1, 1), c22 = C(2, 2);
  double c01 = C(0, 1), c02 = C(0, 2), c12 = C(1, 2);
  Vec3 v0 = vec3(1.0, 0.0, 0.0);
  Vec3 v1 = vec3(0.0, 1.0, 0.0);
  Vec3 v2 = vec3(0.0, 0.0, 1.0);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    svd_kernels::diagonalise(c00, c11, c01, c02, c12, v0, v1);
    svd_kernels::diagonalise(c00, c22, c02, c01, c12, v0, v2);
    svd_kernels::diagonalise(c11, c22, c12, c01, c02, v1, v2);
  }
  const Mat3 V = columns(v0, v1, v2);
  return all_finite(V) ? V : identity<3>();
}

}  // namespace nsn
