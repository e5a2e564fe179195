#include "nsn/core/linear/symmetric_block_entries.h"

#include <algorithm>
#include <utility>

#include "nsn/core/base/error.h"

namespace nsn {
namespace {

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

using BlockPlace = std::pair<Index, Index>;

/// An empty matrix whose pattern holds the places, their mirror images and the diagonal.
BlockCsr symmetric_pattern(Index rows, std::vector<BlockPlace> places) {
  const std::size_t given = places.size();
  for (std::size_t k = 0; k < given; ++k) {
    if (places[k].first != places[k].second) places.emplace_back(places[k].second, places[k].first);
  }
  for (Index i = 0; i < rows; ++i) places.emplace_back(i, i);
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  BlockCsr A{rows, rows, IndexVector("row_begin", at(rows) + 1),
             IndexVector("column", places.size()), Vector("value", places.size() * kBlockSize)};
  for (std::size_t k = 0; k < places.size(); ++k) {
    A.column(k) = places[k].second;
    ++A.row_begin(places[k].first + 1);
  }
  for (Index i = 0; i < rows; ++i) A.row_begin(i + 1) += A.row_begin(i);
  return A;
}

Index find(const BlockCsr& A, Index row, Index column) {
  const Index* const first = A.column.data() + A.row_begin(row);
  const Index* const last = A.column.data() + A.row_begin(row + 1);
  return static_cast<Index>(std::lower_bound(first, last, column) - A.column.data());
}

}  // namespace

std::vector<Index> transposed_blocks(const BlockCsr& A) {
  std::vector<Index> place;
  find_transposed_blocks(A, place);
  return place;
}

void find_transposed_blocks(const BlockCsr& A, std::vector<Index>& place) {
  place.resize(A.column.extent(0));
  std::vector<Index> next(at(A.rows));
  for (Index i = 0; i < A.rows; ++i) next[at(i)] = A.row_begin(i);
  for (Index i = 0; i < A.rows; ++i) {
    bool diagonal = false;
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      const Index j = A.column(k);
      const Index t = next[at(j)]++;
      if (t >= A.row_begin(j + 1) || A.column(t) != i) return place.clear();
      place[at(k)] = t;
      diagonal = diagonal || j == i;
    }
    if (!diagonal) return place.clear();
  }
}

void SymmetricBlockEntries::analyze(const LinearOperator& op) {
  NSN_THROW_UNLESS(op.has_entries(), "a block factorisation needs the entries of the matrix");
  target_.clear();
  if (op.blocks() != nullptr) {
    analyze_blocks(*op.blocks());
  } else {
    analyze_scalars(*op.scalars());
  }
}

void SymmetricBlockEntries::analyze(const BlockCsr& A, std::span<const Index> transposed) {
  target_.clear();
  transposed_.assign(transposed.begin(), transposed.end());
  viewed_ = true;
  A_ = A;
}

void SymmetricBlockEntries::analyze_blocks(const BlockCsr& given) {
  transposed_ = transposed_blocks(given);
  viewed_ = !transposed_.empty() || given.rows == 0;
  if (viewed_) {
    A_ = given;
    return;
  }
  std::vector<BlockPlace> places;
  for (Index i = 0; i < given.rows; ++i) {
    for (Index k = given.row_begin(i); k < given.row_begin(i + 1); ++k) {
      places.emplace_back(i, given.column(k));
    }
  }
  A_ = symmetric_pattern(given.rows, places);
  transposed_ = transposed_blocks(A_);
  for (const auto& [i, j] : places) target_.push_back(find(A_, i, j));
}

void SymmetricBlockEntries::analyze_scalars(const Csr& given) {
  viewed_ = false;
  const Index rows = (given.rows + kBlock - 1) / kBlock;
  std::vector<BlockPlace> places;
  for (Index i = 0; i < given.rows; ++i) {
    for (Index k = given.row_begin(i); k < given.row_begin(i + 1); ++k) {
      const BlockPlace place{i / kBlock, given.column(k) / kBlock};
      if (places.empty() || places.back() != place) places.push_back(place);
    }
  }
  A_ = symmetric_pattern(rows, std::move(places));
  transposed_ = transposed_blocks(A_);
  for (Index i = 0; i < given.rows; ++i) {
    for (Index k = given.row_begin(i); k < given.row_begin(i + 1); ++k) {
      const Index j = given.column(k);
      target_.push_back(kBlockSize * find(A_, i / kBlock, j / kBlock) + kBlock * (i % kBlock) +
                        j % kBlock);
    }
  }
  for (Index i = given.rows; i < kBlock * rows; ++i) {
    A_.value(kBlockSize * find(A_, i / kBlock, i / kBlock) + 4 * (i % kBlock)) = 1.0;
  }
}

const BlockCsr& SymmetricBlockEntries::update(const LinearOperator& op) {
  if (viewed_) {
    A_ = *op.blocks();
  } else if (op.blocks() != nullptr) {
    const double* const from = op.blocks()->value.data();
    for (std::size_t k = 0; k < target_.size(); ++k) {
      std::copy_n(from + k * kBlockSize, kBlockSize, A_.value.data() + at(target_[k]) * kBlockSize);
    }
  } else {
    const double* const from = op.scalars()->value.data();
    for (std::size_t k = 0; k < target_.size(); ++k) A_.value(target_[k]) = from[k];
  }
  return A_;
}

double SymmetricBlockEntries::bytes_held() const {
  const double own = viewed_ ? 0.0
                             : 8.0 * static_cast<double>(A_.value.extent(0)) +
                                   4.0 * static_cast<double>(A_.column.extent(0));
  return own + 4.0 * static_cast<double>(transposed_.size() + target_.size());
}

}  // namespace nsn
