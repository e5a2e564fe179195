#include "nsn/precond/block_ilu.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "nsn/core/base/math3.h"
#include "nsn/core/base/types.h"

namespace nsn {
namespace {

constexpr double kSingular = 1e-13;  // |det| over the product of the rows' sizes

/// Inverse in place; false: singular, the inverse of its diagonal instead.
bool invert(double* a) {
  const Mat3 A = load9(a);
  double size = 1.0;
  for (int i = 0; i < 3; ++i) {
    size *= std::abs(A(i, 0)) + std::abs(A(i, 1)) + std::abs(A(i, 2));
  }
  const Mat3 B = inverse(A);
  if (std::abs(determinant(A)) > kSingular * size && std::isfinite(max_abs(B))) {
    store9(a, B);
    return true;
  }
  std::fill_n(a, kBlockSize, 0.0);
  for (int i = 0; i < 3; ++i) {
    const double reciprocal = 1.0 / A(i, i);
    a[4 * i] = std::isfinite(reciprocal) && reciprocal != 0.0 ? reciprocal : 1.0;
  }
  return false;
}

/// y -= A x
void subtract(const double* A, const double* x, double* y) {
  y[0] -= A[0] * x[0] + A[1] * x[1] + A[2] * x[2];
  y[1] -= A[3] * x[0] + A[4] * x[1] + A[5] * x[2];
  y[2] -= A[6] * x[0] + A[7] * x[1] + A[8] * x[2];
}

}  // namespace

void BlockIlu::analyze(const LinearOperator& op) {
  const BlockCsr S = op.blocks() != nullptr ? *op.blocks() : to_blocks(*op.scalars());
  rows_ = op.rows();
  begin_.assign(1, 0);
  column_.clear();
  diagonal_.clear();
  source_.clear();
  for (Index i = 0; i < S.rows; ++i) {
    bool found = false;
    const auto add = [&](Index j, Index from) {
      if (j == i) diagonal_.push_back(static_cast<Index>(column_.size()));
      found = found || j == i;
      column_.push_back(j);
      source_.push_back(from);
    };
    for (Index k = S.row_begin(i); k < S.row_begin(i + 1); ++k) {
      if (S.column(k) > i && !found) add(i, -1);
      add(S.column(k), k);
    }
    if (!found) add(i, -1);
    begin_.push_back(static_cast<Index>(column_.size()));
  }
  value_.resize(to_size(kBlockSize) * column_.size());
  place_.assign(to_size(S.rows), -1);
  x_.resize(to_size(kBlock * S.rows));
}

void BlockIlu::factorize(const LinearOperator& op) {
  take_values(op.blocks() != nullptr ? *op.blocks() : to_blocks(*op.scalars()));
  replaced_ = 0;
  for (Index i = 0; i + 1 < static_cast<Index>(begin_.size()); ++i) eliminate(i);
  note_.clear();
  if (replaced_ > 0) {
    note_ = fmt::format("{} diagonal blocks are singular; block-ILU takes their diagonal there",
                        replaced_);
  }
}

void BlockIlu::take_values(const BlockCsr& S) {
  for (std::size_t k = 0; k < source_.size(); ++k) {
    double* const to = value_.data() + kBlockSize * k;
    if (source_[k] < 0) {
      std::fill_n(to, kBlockSize, 0.0);
    } else {
      std::copy_n(&S.value(kBlockSize * source_[k]), kBlockSize, to);
    }
  }
}

void BlockIlu::eliminate(Index i) {
  double* const all = value_.data();
  for (Index k = begin_[to_size(i)]; k < begin_[to_size(i) + 1]; ++k)
    place_[to_size(column_[to_size(k)])] = k;
  for (Index k = begin_[to_size(i)]; k < diagonal_[to_size(i)]; ++k) {
    const Index above = column_[to_size(k)];
    const Mat3 L = load9(all + kBlockSize * to_size(k)) *
                   load9(all + kBlockSize * to_size(diagonal_[to_size(above)]));
    store9(all + kBlockSize * to_size(k), L);
    for (Index m = diagonal_[to_size(above)] + 1; m < begin_[to_size(above) + 1]; ++m) {
      const Index target = place_[to_size(column_[to_size(m)])];
      if (target < 0) continue;
      double* const to = all + kBlockSize * to_size(target);
      store9(to, load9(to) - L * load9(all + kBlockSize * to_size(m)));
    }
  }
  if (!invert(all + kBlockSize * to_size(diagonal_[to_size(i)]))) ++replaced_;
  for (Index k = begin_[to_size(i)]; k < begin_[to_size(i) + 1]; ++k)
    place_[to_size(column_[to_size(k)])] = -1;
}

void BlockIlu::apply(ConstVector r, Vector z) const {
  const auto blocks = static_cast<Index>(diagonal_.size());
  const double* const all = value_.data();
  std::fill(x_.begin(), x_.end(), 0.0);
  std::copy_n(r.data(), rows_, x_.begin());
  for (Index i = 0; i < blocks; ++i) {
    for (Index k = begin_[to_size(i)]; k < diagonal_[to_size(i)]; ++k) {
      subtract(all + kBlockSize * to_size(k), &x_[to_size(kBlock * column_[to_size(k)])],
               &x_[to_size(kBlock * i)]);
    }
  }
  for (Index i = blocks - 1; i >= 0; --i) {
    double* const x = &x_[to_size(kBlock * i)];
    for (Index k = diagonal_[to_size(i)] + 1; k < begin_[to_size(i) + 1]; ++k) {
      subtract(all + kBlockSize * to_size(k), &x_[to_size(kBlock * column_[to_size(k)])], x);
    }
    store3(x, load9(all + kBlockSize * to_size(diagonal_[to_size(i)])) * load3(x));
  }
  std::copy_n(x_.begin(), rows_, z.data());
}

double BlockIlu::bytes_per_apply() const {
  return 8.0 * static_cast<double>(value_.size()) + 4.0 * static_cast<double>(column_.size()) +
         16.0 * rows_;
}

double BlockIlu::bytes_held() const {
  const std::size_t indices =
      begin_.size() + column_.size() + diagonal_.size() + source_.size() + place_.size();
  return 8.0 * static_cast<double>(value_.size() + x_.size()) + 4.0 * static_cast<double>(indices);
}

}  // namespace nsn
