#include "nsn/core/matrix/csr.h"

#include <algorithm>
#include <cmath>

#include "nsn/core/base/allocate.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/parallel.h"

namespace nsn {
namespace {

bool is_diagonal(const Csr& A) {
  for (Index i = 0; i < A.rows; ++i) {
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      if (A.column(k) != i && A.value(k) != 0.0) return false;
    }
  }
  return true;
}

}  // namespace

Csr csr_from_triplets(Index rows, Index columns, std::span<const Triplet> triplets) {
  NSN_THROW_UNLESS(rows >= 0 && columns >= 0, "a matrix cannot be {} x {}", rows, columns);
  std::vector<Index> begin(static_cast<std::size_t>(rows) + 1, 0);
  for (const Triplet& t : triplets) {
    NSN_THROW_UNLESS(t.row >= 0 && t.row < rows && t.column >= 0 && t.column < columns,
                     "entry ({}, {}) is outside a {} x {} matrix", t.row, t.column, rows, columns);
    ++begin[static_cast<std::size_t>(t.row) + 1];
  }
  for (std::size_t i = 0; i + 1 < begin.size(); ++i) begin[i + 1] += begin[i];

  // Bucket by row, order each row by column (stable: duplicates add up in the order given).
  std::vector<std::pair<Index, double>> entry(triplets.size());
  std::vector<Index> next(begin.begin(), begin.end() - 1);
  for (const Triplet& t : triplets) {
    entry[static_cast<std::size_t>(next[static_cast<std::size_t>(t.row)]++)] = {t.column, t.value};
  }
  Csr A{rows, columns, IndexVector("row_begin", begin.size()), {}, {}};
  std::size_t kept = 0;
  for (Index i = 0; i < rows; ++i) {
    const auto first = entry.begin() + begin[static_cast<std::size_t>(i)];
    const auto last = entry.begin() + begin[static_cast<std::size_t>(i) + 1];
    const auto by_column = [](const auto& a, const auto& b) { return a.first < b.first; };
    if (!std::is_sorted(first, last, by_column)) std::stable_sort(first, last, by_column);
    const std::size_t row_start = kept;
    for (auto e = first; e != last; ++e) {
      if (kept > row_start && entry[kept - 1].first == e->first) {
        entry[kept - 1].second += e->second;
      } else {
        entry[kept++] = *e;
      }
    }
    A.row_begin(i + 1) = static_cast<Index>(kept);
  }
  A.column = allocate_untouched<IndexVector>("column", kept);
  A.value = allocate_untouched<Vector>("value", kept);
  for (std::size_t k = 0; k < kept; ++k) {
    A.column(k) = entry[k].first;
    A.value(k) = entry[k].second;
  }
  return A;
}

Csr transpose(const Csr& A) {
  Csr T{A.columns, A.rows,
        allocate_untouched<IndexVector>("row_begin", static_cast<std::size_t>(A.columns) + 1),
        allocate_untouched<IndexVector>("column", A.column.extent(0)),
        allocate_untouched<Vector>("value", A.value.extent(0))};
  std::fill_n(T.row_begin.data(), T.row_begin.extent(0), 0);
  for (Index k = 0; k < A.nonzeros(); ++k) ++T.row_begin(A.column(k) + 1);
  for (Index i = 0; i < T.rows; ++i) T.row_begin(i + 1) += T.row_begin(i);
  std::vector<Index> next(static_cast<std::size_t>(T.rows));
  for (Index i = 0; i < T.rows; ++i) next[static_cast<std::size_t>(i)] = T.row_begin(i);
  for (Index i = 0; i < A.rows; ++i) {
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      const Index at = next[static_cast<std::size_t>(A.column(k))]++;
      T.column(at) = i;
      T.value(at) = A.value(k);
    }
  }
  return T;
}

double asymmetry(const Csr& A) {
  NSN_THROW_UNLESS(A.rows == A.columns, "asymmetry of a {} x {} matrix", A.rows, A.columns);
  if (is_diagonal(A)) return 0.0;
  const Csr T = transpose(A);
  double largest = 0.0;
  double difference = 0.0;
  for (Index i = 0; i < A.rows; ++i) {
    Index a = A.row_begin(i);
    Index t = T.row_begin(i);
    while (a < A.row_begin(i + 1) || t < T.row_begin(i + 1)) {
      const Index ca = a < A.row_begin(i + 1) ? A.column(a) : A.columns;
      const Index ct = t < T.row_begin(i + 1) ? T.column(t) : A.columns;
      const double va = ca <= ct ? A.value(a) : 0.0;
      const double vt = ct <= ca ? T.value(t) : 0.0;
      if (ca <= ct) ++a;
      if (ct <= ca) ++t;
      largest = std::max(largest, std::abs(va));
      difference = std::max(difference, std::abs(va - vt));
    }
  }
  return largest > 0.0 ? difference / largest : 0.0;
}

void multiply(const Csr& A, ConstVector x, Vector y) {
  const CsrRows rows(A);
  const double* const px = x.data();
  double* const py = y.data();
  for_range(A.rows, [=](Index first, Index last) {
    for (Index i = first; i < last; ++i) py[i] = rows.multiply(i, px);
  });
}

}  // namespace nsn
