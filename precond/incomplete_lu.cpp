#include "nsn/precond/incomplete_lu.h"

#include <algorithm>
#include <cmath>

#include "nsn/core/base/math3.h"
#include "nsn/core/matrix/block_csr.h"

namespace nsn {
namespace {

constexpr double kSingular = 1e-13;  // |det| over the product of the rows' sizes before elimination
constexpr double kVanished = 1e-14;  // a pivot over the entry it was eliminated from: rounding

// out = a b
template <int W>
void multiply_block(const double* a, const double* b, double* out) {
  for (int i = 0; i < W; ++i) {
    for (int j = 0; j < W; ++j) {
      double sum = 0.0;
      for (int k = 0; k < W; ++k) sum += a[W * i + k] * b[W * k + j];
      out[W * i + j] = sum;
    }
  }
}

// out -= a b
template <int W>
void subtract_product(const double* a, const double* b, double* out) {
  for (int i = 0; i < W; ++i) {
    for (int j = 0; j < W; ++j) {
      double sum = out[W * i + j];
      for (int k = 0; k < W; ++k) sum -= a[W * i + k] * b[W * k + j];
      out[W * i + j] = sum;
    }
  }
}

// y -= A x
template <int W>
void subtract(const double* A, const double* x, double* y) {
  for (int i = 0; i < W; ++i) {
    for (int j = 0; j < W; ++j) y[i] -= A[W * i + j] * x[j];
  }
}

// The pivots of L D L^T are above what rounding leaves of `diagonal`.
template <int W>
bool is_definite(const double* D, const double* diagonal) {
  double a[W * W];
  std::copy_n(D, W * W, a);
  for (int k = 0; k < W; ++k) {
    if (!(a[W * k + k] > kVanished * diagonal[k])) return false;
    for (int i = k + 1; i < W; ++i) {
      const double factor = a[W * i + k] / a[W * k + k];
      for (int j = k + 1; j < W; ++j) a[W * i + j] -= factor * a[W * k + j];
    }
  }
  return true;
}

// Inverse in place; false: singular to what rounding leaves of rows of these sizes.
bool invert_block(double* a, const double* size, std::integral_constant<int, 1>) {
  const double inverse = 1.0 / *a;
  if (!(std::abs(*a) > kSingular * size[0]) || !std::isfinite(inverse)) return false;
  *a = inverse;
  return true;
}

bool invert_block(double* a, const double* size, std::integral_constant<int, 3>) {
  const Mat3 A = load9(a);
  double product = 1.0;
  for (int i = 0; i < 3; ++i) {
    product *= size[i];
  }
  const Mat3 B = inverse(A);
  if (!(std::abs(determinant(A)) > kSingular * product) || !std::isfinite(max_abs(B))) return false;
  store9(a, B);
  return true;
}

// Every block (i, j) has its (j, i). Columns ascend: one cursor for each row.
bool has_symmetric_pattern(const BlockRowsView& S) {
  std::vector<Index> cursor(S.begin.begin(), S.begin.end() - 1);
  for (Index i = 0; i < S.rows(); ++i) {
    for (Index k = S.begin[to_size(i)]; k < S.begin[to_size(i) + 1]; ++k) {
      const auto j = to_size(S.column[to_size(k)]);
      Index& at = cursor[j];
      while (at < S.begin[j + 1] && S.column[to_size(at)] < i) ++at;
      if (at == S.begin[j + 1] || S.column[to_size(at)] != i) return false;
    }
  }
  return true;
}

// What a sweep towards the front of an array will want 4 kB later.
void prefetch_behind(const double* p) {
  prefetch(p - 512);
}

}  // namespace

template <int W>
void IncompleteLu<W>::analyze(const BlockRowsView& S) {
  rows_ = S.rows();
  std::size_t below = 0;
  std::size_t above = 0;
  for (Index i = 0; i < rows_; ++i) {
    for (Index k = S.begin[to_size(i)]; k < S.begin[to_size(i) + 1]; ++k) {
      below += S.column[to_size(k)] < i ? 1 : 0;
      above += S.column[to_size(k)] > i ? 1 : 0;
    }
  }
  lower_column_.resize(below);
  upper_column_.resize(above);
  lower_.resize(kSize * below);
  upper_.resize(kSize * above);
  for (auto* v : {&lower_begin_, &upper_begin_}) v->assign(to_size(rows_) + 1, 0);
  pivot_.resize(kSize * to_size(rows_));
  next_.resize(to_size(rows_));
  place_.assign(to_size(rows_), -1);
  symmetric_ = has_symmetric_pattern(S);
}

template <int W>
bool IncompleteLu<W>::factorize(const BlockRowsView& S, double shift, Pivots pivots) {
  replaced_ = 0;
  for (Index i = 0; i < rows_; ++i) {
    take_row(S, i, shift, pivots);
    double before[kSize];
    std::copy_n(pivot_.data() + kSize * to_size(i), kSize, before);
    if (pivots.definite && symmetric_) {
      eliminate_symmetric_row(i);
    } else {
      eliminate_row(i);
    }
    drop_zeros(i);
    if (!invert_pivot(i, before, pivots)) return false;
  }
  return true;
}

// Row i of S + shift diag S. Where definite factors are wanted, 1 stands for a zero on the diagonal:
// a semidefinite S has nothing else in such a row.
template <int W>
void IncompleteLu<W>::take_row(const BlockRowsView& S, Index i, double shift, Pivots pivots) {
  Index l = lower_begin_[to_size(i)];
  Index u = upper_begin_[to_size(i)];
  double* const d = pivot_.data() + kSize * to_size(i);
  std::fill_n(d, kSize, 0.0);
  for (Index k = S.begin[to_size(i)]; k < S.begin[to_size(i) + 1]; ++k) {
    const Index j = S.column[to_size(k)];
    const double* const from = S.value + kSize * to_size(k);
    if (j == i) {
      std::copy_n(from, kSize, d);
    } else if (pivots.forced) {
      continue;
    } else if (j < i) {
      lower_column_[to_size(l)] = j;
      std::copy_n(from, kSize, lower(l++));
    } else {
      upper_column_[to_size(u)] = j;
      std::copy_n(from, kSize, upper(u++));
    }
  }
  lower_begin_[to_size(i) + 1] = l;
  upper_begin_[to_size(i) + 1] = u;
  for (int k = 0; k < W; ++k) {
    double& entry = d[(W + 1) * k];
    entry = entry == 0.0 && pivots.definite ? 1.0 : (1.0 + shift) * entry;
  }
}

template <int W>
void IncompleteLu<W>::eliminate_row(Index i) {
  const Index l_begin = lower_begin_[to_size(i)];
  const Index l_end = lower_begin_[to_size(i) + 1];
  const Index u_begin = upper_begin_[to_size(i)];
  const Index u_end = upper_begin_[to_size(i) + 1];
  double* const D = pivot_.data() + kSize * to_size(i);
  for (Index k = l_begin; k < l_end; ++k) place_[to_size(lower_column_[to_size(k)])] = k;
  for (Index k = u_begin; k < u_end; ++k) place_[to_size(upper_column_[to_size(k)])] = k;
  for (Index k = l_begin; k < l_end; ++k) {
    const Index above = lower_column_[to_size(k)];
    double L[kSize];
    multiply_block<W>(lower(k), pivot_.data() + kSize * to_size(above), L);
    std::copy_n(L, kSize, lower(k));
    for (Index m = upper_begin_[to_size(above)]; m < upper_begin_[to_size(above) + 1]; ++m) {
      const Index j = upper_column_[to_size(m)];
      if (j == i) {
        subtract_product<W>(L, upper(m), D);
      } else if (const Index target = place_[to_size(j)]; target >= 0) {
        subtract_product<W>(L, upper(m), j < i ? lower(target) : upper(target));
      }
    }
  }
  for (Index k = l_begin; k < l_end; ++k) place_[to_size(lower_column_[to_size(k)])] = -1;
  for (Index k = u_begin; k < u_end; ++k) place_[to_size(upper_column_[to_size(k)])] = -1;
}

// The same with U_ki across the diagonal in place of what the row itself has there.
template <int W>
void IncompleteLu<W>::eliminate_symmetric_row(Index i) {
  const Index u_begin = upper_begin_[to_size(i)];
  const Index u_end = upper_begin_[to_size(i) + 1];
  double* const D = pivot_.data() + kSize * to_size(i);
  for (Index k = u_begin; k < u_end; ++k) place_[to_size(upper_column_[to_size(k)])] = k;
  for (Index k = lower_begin_[to_size(i)]; k < lower_begin_[to_size(i) + 1]; ++k) {
    const Index above = lower_column_[to_size(k)];
    double* const L = lower(k);
    Index at = 0;
    if (!across(above, i, at)) {
      std::fill_n(L, kSize, 0.0);
      continue;
    }
    double Ut[kSize];
    for (int r = 0; r < W; ++r) {
      for (int c = 0; c < W; ++c) Ut[W * c + r] = upper(at)[W * r + c];
    }
    multiply_block<W>(Ut, pivot_.data() + kSize * to_size(above), L);
    subtract_product<W>(L, upper(at), D);
    for (Index m = at + 1; m < upper_begin_[to_size(above) + 1]; ++m) {
      const Index target = place_[to_size(upper_column_[to_size(m)])];
      if (target >= 0) subtract_product<W>(L, upper(m), upper(target));
    }
  }
  for (Index k = u_begin; k < u_end; ++k) place_[to_size(upper_column_[to_size(k)])] = -1;
  for (int r = 0; r < W; ++r) {
    for (int c = 0; c < r; ++c) D[W * r + c] = D[W * c + r] = 0.5 * (D[W * r + c] + D[W * c + r]);
  }
}

// Where U_ki is; false: it is zero. Asked for ascending i.
template <int W>
bool IncompleteLu<W>::across(Index k, Index i, Index& place) {
  const Index end = upper_begin_[to_size(k) + 1];
  Index& at = next_[to_size(k)];
  while (at < end && upper_column_[to_size(at)] < i) ++at;
  place = at;
  return at < end && upper_column_[to_size(at)] == i;
}

// Row i without the blocks of L and U that are zero.
template <int W>
void IncompleteLu<W>::drop_zeros(Index i) {
  const auto compact = [i](std::vector<Index>& begin, std::vector<Index>& column,
                           std::vector<double>& value) {
    Index kept = begin[to_size(i)];
    for (Index k = kept; k < begin[to_size(i) + 1]; ++k) {
      const double* const from = value.data() + kSize * to_size(k);
      if (all_zero(from, kSize)) continue;
      if (kept < k) {
        column[to_size(kept)] = column[to_size(k)];
        std::copy_n(from, kSize, value.data() + kSize * to_size(kept));
      }
      ++kept;
    }
    begin[to_size(i) + 1] = kept;
  };
  compact(lower_begin_, lower_column_, lower_);
  compact(upper_begin_, upper_column_, upper_);
  next_[to_size(i)] = upper_begin_[to_size(i)];
}

// D_i^-1 in place; `before` is D_i before its elimination.
template <int W>
bool IncompleteLu<W>::invert_pivot(Index i, const double* before, Pivots pivots) {
  double* const D = pivot_.data() + kSize * to_size(i);
  double size[W];
  double diagonal[W];
  for (int k = 0; k < W; ++k) {
    diagonal[k] = before[(W + 1) * k];
    size[k] = 0.0;
    double now = 0.0;
    for (int j = 0; j < W; ++j) {
      size[k] += std::abs(before[W * k + j]);
      now += std::abs(D[W * k + j]);
    }
    size[k] = std::max(size[k], now);
  }
  const bool usable = !pivots.definite || is_definite<W>(D, diagonal);
  if (pivots.definite) std::fill_n(size, W, 0.0);  // is_definite() has judged
  if (usable && invert_block(D, size, std::integral_constant<int, W>())) return true;
  const bool empty = std::all_of(D, D + kSize, [](double d) { return d == 0.0; });
  if (!pivots.forced && !empty) return false;  // no shift helps an empty block
  ++replaced_;
  std::fill_n(D, kSize, 0.0);
  for (int k = 0; k < W; ++k) {
    const double inverse = 1.0 / diagonal[k];
    const bool good = std::isfinite(inverse) && (!pivots.definite || diagonal[k] > 0.0);
    D[(W + 1) * k] = good ? inverse : 1.0;
  }
  return true;
}

// (1 + L) z = r
template <int W>
void IncompleteLu<W>::sweep_down(const double* r, double* z) const {
  const double* l = lower_.data();
  const Index* column = lower_column_.data();
  for (Index i = 0; i < rows_; ++i) {
    double y[W];
    for (int k = 0; k < W; ++k) y[k] = r[W * i + k];
    for (const Index* const end = lower_column_.data() + lower_begin_[to_size(i) + 1];
         column != end; ++column, l += kSize) {
      prefetch_ahead(l);
      if constexpr (W > 1) prefetch_ahead(l + kSize - 1);
      subtract<W>(l, z + W * to_size(*column), y);
    }
    for (int k = 0; k < W; ++k) z[W * i + k] = y[k];
  }
}

// (D + U) z = z, from the last row up
template <int W>
void IncompleteLu<W>::sweep_up(double* z) const {
  const auto blocks = to_size(upper_begin_[to_size(rows_)]);
  const double* u = upper_.data() + kSize * blocks;
  const Index* column = upper_column_.data() + blocks;
  for (Index i = rows_ - 1; i >= 0; --i) {
    double y[W];
    for (int k = 0; k < W; ++k) y[k] = z[W * i + k];
    for (const Index* const end = upper_column_.data() + upper_begin_[to_size(i)]; column != end;) {
      --column;
      u -= kSize;
      prefetch_behind(u);
      if constexpr (W > 1) prefetch_behind(u + kSize - 1);
      subtract<W>(u, z + W * to_size(*column), y);
    }
    const double* const D = pivot_.data() + kSize * to_size(i);
    for (int k = 0; k < W; ++k) {
      double sum = 0.0;
      for (int j = 0; j < W; ++j) sum += D[W * k + j] * y[j];
      z[W * i + k] = sum;
    }
  }
}

template <int W>
void IncompleteLu<W>::apply(const double* r, double* z) const {
  sweep_down(r, z);
  sweep_up(z);
}

template <int W>
double IncompleteLu<W>::bytes_per_apply() const {
  if (rows_ == 0) return 0.0;
  const double blocks = static_cast<double>(lower_begin_.back()) + upper_begin_.back();
  return (8.0 * kSize + 4.0) * blocks + (8.0 * kSize + 32.0 * W) * static_cast<double>(rows_);
}

template <int W>
double IncompleteLu<W>::bytes_held() const {
  const std::size_t values = lower_.size() + upper_.size() + pivot_.size();
  const std::size_t indices = lower_column_.size() + upper_column_.size() + place_.size() +
                              next_.size() + lower_begin_.size() + upper_begin_.size();
  return 8.0 * static_cast<double>(values) + 4.0 * static_cast<double>(indices);
}

template class IncompleteLu<1>;
template class IncompleteLu<3>;

}  // namespace nsn
