/// The few operations on single 3x3 blocks (nine doubles, row by row) that kernels are made of.
#pragma once

namespace nsn {

/// y = A x
inline void block_times_vector(const double* A, const double* x, double* y) {
  const double x0 = x[0];
  const double x1 = x[1];
  const double x2 = x[2];
  y[0] = A[0] * x0 + A[1] * x1 + A[2] * x2;
  y[1] = A[3] * x0 + A[4] * x1 + A[5] * x2;
  y[2] = A[6] * x0 + A[7] * x1 + A[8] * x2;
}

/// C = A B; C overlaps neither
inline void block_times_block(const double* A, const double* B, double* C) {
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      C[3 * r + c] = A[3 * r] * B[c] + A[3 * r + 1] * B[3 + c] + A[3 * r + 2] * B[6 + c];
    }
  }
}

/// C += A B^T
inline void add_block_times_transpose(const double* A, const double* B, double* C) {
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      C[3 * r + c] +=
          A[3 * r] * B[3 * c] + A[3 * r + 1] * B[3 * c + 1] + A[3 * r + 2] * B[3 * c + 2];
    }
  }
}

}  // namespace nsn
