/// Beyond core/base/small_matrix.h: eigenvalues of symmetric 3x3 matrices, unit quaternions,
/// tangent frames.
#pragma once

#include <cmath>

#include "nsn/core/base/small_matrix.h"

namespace nsn {

template <int R, int C, class Real>
NSN_FUNCTION SmallMatrix<R, C, Real> operator-(const SmallMatrix<R, C, Real>& A) {
  return Real(-1) * A;
}
NSN_FUNCTION Vec3 normalized(const Vec3& a) {
  return (1.0 / norm(a)) * a;
}

template <class Real>
NSN_FUNCTION Vector3<Real> load3(const Real* p) {
  return {p[0], p[1], p[2]};
}
template <class Real>
NSN_FUNCTION void store3(Real* p, const Vector3<std::type_identity_t<Real>>& v) {
  for (int i = 0; i < 3; ++i) p[i] = v[i];
}
template <class Real>
NSN_FUNCTION Matrix3<Real> load9(const Real* p) {
  Matrix3<Real> A;
  for (int i = 0; i < 9; ++i) A.a[i] = p[i];
  return A;
}
template <class Real>
NSN_FUNCTION void store9(Real* p, const Matrix3<std::type_identity_t<Real>>& A) {
  for (int i = 0; i < 9; ++i) p[i] = A.a[i];
}

/// A^T v
template <class Real>
NSN_FUNCTION Vector3<Real> transpose_times(const Matrix3<Real>& A, const Vector3<Real>& v) {
  Vector3<Real> y;
  for (int j = 0; j < 3; ++j) y[j] = A(0, j) * v[0] + A(1, j) * v[1] + A(2, j) * v[2];
  return y;
}
/// [a]_x: skew(a) b = a x b
NSN_FUNCTION Mat3 skew(const Vec3& v) {
  return {0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0};
}
/// (u v^T + v u^T) / 2
NSN_FUNCTION Mat3 symmetric_outer(const Vec3& u, const Vec3& v) {
  const double xy = 0.5 * (u[0] * v[1] + u[1] * v[0]);
  const double xz = 0.5 * (u[0] * v[2] + u[2] * v[0]);
  const double yz = 0.5 * (u[1] * v[2] + u[2] * v[1]);
  return {u[0] * v[0], xy, xz, xy, u[1] * v[1], yz, xz, yz, u[2] * v[2]};
}
/// Inverse by cofactors; not finite where A is singular.
template <class Real>
NSN_FUNCTION Matrix3<Real> inverse(const Matrix3<Real>& A) {
  return (Real(1) / determinant(A)) * adjugate(A);
}

/// Largest singular value.
double spectral_norm(const Mat3& A);

/// A = V diag(values) V^T of a symmetric A by cyclic Jacobi rotations; columns of V are unit
/// vectors.
struct SymmetricEigen {
  Vec3 values;
  Mat3 vectors;
};
SymmetricEigen symmetric_eigen(const Mat3& A);
/// Of a symmetric A, finite: all eigenvalues are above 0.
bool positive_definite(const Mat3& A);

/// The nearest positive semidefinite matrix to a symmetric A: negative eigenvalues become zero.
Mat3 positive_part(const Mat3& A);

/// Unit quaternion (w, x, y, z): a rotation from body to world axes.
struct Quaternion {
  double w = 1.0;
  double x = 0.0;
  double y = 0.0;
  double z = 0.0;
  bool operator==(const Quaternion&) const = default;
};

/// p q: first q, then p.
NSN_FUNCTION Quaternion operator*(const Quaternion& p, const Quaternion& q) {
  return {
      p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z, p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
      p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x, p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w};
}
Quaternion normalized(const Quaternion& q);
NSN_FUNCTION Quaternion conjugate(const Quaternion& q) {
  return {q.w, -q.x, -q.y, -q.z};
}
/// exp(v / 2): the rotation by |v| radians about v.
Quaternion rotation_exp(const Vec3& v);
/// The rotation by `angle` radians about the unit vector `axis`.
inline Quaternion rotation_about(const Vec3& axis, double angle) {
  return rotation_exp(angle * axis);
}
NSN_FUNCTION Mat3 rotation_matrix(const Quaternion& q) {
  const double xx = q.x * q.x;
  const double yy = q.y * q.y;
  const double zz = q.z * q.z;
  return {1 - 2 * (yy + zz),           2 * (q.x * q.y - q.w * q.z), 2 * (q.x * q.z + q.w * q.y),
          2 * (q.x * q.y + q.w * q.z), 1 - 2 * (xx + zz),           2 * (q.y * q.z - q.w * q.x),
          2 * (q.x * q.z - q.w * q.y), 2 * (q.y * q.z + q.w * q.x), 1 - 2 * (xx + yy)};
}

/// Unit vectors t1, t2 with t1 x t2 = n for a unit n; a continuous choice but for n near -e_z.
struct TangentFrame {
  Vec3 t1;
  Vec3 t2;
};
TangentFrame tangent_frame(const Vec3& n);

}  // namespace nsn
