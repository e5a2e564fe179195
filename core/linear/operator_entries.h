/// The entries of an operator in the storage that a solver reads, whichever storage the operator
/// has.
///
///   ScalarEntries entries;               // or BlockEntries: a BlockCsr
///   entries.analyze(op);                 // once per pattern
///   const Csr& A = entries.update(op);   // once per set of values, allocates nothing
///
/// An operator that stores just that form is viewed, not copied. Otherwise each value of A knows
/// its source among the operator's values, and the pattern depends on the operator's pattern alone:
/// zeros that the operator stores stay entries.
#pragma once

#include <span>
#include <vector>

#include "nsn/core/linear/linear_operator.h"

namespace nsn {

/// What both forms share: a matrix that is the operator's own or is gathered from its values.
template <class Matrix>
class OperatorEntries {
 public:
  /// Takes the values of op, whose pattern is the analysed one.
  const Matrix& update(const LinearOperator& op);
  /// The matrix after the last update(). Gathered values may be changed in place until the next.
  const Matrix& matrix() const { return A_; }
  /// Bytes this object holds beyond the operator's own storage.
  double bytes_held() const;

 protected:
  // Sources of values that the operator does not store.
  static constexpr Index kZero = -1;
  static constexpr Index kOne = -2;

  void view(const Matrix& A) {
    A_ = A;
    source_ = IndexVector();
    viewed_ = true;
  }
  void gather(const Matrix& A, const IndexVector& source) {
    A_ = A;
    source_ = source;
    viewed_ = false;
  }

 private:
  Matrix A_;
  IndexVector source_;   // of value k of A_: its place among the operator's values, kZero or kOne
  bool viewed_ = false;  // A_ is the operator's own matrix
};

/// As one scalar CSR matrix: what direct solvers and other third-party code read.
class ScalarEntries : public OperatorEntries<Csr> {
 public:
  enum class Diagonal {
    kAsStored,  ///< what the operator stores, no more
    kComplete,  ///< every row has its diagonal entry, 0 if the operator stores none; never viewed
  };

  explicit ScalarEntries(Diagonal diagonal = Diagonal::kAsStored) : diagonal_(diagonal) {}

  /// Takes the pattern of op. Throws std::invalid_argument for a matrix-free operator.
  void analyze(const LinearOperator& op);

 private:
  Diagonal diagonal_;
};

/// As one matrix of 3x3 blocks with a symmetric pattern and a full diagonal: what solvers that work
/// by blocks read. Rows that complete the last block are unit rows; blocks that complete the
/// pattern are zero.
class BlockEntries : public OperatorEntries<BlockCsr> {
 public:
  /// Takes the pattern of op. Throws std::invalid_argument for a matrix-free operator.
  void analyze(const LinearOperator& op);
  /// The same for a matrix of that form whose transpose is known (transposed_blocks()).
  void analyze(const BlockCsr& A, std::span<const Index> transposed);

  /// Block of (j, i) for each block (i, j).
  const std::vector<Index>& transposed() const { return transposed_; }
  double bytes_held() const {
    return OperatorEntries::bytes_held() + 4.0 * static_cast<double>(transposed_.size());
  }

 private:
  std::vector<Index> transposed_;
};

}  // namespace nsn
