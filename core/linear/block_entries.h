/// The entries of an operator as one 3x3 block matrix, whichever storage the operator has: the twin
/// of core/linear/scalar_entries.h for solvers that work by blocks.
///
///   BlockEntries entries;
///   entries.analyze(op);                      // once per pattern
///   const BlockCsr& A = entries.update(op);   // once per set of values, allocates nothing
///
/// A block operator is viewed, not copied. A scalar one is padded to a multiple of three rows with
/// ones on the diagonal.
#pragma once

#include "nsn/core/linear/linear_operator.h"

namespace nsn {

class BlockEntries {
 public:
  /// Takes the pattern of op. Throws std::invalid_argument for a matrix-free operator.
  void analyze(const LinearOperator& op);
  /// Takes the values of op, whose pattern is the analysed one.
  const BlockCsr& update(const LinearOperator& op);

  /// The matrix after the last update().
  const BlockCsr& matrix() const { return A_; }
  /// Bytes this object holds beyond the operator's own storage.
  double bytes_held() const;

 private:
  BlockCsr A_;
  IndexVector target_;  // where scalar entry k goes among A_'s values; empty: A_ is op's own matrix
  Index rows_ = 0;      // scalar rows of op
};

}  // namespace nsn
