/// The few vector operations that Krylov loops are written over.
#pragma once

#include <vector>

#include "nsn/core/base/math3.h"
#include "nsn/core/base/types.h"

namespace nsn {

/// y = x; without the fences of Kokkos::deep_copy
void copy(ConstVector x, Vector y);
/// The same numbers in memory of its own.
Vector duplicate(ConstVector x);
/// x_i = value
void fill(Vector x, double value);
/// x^T y
double dot(ConstVector x, ConstVector y);
/// |x|_2
double norm2(ConstVector x);
/// max |x_i|; NaN if any entry is
double norm_max(ConstVector x);
/// y = a x + b y; with b = 0 the old y is not read
void axpby(double a, ConstVector x, double b, Vector y);
/// r = b - Ax, returns |r|_2; Ax and r may be the same view
double residual_norm(ConstVector b, ConstVector Ax, Vector r);
bool all_finite(ConstVector x);

/// n zeros, written by the calling thread: a short vector costs less than a dispatch.
Vector zero_vector(Index n);

/// The components one after another, while x lives.
inline ConstVector flat(const std::vector<Vec3>& x) {
  return ConstVector(x.empty() ? nullptr : x.front().a, 3 * x.size());
}

}  // namespace nsn
