/// The entries of an operator as one scalar CSR matrix, whichever storage the operator has: what
/// direct solvers and other third-party code read.
///
///   ScalarEntries entries;
///   entries.analyze(op);                 // once per pattern
///   const Csr& A = entries.update(op);   // once per set of values, allocates nothing
///
/// A scalar operator is viewed, not copied, unless the diagonal has to be completed; of a block
/// operator all nine entries of every block are kept, stored zeros included, so that the pattern
/// depends on the operator's pattern alone.
#pragma once

#include "nsn/core/linear/linear_operator.h"

namespace nsn {

class ScalarEntries {
 public:
  enum class Diagonal {
    kAsStored,  ///< what the operator stores, no more
    kComplete,  ///< every row has its diagonal entry, 0 where the operator stores none
  };

  explicit ScalarEntries(Diagonal diagonal = Diagonal::kAsStored) : diagonal_(diagonal) {}

  /// Takes the pattern of op. Throws std::invalid_argument for a matrix-free operator.
  void analyze(const LinearOperator& op);
  /// Takes the values of op, whose pattern is the analysed one.
  const Csr& update(const LinearOperator& op);

  /// The matrix after the last update(). With kComplete, and for block operators, the values are
  /// this object's own and may be changed in place until the next update().
  const Csr& matrix() const { return A_; }
  /// Bytes this object holds beyond the operator's own storage.
  double bytes_held() const;

 private:
  void complete_diagonal();

  Diagonal diagonal_;
  Csr A_;
  // Where entry k of A_ stands among the operator's values, -1: it is a zero of ours. Empty: A_ is
  // the operator's own matrix.
  IndexVector source_;
};

}  // namespace nsn
