/// The blocks of a contact matrix that are not zero, in single precision: what an iterative solver
/// with a loose tolerance multiplies with.
///
/// An open contact leaves a unit row and zero blocks in the constant pattern of W. Most of the time
/// of a Krylov iteration on a large pile is the transport of the matrix from memory: without the
/// zeros, and with 40 bytes a block in place of 76, less than half of it is left. Sums are formed
/// in double precision; the product is that of a matrix which differs from the given one by 6e-8 of
/// each entry.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nsn/core/linear/linear_operator.h"
#include "nsn/core/matrix/block_csr.h"

namespace nsn {

class ActiveBlocks {
 public:
  /// Room for any subset of A's blocks; the only function that allocates.
  void reserve(const BlockCsr& A);
  /// Takes the blocks (i, j) of A with active[i] and active[j] not zero; rows and columns of the
  /// others are unit rows and columns.
  void gather(const BlockCsr& A, std::span<const std::uint8_t> active);

  /// y = A x
  void apply(ConstVector x, Vector y) const;
  ProductSums apply_with_sums(ConstVector x, ConstVector d, ConstVector q, Vector y) const;
  /// At least, vectors included.
  double bytes_per_apply() const;

 private:
  void multiply(Index i, const double* x, double* y) const;

  Index rows_ = 0;
  std::vector<Index> begin_;  // per row; an empty one is a unit row
  std::vector<Index> column_;
  std::vector<float> value_;  // 9 per block
};

}  // namespace nsn
