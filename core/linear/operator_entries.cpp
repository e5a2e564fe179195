#include "nsn/core/linear/operator_entries.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "nsn/core/base/error.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/base/vector_kernels.h"

namespace nsn {
namespace {

/// Where the entries of to_scalar(A) stand in A.value.
IndexVector places_in_blocks(const BlockCsr& A) {
  IndexVector place("place", A.value.extent(0));
  Index next = 0;
  for (Index i = 0; i < A.rows; ++i) {
    for (Index r = 0; r < kBlock; ++r) {
      for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
        for (Index c = 0; c < kBlock; ++c) place(next++) = k * kBlockSize + kBlock * r + c;
      }
    }
  }
  return place;
}

IndexVector places_of_scalars(const Csr& A) {
  IndexVector place("place", A.value.extent(0));
  for (Index k = 0; k < A.nonzeros(); ++k) place(k) = k;
  return place;
}

bool row_has_diagonal(const Csr& A, Index i) {
  const Index* const begin = A.column.data() + A.row_begin(i);
  const Index* const end = A.column.data() + A.row_begin(i + 1);
  return std::binary_search(begin, end, i);
}

Index missing_diagonals(const Csr& A) {
  Index missing = 0;
  for (Index i = 0; i < A.rows; ++i) missing += row_has_diagonal(A, i) ? 0 : 1;
  return missing;
}

/// Adds the diagonal entries that A lacks, with `absent` for their place.
void complete_diagonal(Csr& A, IndexVector& place, Index absent) {
  const auto nonzeros = static_cast<std::size_t>(A.nonzeros() + missing_diagonals(A));
  const Csr full{A.rows, A.columns, IndexVector("row_begin", static_cast<std::size_t>(A.rows) + 1),
                 IndexVector("column", nonzeros), Vector("value", nonzeros)};
  const IndexVector full_place("place", nonzeros);
  Index next = 0;
  const auto put = [&](Index column, Index from) {
    full.column(next) = column;
    full_place(next++) = from;
  };
  for (Index i = 0; i < A.rows; ++i) {
    bool missing = !row_has_diagonal(A, i);
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      if (missing && A.column(k) > i) {
        put(i, absent);
        missing = false;
      }
      put(A.column(k), place(k));
    }
    if (missing) put(i, absent);
    full.row_begin(i + 1) = next;
  }
  A = full;
  place = full_place;
}

using BlockPlace = std::pair<Index, Index>;

/// Block rows and columns of the operator's entries, neighbours of one block told once.
std::vector<BlockPlace> block_places(const LinearOperator& op) {
  std::vector<BlockPlace> places;
  const auto add = [&](const auto& A, Index side) {
    for (Index i = 0; i < A.rows; ++i) {
      for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
        const BlockPlace place{i / side, A.column(k) / side};
        if (places.empty() || places.back() != place) places.push_back(place);
      }
    }
  };
  op.blocks() != nullptr ? add(*op.blocks(), 1) : add(*op.scalars(), kBlock);
  return places;
}

/// A matrix of zeros whose pattern holds the places, their mirror images and the diagonal.
BlockCsr symmetric_pattern(Index rows, std::vector<BlockPlace> places) {
  const std::size_t given = places.size();
  for (std::size_t k = 0; k < given; ++k) {
    if (places[k].first != places[k].second) places.emplace_back(places[k].second, places[k].first);
  }
  for (Index i = 0; i < rows; ++i) places.emplace_back(i, i);
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  BlockCsr A{rows, rows, IndexVector("row_begin", static_cast<std::size_t>(rows) + 1),
             IndexVector("column", places.size()), Vector("value", places.size() * kBlockSize)};
  for (std::size_t k = 0; k < places.size(); ++k) {
    A.column(k) = places[k].second;
    ++A.row_begin(places[k].first + 1);
  }
  for (Index i = 0; i < rows; ++i) A.row_begin(i + 1) += A.row_begin(i);
  return A;
}

void set_sources(const BlockCsr& A, const BlockCsr& given, const IndexVector& source) {
  for (Index i = 0; i < given.rows; ++i) {
    for (Index k = given.row_begin(i); k < given.row_begin(i + 1); ++k) {
      const Index block = find_block(A, i, given.column(k));
      for (Index e = 0; e < kBlockSize; ++e) source(kBlockSize * block + e) = kBlockSize * k + e;
    }
  }
}

/// Rows past the last of the given ones have `one` on their diagonal.
void set_sources(const BlockCsr& A, const Csr& given, const IndexVector& source, Index one) {
  const auto place = [&A](Index i, Index j) {
    return kBlockSize * find_block(A, i / kBlock, j / kBlock) + kBlock * (i % kBlock) + j % kBlock;
  };
  for (Index i = 0; i < given.rows; ++i) {
    for (Index k = given.row_begin(i); k < given.row_begin(i + 1); ++k) {
      source(place(i, given.column(k))) = k;
    }
  }
  for (Index i = given.rows; i < A.scalar_rows(); ++i) source(place(i, i)) = one;
}

template <class Matrix>
const Matrix& own_matrix(const LinearOperator& op) {
  if constexpr (std::is_same_v<Matrix, Csr>) {
    return *op.scalars();
  } else {
    return *op.blocks();
  }
}

void require_entries(const LinearOperator& op) {
  NSN_THROW_UNLESS(op.has_entries(), "a matrix-free operator of {} rows has no entries", op.rows());
}

}  // namespace

template <class Matrix>
const Matrix& OperatorEntries<Matrix>::update(const LinearOperator& op) {
  if (viewed_) {
    A_ = own_matrix<Matrix>(op);
    return A_;
  }
  const Vector& given = stored_values(op);
  const double* const from = given.data();
  const Index* const source = source_.data();
  double* const to = A_.value.data();
  for_range(size_of(source_), [=](Index first, Index last) {
    for (Index k = first; k < last; ++k) {
      to[k] = source[k] >= 0 ? from[source[k]] : source[k] == kOne ? 1.0 : 0.0;
    }
  });
  return A_;
}

template <class Matrix>
double OperatorEntries<Matrix>::bytes_held() const {
  if (viewed_) return 0.0;
  return 8.0 * size_of(A_.value) + 4.0 * size_of(A_.column) + 4.0 * size_of(A_.row_begin) +
         4.0 * size_of(source_);
}

template class OperatorEntries<Csr>;
template class OperatorEntries<BlockCsr>;

void ScalarEntries::analyze(const LinearOperator& op) {
  require_entries(op);
  const bool complete = diagonal_ == Diagonal::kComplete;
  if (op.scalars() != nullptr && !complete) return view(*op.scalars());
  Csr A = op.scalars() != nullptr ? *op.scalars() : to_scalar(*op.blocks());
  IndexVector place =
      op.scalars() != nullptr ? places_of_scalars(A) : places_in_blocks(*op.blocks());
  if (complete) complete_diagonal(A, place, kZero);
  gather(A, place);
}

void BlockEntries::analyze(const LinearOperator& op) {
  require_entries(op);
  if (op.blocks() != nullptr) {
    find_transposed_blocks(*op.blocks(), transposed_);
    if (!transposed_.empty() || op.rows() == 0) return view(*op.blocks());
  }
  const BlockCsr A = symmetric_pattern((op.rows() + kBlock - 1) / kBlock, block_places(op));
  find_transposed_blocks(A, transposed_);
  const IndexVector source("source", A.value.extent(0));
  std::fill_n(source.data(), source.extent(0), kZero);
  if (op.blocks() != nullptr) {
    set_sources(A, *op.blocks(), source);
  } else {
    set_sources(A, *op.scalars(), source, kOne);
  }
  gather(A, source);
}

void BlockEntries::analyze(const BlockCsr& A, std::span<const Index> transposed) {
  transposed_.assign(transposed.begin(), transposed.end());
  view(A);
}

}  // namespace nsn
