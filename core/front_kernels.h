/// Dense kernels of small fronts, column by column, written over vectors of the width the build's
/// own flags allow (2, 4 or 8 doubles): no intrinsics, the compiler's vector types where it has
/// them and plain arrays where it has not.
///
/// Matrices are column-major with a leading dimension. A kernel may read, and write back unchanged,
/// up to kPanel - 1 doubles beyond a column: allocate that much more at the end of a buffer.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <utility>

namespace nsn::front {

#if defined(__AVX512F__)
inline constexpr int kLanes = 8;
inline constexpr int kColumns = 8;  // of a register tile
#elif defined(__AVX__)
inline constexpr int kLanes = 4;
inline constexpr int kColumns = 4;
#else
inline constexpr int kLanes = 2;
inline constexpr int kColumns = 4;
#endif
inline constexpr int kTileVectors = 3;  // rows of a register tile: 3 kLanes

#if defined(__GNUC__)
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double)), aligned(8), may_alias));
using Mask = long long __attribute__((vector_size(kLanes * sizeof(double))));

inline Lanes load(const double* p) {
  return *reinterpret_cast<const Lanes*>(p);
}
inline void store(double* p, Lanes v) {
  *reinterpret_cast<Lanes*>(p) = v;
}
/// First `count` lanes set.
inline Mask first_lanes(int count) {
  Mask lane;
  for (int k = 0; k < kLanes; ++k) lane[k] = k;
  return lane < static_cast<long long>(count);
}
/// Lanes first ... last - 1 set.
inline Mask lanes_between(int first, int last) {
  Mask lane;
  for (int k = 0; k < kLanes; ++k) lane[k] = k;
  return (lane >= static_cast<long long>(first)) & (lane < static_cast<long long>(last));
}
inline double sum_of(Lanes v) {
  double sum = 0.0;
  for (int k = 0; k < kLanes; ++k) sum += v[k];
  return sum;
}
inline Lanes choose(Mask mask, Lanes set, Lanes unset) {
  return mask ? set : unset;
}
#else
struct Lanes {
  double lane[kLanes] = {};
  friend Lanes operator*(const Lanes& a, double b) {
    Lanes c;
    for (int k = 0; k < kLanes; ++k) c.lane[k] = a.lane[k] * b;
    return c;
  }
  friend Lanes operator*(const Lanes& a, const Lanes& b) {
    Lanes c;
    for (int k = 0; k < kLanes; ++k) c.lane[k] = a.lane[k] * b.lane[k];
    return c;
  }
  friend Lanes operator-(const Lanes& a, const Lanes& b) {
    Lanes c;
    for (int k = 0; k < kLanes; ++k) c.lane[k] = a.lane[k] - b.lane[k];
    return c;
  }
  Lanes& operator+=(const Lanes& b) {
    for (int k = 0; k < kLanes; ++k) lane[k] += b.lane[k];
    return *this;
  }
};
struct Mask {
  int first;
  int last;
};
inline Lanes load(const double* p) {
  Lanes v;
  std::memcpy(v.lane, p, sizeof(v.lane));
  return v;
}
inline void store(double* p, const Lanes& v) {
  std::memcpy(p, v.lane, sizeof(v.lane));
}
inline Mask first_lanes(int count) {
  return {0, count};
}
inline Mask lanes_between(int first, int last) {
  return {first, last};
}
inline double sum_of(const Lanes& v) {
  double sum = 0.0;
  for (const double x : v.lane) sum += x;
  return sum;
}
inline Lanes choose(Mask mask, Lanes set, const Lanes& unset) {
  for (int k = 0; k < kLanes; ++k) {
    if (k < mask.first || k >= mask.last) set.lane[k] = unset.lane[k];
  }
  return set;
}
#endif

/// y[i] = change(y[i]) for first <= i < last, vector by vector. The vectors begin at multiples of
/// kLanes whatever `first` is, so that a step finds what the one before has stored in one piece.
template <class Change>
inline void change_rows(int first, int last, double* y, const Change& change) {
  int i = first / kLanes * kLanes;
  if (i < first || i + kLanes > last) {
    if (first >= last) return;
    const Lanes old = load(y + i);
    store(y + i, choose(lanes_between(first - i, last - i), change(old, i), old));
    i += kLanes;
  }
  for (; i + kLanes <= last; i += kLanes) store(y + i, change(load(y + i), i));
  if (i >= last) return;
  const Lanes old = load(y + i);
  store(y + i, choose(first_lanes(last - i), change(old, i), old));
}

/// y[i] -= factor x[i] for first <= i < last
inline void subtract(int first, int last, double factor, const double* x, double* y) {
  change_rows(first, last, y, [&](const Lanes& v, int i) { return v - load(x + i) * factor; });
}

/// y += A x for kWidth columns of A (rows x kWidth): y is read and written once for all of them.
template <int kWidth>
inline void add_columns(int rows, const double* a, std::size_t lda, const double* x, double* y) {
  int i = 0;
  for (; i + kLanes <= rows; i += kLanes) {
    Lanes sum = load(y + i);
    for (int j = 0; j < kWidth; ++j) {
      sum += load(a + static_cast<std::size_t>(j) * lda + i) * x[j];
    }
    store(y + i, sum);
  }
  if (i == rows) return;
  const Lanes old = load(y + i);
  Lanes sum = old;
  for (int j = 0; j < kWidth; ++j) {
    sum += load(a + static_cast<std::size_t>(j) * lda + i) * x[j];
  }
  store(y + i, choose(first_lanes(rows - i), sum, old));
}

/// y += A x, A rows x columns.
inline void multiply_add(int rows, int columns, const double* a, std::size_t lda, const double* x,
                         double* y) {
  if (rows <= 0) return;
  int j = 0;
  for (; j + 4 <= columns; j += 4) {
    add_columns<4>(rows, a + static_cast<std::size_t>(j) * lda, lda, x + j, y);
  }
  a += static_cast<std::size_t>(j) * lda;
  if (columns - j == 3) add_columns<3>(rows, a, lda, x + j, y);
  if (columns - j == 2) add_columns<2>(rows, a, lda, x + j, y);
  if (columns - j == 1) add_columns<1>(rows, a, lda, x + j, y);
}

/// y -= A^T x for kWidth columns of A (rows x kWidth): x is read once for all of them.
template <int kWidth>
inline void subtract_dots(int rows, const double* a, std::size_t lda, const double* x, double* y) {
  Lanes part[kWidth] = {};
  int i = 0;
  for (; i + kLanes <= rows; i += kLanes) {
    const Lanes v = load(x + i);
    for (int j = 0; j < kWidth; ++j) {
      part[j] += v * load(a + static_cast<std::size_t>(j) * lda + i);
    }
  }
  if (i < rows) {
    const Mask tail = first_lanes(rows - i);
    const Lanes v = choose(tail, load(x + i), Lanes{});
    for (int j = 0; j < kWidth; ++j) {
      const Lanes column = load(a + static_cast<std::size_t>(j) * lda + i);
      part[j] += v * choose(tail, column, Lanes{});  // what lies beyond may be no number
    }
  }
  for (int j = 0; j < kWidth; ++j) y[j] -= sum_of(part[j]);
}

/// y -= A^T x, A rows x columns.
inline void multiply_transposed_subtract(int rows, int columns, const double* a, std::size_t lda,
                                         const double* x, double* y) {
  if (rows <= 0) return;
  int j = 0;
  for (; j + 4 <= columns; j += 4) {
    subtract_dots<4>(rows, a + static_cast<std::size_t>(j) * lda, lda, x, y + j);
  }
  a += static_cast<std::size_t>(j) * lda;
  if (columns - j == 3) subtract_dots<3>(rows, a, lda, x, y + j);
  if (columns - j == 2) subtract_dots<2>(rows, a, lda, x, y + j);
  if (columns - j == 1) subtract_dots<1>(rows, a, lda, x, y + j);
}

/// Where the right factor's entry (k, j) lies: b[k * row + j * column].
struct Strides {
  std::size_t row;
  std::size_t column;
};

/// One register tile: C -= A B (kAdd) or C = -A B, rows kVectors * kLanes (the last vector by
/// mask), kWidth columns.
template <int kVectors, int kWidth, bool kAdd>
inline void tile(int depth, const double* a, std::size_t lda, const double* b, Strides sb,
                 double* c, std::size_t ldc, Mask tail) {
  Lanes sum[kVectors][kWidth] = {};
  for (int k = 0; k < depth; ++k) {
    Lanes column[kVectors];
    for (int v = 0; v < kVectors; ++v) column[v] = load(a + v * kLanes);
    for (int j = 0; j < kWidth; ++j) {
      const double factor = b[static_cast<std::size_t>(j) * sb.column];
      for (int v = 0; v < kVectors; ++v) sum[v][j] += column[v] * factor;
    }
    a += lda;
    b += sb.row;
  }
  for (int j = 0; j < kWidth; ++j) {
    double* const out = c + static_cast<std::size_t>(j) * ldc;
    for (int v = 0; v < kVectors; ++v) {
      double* const p = out + v * kLanes;
      const Lanes old = load(p);
      const Lanes result = (kAdd ? old : Lanes{}) - sum[v][j];
      store(p, v + 1 < kVectors ? result : choose(tail, result, old));
    }
  }
}

template <int kWidth, bool kAdd>
inline void tile_column(int rows, int depth, const double* a, std::size_t lda, const double* b,
                        Strides sb, double* c, std::size_t ldc) {
  constexpr int kRows = kTileVectors * kLanes;
  int i = 0;
  for (; i + kRows <= rows; i += kRows) {
    tile<kTileVectors, kWidth, kAdd>(depth, a + i, lda, b, sb, c + i, ldc, first_lanes(kLanes));
  }
  const int rest = rows - i;
  if (rest == 0) return;
  const int vectors = (rest + kLanes - 1) / kLanes;
  const Mask tail = first_lanes(rest - (vectors - 1) * kLanes);
  if (vectors == 3) {
    tile<3, kWidth, kAdd>(depth, a + i, lda, b, sb, c + i, ldc, tail);
  } else if (vectors == 2) {
    tile<2, kWidth, kAdd>(depth, a + i, lda, b, sb, c + i, ldc, tail);
  } else {
    tile<1, kWidth, kAdd>(depth, a + i, lda, b, sb, c + i, ldc, tail);
  }
}

template <int kWidth, bool kAdd>
inline void last_columns(int columns, int rows, int depth, const double* a, std::size_t lda,
                         const double* b, Strides sb, double* c, std::size_t ldc) {
  if constexpr (kWidth > 0) {
    if (columns == kWidth) {
      tile_column<kWidth, kAdd>(rows, depth, a, lda, b, sb, c, ldc);
    } else {
      last_columns<kWidth - 1, kAdd>(columns, rows, depth, a, lda, b, sb, c, ldc);
    }
  }
}

/// C (rows x columns) -= A (rows x depth) B (depth x columns), or C = -A B.
template <bool kAdd = true>
inline void multiply_subtract(int rows, int columns, int depth, const double* a, std::size_t lda,
                              const double* b, Strides sb, double* c, std::size_t ldc) {
  if (rows <= 0 || columns <= 0) return;
  int j = 0;
  for (; j + kColumns <= columns; j += kColumns) {
    tile_column<kColumns, kAdd>(rows, depth, a, lda, b + static_cast<std::size_t>(j) * sb.column,
                                sb, c + static_cast<std::size_t>(j) * ldc, ldc);
  }
  last_columns<kColumns - 1, kAdd>(columns - j, rows, depth, a, lda,
                                   b + static_cast<std::size_t>(j) * sb.column, sb,
                                   c + static_cast<std::size_t>(j) * ldc, ldc);
}

/// Lower triangle of C (rows x rows) -= A A^T, A (rows x depth); entries above the diagonal inside
/// a tile are written too and mean nothing.
template <bool kAdd = true>
inline void multiply_subtract_lower(int rows, int depth, const double* a, std::size_t lda,
                                    double* c, std::size_t ldc) {
  for (int j = 0; j < rows; j += kColumns) {
    const int width = std::min(kColumns, rows - j);
    multiply_subtract<kAdd>(rows - j, width, depth, a + j, lda, a + j, Strides{lda, 1},
                            c + static_cast<std::size_t>(j) * ldc + j, ldc);
  }
}

inline constexpr int kPanel = 8;

/// X <- L^-1 X for rows [first, last) of X (columns wide), L unit lower triangular in the same
/// rows, at most kPanel of them: columns of X stay in registers, four at a time.
inline void solve_unit_lower(const double* L, std::size_t ldl, int first, int last, double* X,
                             std::size_t ldx, int columns) {
  constexpr int kVectors = kPanel / kLanes;
  const int rows = last - first;
  Mask used[kVectors];
  double below[kPanel][kPanel];  // columns of L, zero on and above the diagonal
  for (int v = 0; v < kVectors; ++v) used[v] = first_lanes(rows - v * kLanes);
  for (int k = 0; k < rows; ++k) {
    const double* const l = L + static_cast<std::size_t>(first + k) * ldl + first;
    for (int v = 0; v < kVectors; ++v) {
      const Mask under = lanes_between(k + 1 - v * kLanes, rows - v * kLanes);
      store(below[k] + v * kLanes, choose(under, load(l + v * kLanes), Lanes{}));
    }
  }
  const auto solve = [&]<int kWidth>(double* x) {
    double value[kWidth][kPanel];
    for (int j = 0; j < kWidth; ++j) {
      const double* const from = x + static_cast<std::size_t>(j) * ldx;
      for (int v = 0; v < kVectors; ++v) store(value[j] + v * kLanes, load(from + v * kLanes));
    }
    for (int k = 0; k < rows; ++k) {
      for (int j = 0; j < kWidth; ++j) {
        const double factor = value[j][k];
        for (int v = 0; v < kVectors; ++v) {
          double* const p = value[j] + v * kLanes;
          store(p, load(p) - load(below[k] + v * kLanes) * factor);
        }
      }
    }
    for (int j = 0; j < kWidth; ++j) {
      double* const to = x + static_cast<std::size_t>(j) * ldx;
      for (int v = 0; v < kVectors; ++v) {
        double* const p = to + v * kLanes;
        store(p, choose(used[v], load(value[j] + v * kLanes), load(p)));
      }
    }
  };
  double* x = X + first;
  int j = 0;
  for (; j + 4 <= columns; j += 4, x += 4 * ldx) solve.operator()<4>(x);
  for (; j < columns; ++j, x += ldx) solve.operator()<1>(x);
}

/// The row of the pivot for column k among rows k ... p - 1, -1 if there is none.
inline int choose_pivot(const double* column, int k, int p, double threshold) {
  double part[4] = {};  // so that the comparisons need not wait for each other
  int i = k;
  for (; i + 4 <= p; i += 4) {
    for (int l = 0; l < 4; ++l) part[l] = std::max(part[l], std::abs(column[i + l]));
  }
  for (; i < p; ++i) part[0] = std::max(part[0], std::abs(column[i]));
  const double largest = std::max(std::max(part[0], part[1]), std::max(part[2], part[3]));
  if (!(largest > 0.0) || !std::isfinite(largest) || !std::isfinite(column[k])) return -1;
  if (std::abs(column[k]) >= threshold * largest) return k;
  i = k;
  while (std::abs(column[i]) < largest) ++i;
  return i;
}

/// LU of the first p columns of a front of f rows: L (f x p, ld f) holds both factors, U (p x u, ld
/// p) the rest of the pivot rows. Pivots are sought in the p rows only; the diagonal is kept where
/// it reaches `threshold` of the largest. pivot[k] is the row exchanged with row k. Returns the
/// column without a usable pivot, or -1.
inline int factor_lu(double* L, int f, int p, double* U, int u, int* pivot, double threshold) {
  const auto ld = static_cast<std::size_t>(f);
  const auto ldu = static_cast<std::size_t>(p);
  for (int begin = 0; begin < p; begin += kPanel) {
    const int end = std::min(p, begin + kPanel);
    for (int k = begin; k < end; ++k) {
      double* const column = L + static_cast<std::size_t>(k) * ld;
      const int best = choose_pivot(column, k, p, threshold);
      if (best < 0) return k;
      pivot[k] = best;
      if (best != k) {
        for (int j = 0; j < p; ++j) {
          std::swap(L[static_cast<std::size_t>(j) * ld + static_cast<std::size_t>(k)],
                    L[static_cast<std::size_t>(j) * ld + static_cast<std::size_t>(best)]);
        }
        for (int j = 0; j < u; ++j) {
          std::swap(U[static_cast<std::size_t>(j) * ldu + static_cast<std::size_t>(k)],
                    U[static_cast<std::size_t>(j) * ldu + static_cast<std::size_t>(best)]);
        }
      }
      const double scale = 1.0 / column[k];
      for (int i = k + 1; i < f; ++i) column[i] *= scale;
      for (int j = k + 1; j < end; ++j) {
        double* const right = L + static_cast<std::size_t>(j) * ld;
        const double factor = right[k];
        for (int i = k + 1; i < f; ++i) right[i] -= factor * column[i];
      }
    }
    const int depth = end - begin;
    if (end < p) {
      double* const right = L + static_cast<std::size_t>(end) * ld;
      solve_unit_lower(L, ld, begin, end, right, ld, p - end);
      multiply_subtract(f - end, p - end, depth, L + static_cast<std::size_t>(begin) * ld + end, ld,
                        right + begin, Strides{1, ld}, right + end, ld);
    }
  }
  for (int begin = 0; begin < p && u > 0; begin += kPanel) {
    const int end = std::min(p, begin + kPanel);
    solve_unit_lower(L, ld, begin, end, U, ldu, u);
    multiply_subtract(p - end, u, end - begin, L + static_cast<std::size_t>(begin) * ld + end, ld,
                      U + begin, Strides{1, ldu}, U + end, ldu);
  }
  return -1;
}

/// Cholesky of the first p columns of a front of f rows, lower part, ld f. Returns the column whose
/// pivot is not positive, or -1.
inline int factor_cholesky(double* L, int f, int p) {
  const auto ld = static_cast<std::size_t>(f);
  for (int begin = 0; begin < p; begin += kPanel) {
    const int end = std::min(p, begin + kPanel);
    for (int k = begin; k < end; ++k) {
      double* const column = L + static_cast<std::size_t>(k) * ld;
      if (!(column[k] > 0.0) || !std::isfinite(column[k])) return k;
      const double diagonal = std::sqrt(column[k]);
      const double scale = 1.0 / diagonal;
      column[k] = diagonal;
      for (int i = k + 1; i < f; ++i) column[i] *= scale;
      for (int j = k + 1; j < end; ++j) {
        double* const right = L + static_cast<std::size_t>(j) * ld;
        const double factor = column[j];
        for (int i = j; i < f; ++i) right[i] -= factor * column[i];
      }
    }
    // Trailing columns of the panel in strips, lower part only.
    for (int j = end; j < p; j += kColumns) {
      const double* const a = L + static_cast<std::size_t>(begin) * ld + j;
      multiply_subtract(f - j, std::min(kColumns, p - j), end - begin, a, ld, a, Strides{ld, 1},
                        L + static_cast<std::size_t>(j) * ld + j, ld);
    }
  }
  return -1;
}

}  // namespace nsn::front
