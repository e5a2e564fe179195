#include "nsn/core/step/step_assembly.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "nsn/core/base/error.h"

namespace nsn::paper {
namespace {

/// Products of block (i, j), j >= i, as (j, left, right) of one row i.
using Entry = std::array<Index, 3>;

/// Where block (i, j) of the pattern is stored.
Index place(const ProductLists& S, Index i, Index j) {
  const auto first = S.column.begin() + S.row_begin[to_size(i)];
  const auto last = S.column.begin() + S.row_begin[to_size(i) + 1];
  return static_cast<Index>(std::lower_bound(first, last, j) - S.column.begin());
}

/// entries(i, list) appends the products of row i of S, all columns, the diagonal at least once
/// (left -1: no product). Row by row, so that the order of a sum is one.
template <class Entries>
ProductLists make_lists(Index rows, const Entries& entries) {
  ProductLists S;
  S.row_begin.assign(1, 0);
  S.begin.assign(1, 0);
  std::vector<Entry> list;
  std::vector<std::pair<Index, Index>> upper;  // (row, column)
  for (Index i = 0; i < rows; ++i) {
    list.clear();
    entries(i, list);
    std::stable_sort(list.begin(), list.end(),
                     [](const Entry& a, const Entry& b) { return a[0] < b[0]; });
    for (std::size_t k = 0; k < list.size();) {
      const Index j = list[k][0];
      S.column.push_back(j);
      for (; k < list.size() && list[k][0] == j; ++k) {
        if (j < i || list[k][1] < 0) continue;
        S.left.push_back(list[k][1]);
        S.right.push_back(list[k][2]);
      }
      if (j < i) continue;
      upper.emplace_back(i, j);
      S.begin.push_back(static_cast<Index>(S.left.size()));
    }
    S.row_begin.push_back(static_cast<Index>(S.column.size()));
  }
  for (const auto& [i, j] : upper) {
    S.upper.push_back(place(S, i, j));
    S.mirror.push_back(place(S, j, i));
  }
  return S;
}

}  // namespace

NodeLists node_lists(const BlockCsr& J) {
  NodeLists out;
  out.begin.assign(to_size(J.columns) + 1, 0);
  out.row.resize(to_size(J.blocks()));
  out.block.resize(to_size(J.blocks()));
  for (Index k = 0; k < J.blocks(); ++k) ++out.begin[to_size(J.column(k)) + 1];
  std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
  std::vector<Index> next(out.begin.begin(), out.begin.end() - 1);
  for (Index i = 0; i < J.rows; ++i) {
    for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) {
      const auto at = to_size(next[to_size(J.column(k))]++);
      out.row[at] = i;
      out.block[at] = k;
    }
  }
  return out;
}

ProductLists compliance_products(const BlockCsr& J, const NodeLists& nodes) {
  return make_lists(J.rows, [&](Index i, std::vector<Entry>& list) {
    list.push_back({i, -1, -1});
    for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) {
      const auto n = to_size(J.column(k));
      for (auto e = to_size(nodes.begin[n]); e < to_size(nodes.begin[n + 1]); ++e) {
        list.push_back({nodes.row[e], k, nodes.block[e]});
      }
    }
  });
}

ProductLists stiffness_products(const BlockCsr& J, const NodeLists& nodes) {
  return make_lists(J.columns, [&](Index n, std::vector<Entry>& list) {
    list.push_back({n, -1, -1});
    for (auto e = to_size(nodes.begin[to_size(n)]); e < to_size(nodes.begin[to_size(n) + 1]); ++e) {
      const Index i = nodes.row[e];
      for (Index q = J.row_begin(i); q < J.row_begin(i + 1); ++q) {
        list.push_back({J.column(q), nodes.block[e], q});
      }
    }
  });
}

void require_matrix_free(const PaperOptions& options, const Capabilities& solver,
                         std::string_view name) {
  NSN_THROW_UNLESS(options.operator_form != OperatorForm::kFactored || !solver.needs_entries,
                   "newton: operator_form factored needs a matrix-free linear solver, not '{}'",
                   name);
}

bool has_more_pairs(const BlockCsr& J, const NodeLists& nodes, double most) {
  std::vector<Index> seen(to_size(J.rows), -1);
  double count = 0.0;
  for (Index i = 0; i < J.rows; ++i) {
    for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) {
      const auto n = to_size(J.column(k));
      for (auto e = to_size(nodes.begin[n]); e < to_size(nodes.begin[n + 1]); ++e) {
        Index& last = seen[to_size(nodes.row[e])];
        count += last == i ? 0.0 : 1.0;
        last = i;
      }
    }
    if (count > most) return true;
  }
  return false;
}

}  // namespace nsn::paper
