#include "nsn/core/problems/mass_matrix.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "nsn/core/base/error.h"
#include "nsn/core/base/types.h"

namespace nsn {
namespace {

constexpr Index kLargestDensePart = 12;

/// Inverse of a dense matrix by Gauss-Jordan with row pivoting, in place; false if it is singular.
bool invert_dense(std::vector<double>& a, std::size_t n, double* inverse) {
  std::fill_n(inverse, n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) inverse[i * n + i] = 1.0;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(a[i * n + k]) > std::abs(a[best * n + k])) best = i;
    }
    const double pivot = a[best * n + k];
    if (!(std::abs(pivot) > 0.0) || !std::isfinite(1.0 / pivot)) return false;
    for (std::size_t j = 0; j < n && best != k; ++j) {
      std::swap(a[k * n + j], a[best * n + j]);
      std::swap(inverse[k * n + j], inverse[best * n + j]);
    }
    for (std::size_t j = 0; j < n; ++j) {
      a[k * n + j] /= pivot;
      inverse[k * n + j] /= pivot;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = a[i * n + k];
      if (i == k || factor == 0.0) continue;
      for (std::size_t j = 0; j < n; ++j) {
        a[i * n + j] -= factor * a[k * n + j];
        inverse[i * n + j] -= factor * inverse[k * n + j];
      }
    }
  }
  return true;
}

}  // namespace

MassMatrix::MassMatrix(const Csr& M, const SolverRegistry& registry, const std::string& backend)
    : M_(M) {
  diagonal_ = invert_diagonal(M);
  if (diagonal_) return;
  asymmetry_ = nsn::asymmetry(M);
  find_parts(M);
  Index largest = 0;
  for (Index p = 0; p < parts(); ++p) largest = std::max(largest, part_size(p));
  if (largest <= kLargestDensePart) {
    invert_parts(M);
    return;
  }
  sparse_ = registry.make(backend);
  const bool symmetric = asymmetry_ <= kSymmetricToRounding;
  operator_ = std::make_unique<CsrOperator>(M_, symmetric);
  sparse_->prepare(*operator_);
}

/// The simplest case: 1 / M_kk, and parts of three (or fewer) degrees of freedom. False if M is
/// not diagonal or not invertible.
bool MassMatrix::invert_diagonal(const Csr& M) {
  const Index n = M.rows;
  inverse_.assign(to_size(n), 0.0);
  for (Index i = 0; i < n; ++i) {
    for (Index k = M.row_begin(i); k < M.row_begin(i + 1); ++k) {
      if (M.column(k) == i) {
        inverse_[to_size(i)] = 1.0 / M.value(k);
      } else if (M.value(k) != 0.0) {
        return false;
      }
    }
    if (!std::isfinite(inverse_[to_size(i)]) || inverse_[to_size(i)] == 0.0) return false;
  }
  part_.resize(to_size(n));
  place_.resize(to_size(n));
  dofs_.resize(to_size(n));
  for (Index i = 0; i < n; ++i) {
    part_[to_size(i)] = i / kBlock;
    place_[to_size(i)] = i % kBlock;
    dofs_[to_size(i)] = i;
  }
  for (Index i = 0; i < n; i += kBlock) begin_.push_back(i);
  begin_.push_back(n);
  return true;
}

/// Connected parts of the pattern of M, by joining the ends of every entry that is not zero.
void MassMatrix::find_parts(const Csr& M) {
  const Index n = M.rows;
  std::vector<Index> root(to_size(n));
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](Index i) {
    while (root[to_size(i)] != i) i = root[to_size(i)] = root[to_size(root[to_size(i)])];
    return i;
  };
  // Three translations or rotations stay together even where M is diagonal: fewer, larger parts.
  for (Index i = 0; i < n && n % kBlock == 0; ++i) root[to_size(i)] = i - i % kBlock;
  for (Index i = 0; i < n; ++i) {
    for (Index k = M.row_begin(i); k < M.row_begin(i + 1); ++k) {
      if (M.value(k) == 0.0 || M.column(k) == i) continue;
      const Index a = find(i);
      const Index b = find(M.column(k));
      root[to_size(std::max(a, b))] = std::min(a, b);
    }
  }
  part_.assign(to_size(n), 0);
  place_.assign(to_size(n), 0);
  std::vector<Index> size;
  for (Index i = 0; i < n; ++i) {
    const Index r = find(i);
    if (r == i) {
      part_[to_size(i)] = static_cast<Index>(size.size());
      size.push_back(0);
    } else {
      part_[to_size(i)] = part_[to_size(r)];  // the root is the smallest member: met before
    }
    place_[to_size(i)] = size[to_size(part_[to_size(i)])]++;
  }
  begin_.assign(size.size() + 1, 0);
  std::partial_sum(size.begin(), size.end(), begin_.begin() + 1);
  dofs_.resize(to_size(n));
  for (Index i = 0; i < n; ++i)
    dofs_[to_size(begin_[to_size(part_[to_size(i)])] + place_[to_size(i)])] = i;
}

void MassMatrix::invert_parts(const Csr& M) {
  inverse_begin_.assign(1, 0);
  std::size_t total = 0;
  for (Index p = 0; p < parts(); ++p) {
    total += to_size(part_size(p)) * to_size(part_size(p));
    inverse_begin_.push_back(total);
  }
  inverse_.resize(total);
  std::vector<double> dense;
  for (Index p = 0; p < parts(); ++p) {
    const std::size_t n = to_size(part_size(p));
    dense.assign(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      const Index dof = dofs_[to_size(begin_[to_size(p)]) + i];
      for (Index k = M.row_begin(dof); k < M.row_begin(dof + 1); ++k) {
        if (M.value(k) != 0.0) dense[i * n + to_size(place_[to_size(M.column(k))])] += M.value(k);
      }
    }
    if (!invert_dense(dense, n, inverse_.data() + inverse_begin_[to_size(p)]) && detail_.empty()) {
      detail_ =
          fmt::format("M is singular at degree of freedom {}", dofs_[to_size(begin_[to_size(p)])]);
    }
  }
}

double MassMatrix::solve_flops() const {
  if (sparse_ == nullptr) return 2.0 * static_cast<double>(inverse_.size());
  // Without its size, a factor is taken to hold as much as its operations allow at full density.
  return 4.0 * std::pow(sparse_->factorization_flops(), 2.0 / 3.0) + 4.0 * M_.nonzeros();
}

bool MassMatrix::solve(ConstVector f, Vector v) {
  if (sparse_ != nullptr) {
    std::fill_n(v.data(), v.extent(0), 0.0);
    const LinearReport report = sparse_->solve(f, v, {.rtol = 1e-13});
    const bool usable = report.ok() || report.status == LinearStatus::kInaccurate;
    if (!usable) detail_ = report.detail;
    return usable;
  }
  if (diagonal_) {
    for (Index i = 0; i < size_of(f); ++i) v(i) = inverse_[to_size(i)] * f(i);
    return true;
  }
  for (Index p = 0; p < parts(); ++p) {
    const Index* const dofs = dofs_.data() + begin_[to_size(p)];
    const Index n = part_size(p);
    const double* row = part_inverse(p);
    for (Index i = 0; i < n; ++i, row += n) {
      double sum = 0.0;
      for (Index j = 0; j < n; ++j) sum += row[j] * f(dofs[j]);
      v(dofs[i]) = sum;
    }
  }
  return ok();
}

}  // namespace nsn
