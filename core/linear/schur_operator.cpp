#include "nsn/core/linear/schur_operator.h"

#include <array>

#include "nsn/core/base/allocate.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/math3.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/linear/row_products.h"

namespace nsn {

SchurOperator::SchurOperator(BlockCsr J, Vector H_inverse, BlockCsr C)
    : J_(std::move(J)), H_inverse_(std::move(H_inverse)), C_(std::move(C)) {
  NSN_THROW_UNLESS(size_of(H_inverse_) == kBlockSize * J_.columns,
                   "H^-1 of {} numbers for {} nodes", H_inverse_.extent(0), J_.columns);
  NSN_THROW_UNLESS(C_.blocks() == 0 || (C_.rows == J_.rows && C_.columns == J_.rows),
                   "C of {} x {} blocks for {} constraints", C_.rows, C_.columns, J_.rows);
  if (C_.blocks() == 0) {
    C_ = BlockCsr{J_.rows, J_.rows, IndexVector("row_begin", J_.row_begin.extent(0)), {}, {}};
  }
  Jt_ = transpose(J_);
  v_ = allocate_vector("v", static_cast<std::size_t>(J_.scalar_columns()));
}

void SchurOperator::values_changed() {
  refresh(Jt_, J_);
  value_id_ = next_operator_id();
}

// v = H^-1 J^T x, node by node
void SchurOperator::apply_transposed(const double* x) const {
  const BlockRows Jt(Jt_.matrix);
  const double* const H = H_inverse_.data();
  double* const v = v_.data();
  for_range(J_.columns, [=](Index first, Index last) {
    for (Index k = first; k < last; ++k) {
      Vec3 t;
      Jt.multiply(k, x, t.a);
      store3(v + static_cast<std::ptrdiff_t>(k) * kBlock,
             load9(H + static_cast<std::ptrdiff_t>(k) * kBlockSize) * t);
    }
  });
}

/// Row i of J v + C x.
class SchurOperator::Rows {
 public:
  Rows(const SchurOperator& S, ConstVector x) : J_(S.J_), C_(S.C_), v_(S.v_.data()), x_(x.data()) {}

  void operator()(Index i, double* out) const {
    double c[3];
    J_.multiply(i, v_, out);
    C_.multiply(i, x_, c);
    for (int e = 0; e < 3; ++e) out[e] += c[e];
  }

 private:
  BlockRows J_, C_;
  const double* v_;
  const double* x_;
};

void SchurOperator::apply(ConstVector x, Vector y) const {
  apply_transposed(x.data());
  multiply_rows<kBlock>(J_.rows, y, Rows(*this, x));
}

ProductSums SchurOperator::apply_with_sums(ConstVector x, ConstVector d, ConstVector q,
                                           Vector y) const {
  apply_transposed(x.data());
  return multiply_rows_with_sums<kBlock>(J_.rows, x, d, q, y, Rows(*this, x));
}

void SchurOperator::diagonal_blocks(Vector out) const {
  nsn::diagonal_blocks(C_, out);
  const Index* const begin = J_.row_begin.data();
  const Index* const column = J_.column.data();
  const double* const J = J_.value.data();
  const double* const H = H_inverse_.data();
  double* const S = out.data();
  for_range(J_.rows, [=](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      for (Index k = begin[i]; k < begin[i + 1]; ++k) {
        const Mat3 Jk = load9(J + static_cast<std::ptrdiff_t>(k) * kBlockSize);
        const Mat3 Hk = load9(H + static_cast<std::ptrdiff_t>(column[k]) * kBlockSize);
        double* const Si = S + static_cast<std::ptrdiff_t>(i) * kBlockSize;
        store9(Si, load9(Si) + Jk * Hk * transpose(Jk));
      }
    }
  });
}

void SchurOperator::diagonal(Vector out) const {
  const Index* const begin = J_.row_begin.data();
  const Index* const column = J_.column.data();
  const double* const J = J_.value.data();
  const double* const H = H_inverse_.data();
  BlockOperator(C_).diagonal(out);
  double* const S = out.data();
  for_range(J_.rows, [=](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      for (Index k = begin[i]; k < begin[i + 1]; ++k) {
        const Mat3 Hk = load9(H + static_cast<std::ptrdiff_t>(column[k]) * kBlockSize);
        for (int e = 0; e < 3; ++e) {
          const Vec3 j = load3(J + static_cast<std::ptrdiff_t>(k) * kBlockSize + 3 * e);
          S[kBlock * i + e] += dot(j, Hk * j);
        }
      }
    }
  });
}

double SchurOperator::bytes_per_apply() const {
  const double n = J_.scalar_rows();
  const double nodes = J_.columns;
  const double factors = 2.0 * 76.0 * J_.blocks() + 4.0 * (J_.rows + nodes + 2.0);
  const double between = 72.0 * nodes + 48.0 * nodes;  // H^-1; v written and read
  const double compliance = C_.blocks() > 0 ? 76.0 * C_.blocks() + 4.0 * (J_.rows + 1.0) + 8.0 * n
                                            : 4.0 * (J_.rows + 1.0);
  return factors + between + compliance + 16.0 * n;
}

}  // namespace nsn
