/// Vectors, matrices and unit quaternions of three dimensions: what bodies and contacts are made
/// of.
#pragma once

#include <array>
#include <cmath>

namespace nsn {

struct Vec3 {
  double x = 0.0;
  double y = 0.0;
  double z = 0.0;

  double operator[](int i) const { return i == 0 ? x : (i == 1 ? y : z); }
  double& operator[](int i) { return i == 0 ? x : (i == 1 ? y : z); }
  bool operator==(const Vec3&) const = default;
};

inline Vec3 operator+(const Vec3& a, const Vec3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vec3 operator-(const Vec3& a, const Vec3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vec3 operator-(const Vec3& a) {
  return {-a.x, -a.y, -a.z};
}
inline Vec3 operator*(double s, const Vec3& a) {
  return {s * a.x, s * a.y, s * a.z};
}
inline Vec3 operator*(const Vec3& a, double s) {
  return s * a;
}
inline Vec3& operator+=(Vec3& a, const Vec3& b) {
  return a = a + b;
}
inline Vec3& operator-=(Vec3& a, const Vec3& b) {
  return a = a - b;
}
inline double dot(const Vec3& a, const Vec3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double length(const Vec3& a) {
  return std::sqrt(dot(a, a));
}
inline Vec3 normalized(const Vec3& a) {
  return (1.0 / length(a)) * a;
}
inline bool is_finite(const Vec3& a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

inline Vec3 load3(const double* p) {
  return {p[0], p[1], p[2]};
}
inline void store3(double* p, const Vec3& a) {
  p[0] = a.x;
  p[1] = a.y;
  p[2] = a.z;
}

/// 3x3 matrix, row by row.
struct Mat3 {
  std::array<double, 9> m{};

  double operator()(int i, int j) const { return m[static_cast<std::size_t>(3 * i + j)]; }
  double& operator()(int i, int j) { return m[static_cast<std::size_t>(3 * i + j)]; }
  static Mat3 identity() { return {{1, 0, 0, 0, 1, 0, 0, 0, 1}}; }
  static Mat3 diagonal(const Vec3& d) { return {{d.x, 0, 0, 0, d.y, 0, 0, 0, d.z}}; }
};

inline Vec3 operator*(const Mat3& A, const Vec3& v) {
  const auto& m = A.m;
  return {m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
          m[6] * v.x + m[7] * v.y + m[8] * v.z};
}
inline Mat3 operator*(double s, const Mat3& A) {
  Mat3 B = A;
  for (double& b : B.m) b *= s;
  return B;
}
inline Mat3 operator+(const Mat3& A, const Mat3& B) {
  Mat3 C = A;
  for (std::size_t i = 0; i < 9; ++i) C.m[i] += B.m[i];
  return C;
}
inline Mat3 transpose(const Mat3& A) {
  return {{A.m[0], A.m[3], A.m[6], A.m[1], A.m[4], A.m[7], A.m[2], A.m[5], A.m[8]}};
}
inline Mat3 operator*(const Mat3& A, const Mat3& B) {
  Mat3 C;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      C(i, j) = A(i, 0) * B(0, j) + A(i, 1) * B(1, j) + A(i, 2) * B(2, j);
    }
  }
  return C;
}
/// A^T v
inline Vec3 transpose_times(const Mat3& A, const Vec3& v) {
  const auto& m = A.m;
  return {m[0] * v.x + m[3] * v.y + m[6] * v.z, m[1] * v.x + m[4] * v.y + m[7] * v.z,
          m[2] * v.x + m[5] * v.y + m[8] * v.z};
}
/// a b^T
inline Mat3 outer(const Vec3& a, const Vec3& b) {
  return {{a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x, a.z * b.y,
           a.z * b.z}};
}
/// [a]_x: skew(a) b = a x b
inline Mat3 skew(const Vec3& a) {
  return {{0, -a.z, a.y, a.z, 0, -a.x, -a.y, a.x, 0}};
}
double determinant(const Mat3& A);
/// Inverse by cofactors; not finite where A is singular.
Mat3 inverse(const Mat3& A);
inline Mat3 load9(const double* p) {
  Mat3 A;
  for (std::size_t i = 0; i < 9; ++i) A.m[i] = p[i];
  return A;
}
inline void store9(double* p, const Mat3& A) {
  for (std::size_t i = 0; i < 9; ++i) p[i] = A.m[i];
}

/// A = V diag(values) V^T of a symmetric A by cyclic Jacobi rotations; columns of V are unit
/// vectors.
struct SymmetricEigen {
  Vec3 values;
  Mat3 vectors;
};
SymmetricEigen symmetric_eigen(const Mat3& A);

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
Quaternion operator*(const Quaternion& p, const Quaternion& q);
Quaternion normalized(const Quaternion& q);
inline Quaternion conjugate(const Quaternion& q) {
  return {q.w, -q.x, -q.y, -q.z};
}
/// exp(v / 2): the rotation by |v| radians about v.
Quaternion rotation_exp(const Vec3& v);
/// The rotation by `angle` radians about the unit vector `axis`.
inline Quaternion rotation_about(const Vec3& axis, double angle) {
  return rotation_exp(angle * axis);
}
Mat3 rotation_matrix(const Quaternion& q);

/// Unit vectors t1, t2 with t1 x t2 = n for a unit n; a continuous choice but for n near -e_z.
struct TangentFrame {
  Vec3 t1;
  Vec3 t2;
};
TangentFrame tangent_frame(const Vec3& n);

}  // namespace nsn
