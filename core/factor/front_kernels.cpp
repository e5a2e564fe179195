#include "nsn/core/factor/front_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "nsn/core/base/lanes.h"
#include "nsn/core/base/types.h"

namespace nsn::front {
namespace {

#if defined(__AVX512F__)
using Lanes = Lanes8;
#else
using Lanes = Lanes4;
#endif
using Pair = Lanes2;
constexpr int kLanes = sizeof(Lanes) / sizeof(double);
constexpr int kColumns = kLanes;  // of a register tile
constexpr int kTileVectors = 3;   // rows of a register tile: 3 kLanes
constexpr int kPanel = 8;
static_assert(kPanel - 1 <= kBeyond && kLanes - 1 <= kBeyond);

NSN_INLINE Lanes load(const double* p) {
  return load_lanes<Lanes>(p);
}
NSN_INLINE void store(double* p, Lanes v) {
  std::memcpy(p, &v, sizeof(v));
}
#if defined(__GNUC__)
using Mask = long long __attribute__((vector_size(kLanes * sizeof(double))));

/// Lanes first ... last - 1 set.
NSN_INLINE Mask lanes_between(int first, int last) {
  Mask lane;
  for (int k = 0; k < kLanes; ++k) lane[k] = k;
  return (lane >= static_cast<long long>(first)) & (lane < static_cast<long long>(last));
}
NSN_INLINE Lanes choose(Mask mask, Lanes set, Lanes unset) {
  return mask ? set : unset;
}
NSN_INLINE Lanes larger(Lanes a, Lanes b) {
  return a < b ? b : a;
}
#else
struct Mask {
  int first;
  int last;
};
NSN_INLINE Mask lanes_between(int first, int last) {
  return {first, last};
}
NSN_INLINE Lanes choose(Mask mask, Lanes set, const Lanes& unset) {
  for (int k = 0; k < kLanes; ++k) {
    if (k < mask.first || k >= mask.last) set.lane[k] = unset.lane[k];
  }
  return set;
}
NSN_INLINE Lanes larger(Lanes a, const Lanes& b) {
  for (int k = 0; k < kLanes; ++k) a.lane[k] = std::max(a.lane[k], b.lane[k]);
  return a;
}
#endif

/// First `count` lanes set.
NSN_INLINE Mask first_lanes(int count) {
  return lanes_between(0, count);
}

/// y += A x for kWidth columns of A (rows x kWidth): y is read and written once for all of them.
template <int kWidth>
NSN_INLINE void add_columns(int rows, const double* a, std::size_t lda, const double* x,
                            double* y) {
  int i = 0;
  for (; i + kLanes <= rows; i += kLanes) {
    Lanes sum = load(y + i);
    for (int j = 0; j < kWidth; ++j) sum += load(a + to_size(j) * lda + i) * x[j];
    store(y + i, sum);
  }
  if (i == rows) return;
  const Lanes old = load(y + i);
  Lanes sum = old;
  for (int j = 0; j < kWidth; ++j) sum += load(a + to_size(j) * lda + i) * x[j];
  store(y + i, choose(first_lanes(rows - i), sum, old));
}

/// y += A x, A rows x columns.
NSN_INLINE void multiply_add(int rows, int columns, const double* a, std::size_t lda,
                             const double* x, double* y) {
  if (rows <= 0) return;
  int j = 0;
  for (; j + 4 <= columns; j += 4) add_columns<4>(rows, a + to_size(j) * lda, lda, x + j, y);
  a += to_size(j) * lda;
  if (columns - j == 3) add_columns<3>(rows, a, lda, x + j, y);
  if (columns - j == 2) add_columns<2>(rows, a, lda, x + j, y);
  if (columns - j == 1) add_columns<1>(rows, a, lda, x + j, y);
}

/// y -= A^T x for kWidth columns of A (rows x kWidth): x is read once for all of them. Two partial
/// sums, whatever the instruction set.
template <int kWidth>
NSN_INLINE void subtract_dots(int rows, const double* a, std::size_t lda, const double* x,
                              double* y) {
  Pair part[kWidth] = {};
  int i = 0;
  for (; i + 2 <= rows; i += 2) {
    const Pair v = load_lanes<Pair>(x + i);
    for (int j = 0; j < kWidth; ++j) part[j] += v * load_lanes<Pair>(a + to_size(j) * lda + i);
  }
  for (int j = 0; j < kWidth; ++j) {
    double first = part[j][0];
    if (i < rows) first += x[i] * a[to_size(j) * lda + to_size(i)];
    y[j] -= first + part[j][1];
  }
}

/// y -= A^T x, A rows x columns.
NSN_INLINE void multiply_transposed_subtract(int rows, int columns, const double* a,
                                             std::size_t lda, const double* x, double* y) {
  if (rows <= 0) return;
  int j = 0;
  for (; j + 4 <= columns; j += 4) subtract_dots<4>(rows, a + to_size(j) * lda, lda, x, y + j);
  a += to_size(j) * lda;
  if (columns - j == 3) subtract_dots<3>(rows, a, lda, x, y + j);
  if (columns - j == 2) subtract_dots<2>(rows, a, lda, x, y + j);
  if (columns - j == 1) subtract_dots<1>(rows, a, lda, x, y + j);
}

/// One register tile: C -= A B (kAdd) or C = -A B, kVectors * kLanes rows (`last` of the last
/// vector), kWidth columns.
template <int kVectors, int kWidth, bool kAdd>
NSN_INLINE void tile(int depth, const double* a, std::size_t lda, const double* b, Strides sb,
                     double* c, std::size_t ldc, int last) {
  Lanes sum[kVectors][kWidth] = {};
  for (int k = 0; k < depth; ++k) {
    Lanes column[kVectors];
    for (int v = 0; v < kVectors; ++v) column[v] = load(a + v * kLanes);
    for (int j = 0; j < kWidth; ++j) {
      const double factor = b[to_size(j) * sb.column];
      for (int v = 0; v < kVectors; ++v) sum[v][j] += column[v] * factor;
    }
    a += lda;
    b += sb.row;
  }
  const Mask tail = first_lanes(last);
  for (int j = 0; j < kWidth; ++j) {
    double* const out = c + to_size(j) * ldc;
    for (int v = 0; v < kVectors; ++v) {
      double* const p = out + v * kLanes;
      const Lanes old = load(p);
      const Lanes result = (kAdd ? old : Lanes{}) - sum[v][j];
      store(p, v + 1 < kVectors ? result : choose(tail, result, old));
    }
  }
}

template <int kWidth, bool kAdd>
NSN_INLINE void tile_column(int rows, int depth, const double* a, std::size_t lda, const double* b,
                            Strides sb, double* c, std::size_t ldc) {
  constexpr int kRows = kTileVectors * kLanes;
  int i = 0;
  for (; i + kRows <= rows; i += kRows) {
    tile<kTileVectors, kWidth, kAdd>(depth, a + i, lda, b, sb, c + i, ldc, kLanes);
  }
  const int rest = rows - i;
  if (rest == 0) return;
  const int vectors = (rest + kLanes - 1) / kLanes;
  const int last = rest - (vectors - 1) * kLanes;
  if (vectors == 3) {
    tile<3, kWidth, kAdd>(depth, a + i, lda, b, sb, c + i, ldc, last);
  } else if (vectors == 2) {
    tile<2, kWidth, kAdd>(depth, a + i, lda, b, sb, c + i, ldc, last);
  } else {
    tile<1, kWidth, kAdd>(depth, a + i, lda, b, sb, c + i, ldc, last);
  }
}

template <int kWidth, bool kAdd>
NSN_INLINE void last_columns(int columns, int rows, int depth, const double* a, std::size_t lda,
                             const double* b, Strides sb, double* c, std::size_t ldc) {
  if constexpr (kWidth > 0) {
    if (columns == kWidth) {
      tile_column<kWidth, kAdd>(rows, depth, a, lda, b, sb, c, ldc);
    } else {
      last_columns<kWidth - 1, kAdd>(columns, rows, depth, a, lda, b, sb, c, ldc);
    }
  }
}

template <bool kAdd>
NSN_INLINE void product(int rows, int columns, int depth, const double* a, std::size_t lda,
                        const double* b, Strides sb, double* c, std::size_t ldc) {
  if (rows <= 0 || columns <= 0) return;
  int j = 0;
  for (; j + kColumns <= columns; j += kColumns) {
    tile_column<kColumns, kAdd>(rows, depth, a, lda, b + to_size(j) * sb.column, sb,
                                c + to_size(j) * ldc, ldc);
  }
  last_columns<kColumns - 1, kAdd>(columns - j, rows, depth, a, lda, b + to_size(j) * sb.column, sb,
                                   c + to_size(j) * ldc, ldc);
}

template <bool kAdd>
NSN_INLINE void square(int rows, int depth, const double* a, std::size_t lda, double* c,
                       std::size_t ldc) {
  for (int j = 0; j < rows; j += kColumns) {
    product<kAdd>(rows - j, std::min(kColumns, rows - j), depth, a + j, lda, a + j, Strides{lda, 1},
                  c + to_size(j) * ldc + j, ldc);
  }
}

/// X <- L^-1 X for kWidth columns of X; below: columns of L, zero on and above the diagonal.
template <int kWidth>
NSN_INLINE void solve_columns(int rows, const double (&below)[kPanel][kPanel], double* x,
                              std::size_t ldx) {
  constexpr int kVectors = kPanel / kLanes;
  double value[kWidth][kPanel];
  for (int j = 0; j < kWidth; ++j) {
    for (int v = 0; v < kPanel; v += kLanes) store(value[j] + v, load(x + to_size(j) * ldx + v));
  }
  for (int k = 0; k < rows; ++k) {
    for (int j = 0; j < kWidth; ++j) {
      const double factor = value[j][k];
      for (int v = 0; v < kPanel; v += kLanes) {
        store(value[j] + v, load(value[j] + v) - load(below[k] + v) * factor);
      }
    }
  }
  for (int v = 0; v < kVectors; ++v) {
    const Mask used = first_lanes(rows - v * kLanes);
    for (int j = 0; j < kWidth; ++j) {
      double* const p = x + to_size(j) * ldx + v * kLanes;
      store(p, choose(used, load(value[j] + v * kLanes), load(p)));
    }
  }
}

/// X <- L^-1 X for rows [first, last) of X (columns wide), L unit lower triangular in the same
/// rows, at most kPanel of them: columns of X stay in registers, four at a time.
NSN_INLINE void solve_unit_lower(const double* L, std::size_t ldl, int first, int last, double* X,
                                 std::size_t ldx, int columns) {
  const int rows = last - first;
  double below[kPanel][kPanel];
  for (int k = 0; k < rows; ++k) {
    const double* const l = L + to_size(first + k) * ldl + first;
    for (int v = 0; v < kPanel; v += kLanes) {
      const Mask under = lanes_between(k + 1 - v, rows - v);
      store(below[k] + v, choose(under, load(l + v), Lanes{}));
    }
  }
  double* x = X + first;
  int j = 0;
  for (; j + 4 <= columns; j += 4, x += 4 * ldx) solve_columns<4>(rows, below, x, ldx);
  for (; j < columns; ++j, x += ldx) solve_columns<1>(rows, below, x, ldx);
}

/// The row of the pivot for column k among rows k ... p - 1, -1 if there is none.
NSN_INLINE int choose_pivot(const double* column, int k, int p, double threshold) {
  Lanes part = {};
  int i = k;
  for (; i + kLanes <= p; i += kLanes) {
    const Lanes v = load(column + i);
    part = larger(part, larger(v, Lanes{} - v));
  }
  double largest = 0.0;
  for (int l = 0; l < kLanes; ++l) largest = std::max(largest, part[l]);
  for (; i < p; ++i) largest = std::max(largest, std::abs(column[i]));
  if (!(largest > 0.0) || !std::isfinite(largest) || !std::isfinite(column[k])) return -1;
  if (std::abs(column[k]) >= threshold * largest) return k;
  i = k;
  while (std::abs(column[i]) < largest) ++i;
  return i;
}

/// Rows [first, last) of one step in a panel: the column times scale, and that times factor[j] off
/// each of the columns to its right. Vectors begin at multiples of kLanes whatever `first` is, so
/// that a step finds what the one before has stored in one piece.
NSN_INLINE void eliminate_column(int first, int last, double scale, double* column, std::size_t ld,
                                 const double* factor, int columns) {
  const auto rows = [&](int i, auto&& keep) __attribute__((always_inline)) {
    double* p = column + i;
    const Lanes old = load(p);
    const Lanes x = keep(old * scale, old);
    store(p, x);
    for (int j = 0; j < columns; ++j) {
      p += ld;
      const Lanes v = load(p);
      store(p, keep(v - x * factor[j], v));
    }
  };
  const auto all = [](Lanes value, Lanes) __attribute__((always_inline)) {
    return value;
  };
  for (int i = first / kLanes * kLanes; i < last; i += kLanes) {
    if (i >= first && i + kLanes <= last) {
      rows(i, all);
    } else {
      const Mask mask = lanes_between(first - i, last - i);
      rows(
          i, [mask](Lanes value, Lanes old)
                 __attribute__((always_inline)) { return choose(mask, value, old); });
    }
  }
}

/// y <- L^-1 y, L lower triangular of p rows, four columns at a time; its diagonal is one (kUnit)
/// or as stored.
template <bool kUnit>
NSN_INLINE void solve_lower(const double* L, std::size_t ld, int p, double* y) {
  constexpr int kWidth = 4;
  for (int begin = 0; begin < p; begin += kWidth) {
    const int end = std::min(begin + kWidth, p);
    const double* const columns = L + to_size(begin) * ld;
    for (int k = begin; k < end; ++k) {
      const double* const column = L + to_size(k) * ld;
      if (!kUnit) y[k] /= column[k];
      for (int i = k + 1; i < end; ++i) y[i] -= column[i] * y[k];
    }
    for (int i = end; i < p; i += kLanes) {  // a whole panel: end < p
      const Lanes old = load(y + i);
      Lanes v = old;
      for (int k = 0; k < kWidth; ++k) v = v - load(columns + to_size(k) * ld + i) * y[begin + k];
      store(y + i, i + kLanes <= p ? v : choose(first_lanes(p - i), v, old));
    }
  }
}

}  // namespace

NSN_KERNEL void subtract_product(int rows, int columns, int depth, const double* a, std::size_t lda,
                                 const double* b, Strides sb, double* c, std::size_t ldc) {
  product<true>(rows, columns, depth, a, lda, b, sb, c, ldc);
}

NSN_KERNEL void set_product(int rows, int columns, int depth, const double* a, std::size_t lda,
                            const double* b, Strides sb, double* c, std::size_t ldc) {
  product<false>(rows, columns, depth, a, lda, b, sb, c, ldc);
}

NSN_KERNEL void subtract_square(int rows, int depth, const double* a, std::size_t lda, double* c,
                                std::size_t ldc) {
  square<true>(rows, depth, a, lda, c, ldc);
}

NSN_KERNEL void set_square(int rows, int depth, const double* a, std::size_t lda, double* c,
                           std::size_t ldc) {
  square<false>(rows, depth, a, lda, c, ldc);
}

NSN_KERNEL int factor_lu(double* L, int f, int p, double* U, int u, int* pivot, double threshold) {
  const std::size_t ld = to_size(f);
  const std::size_t ldu = to_size(p);
  double factor[kPanel];
  for (int begin = 0; begin < p; begin += kPanel) {
    const int end = std::min(p, begin + kPanel);
    for (int k = begin; k < end; ++k) {
      double* const column = L + to_size(k) * ld;
      const int best = choose_pivot(column, k, p, threshold);
      if (best < 0) return k;
      pivot[k] = best;
      if (best != k) {
        for (int j = 0; j < p; ++j)
          std::swap(L[to_size(j) * ld + to_size(k)], L[to_size(j) * ld + to_size(best)]);
        for (int j = 0; j < u; ++j)
          std::swap(U[to_size(j) * ldu + to_size(k)], U[to_size(j) * ldu + to_size(best)]);
      }
      for (int j = k + 1; j < end; ++j) factor[j - k - 1] = L[to_size(j) * ld + to_size(k)];
      eliminate_column(k + 1, f, 1.0 / column[k], column, ld, factor, end - k - 1);
    }
    if (end < p) {
      double* const right = L + to_size(end) * ld;
      solve_unit_lower(L, ld, begin, end, right, ld, p - end);
      product<true>(f - end, p - end, end - begin, L + to_size(begin) * ld + end, ld, right + begin,
                    Strides{1, ld}, right + end, ld);
    }
  }
  for (int begin = 0; begin < p && u > 0; begin += kPanel) {
    const int end = std::min(p, begin + kPanel);
    solve_unit_lower(L, ld, begin, end, U, ldu, u);
    product<true>(p - end, u, end - begin, L + to_size(begin) * ld + end, ld, U + begin,
                  Strides{1, ldu}, U + end, ldu);
  }
  return -1;
}

NSN_KERNEL int factor_cholesky(double* L, int f, int p) {
  const std::size_t ld = to_size(f);
  double factor[kPanel];
  for (int begin = 0; begin < p; begin += kPanel) {
    const int end = std::min(p, begin + kPanel);
    for (int k = begin; k < end; ++k) {
      double* const column = L + to_size(k) * ld;
      if (!(column[k] > 0.0) || !std::isfinite(column[k])) return k;
      const double diagonal = std::sqrt(column[k]);
      const double scale = 1.0 / diagonal;
      column[k] = diagonal;
      for (int j = k + 1; j < end; ++j) factor[j - k - 1] = column[j] * scale;
      eliminate_column(k + 1, f, scale, column, ld, factor, end - k - 1);
    }
    // Trailing columns of the panel in strips, lower part only.
    for (int j = end; j < p; j += kColumns) {
      const double* const a = L + to_size(begin) * ld + j;
      product<true>(f - j, std::min(kColumns, p - j), end - begin, a, ld, a, Strides{ld, 1},
                    L + to_size(j) * ld + j, ld);
    }
  }
  return -1;
}

NSN_KERNEL void forward_lu(const double* L, int f, int p, double* own, double* update) {
  solve_lower<true>(L, to_size(f), p, own);
  std::fill_n(update, f - p, 0.0);
  multiply_add(f - p, p, L + p, to_size(f), own, update);
}

NSN_KERNEL void forward_cholesky(const double* L, int f, int p, double* own, double* update) {
  solve_lower<false>(L, to_size(f), p, own);
  std::fill_n(update, f - p, 0.0);
  multiply_add(f - p, p, L + p, to_size(f), own, update);
}

NSN_KERNEL void backward_lu(const double* L, int f, int p, const double* U, int u,
                            const double* known, double* own) {
  constexpr int kWidth = 4;
  const std::size_t ld = to_size(f);
  multiply_add(p, u, U, to_size(p), known, own);
  for (int end = p; end > 0;) {
    const int begin = (end - 1) / kWidth * kWidth;
    for (int k = end - 1; k >= begin; --k) {
      const double* const column = L + to_size(k) * ld;
      own[k] /= column[k];
      for (int i = begin; i < k; ++i) own[i] -= column[i] * own[k];
    }
    for (int i = 0; i < begin; i += kLanes) {
      const Lanes old = load(own + i);
      Lanes v = old;
      for (int k = end - 1; k >= begin; --k) v = v - load(L + to_size(k) * ld + i) * own[k];
      store(own + i, i + kLanes <= begin ? v : choose(first_lanes(begin - i), v, old));
    }
    end = begin;
  }
}

NSN_KERNEL void backward_cholesky(const double* L, int f, int p, const double* known, double* own) {
  constexpr int kWidth = 4;
  const std::size_t ld = to_size(f);
  multiply_transposed_subtract(f - p, p, L + p, ld, known, own);
  for (int end = p; end > 0; end -= kWidth) {
    const int begin = std::max(end - kWidth, 0);
    multiply_transposed_subtract(p - end, end - begin, L + to_size(begin) * ld + end, ld, own + end,
                                 own + begin);
    for (int k = end - 1; k >= begin; --k) {
      const double* const column = L + to_size(k) * ld;
      for (int i = k + 1; i < end; ++i) own[k] -= column[i] * own[i];
      own[k] /= column[k];
    }
  }
}

}  // namespace nsn::front
