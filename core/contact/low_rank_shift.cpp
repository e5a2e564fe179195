#include "nsn/core/contact/low_rank_shift.h"

#include <algorithm>
#include <cmath>

namespace nsn {
namespace {

constexpr double kRankTolerance = 1e-11;  // rounding: of the largest diagonal entry of a group
constexpr Index kLargestGroup = 32;       // size of an array: contacts; larger ones are kept whole

/// Rows and columns `member` of W, dense, row by row.
void gather(const BlockCsr& W, std::span<const Index> member, std::vector<double>& A) {
  const std::size_t m = kBlock * member.size();
  A.assign(m * m, 0.0);
  for (std::size_t a = 0; a < member.size(); ++a) {
    std::size_t b = 0;
    for (Index k = W.row_begin(member[a]); k < W.row_begin(member[a] + 1); ++k) {
      while (b < member.size() && member[b] < W.column(k)) ++b;
      if (b == member.size()) break;
      if (member[b] != W.column(k)) continue;
      const double* const from = W.value.data() + to_size(k) * kBlockSize;
      for (std::size_t r = 0; r < kBlock; ++r) {
        std::copy_n(from + kBlock * r, kBlock, A.data() + (kBlock * a + r) * m + kBlock * b);
      }
    }
  }
}

/// A ~ L L^T with rows pivot[0], pivot[1], ... of L lower triangular; L is m x m, row by row.
void pivoted_cholesky(const std::vector<double>& A, std::size_t m, std::vector<double>& L,
                      std::vector<Index>& pivot) {
  std::vector<double> rest(m);
  double largest = 0.0;
  for (std::size_t i = 0; i < m; ++i) {
    rest[i] = A[i * m + i];
    largest = std::max(largest, rest[i]);
  }
  L.assign(m * m, 0.0);
  pivot.clear();
  for (std::size_t k = 0; k < m; ++k) {
    const auto best =
        static_cast<std::size_t>(std::max_element(rest.begin(), rest.end()) - rest.begin());
    if (!(rest[best] > kRankTolerance * largest)) return;
    const double root = std::sqrt(rest[best]);
    for (std::size_t i = 0; i < m; ++i) {
      if (rest[i] < 0.0) continue;  // a pivot already
      double sum = A[i * m + best];
      for (std::size_t c = 0; c < k; ++c) sum -= L[i * m + c] * L[best * m + c];
      L[i * m + k] = sum / root;
      rest[i] = std::max(0.0, rest[i] - L[i * m + k] * L[i * m + k]);
    }
    L[best * m + k] = root;
    rest[best] = -1.0;
    pivot.push_back(static_cast<Index>(best));
  }
}

/// Inverse of a symmetric positive definite matrix of k rows, by Gauss-Jordan.
void invert(std::vector<double>& A, std::size_t k) {
  for (std::size_t p = 0; p < k; ++p) {
    const double pivot = 1.0 / A[p * k + p];
    A[p * k + p] = 1.0;
    for (std::size_t j = 0; j < k; ++j) A[p * k + j] *= pivot;
    for (std::size_t i = 0; i < k; ++i) {
      if (i == p) continue;
      const double factor = A[i * k + p];
      A[i * k + p] = 0.0;
      for (std::size_t j = 0; j < k; ++j) A[i * k + j] -= factor * A[p * k + j];
    }
  }
}

}  // namespace

LowRankShift::LowRankShift(const BlockCsr& W)
    : groups_(group_blocks(W)), group_(to_size(groups_.count())), rows_(W.scalar_rows()) {
  place_.assign(to_size(rows_), -1);
  kept_.reserve(to_size(rows_));
  for (Index g = 0; g < groups_.count(); ++g) compress(W, g);
}

double LowRankShift::share() const {
  return rows_ > 0 ? static_cast<double>(kept_.size()) / rows_ : 1.0;
}

void LowRankShift::compress(const BlockCsr& W, Index g) {
  const std::span<const Index> member(groups_.member.data() + groups_.begin[to_size(g)],
                                      groups_.member.data() + groups_.begin[to_size(g) + 1]);
  const std::size_t m = kBlock * member.size();
  std::vector<double> A;
  std::vector<double> L;
  std::vector<Index> pivot;
  if (member.size() > 1 && member.size() <= to_size(kLargestGroup)) {
    gather(W, member, A);
    pivoted_cholesky(A, m, L, pivot);
  }
  group_[to_size(g)] = {static_cast<Index>(pivot.size()), false, X_.size(), inverse_.size(),
                        kept_.size()};
  if (pivot.empty() || pivot.size() == m) {
    group_[to_size(g)].whole = true;
    group_[to_size(g)].rank = static_cast<Index>(m);
    pivot.resize(m);
    for (std::size_t i = 0; i < m; ++i) pivot[i] = static_cast<Index>(i);
  } else {
    append(g, L, pivot);
  }
  for (std::size_t k = 0; k < pivot.size(); ++k) {
    const Index row = kBlock * member[to_size(pivot[k] / kBlock)] + pivot[k] % kBlock;
    place_[to_size(row)] = static_cast<Index>(k);
    kept_.push_back(row);
  }
}

/// X = L L_P^-1, L_P the pivots' rows, and (X^T X)^-1.
void LowRankShift::append(Index g, const std::vector<double>& L, const std::vector<Index>& pivot) {
  const std::size_t k = pivot.size();
  const std::size_t m = kBlock * to_size(groups_.begin[to_size(g) + 1] - groups_.begin[to_size(g)]);
  X_.resize(X_.size() + m * k);
  double* const X = X_.data() + group_[to_size(g)].X;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t a = k; a-- > 0;) {
      double sum = L[i * m + a];
      for (std::size_t b = a + 1; b < k; ++b) sum -= X[i * k + b] * L[to_size(pivot[b]) * m + a];
      X[i * k + a] = sum / L[to_size(pivot[a]) * m + a];
    }
  }
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t b = 0; b < k; ++b) X[to_size(pivot[a]) * k + b] = a == b ? 1.0 : 0.0;
  }
  std::vector<double> G(k * k, 0.0);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t a = 0; a < k; ++a) {
      for (std::size_t b = 0; b < k; ++b) G[a * k + b] += X[i * k + a] * X[i * k + b];
    }
  }
  invert(G, k);
  inverse_.insert(inverse_.end(), G.begin(), G.end());
}

void LowRankShift::assemble(const BlockCsr& W, double rho, BlockCsr& A,
                            std::span<std::uint8_t> active) const {
  for (Index i = 0; i < W.rows; ++i) {
    const Index* const row = place_.data() + kBlock * i;
    active[to_size(i)] = static_cast<std::uint8_t>(
        (row[0] >= 0 ? 1U : 0U) | (row[1] >= 0 ? 2U : 0U) | (row[2] >= 0 ? 4U : 0U));
    const Group& group = group_[to_size(groups_.of[to_size(i)])];
    const auto unit = [&](Index r, Index c) { return r == c ? 1.0 : 0.0; };
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) {
      const Index j = W.column(k);
      const Index* const column = place_.data() + kBlock * j;
      const double* const from = W.value.data() + to_size(k) * kBlockSize;
      double* const to = A.value.data() + to_size(k) * kBlockSize;
      for (Index r = 0; r < kBlock; ++r) {
        for (Index c = 0; c < kBlock; ++c) {
          to[kBlock * r + c] = row[r] >= 0 && column[c] >= 0 ? from[kBlock * r + c] : 0.0;
        }
      }
      if (groups_.of[to_size(i)] != groups_.of[to_size(j)]) continue;
      for (Index r = 0; r < kBlock; ++r) {
        for (Index c = 0; c < kBlock; ++c) {
          const bool kept = row[r] >= 0 && column[c] >= 0;
          if (!kept || group.whole) {
            to[kBlock * r + c] += i == j ? (kept ? rho : 1.0) * unit(r, c) : 0.0;
          } else {
            to[kBlock * r + c] +=
                rho * inverse_[group.inverse + to_size(row[r] * group.rank + column[c])];
          }
        }
      }
    }
  }
}

void LowRankShift::reduce(ConstVector b, Vector c) const {
  std::fill_n(c.data(), c.extent(0), 0.0);
  double sum[kBlock * kLargestGroup];
  for (Index g = 0; g < groups_.count(); ++g) {
    const Group& group = group_[to_size(g)];
    const Index* const kept = kept_.data() + group.kept_begin;
    const Index k = group.rank;
    if (group.whole) {
      for (Index a = 0; a < k; ++a) c(kept[a]) = b(kept[a]);
      continue;
    }
    std::fill_n(sum, k, 0.0);
    const double* x = X_.data() + group.X;
    for (Index e = groups_.begin[to_size(g)]; e < groups_.begin[to_size(g) + 1]; ++e) {
      for (Index r = 0; r < kBlock; ++r, x += k) {
        const double value = b(kBlock * groups_.member[to_size(e)] + r);
        for (Index a = 0; a < k; ++a) sum[a] += x[a] * value;
      }
    }
    const double* row = inverse_.data() + group.inverse;
    for (Index a = 0; a < k; ++a, row += k) {
      double value = 0.0;
      for (Index d = 0; d < k; ++d) value += row[d] * sum[d];
      c(kept[a]) = value;
    }
  }
}

void LowRankShift::expand(double rho, ConstVector b, ConstVector c, ConstVector s, Vector x) const {
  const double weight = 1.0 / rho;
  double y[kBlock * kLargestGroup];
  for (Index g = 0; g < groups_.count(); ++g) {
    const Group& group = group_[to_size(g)];
    const Index* const kept = kept_.data() + group.kept_begin;
    const Index k = group.rank;
    if (group.whole) {  // b = c
      for (Index a = 0; a < k; ++a) x(kept[a]) = s(kept[a]);
      continue;
    }
    const double* row = inverse_.data() + group.inverse;
    for (Index a = 0; a < k; ++a, row += k) {
      double value = -weight * c(kept[a]);
      for (Index d = 0; d < k; ++d) value += row[d] * s(kept[d]);
      y[a] = value;
    }
    const double* X = X_.data() + group.X;
    for (Index e = groups_.begin[to_size(g)]; e < groups_.begin[to_size(g) + 1]; ++e) {
      for (Index r = 0; r < kBlock; ++r, X += k) {
        const Index i = kBlock * groups_.member[to_size(e)] + r;
        double value = weight * b(i);
        for (Index a = 0; a < k; ++a) value += X[a] * y[a];
        x(i) = value;
      }
    }
  }
}

}  // namespace nsn
