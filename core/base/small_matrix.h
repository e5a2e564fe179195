/// Matrices of a size known at compile time, on the stack: the 3-vectors and 3x3 blocks of models.
///
/// Entries are stored row by row, so that the nine numbers of a Mat3 are one block of a BlockCsr
/// (core/matrix/block_csr.h). Every function may run on a device.
#pragma once

#include <cmath>

#include "nsn/ncp/function.h"

namespace nsn {

template <int Rows, int Columns>
struct SmallMatrix {
  double a[Rows * Columns] = {};

  NSN_FUNCTION double& operator()(int i, int j) { return a[i * Columns + j]; }
  NSN_FUNCTION double operator()(int i, int j) const { return a[i * Columns + j]; }
  /// Entry k of a vector.
  NSN_FUNCTION double& operator[](int k) { return a[k]; }
  NSN_FUNCTION double operator[](int k) const { return a[k]; }

  NSN_FUNCTION SmallMatrix& operator+=(const SmallMatrix& B) {
    for (int k = 0; k < Rows * Columns; ++k) a[k] += B.a[k];
    return *this;
  }
  NSN_FUNCTION SmallMatrix& operator-=(const SmallMatrix& B) {
    for (int k = 0; k < Rows * Columns; ++k) a[k] -= B.a[k];
    return *this;
  }
  NSN_FUNCTION SmallMatrix& operator*=(double t) {
    for (int k = 0; k < Rows * Columns; ++k) a[k] *= t;
    return *this;
  }
};

using Vec3 = SmallMatrix<3, 1>;
using Mat3 = SmallMatrix<3, 3>;

template <int R, int C>
NSN_FUNCTION SmallMatrix<R, C> operator+(SmallMatrix<R, C> A, const SmallMatrix<R, C>& B) {
  return A += B;
}
template <int R, int C>
NSN_FUNCTION SmallMatrix<R, C> operator-(SmallMatrix<R, C> A, const SmallMatrix<R, C>& B) {
  return A -= B;
}
template <int R, int C>
NSN_FUNCTION SmallMatrix<R, C> operator*(double t, SmallMatrix<R, C> A) {
  return A *= t;
}
template <int R, int K, int C>
NSN_FUNCTION SmallMatrix<R, C> operator*(const SmallMatrix<R, K>& A, const SmallMatrix<K, C>& B) {
  SmallMatrix<R, C> AB;
  for (int i = 0; i < R; ++i) {
    for (int k = 0; k < K; ++k) {
      for (int j = 0; j < C; ++j) AB(i, j) += A(i, k) * B(k, j);
    }
  }
  return AB;
}

template <int R, int C>
NSN_FUNCTION SmallMatrix<C, R> transpose(const SmallMatrix<R, C>& A) {
  SmallMatrix<C, R> At;
  for (int i = 0; i < R; ++i) {
    for (int j = 0; j < C; ++j) At(j, i) = A(i, j);
  }
  return At;
}

/// Sum of the products of all entries: a . b, or A : B.
template <int R, int C>
NSN_FUNCTION double dot(const SmallMatrix<R, C>& A, const SmallMatrix<R, C>& B) {
  double sum = 0.0;
  for (int k = 0; k < R * C; ++k) sum += A.a[k] * B.a[k];
  return sum;
}
/// Euclidean or Frobenius norm.
template <int R, int C>
NSN_FUNCTION double norm(const SmallMatrix<R, C>& A) {
  return std::sqrt(dot(A, A));
}
/// Largest absolute value; entries that are not a number are passed over (ask all_finite).
template <int R, int C>
NSN_FUNCTION double max_abs(const SmallMatrix<R, C>& A) {
  double largest = 0.0;
  for (int k = 0; k < R * C; ++k) largest = std::fmax(largest, std::fabs(A.a[k]));
  return largest;
}
/// False if any entry is infinite or not a number: such an entry times 0 is not 0.
template <int R, int C>
NSN_FUNCTION bool all_finite(const SmallMatrix<R, C>& A) {
  double probe = 0.0;
  for (int k = 0; k < R * C; ++k) probe += 0.0 * A.a[k];
  return probe == 0.0;
}

template <int N>
NSN_FUNCTION SmallMatrix<N, N> identity() {
  SmallMatrix<N, N> I;
  for (int i = 0; i < N; ++i) I(i, i) = 1.0;
  return I;
}
template <int N>
NSN_FUNCTION double trace(const SmallMatrix<N, N>& A) {
  double sum = 0.0;
  for (int i = 0; i < N; ++i) sum += A(i, i);
  return sum;
}

NSN_FUNCTION Vec3 vec3(double x, double y, double z) {
  return {{x, y, z}};
}
NSN_FUNCTION Mat3 diagonal(const Vec3& d) {
  return {{d[0], 0.0, 0.0, 0.0, d[1], 0.0, 0.0, 0.0, d[2]}};
}
NSN_FUNCTION Vec3 column(const Mat3& A, int j) {
  return {{A(0, j), A(1, j), A(2, j)}};
}
NSN_FUNCTION Mat3 columns(const Vec3& u, const Vec3& v, const Vec3& w) {
  return {{u[0], v[0], w[0], u[1], v[1], w[1], u[2], v[2], w[2]}};
}
NSN_FUNCTION Vec3 cross(const Vec3& u, const Vec3& v) {
  return {{u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]}};
}
/// u v^T
NSN_FUNCTION Mat3 outer(const Vec3& u, const Vec3& v) {
  Mat3 A;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) A(i, j) = u[i] * v[j];
  }
  return A;
}
NSN_FUNCTION double determinant(const Mat3& A) {
  return dot(column(A, 0), cross(column(A, 1), column(A, 2)));
}
/// Transposed cofactors: adjugate(A) A = det(A) I, also for a singular A.
NSN_FUNCTION Mat3 adjugate(const Mat3& A) {
  const Vec3 r0 = cross(column(A, 1), column(A, 2));
  const Vec3 r1 = cross(column(A, 2), column(A, 0));
  const Vec3 r2 = cross(column(A, 0), column(A, 1));
  return {{r0[0], r0[1], r0[2], r1[0], r1[1], r1[2], r2[0], r2[1], r2[2]}};
}

}  // namespace nsn
