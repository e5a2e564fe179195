/// The entries of an operator as one matrix of 3x3 blocks with a symmetric pattern and a full
/// diagonal, whichever storage the operator has: what block factorisations read.
///
///   SymmetricBlockEntries entries;
///   entries.analyze(op);                      // once per pattern
///   const BlockCsr& A = entries.update(op);   // once per set of values, allocates nothing
///
/// A block operator that is already of that form is viewed, not copied. Rows that complete the last
/// block are unit rows; blocks that complete the pattern are zero.
#pragma once

#include <span>
#include <vector>

#include "nsn/core/linear/linear_operator.h"

namespace nsn {

class SymmetricBlockEntries {
 public:
  /// Throws std::invalid_argument for a matrix-free operator.
  void analyze(const LinearOperator& op);
  /// The same for a matrix of that form whose transpose is known (transposed_blocks()).
  void analyze(const BlockCsr& A, std::span<const Index> transposed);
  const BlockCsr& update(const LinearOperator& op);

  const BlockCsr& matrix() const { return A_; }
  /// Block of (j, i) for each block (i, j).
  const std::vector<Index>& transposed() const { return transposed_; }
  double bytes_held() const;

 private:
  void analyze_blocks(const BlockCsr& given);
  void analyze_scalars(const Csr& given);

  BlockCsr A_;
  bool viewed_ = false;
  std::vector<Index> transposed_;
  std::vector<Index> target_;  // of each value (scalars) or block (blocks) of the operator
};

/// For each block (i, j) the place of block (j, i); empty if the pattern is not symmetric or a
/// diagonal block is absent.
std::vector<Index> transposed_blocks(const BlockCsr& A);
/// The same into `place`, whose room is kept.
void find_transposed_blocks(const BlockCsr& A, std::vector<Index>& place);

}  // namespace nsn
