/// Matrices of a size known at compile time, on the stack: the 3-vectors and 3x3 blocks of models.
///
/// Entries are stored row by row, so that the nine numbers of a Mat3 are one block of a BlockCsr
/// (core/matrix/block_csr.h). Every function may run on a device, in double or in single precision.
#pragma once

#include <cmath>
#include <type_traits>

#include "nsn/ncp/function.h"

namespace nsn {

template <int Rows, int Columns, class Real = double>
struct SmallMatrix {
  Real a[Rows * Columns] = {};

  NSN_FUNCTION Real& operator()(int i, int j) { return a[i * Columns + j]; }
  NSN_FUNCTION Real operator()(int i, int j) const { return a[i * Columns + j]; }
  /// Entry k of a vector.
  NSN_FUNCTION Real& operator[](int k) { return a[k]; }
  NSN_FUNCTION Real operator[](int k) const { return a[k]; }

  NSN_FUNCTION SmallMatrix& operator+=(const SmallMatrix& B) {
    for (int k = 0; k < Rows * Columns; ++k) a[k] += B.a[k];
    return *this;
  }
  NSN_FUNCTION SmallMatrix& operator-=(const SmallMatrix& B) {
    for (int k = 0; k < Rows * Columns; ++k) a[k] -= B.a[k];
    return *this;
  }
  NSN_FUNCTION SmallMatrix& operator*=(Real t) {
    for (int k = 0; k < Rows * Columns; ++k) a[k] *= t;
    return *this;
  }
};

using Vec3 = SmallMatrix<3, 1>;
using Mat3 = SmallMatrix<3, 3>;
template <class Real>
using Vector3 = SmallMatrix<3, 1, Real>;
template <class Real>
using Matrix3 = SmallMatrix<3, 3, Real>;

template <int R, int C, class Real>
NSN_FUNCTION SmallMatrix<R, C, Real> operator+(SmallMatrix<R, C, Real> A,
                                               const SmallMatrix<R, C, Real>& B) {
  return A += B;
}
template <int R, int C, class Real>
NSN_FUNCTION SmallMatrix<R, C, Real> operator-(SmallMatrix<R, C, Real> A,
                                               const SmallMatrix<R, C, Real>& B) {
  return A -= B;
}
template <int R, int C, class Real>
NSN_FUNCTION SmallMatrix<R, C, Real> operator*(std::type_identity_t<Real> t,
                                               SmallMatrix<R, C, Real> A) {
  return A *= t;
}
template <int R, int K, int C, class Real>
NSN_FUNCTION SmallMatrix<R, C, Real> operator*(const SmallMatrix<R, K, Real>& A,
                                               const SmallMatrix<K, C, Real>& B) {
  SmallMatrix<R, C, Real> AB;
  for (int i = 0; i < R; ++i) {
    for (int k = 0; k < K; ++k) {
      for (int j = 0; j < C; ++j) AB(i, j) += A(i, k) * B(k, j);
    }
  }
  return AB;
}

template <int R, int C, class Real>
NSN_FUNCTION SmallMatrix<C, R, Real> transpose(const SmallMatrix<R, C, Real>& A) {
  SmallMatrix<C, R, Real> At;
  for (int i = 0; i < R; ++i) {
    for (int j = 0; j < C; ++j) At(j, i) = A(i, j);
  }
  return At;
}

/// Sum of the products of all entries: a . b, or A : B.
template <int R, int C, class Real>
NSN_FUNCTION Real dot(const SmallMatrix<R, C, Real>& A, const SmallMatrix<R, C, Real>& B) {
  Real sum = 0;
  for (int k = 0; k < R * C; ++k) sum += A.a[k] * B.a[k];
  return sum;
}
/// Euclidean or Frobenius norm.
template <int R, int C, class Real>
NSN_FUNCTION Real norm(const SmallMatrix<R, C, Real>& A) {
  return std::sqrt(dot(A, A));
}
/// Largest absolute value; entries that are not a number are passed over (ask all_finite).
template <int R, int C, class Real>
NSN_FUNCTION Real max_abs(const SmallMatrix<R, C, Real>& A) {
  Real largest = 0;
  for (int k = 0; k < R * C; ++k) largest = std::fmax(largest, std::fabs(A.a[k]));
  return largest;
}
/// False if any entry is infinite or not a number: such an entry times 0 is not 0.
template <int R, int C, class Real>
NSN_FUNCTION bool all_finite(const SmallMatrix<R, C, Real>& A) {
  Real probe = 0;
  for (int k = 0; k < R * C; ++k) probe += Real(0) * A.a[k];
  return probe == 0.0;
}

template <int N, class Real = double>
NSN_FUNCTION SmallMatrix<N, N, Real> identity() {
  SmallMatrix<N, N, Real> I;
  for (int i = 0; i < N; ++i) I(i, i) = Real(1);
  return I;
}
template <int N, class Real>
NSN_FUNCTION Real trace(const SmallMatrix<N, N, Real>& A) {
  Real sum = 0;
  for (int i = 0; i < N; ++i) sum += A(i, i);
  return sum;
}

NSN_FUNCTION Vec3 vec3(double x, double y, double z) {
  return {{x, y, z}};
}
template <class Real>
NSN_FUNCTION Matrix3<Real> diagonal(const Vector3<Real>& d) {
  return {{d[0], Real(0), Real(0), Real(0), d[1], Real(0), Real(0), Real(0), d[2]}};
}
template <class Real>
NSN_FUNCTION Vector3<Real> column(const Matrix3<Real>& A, int j) {
  return {{A(0, j), A(1, j), A(2, j)}};
}
template <class Real>
NSN_FUNCTION Matrix3<Real> columns(const Vector3<Real>& u, const Vector3<Real>& v,
                                   const Vector3<Real>& w) {
  return {{u[0], v[0], w[0], u[1], v[1], w[1], u[2], v[2], w[2]}};
}
template <class Real>
NSN_FUNCTION Vector3<Real> cross(const Vector3<Real>& u, const Vector3<Real>& v) {
  return {{u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]}};
}
/// u v^T
template <class Real>
NSN_FUNCTION Matrix3<Real> outer(const Vector3<Real>& u, const Vector3<Real>& v) {
  Matrix3<Real> A;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) A(i, j) = u[i] * v[j];
  }
  return A;
}
template <class Real>
NSN_FUNCTION Real determinant(const Matrix3<Real>& A) {
  return dot(column(A, 0), cross(column(A, 1), column(A, 2)));
}
/// Transposed cofactors: adjugate(A) A = det(A) I, also for a singular A.
template <class Real>
NSN_FUNCTION Matrix3<Real> adjugate(const Matrix3<Real>& A) {
  const Vector3<Real> r0 = cross(column(A, 1), column(A, 2));
  const Vector3<Real> r1 = cross(column(A, 2), column(A, 0));
  const Vector3<Real> r2 = cross(column(A, 0), column(A, 1));
  return {{r0[0], r0[1], r0[2], r1[0], r1[1], r1[2], r2[0], r2[1], r2[2]}};
}

}  // namespace nsn
