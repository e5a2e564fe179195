/// Kernels of the preparation: the preconditioner from the values on the device, and a float copy
/// of them.
#pragma once

#include "nsn/backends/cuda/matrices.cuh"

namespace nsn::cuda {

/// to[i] = from[i], rounded to float.
struct Narrow {
  Array<const double> from;
  Array<float> to;

  template <class Thread>
  NSN_DEVICE void operator()(Thread& thread) const {
    const int size = thread.blocks() * thread.threads();
    for (int i = thread.block() * thread.threads() + thread.thread(); i < to.size; i += size) {
      to.set(i, static_cast<float>(from[i]));
    }
  }
};

/// out[i] = value[position[i]]; -1: zero, -2: one (rows that pad the last block).
struct GatherDiagonal {
  Array<const double> value;
  Array<const int> position;
  Array<double> out;

  template <class Thread>
  NSN_DEVICE void operator()(Thread& thread) const {
    const int size = thread.blocks() * thread.threads();
    for (int i = thread.block() * thread.threads() + thread.thread(); i < out.size; i += size) {
      const int at = position[i];
      out.set(i, at >= 0 ? value[at] : (at == -2 ? 1.0 : 0.0));
    }
  }
};

/// Diagonal (numbers = 3) or diagonal blocks (9) of J H^-1 J^T + C, a thread per block row.
struct FactoredDiagonal {
  FactoredForm<double> S;
  Array<double> out;
  int numbers = 3;

  template <class Thread>
  NSN_DEVICE void operator()(Thread& thread) const {
    const int size = thread.blocks() * thread.threads();
    for (int row = thread.block() * thread.threads() + thread.thread(); row < S.J.rows;
         row += size) {
      double D[9] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
      add_C(row, D);
      for (int k = S.J.row_begin[row]; k < S.J.row_begin[row + 1]; ++k) add_node(k, D);
      for (int i = 0; i < numbers; ++i) {
        out.set(numbers * row + i, numbers == 9 ? D[i] : D[4 * i]);
      }
    }
  }

 private:
  NSN_DEVICE void add_C(int row, double (&D)[9]) const {
    if (S.C.rows == 0) return;
    for (int k = S.C.row_begin[row]; k < S.C.row_begin[row + 1]; ++k) {
      if (S.C.column[k] != row) continue;
      for (int i = 0; i < 9; ++i) D[i] += S.C.value[9 * k + i];
    }
  }
  // D += J_k H^-1 J_k^T
  NSN_DEVICE void add_node(int k, double (&D)[9]) const {
    const int node = S.J.column[k];
    double JH[9];
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        JH[3 * r + c] = 0.0;
        for (int m = 0; m < 3; ++m) {
          JH[3 * r + c] += S.J.value[9 * k + 3 * r + m] * S.H_inverse[9 * node + 3 * m + c];
        }
      }
    }
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        for (int m = 0; m < 3; ++m) D[3 * r + c] += JH[3 * r + m] * S.J.value[9 * k + 3 * c + m];
      }
    }
  }
};

/// P = D^-1 in place; a number that is not positive becomes 1, a block that is not positive
/// definite is inverted by its diagonal alone. Counts how often that happened.
struct InvertDiagonal {
  Array<double> P;
  Array<int> replaced;  ///< one
  int numbers = 3;

  template <class Thread>
  NSN_DEVICE void operator()(Thread& thread) const {
    const int size = thread.blocks() * thread.threads();
    int bad = 0;
    for (int row = thread.block() * thread.threads() + thread.thread(); row < P.size / numbers;
         row += size) {
      bad += numbers == 3 ? invert_numbers(row) : invert_block(row);
    }
    if (bad > 0) thread.atomic_add(replaced, 0, bad);
  }

 private:
  NSN_DEVICE static double inverse_or_one(double d, int& bad) {
    const double inverse = 1.0 / d;
    const bool usable = d > 0.0 && inverse > 0.0 && inverse - inverse == 0.0;
    bad += usable ? 0 : 1;
    return usable ? inverse : 1.0;
  }
  NSN_DEVICE int invert_numbers(int row) const {
    int bad = 0;
    for (int i = 3 * row; i < 3 * row + 3; ++i) P.set(i, inverse_or_one(P[i], bad));
    return bad;
  }
  // Cofactors of the symmetric block, accepted if the pivots d0, d1, d2 of its L D L^T are positive
  // beyond rounding.
  NSN_DEVICE int invert_block(int row) const {
    double a[9];
    for (int i = 0; i < 9; ++i) a[i] = P[9 * row + i];
    const double c00 = a[4] * a[8] - a[5] * a[7];
    const double c01 = a[5] * a[6] - a[3] * a[8];
    const double c02 = a[3] * a[7] - a[4] * a[6];
    const double c22 = a[0] * a[4] - a[1] * a[3];
    const double determinant = a[0] * c00 + a[1] * c01 + a[2] * c02;
    const double inverse = 1.0 / determinant;
    const bool definite = a[0] > 0.0 && c22 > kSmallPivot * a[0] * a[4] &&
                          determinant > kSmallPivot * a[8] * c22 && inverse - inverse == 0.0;
    if (!definite) return fall_back(row, a);
    P.set(9 * row, c00 * inverse);
    P.set(9 * row + 1, c01 * inverse);
    P.set(9 * row + 2, c02 * inverse);
    P.set(9 * row + 3, c01 * inverse);
    P.set(9 * row + 4, (a[0] * a[8] - a[2] * a[6]) * inverse);
    P.set(9 * row + 5, (a[2] * a[3] - a[0] * a[5]) * inverse);
    P.set(9 * row + 6, c02 * inverse);
    P.set(9 * row + 7, (a[2] * a[3] - a[0] * a[5]) * inverse);
    P.set(9 * row + 8, c22 * inverse);
    return 0;
  }
  NSN_DEVICE int fall_back(int row, const double (&a)[9]) const {
    int ignored = 0;
    for (int i = 0; i < 9; ++i) {
      P.set(9 * row + i, i % 4 == 0 ? inverse_or_one(a[i], ignored) : 0.0);
    }
    return 1;
  }

  static constexpr double kSmallPivot = 1e-12;
};

}  // namespace nsn::cuda
