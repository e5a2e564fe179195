#include "nsn/core/step/reductions/delassus.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <utility>

#include "nsn/core/base/lanes.h"
#include "nsn/core/base/math3.h"
#include "nsn/core/base/parallel.h"

namespace nsn {
namespace {

/// Rows of J by node, ascending. Both nodes of a rigid body are touched by the same rows: a node
/// whose rows are those of the one before it is a twin, and adds nothing.
struct NodeRows {
  std::vector<Index> begin;
  std::vector<Index> row;
  std::vector<std::uint8_t> twin;

  explicit NodeRows(const BlockCsr& J)
      : begin(to_size(J.columns) + 1, 0), row(to_size(J.blocks())), twin(to_size(J.columns), 0) {
    for (Index k = 0; k < J.blocks(); ++k) ++begin[to_size(J.column(k)) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<Index> next(begin.begin(), begin.end() - 1);
    for (Index i = 0; i < J.rows; ++i) {
      for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) {
        row[to_size(next[to_size(J.column(k))]++)] = i;
      }
    }
    for (Index n = 1; n < J.columns; ++n) {
      twin[to_size(n)] = std::equal(first(n), last(n), first(n - 1), last(n - 1)) ? 1 : 0;
    }
  }
  const Index* first(Index n) const { return row.data() + begin[to_size(n)]; }
  const Index* last(Index n) const { return row.data() + begin[to_size(n) + 1]; }
};

}  // namespace

void Delassus::analyze(const BlockCsr& J) {
  find_pattern(J);
  Y_.resize(to_size(kBlockSize * J.blocks()));
  Jt_.assign(12 * to_size(J.blocks()), 0.0);
  form_products(J);
}

/// Row i of W has the rows that share a node with it, itself included even where it has none.
void Delassus::find_pattern(const BlockCsr& J) {
  const NodeRows rows(J);
  row_begin_.assign(1, 0);
  column_.clear();
  std::vector<Index> list;
  std::vector<Index> merged;
  for (Index i = 0; i < J.rows; ++i) {
    list.assign(1, i);
    for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) {
      const Index n = J.column(k);
      if (k > J.row_begin(i) && J.column(k - 1) == n - 1 && rows.twin[to_size(n)] != 0) continue;
      merged.clear();
      std::set_union(list.begin(), list.end(), rows.first(n), rows.last(n),
                     std::back_inserter(merged));
      list.swap(merged);
    }
    column_.insert(column_.end(), list.begin(), list.end());
    row_begin_.push_back(static_cast<Index>(column_.size()));
  }
  value_.resize(to_size(kBlockSize) * column_.size());
  W_.rows = W_.columns = J.rows;
  W_.row_begin = IndexVector(row_begin_.data(), row_begin_.size());
  W_.column = IndexVector(column_.data(), column_.size());
  W_.value = Vector(value_.data(), value_.size());
}

void Delassus::form_products(const BlockCsr& J) {
  products_.clear();
  product_begin_.assign(1, 0);
  upper_.clear();
  mirror_.clear();
  std::vector<Index> next(row_begin_.begin(), row_begin_.end() - 1);  // lower blocks come in order
  for (Index i = 0; i < W_.rows; ++i) {
    for (Index b = W_.row_begin(i); b < W_.row_begin(i + 1); ++b) {
      const Index j = W_.column(b);
      if (j < i) continue;
      for (Index p = J.row_begin(i), q = J.row_begin(j);
           p < J.row_begin(i + 1) && q < J.row_begin(j + 1);) {
        if (J.column(p) == J.column(q)) products_.push_back({p, q});
        const bool step_p = J.column(p) <= J.column(q);
        const bool step_q = J.column(q) <= J.column(p);
        p += step_p ? 1 : 0;
        q += step_q ? 1 : 0;
      }
      upper_.push_back(b);
      mirror_.push_back(next[to_size(j)]++);
      product_begin_.push_back(static_cast<Index>(products_.size()));
    }
  }
}

/// Blocks [begin, end) of the upper triangle, and their mirror images.
NSN_KERNEL void Delassus::sum_products(Index begin, Index end) {
  const double* const left = Y_.data();
  const double* const right = Jt_.data();
  double* const value = value_.data();
  for (Index b = begin; b < end; ++b) {
    Lanes4 sum[3] = {};
    const Product* const last = products_.data() + product_begin_[to_size(b) + 1];
    for (const Product* p = products_.data() + product_begin_[to_size(b)]; p < last; ++p) {
      const double* const Y = left + kBlockSize * std::ptrdiff_t{p->left};
      const double* const X = right + 12 * std::ptrdiff_t{p->right};
      const Lanes4 x = load_lanes<Lanes4>(X);
      const Lanes4 y = load_lanes<Lanes4>(X + 4);
      const Lanes4 z = load_lanes<Lanes4>(X + 8);
      for (int i = 0; i < 3; ++i) sum[i] += x * Y[3 * i] + y * Y[3 * i + 1] + z * Y[3 * i + 2];
    }
    double* const w = value + kBlockSize * std::ptrdiff_t{upper_[to_size(b)]};
    double* const mirror = value + kBlockSize * std::ptrdiff_t{mirror_[to_size(b)]};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) mirror[3 * j + i] = sum[i][j];
    }
    for (int i = 0; i < 3; ++i) {  // last: on the diagonal both are one
      for (int j = 0; j < 3; ++j) w[3 * i + j] = sum[i][j];
    }
  }
}

void Delassus::assemble(const BlockCsr& J, ConstVector H_inverse, ConstVector E) {
  for_range(J.blocks(), [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      const Mat3 H_k = load9(&H_inverse(kBlockSize * J.column(k)));
      const Mat3 J_k = load9(&J.value(kBlockSize * k));
      store9(&Y_[to_size(kBlockSize * k)], J_k * H_k);
      for (std::size_t c = 0; c < 3; ++c) {
        for (std::size_t r = 0; r < 3; ++r) {
          Jt_[12 * to_size(k) + 4 * c + r] =
              J.value(kBlockSize * k + static_cast<Index>(3 * r + c));
        }
      }
    }
  });
  for_range(static_cast<Index>(upper_.size()),
            [&](Index begin, Index end) { sum_products(begin, end); });
  for (Index i = 0; i < W_.rows; ++i) {
    double* D = &W_.value(kBlockSize * find_block(W_, i, i));
    for (int k = 0; k < 9; ++k) D[k] += E(kBlockSize * i + k);
    // Rounding leaves the products of one block unsymmetric in the last digit.
    for (const auto& [p, q] : {std::pair(1, 3), std::pair(2, 6), std::pair(5, 7)}) {
      D[p] = D[q] = 0.5 * (D[p] + D[q]);
    }
  }
}

}  // namespace nsn
