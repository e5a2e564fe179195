/// Scalar sparse matrix in compressed rows: what files, direct solvers and small tests speak.
#pragma once

#include <span>
#include <vector>

#include "nsn/core/base/types.h"

namespace nsn {

/// One entry of a scalar matrix; entries with the same place add up.
struct Triplet {
  Index row = 0;
  Index column = 0;
  double value = 0.0;
};

/// A (rows x columns): entries of row i are value[row_begin(i)] ... value[row_begin(i+1) - 1], by
/// ascending column, each column at most once.
struct Csr {
  Index rows = 0;
  Index columns = 0;
  IndexVector row_begin;  ///< rows + 1
  IndexVector column;     ///< nonzeros
  Vector value;           ///< nonzeros

  Index nonzeros() const { return size_of(value); }
};

/// Sums duplicates. Throws std::invalid_argument for an index out of range.
Csr csr_from_triplets(Index rows, Index columns, std::span<const Triplet> triplets);

Csr transpose(const Csr& A);

/// max |A - A^T| / max |A|; 0 for an empty or zero matrix. A must be square.
double asymmetry(const Csr& A);
/// Largest asymmetry(A) of a matrix that counts as symmetric.
inline constexpr double kSymmetricToRounding = 1e-12;

/// The arrays of a matrix as bare pointers, for kernels.
class CsrRows {
 public:
  explicit CsrRows(const Csr& A)
      : begin_(A.row_begin.data()), column_(A.column.data()), value_(A.value.data()) {}

  /// Row i of A x. Four sums, so that an addition need not wait for the one before it.
  double multiply(Index i, const double* x) const {
    double s0 = 0.0;
    double s1 = 0.0;
    double s2 = 0.0;
    double s3 = 0.0;
    const Index end = begin_[i + 1];
    Index k = begin_[i];
    for (; k + 3 < end; k += 4) {
      prefetch_ahead(value_ + k);
      s0 += value_[k] * x[column_[k]];
      s1 += value_[k + 1] * x[column_[k + 1]];
      s2 += value_[k + 2] * x[column_[k + 2]];
      s3 += value_[k + 3] * x[column_[k + 3]];
    }
    for (; k < end; ++k) s0 += value_[k] * x[column_[k]];
    return (s0 + s1) + (s2 + s3);
  }

 private:
  const Index* begin_;
  const Index* column_;
  const double* value_;
};

/// y = A x
void multiply(const Csr& A, ConstVector x, Vector y);

}  // namespace nsn
