#include "nsn/core/problems/numerical_rank.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "nsn/core/base/error.h"

namespace nsn {

namespace {

using Column = std::vector<double>;

/// Above this, tridiagonalising takes seconds.
constexpr Index kLargestTridiagonalised = 1200;

/// S = (W + W^T) / 2 by dense rows.
class SymmetricPart {
 public:
  explicit SymmetricPart(const Csr& W) : W_(W), Wt_(transpose(W)) {}

  std::size_t rows() const { return static_cast<std::size_t>(W_.rows); }
  void row(std::size_t p, Column& out) const {
    std::fill(out.begin(), out.end(), 0.0);
    const auto i = static_cast<Index>(p);
    for (const Csr* A : {&W_, &Wt_}) {
      for (Index k = A->row_begin(i); k < A->row_begin(i + 1); ++k) {
        out[static_cast<std::size_t>(A->column(k))] += 0.5 * A->value(k);
      }
    }
  }
  Column diagonal() const {
    Column result(rows(), 0.0);
    for (Index i = 0; i < W_.rows; ++i) {
      for (Index k = W_.row_begin(i); k < W_.row_begin(i + 1); ++k) {
        if (W_.column(k) == i) result[static_cast<std::size_t>(i)] = W_.value(k);
      }
    }
    return result;
  }
  double largest_diagonal() const {
    double largest = 0.0;
    for (const double x : diagonal()) largest = std::max(largest, x);
    return largest;
  }

 private:
  const Csr& W_;
  Csr Wt_;
};

struct PivotedCholesky {
  Index rank = 0;
  double least_remaining = 0.0;  ///< smallest diagonal entry of the remainder, <= 0
};

PivotedCholesky pivoted_cholesky(const SymmetricPart& S, double threshold) {
  const std::size_t n = S.rows();
  Column diagonal = S.diagonal();
  Column row(n);
  std::vector<bool> taken(n, false);
  std::vector<Column> L;  // columns of the factor, as far as they are known
  while (L.size() < n) {
    const auto at = std::max_element(diagonal.begin(), diagonal.end());
    if (!(*at > threshold)) break;
    const auto p = static_cast<std::size_t>(at - diagonal.begin());
    S.row(p, row);
    for (const Column& l : L) {
      if (l[p] == 0.0) continue;
      for (std::size_t i = 0; i < n; ++i) row[i] -= l[p] * l[i];
    }
    const double root = std::sqrt(*at);
    for (std::size_t i = 0; i < n; ++i) {
      row[i] /= root;
      if (!taken[i]) diagonal[i] -= row[i] * row[i];
    }
    taken[p] = true;
    diagonal[p] = 0.0;
    L.push_back(row);
  }
  return {static_cast<Index>(L.size()),
          n == 0 ? 0.0 : *std::min_element(diagonal.begin(), diagonal.end())};
}

/// Householder reflections: S becomes tridiagonal with the same eigenvalues.
void tridiagonalise(std::vector<Column>& A, Column& diagonal, Column& beside) {
  const std::size_t n = A.size();
  Column v(n);
  Column p(n);
  for (std::size_t k = 0; k + 2 < n; ++k) {
    double norm = 0.0;
    for (std::size_t i = k + 1; i < n; ++i) norm = std::hypot(norm, A[i][k]);
    if (norm == 0.0) continue;
    for (std::size_t i = k + 1; i < n; ++i) v[i] = A[i][k] / norm;
    const double head = v[k + 1] > 0.0 ? -norm : norm;
    v[k + 1] -= head / norm;
    double squared = 0.0;
    for (std::size_t i = k + 1; i < n; ++i) squared += v[i] * v[i];
    const double beta = 2.0 / squared;
    double half = 0.0;
    for (std::size_t i = k + 1; i < n; ++i) {
      double sum = 0.0;
      for (std::size_t j = k + 1; j < n; ++j) sum += A[i][j] * v[j];
      p[i] = beta * sum;
      half += 0.5 * beta * p[i] * v[i];
    }
    for (std::size_t i = k + 1; i < n; ++i) p[i] -= half * v[i];
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = k + 1; j < n; ++j) A[i][j] -= v[i] * p[j] + p[i] * v[j];
    }
    A[k + 1][k] = head;
  }
  for (std::size_t i = 0; i < n; ++i) diagonal[i] = A[i][i];
  for (std::size_t i = 0; i + 1 < n; ++i) beside[i] = A[i + 1][i];
}

/// Sturm: as many eigenvalues exceed the threshold as pivots of T - threshold I are positive.
Index eigenvalues_above(const SymmetricPart& S, double threshold) {
  const std::size_t n = S.rows();
  std::vector<Column> A(n, Column(n));
  for (std::size_t i = 0; i < n; ++i) S.row(i, A[i]);
  Column diagonal(n);
  Column beside(n, 0.0);
  tridiagonalise(A, diagonal, beside);
  Index count = 0;
  double pivot = 1.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double coupling = i == 0 ? 0.0 : beside[i - 1] * beside[i - 1] / pivot;
    pivot = diagonal[i] - threshold - coupling;
    if (pivot == 0.0) pivot = -1e-300;
    if (pivot > 0.0) ++count;
  }
  return count;
}

/// S = H^T D^-1 H by its rows.
Csr weighted_gram(const Csr& H, const std::vector<double>& inverse) {
  const Csr Ht = transpose(H);
  std::vector<Triplet> entries;
  Column row(static_cast<std::size_t>(H.columns));
  for (Index i = 0; i < Ht.rows; ++i) {
    std::fill(row.begin(), row.end(), 0.0);
    for (Index k = Ht.row_begin(i); k < Ht.row_begin(i + 1); ++k) {
      const Index dof = Ht.column(k);
      const double weight = Ht.value(k) * inverse[static_cast<std::size_t>(dof)];
      for (Index l = H.row_begin(dof); l < H.row_begin(dof + 1); ++l) {
        row[static_cast<std::size_t>(H.column(l))] += weight * H.value(l);
      }
    }
    for (Index j = 0; j < H.columns; ++j) {
      if (row[static_cast<std::size_t>(j)] != 0.0)
        entries.push_back({i, j, row[static_cast<std::size_t>(j)]});
    }
  }
  return csr_from_triplets(H.columns, H.columns, entries);
}

}  // namespace

Index numerical_rank(const Csr& S, double tolerance) {
  NSN_THROW_UNLESS(S.rows == S.columns, "rank of a {} x {} matrix", S.rows, S.columns);
  if (S.rows > kLargestRankedRows) return -1;
  const SymmetricPart matrix(S);
  const double threshold = tolerance * matrix.largest_diagonal();
  const PivotedCholesky factor = pivoted_cholesky(matrix, threshold);
  // A remainder with diagonal entries far below zero is no rounding of zero: the matrix is not
  // semidefinite to this tolerance, and only its eigenvalues tell.
  if (factor.least_remaining >= -threshold || S.rows > kLargestTridiagonalised) return factor.rank;
  return eigenvalues_above(matrix, threshold);
}

Index numerical_rank(const FrictionProblem& problem) {
  return numerical_rank(problem.W);
}

Index numerical_rank(const LinearComplementarityProblem& problem) {
  return numerical_rank(problem.M);
}

Index numerical_rank(const GlobalFrictionProblem& problem) {
  if (problem.H.columns > kLargestRankedRows) return -1;
  std::vector<double> inverse(static_cast<std::size_t>(problem.dofs()), 1.0);
  for (Index i = 0; i < problem.dofs(); ++i) {
    for (Index k = problem.M.row_begin(i); k < problem.M.row_begin(i + 1); ++k) {
      const double m = std::abs(problem.M.value(k));
      if (problem.M.column(k) == i && m > 0.0) inverse[static_cast<std::size_t>(i)] = 1.0 / m;
    }
  }
  return numerical_rank(weighted_gram(problem.H, inverse));
}

}  // namespace nsn
