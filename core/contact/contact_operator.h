/// The matrix of a contact problem as an operator that knows which of its rows are trivial.
///
/// The pattern of W is kept whatever the contacts do, so that it is analysed once; an unknown that
/// is eliminated (an open contact, the direction of slip) leaves a unit row in a unit column. A
/// solver that asks here for the others need not look for them among the values. Nor need there be
/// values: if a source is given they are stored only once somebody asks for them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "nsn/core/factor/contact_matrix.h"
#include "nsn/core/linear/linear_operator.h"
#include "nsn/core/linear/single_operator.h"

namespace nsn {

class ContactOperator final : public LinearOperator {
 public:
  ContactOperator(const ContactOperator&) = delete;
  ContactOperator& operator=(const ContactOperator&) = delete;
  /// Views A, does not copy it. transposed: see transposed_blocks(); empty: not known.
  explicit ContactOperator(BlockCsr A, bool symmetric = true,
                           std::span<const Index> transposed = {})
      : matrix_(std::move(A), symmetric),
        transposed_(transposed),
        active_(static_cast<std::size_t>(matrix_.blocks()->rows), 7) {}

  /// From now on products are formed with a copy in single precision
  /// (core/linear/single_operator.h).
  void use_single_precision() {
    single_ = true;
    products_.analyze(matrix_, SingleOperator::Rows::kActive);
  }
  /// The values of A, and the active rows, were changed in place; what the caller knows of them.
  void values_changed(bool symmetric) {
    pending_ = false;
    matrix_.values_changed(symmetric);
    if (single_) products_.update(matrix_, active_);
  }
  using Product = std::function<void(ConstVector x, Vector y)>;
  /// The active rows were changed, and the values are those of `source`: store() puts them into A
  /// where that is needed. product(x, y): y = A x without them.
  void values_changed(bool symmetric, const ContactMatrix& source, std::function<void()> store,
                      Product product) {
    values_changed(symmetric);
    source_ = source;
    store_ = std::move(store);
    product_ = std::move(product);
    pending_ = true;
  }
  /// Where the values come from as long as they are not stored; null: they are.
  const ContactMatrix* source() const { return pending_ ? &source_ : nullptr; }
  /// Rows and columns of A; the values may be old.
  const BlockCsr& pattern() const { return *matrix_.blocks(); }
  std::span<const Index> transposed() const { return transposed_; }
  /// Bit k of entry i clear: row 3 i + k is a unit row in a unit column.
  std::span<const std::uint8_t> active() const { return active_; }
  std::span<std::uint8_t> active() { return active_; }

  Index rows() const override { return matrix_.rows(); }
  void apply(ConstVector x, Vector y) const override {
    if (single_) {
      products_.apply(x, y);
    } else if (pending_ && product_) {
      product_(x, y);
    } else {
      stored().apply(x, y);
    }
  }
  ProductSums apply_with_sums(ConstVector x, ConstVector d, ConstVector q,
                              Vector y) const override {
    return single_ ? products_.apply_with_sums(x, d, q, y) : stored().apply_with_sums(x, d, q, y);
  }
  void diagonal(Vector out) const override { stored().diagonal(out); }
  void diagonal_blocks(Vector out) const override { stored().diagonal_blocks(out); }
  bool has_entries() const override { return true; }
  const BlockCsr* blocks() const override { return stored().blocks(); }
  const ContactOperator* contacts() const override { return this; }
  std::uint64_t pattern_id() const override { return matrix_.pattern_id(); }
  std::uint64_t value_id() const override { return matrix_.value_id(); }
  double bytes_per_apply() const override {
    return single_ ? products_.bytes_per_apply() : matrix_.bytes_per_apply();
  }
  bool symmetric() const override { return matrix_.symmetric(); }

 private:
  const BlockOperator& stored() const {
    if (pending_) {
      pending_ = false;
      store_();
    }
    return matrix_;
  }

  BlockOperator matrix_;
  std::span<const Index> transposed_;
  std::vector<std::uint8_t> active_;
  ContactMatrix source_;
  std::function<void()> store_;
  Product product_;
  mutable bool pending_ = false;  // matrix_ waits for store_
  bool single_ = false;
  SingleOperator products_;
};

}  // namespace nsn
