/// Scalar sparse matrix in compressed rows: what files, direct solvers and small tests speak.
#pragma once

#include <span>
#include <vector>

#include "core/types.h"

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

/// y = A x
void multiply(const Csr& A, ConstVector x, Vector y);

}  // namespace nsn
