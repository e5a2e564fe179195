/// What a linear solver sees of a system S x = b: a product, and on request its entries.
#pragma once

#include <cstdint>

#include "nsn/core/base/parallel.h"
#include "nsn/core/base/types.h"
#include "nsn/core/linear/product_sums.h"
#include "nsn/core/matrix/block_csr.h"
#include "nsn/core/matrix/csr.h"

namespace nsn {

class ContactOperator;
class SchurOperator;

/// Sum over a partition of [0, n), for operators that override apply_with_sums():
/// body(begin, end, sums) adds its rows.
template <class Body>
ProductSums sum_products(Index n, const Body& body) {
  const auto total = sum_range<7>(n, [&body](Index first, Index last, auto& part) {
    ProductSums sums;  // a local copy stays in registers
    body(first, last, sums);
    part[0] += sums.x_y;
    part[1] += sums.y_Py;
    part[2] += sums.r_r;
    part[3] += sums.r_x;
    part[4] += sums.x_q;
    part[5] += sums.y_Pq;
    part[6] += sums.q_Pq;
  });
  return {total[0], total[1], total[2], total[3], total[4], total[5], total[6]};
}

/// Row i of the vectors, y given; q may be null.
inline void add_row(const double* x, const double* d, const double* q, Index i, double y,
                    ProductSums& sums) {
  if (q != nullptr) {
    sums.add(x[i], d[i], y, q[i]);
  } else {
    sums.add(x[i], d[i], y);
  }
}

/// A square operator y = S x.
///
/// Two ids tell a solver how much of its preparation still holds: an unchanged pattern_id() means
/// the same sparsity pattern (symbolic work stays), an unchanged value_id() the same numbers
/// (nothing to do). Ids are unique within the process: two operators never share one by accident.
class LinearOperator {
 public:
  virtual ~LinearOperator() = default;

  /// Scalar rows, also the number of columns.
  virtual Index rows() const = 0;
  /// y = S x. x and y have rows() entries and do not overlap. Allocates nothing.
  virtual void apply(ConstVector x, Vector y) const = 0;
  /// y = S x, and the sums above for P = diag(d), d > 0 of rows() entries; q has rows() entries or
  /// none. Moves 8 bytes per row for d and 8 for q more than apply(); an operator that does not
  /// override it takes one more pass.
  virtual ProductSums apply_with_sums(ConstVector x, ConstVector d, ConstVector q, Vector y) const;
  /// Diagonal of S, rows() entries.
  virtual void diagonal(Vector out) const = 0;
  /// 3x3 diagonal blocks, 9 * ceil(rows() / 3) doubles; a block that reaches past the last row is
  /// completed by the unit matrix.
  virtual void diagonal_blocks(Vector out) const = 0;

  /// The entries, in one of the two storages; both null: matrix-free.
  virtual const BlockCsr* blocks() const { return nullptr; }
  virtual const Csr* scalars() const { return nullptr; }
  virtual bool has_entries() const { return blocks() != nullptr || scalars() != nullptr; }
  /// The operator as J H^-1 J^T + C, for solvers that work with the factors; null: it is none.
  virtual const SchurOperator* factors() const { return nullptr; }
  /// The operator as the matrix of a contact problem, for solvers that leave out its unit rows or
  /// read its values where they come from; null: it is none.
  virtual const ContactOperator* contacts() const { return nullptr; }

  virtual std::uint64_t pattern_id() const = 0;
  virtual std::uint64_t value_id() const = 0;

  /// Bytes one apply() must move through memory at least, vectors included.
  virtual double bytes_per_apply() const = 0;
  /// false: only solvers that handle unsymmetric systems may take it.
  virtual bool symmetric() const { return true; }
  /// Where each three rows are the displacement of a point: the points, rows() coordinates, m. Six
  /// motions of a rigid body are then nearly in the null space of a stiffness. Empty: not so, or not
  /// known.
  virtual ConstVector positions() const { return {}; }
};

/// The sums of ProductSums for a y that is already known: one pass over the vectors.
ProductSums product_sums(ConstVector x, ConstVector d, ConstVector q, ConstVector y);

/// The values of an operator's own storage. Throws std::invalid_argument if it has no entries.
const Vector& stored_values(const LinearOperator& op);

/// A fresh id for pattern_id() and value_id().
std::uint64_t next_operator_id();

/// Scalar CSR as an operator. Views the matrix, does not copy it.
class CsrOperator final : public LinearOperator {
 public:
  /// symmetric: what the caller knows of A.
  explicit CsrOperator(Csr A, bool symmetric = true);
  /// The values of A were changed in place.
  void values_changed() { value_id_ = next_operator_id(); }

  Index rows() const override { return A_.rows; }
  void apply(ConstVector x, Vector y) const override { multiply(A_, x, y); }
  ProductSums apply_with_sums(ConstVector x, ConstVector d, ConstVector q, Vector y) const override;
  void diagonal(Vector out) const override;
  void diagonal_blocks(Vector out) const override;
  const Csr* scalars() const override { return &A_; }
  std::uint64_t pattern_id() const override { return pattern_id_; }
  std::uint64_t value_id() const override { return value_id_; }
  double bytes_per_apply() const override;
  bool symmetric() const override { return symmetric_; }
  ConstVector positions() const override { return positions_; }
  void set_positions(ConstVector positions) { positions_ = positions; }

 private:
  Csr A_;
  bool symmetric_;
  ConstVector positions_;
  std::uint64_t pattern_id_ = next_operator_id();
  std::uint64_t value_id_ = next_operator_id();
};

/// 3x3 block CSR as an operator. Views the matrix, does not copy it.
class BlockOperator final : public LinearOperator {
 public:
  explicit BlockOperator(BlockCsr A, bool symmetric = true);
  void values_changed() { value_id_ = next_operator_id(); }
  /// The same, and what the caller knows of the new values.
  void values_changed(bool symmetric) {
    symmetric_ = symmetric;
    values_changed();
  }

  Index rows() const override { return A_.scalar_rows(); }
  void apply(ConstVector x, Vector y) const override { multiply(A_, x, y); }
  ProductSums apply_with_sums(ConstVector x, ConstVector d, ConstVector q, Vector y) const override;
  void diagonal(Vector out) const override;
  void diagonal_blocks(Vector out) const override { nsn::diagonal_blocks(A_, out); }
  const BlockCsr* blocks() const override { return &A_; }
  std::uint64_t pattern_id() const override { return pattern_id_; }
  std::uint64_t value_id() const override { return value_id_; }
  double bytes_per_apply() const override;
  bool symmetric() const override { return symmetric_; }
  ConstVector positions() const override { return positions_; }
  void set_positions(ConstVector positions) { positions_ = positions; }

 private:
  BlockCsr A_;
  bool symmetric_;
  ConstVector positions_;
  std::uint64_t pattern_id_ = next_operator_id();
  std::uint64_t value_id_ = next_operator_id();
};

}  // namespace nsn
