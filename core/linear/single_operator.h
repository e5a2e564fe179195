/// The entries of an operator in single precision, multiplied in double:
///
///   y_i = sum_j float(S_ij) x_j
///
///   SingleOperator F;
///   F.analyze(op);     // once per pattern
///   F.update(op);      // once per set of values, allocates nothing
///
/// Most of the time of a Krylov iteration on a large matrix is its transport from memory: an entry
/// moves 4 bytes instead of 8. What is lost is in the matrix alone: F = S (1 + eps) entry by entry,
/// |eps| <= 6e-8, so that x solves a neighbour of S x = b and leaves a residual of about
/// 6e-8 |S| |x| however long one iterates. A matrix that does not fit single precision (an entry
/// above 3e38) becomes infinite, and shows as such.
///
/// Of a contact matrix only the blocks between active contacts are copied (Rows::kActive): an open
/// contact leaves a unit row and zero blocks in the constant pattern of S, and none of them in F.
#pragma once

#include <cstdint>
#include <span>

#include "nsn/core/linear/linear_operator.h"

namespace nsn {

class SingleOperator final : public LinearOperator {
 public:
  enum class Rows {
    kAll,     ///< every entry: update(op)
    kActive,  ///< blocks only, those of the given rows and columns: update(op, active)
  };

  /// Takes the pattern of op. Throws std::invalid_argument for a matrix-free operator, and for
  /// kActive rows of a matrix without blocks.
  void analyze(const LinearOperator& op, Rows rows = Rows::kAll);
  /// Takes the values of op, whose pattern is the analysed one; op must live as long as this is
  /// used.
  void update(const LinearOperator& op);
  /// Takes the blocks (i, j) with active[i] and active[j] not zero; the rows and columns of the
  /// others are unit rows and columns.
  void update(const LinearOperator& op, std::span<const std::uint8_t> active);
  double bytes_held() const;

  Index rows() const override { return rows_; }
  void apply(ConstVector x, Vector y) const override;
  ProductSums apply_with_sums(ConstVector x, ConstVector d, ConstVector q, Vector y) const override;
  /// Those of op, in double.
  void diagonal(Vector out) const override { source_->diagonal(out); }
  void diagonal_blocks(Vector out) const override { source_->diagonal_blocks(out); }
  std::uint64_t pattern_id() const override { return pattern_id_; }
  std::uint64_t value_id() const override { return value_id_; }
  double bytes_per_apply() const override;
  bool symmetric() const override { return source_->symmetric(); }

 private:
  template <class Work>
  auto with_rows(ConstVector x, const Work& work) const;

  const LinearOperator* source_ = nullptr;
  Index rows_ = 0;       // scalar rows
  Index side_ = 1;       // rows and columns of one stored block: 1 or 3
  bool active_ = false;  // row_begin_ and column_ are ours; an empty row is a unit row
  IndexVector row_begin_, column_;
  Kokkos::View<float*, Memory> value_;
  std::uint64_t pattern_id_ = 0;
  std::uint64_t value_id_ = 0;
};

}  // namespace nsn
