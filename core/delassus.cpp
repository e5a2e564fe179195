#include "core/delassus.h"

#include <algorithm>
#include <utility>

#include "core/math3.h"
#include "core/parallel.h"

namespace nsn {
namespace {

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

/// Rows of J by node: entries k of J with column(k) = node.
struct NodeRows {
  std::vector<Index> begin;
  std::vector<std::pair<Index, Index>> entry;  // (row, k)
};

NodeRows rows_by_node(const BlockCsr& J) {
  NodeRows rows;
  rows.begin.assign(at(J.columns) + 1, 0);
  for (Index k = 0; k < J.blocks(); ++k) ++rows.begin[at(J.column(k)) + 1];
  for (std::size_t n = 0; n < at(J.columns); ++n) rows.begin[n + 1] += rows.begin[n];
  rows.entry.resize(at(J.blocks()));
  std::vector<Index> next(rows.begin.begin(), rows.begin.end() - 1);
  for (Index i = 0; i < J.rows; ++i) {
    for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) {
      rows.entry[at(next[at(J.column(k))]++)] = {i, k};
    }
  }
  return rows;
}

/// Columns of W in each row, ascending, the diagonal included.
std::vector<std::vector<Index>> neighbours(const BlockCsr& J, const NodeRows& rows) {
  std::vector<std::vector<Index>> columns(at(J.rows));
  std::vector<Index> seen(at(J.rows), -1);
  for (Index i = 0; i < J.rows; ++i) {
    auto& list = columns[at(i)];
    list.push_back(i);
    seen[at(i)] = i;
    for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) {
      const Index n = J.column(k);
      for (Index e = rows.begin[at(n)]; e < rows.begin[at(n) + 1]; ++e) {
        const Index j = rows.entry[at(e)].first;
        if (seen[at(j)] == i) continue;
        seen[at(j)] = i;
        list.push_back(j);
      }
    }
    std::sort(list.begin(), list.end());
  }
  return columns;
}

}  // namespace

void Delassus::analyze(const BlockCsr& J) {
  const auto columns = neighbours(J, rows_by_node(J));
  W_ = {};
  W_.rows = W_.columns = J.rows;
  W_.row_begin = IndexVector("W.row_begin", at(J.rows) + 1);
  for (Index i = 0; i < J.rows; ++i) {
    W_.row_begin(i + 1) = W_.row_begin(i) + static_cast<Index>(columns[at(i)].size());
  }
  W_.column = IndexVector("W.column", at(W_.row_begin(J.rows)));
  W_.value = Vector("W.value", 9 * at(W_.row_begin(J.rows)));
  for (Index i = 0; i < J.rows; ++i) {
    std::copy(columns[at(i)].begin(), columns[at(i)].end(), W_.column.data() + W_.row_begin(i));
  }
  Y_ = Vector("J H^-1", 9 * at(J.blocks()));
  form_products(J);
}

void Delassus::form_products(const BlockCsr& J) {
  products_.clear();
  product_begin_.assign(1, 0);
  upper_.clear();
  mirror_.clear();
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
      mirror_.push_back(find_block(W_, j, i));
      product_begin_.push_back(static_cast<Index>(products_.size()));
    }
  }
}

void Delassus::assemble(const BlockCsr& J, ConstVector H_inverse, ConstVector E) {
  for_range(J.blocks(), [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      const Mat3 H_k = load9(&H_inverse(kBlockSize * J.column(k)));
      store9(&Y_(kBlockSize * k), load9(&J.value(kBlockSize * k)) * H_k);
    }
  });
  for_range(static_cast<Index>(upper_.size()), [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) {
      Mat3 sum;
      for (Index p = product_begin_[at(b)]; p < product_begin_[at(b) + 1]; ++p) {
        const Product& product = products_[at(p)];
        const double* Y = &Y_(kBlockSize * product.left);
        const double* X = &J.value(kBlockSize * product.right);
        for (int i = 0; i < 3; ++i) {
          for (int j = 0; j < 3; ++j) {
            sum(i, j) +=
                Y[3 * i] * X[3 * j] + Y[3 * i + 1] * X[3 * j + 1] + Y[3 * i + 2] * X[3 * j + 2];
          }
        }
      }
      store9(&W_.value(kBlockSize * upper_[at(b)]), sum);
      if (mirror_[at(b)] != upper_[at(b)]) {
        store9(&W_.value(kBlockSize * mirror_[at(b)]), transpose(sum));
      }
    }
  });
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
