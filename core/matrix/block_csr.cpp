#include "nsn/core/matrix/block_csr.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "nsn/core/base/allocate.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/parallel.h"

namespace nsn {
namespace {

BlockCsr allocate(Index rows, Index columns, Index blocks) {
  return {rows, columns, IndexVector("row_begin", static_cast<std::size_t>(rows) + 1),
          allocate_untouched<IndexVector>("column", static_cast<std::size_t>(blocks)),
          allocate_vector("value", static_cast<std::size_t>(blocks) * kBlockSize)};
}

}  // namespace

BlockCsr block_csr_from_triplets(Index rows, Index columns,
                                 std::span<const BlockTriplet> triplets) {
  NSN_THROW_UNLESS(rows >= 0 && columns >= 0, "a block matrix cannot be {} x {}", rows, columns);
  std::vector<Index> begin(static_cast<std::size_t>(rows) + 1, 0);
  for (const BlockTriplet& t : triplets) {
    NSN_THROW_UNLESS(t.row >= 0 && t.row < rows && t.column >= 0 && t.column < columns,
                     "block ({}, {}) is outside a matrix of {} x {} blocks", t.row, t.column, rows,
                     columns);
    ++begin[static_cast<std::size_t>(t.row) + 1];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::size_t> order(triplets.size());
  std::vector<Index> next(begin.begin(), begin.end() - 1);
  for (std::size_t k = 0; k < triplets.size(); ++k) {
    order[static_cast<std::size_t>(next[static_cast<std::size_t>(triplets[k].row)]++)] = k;
  }
  Index distinct = 0;
  for (Index i = 0; i < rows; ++i) {
    const auto first = order.begin() + begin[static_cast<std::size_t>(i)];
    const auto last = order.begin() + begin[static_cast<std::size_t>(i) + 1];
    std::stable_sort(first, last, [&](std::size_t a, std::size_t b) {
      return triplets[a].column < triplets[b].column;
    });
    for (auto k = first; k != last; ++k) {
      if (k == first || triplets[*k].column != triplets[*(k - 1)].column) ++distinct;
    }
  }
  BlockCsr A = allocate(rows, columns, distinct);
  Index at = -1;
  for (Index i = 0; i < rows; ++i) {
    Index previous = -1;
    for (Index k = begin[static_cast<std::size_t>(i)]; k < begin[static_cast<std::size_t>(i) + 1];
         ++k) {
      const BlockTriplet& t = triplets[order[static_cast<std::size_t>(k)]];
      if (t.column != previous) A.column(++at) = previous = t.column;
      for (Index e = 0; e < kBlockSize; ++e) {
        A.value(at * kBlockSize + e) += t.value[static_cast<std::size_t>(e)];
      }
    }
    A.row_begin(i + 1) = at + 1;
  }
  return A;
}

BlockTranspose transpose(const BlockCsr& A) {
  BlockTranspose T{
      allocate(A.columns, A.rows, A.blocks()),
      IndexVector(Kokkos::view_alloc("source", Kokkos::WithoutInitializing), A.column.extent(0))};
  BlockCsr& B = T.matrix;
  for (Index k = 0; k < A.blocks(); ++k) ++B.row_begin(A.column(k) + 1);
  for (Index i = 0; i < B.rows; ++i) B.row_begin(i + 1) += B.row_begin(i);
  std::vector<Index> next(static_cast<std::size_t>(B.rows));
  for (Index i = 0; i < B.rows; ++i) next[static_cast<std::size_t>(i)] = B.row_begin(i);
  for (Index i = 0; i < A.rows; ++i) {
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      const Index at = next[static_cast<std::size_t>(A.column(k))]++;
      B.column(at) = i;
      T.source(at) = k;
    }
  }
  refresh(T, A);
  return T;
}

void refresh(BlockTranspose& At, const BlockCsr& A) {
  NSN_THROW_UNLESS(At.source.extent(0) == A.column.extent(0),
                   "a transpose of {} blocks cannot take the values of {} blocks",
                   At.source.extent(0), A.column.extent(0));
  const Index* const source = At.source.data();
  const double* const from = A.value.data();
  double* const to = At.matrix.value.data();
  for_range(A.blocks(), [=](Index first, Index last) {
    for (Index k = first; k < last; ++k) {
      const double* const a = from + static_cast<std::ptrdiff_t>(source[k]) * kBlockSize;
      double* const t = to + static_cast<std::ptrdiff_t>(k) * kBlockSize;
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) t[3 * r + c] = a[3 * c + r];
      }
    }
  });
}

Index find_block(const BlockCsr& A, Index i, Index j) {
  const Index* begin = A.column.data() + A.row_begin(i);
  const Index* end = A.column.data() + A.row_begin(i + 1);
  const Index* found = std::lower_bound(begin, end, j);
  return found != end && *found == j ? static_cast<Index>(found - A.column.data()) : Index{-1};
}

std::vector<Index> transposed_blocks(const BlockCsr& A) {
  std::vector<Index> place;
  find_transposed_blocks(A, place);
  return place;
}

void find_transposed_blocks(const BlockCsr& A, std::vector<Index>& place) {
  place.resize(A.column.extent(0));
  std::vector<Index> next(A.row_begin.data(), A.row_begin.data() + A.rows);
  for (Index i = 0; i < A.rows; ++i) {
    bool diagonal = false;
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      const Index j = A.column(k);
      const Index t = next[static_cast<std::size_t>(j)]++;
      if (t >= A.row_begin(j + 1) || A.column(t) != i) return place.clear();
      place[static_cast<std::size_t>(k)] = t;
      diagonal = diagonal || j == i;
    }
    if (!diagonal) return place.clear();
  }
}

void diagonal_blocks(const BlockCsr& A, Vector out) {
  NSN_THROW_UNLESS(A.rows == A.columns && size_of(out) == kBlockSize * A.rows,
                   "diagonal blocks of {} x {} blocks into {} numbers", A.rows, A.columns,
                   out.extent(0));
  for_range(A.rows, [=](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const Index* const begin = A.column.data() + A.row_begin(i);
      const Index* const end = A.column.data() + A.row_begin(i + 1);
      const Index* const found = std::lower_bound(begin, end, i);
      const bool present = found != end && *found == i;
      const Index k = static_cast<Index>(found - A.column.data());
      for (Index e = 0; e < kBlockSize; ++e) {
        out(i * kBlockSize + e) = present ? A.value(k * kBlockSize + e) : 0.0;
      }
    }
  });
}

Csr to_scalar(const BlockCsr& A) {
  const std::size_t nonzeros = A.value.extent(0);
  Csr S{A.scalar_rows(), A.scalar_columns(),
        IndexVector("row_begin", static_cast<std::size_t>(A.scalar_rows()) + 1),
        allocate_untouched<IndexVector>("column", nonzeros),
        allocate_untouched<Vector>("value", nonzeros)};
  Index at = 0;
  for (Index i = 0; i < A.rows; ++i) {
    for (Index r = 0; r < kBlock; ++r) {
      for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
        for (Index c = 0; c < kBlock; ++c, ++at) {
          S.column(at) = kBlock * A.column(k) + c;
          S.value(at) = A.value(k * kBlockSize + kBlock * r + c);
        }
      }
      S.row_begin(kBlock * i + r + 1) = at;
    }
  }
  return S;
}

BlockCsr to_blocks(const Csr& A) {
  const Index rows = (A.rows + kBlock - 1) / kBlock;
  const Index columns = (A.columns + kBlock - 1) / kBlock;
  std::vector<BlockTriplet> triplets;
  for (Index i = 0; i < A.rows; ++i) {
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      BlockTriplet t{i / kBlock, A.column(k) / kBlock, {}};
      const Index entry = kBlock * (i % kBlock) + A.column(k) % kBlock;
      t.value[static_cast<std::size_t>(entry)] = A.value(k);
      triplets.push_back(t);
    }
  }
  if (A.rows == A.columns) {
    for (Index i = A.rows; i < kBlock * rows; ++i) {
      BlockTriplet t{i / kBlock, i / kBlock, {}};
      t.value[static_cast<std::size_t>(4 * (i % kBlock))] = 1.0;
      triplets.push_back(t);
    }
  }
  return block_csr_from_triplets(rows, columns, triplets);
}

void multiply(const BlockCsr& A, ConstVector x, Vector y) {
  const BlockRows rows(A);
  const double* const px = x.data();
  double* const py = y.data();
  for_range(A.rows, [=](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      rows.multiply(i, px, py + static_cast<std::ptrdiff_t>(i) * kBlock);
    }
  });
}

void add_transposed(const BlockCsr& A, double factor, ConstVector x, Vector y) {
  for (Index i = 0; i < A.rows; ++i) {
    const double* const xi = x.data() + kBlock * i;
    if (xi[0] == 0.0 && xi[1] == 0.0 && xi[2] == 0.0) continue;
    const double f[3] = {factor * xi[0], factor * xi[1], factor * xi[2]};
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      const double* const a = A.value.data() + static_cast<std::ptrdiff_t>(k) * kBlockSize;
      double* const to = y.data() + static_cast<std::ptrdiff_t>(A.column(k)) * kBlock;
      for (int c = 0; c < 3; ++c) to[c] += a[c] * f[0] + a[3 + c] * f[1] + a[6 + c] * f[2];
    }
  }
}

Index invert_blocks(ConstVector in, Vector out) {
  const Index blocks = size_of(in) / kBlockSize;
  Index bad = -1;
  for (Index i = 0; i < blocks; ++i) {
    const double* const a = in.data() + static_cast<std::ptrdiff_t>(i) * kBlockSize;
    const double c00 = a[4] * a[8] - a[5] * a[7];
    const double c01 = a[5] * a[6] - a[3] * a[8];
    const double c02 = a[3] * a[7] - a[4] * a[6];
    const double determinant = a[0] * c00 + a[1] * c01 + a[2] * c02;
    double size = 0.0;
    for (Index e = 0; e < kBlockSize; ++e) size = std::max(size, std::abs(a[e]));
    // |det| <= size^3: a relative determinant below 1e-300 or a non-number has no usable inverse.
    const double scale = 1.0 / determinant;
    if (!(std::abs(determinant) > 0.0) || !std::isfinite(scale) || !std::isfinite(size)) {
      if (bad < 0) bad = i;
      continue;
    }
    const Block inverse{
        c00 * scale, (a[2] * a[7] - a[1] * a[8]) * scale, (a[1] * a[5] - a[2] * a[4]) * scale,
        c01 * scale, (a[0] * a[8] - a[2] * a[6]) * scale, (a[2] * a[3] - a[0] * a[5]) * scale,
        c02 * scale, (a[1] * a[6] - a[0] * a[7]) * scale, (a[0] * a[4] - a[1] * a[3]) * scale};
    for (Index e = 0; e < kBlockSize; ++e)
      out(i * kBlockSize + e) = inverse[static_cast<std::size_t>(e)];
  }
  return bad;
}

}  // namespace nsn
