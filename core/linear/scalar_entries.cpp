#include "nsn/core/linear/scalar_entries.h"

#include <algorithm>

#include "nsn/core/base/error.h"
#include "nsn/core/base/parallel.h"

namespace nsn {
namespace {

// Where the entries of to_scalar(A) stand in A.value.
IndexVector places_in_blocks(const BlockCsr& A) {
  IndexVector place("place", A.value.extent(0));
  Index at = 0;
  for (Index i = 0; i < A.rows; ++i) {
    for (Index r = 0; r < kBlock; ++r) {
      for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
        for (Index c = 0; c < kBlock; ++c) place(at++) = k * kBlockSize + kBlock * r + c;
      }
    }
  }
  return place;
}

IndexVector identity(std::size_t n) {
  IndexVector place("place", n);
  std::generate_n(place.data(), n, [k = Index{0}]() mutable { return k++; });
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

}  // namespace

void ScalarEntries::analyze(const LinearOperator& op) {
  NSN_THROW_UNLESS(op.has_entries(), "an operator of {} rows without entries", op.rows());
  source_ = IndexVector();
  if (op.scalars() == nullptr) {
    A_ = to_scalar(*op.blocks());
    source_ = places_in_blocks(*op.blocks());
  } else {
    A_ = *op.scalars();
  }
  if (diagonal_ == Diagonal::kComplete) complete_diagonal();
}

void ScalarEntries::complete_diagonal() {
  const Csr A = A_;
  const IndexVector place = source_.size() > 0 ? source_ : identity(A.value.extent(0));
  const auto nonzeros = static_cast<std::size_t>(A.nonzeros() + missing_diagonals(A));
  A_ = Csr{A.rows, A.columns, IndexVector("row_begin", static_cast<std::size_t>(A.rows) + 1),
           IndexVector("column", nonzeros), Vector("value", nonzeros)};
  source_ = IndexVector("source", nonzeros);
  Index at = 0;
  const auto put = [&](Index column, Index source) {
    A_.column(at) = column;
    source_(at++) = source;
  };
  for (Index i = 0; i < A.rows; ++i) {
    bool missing = !row_has_diagonal(A, i);
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      if (missing && A.column(k) > i) {
        put(i, -1);
        missing = false;
      }
      put(A.column(k), place(k));
    }
    if (missing) put(i, -1);
    A_.row_begin(i + 1) = at;
  }
}

const Csr& ScalarEntries::update(const LinearOperator& op) {
  if (source_.size() == 0 && op.scalars() != nullptr) {
    A_ = *op.scalars();
    return A_;
  }
  const Vector from = op.scalars() != nullptr ? op.scalars()->value : op.blocks()->value;
  for_range(A_.nonzeros(), [this, from](Index first, Index last) {
    for (Index k = first; k < last; ++k) A_.value(k) = source_(k) < 0 ? 0.0 : from(source_(k));
  });
  return A_;
}

double ScalarEntries::bytes_held() const {
  return source_.size() == 0 ? 0.0 : 16.0 * A_.nonzeros() + 4.0 * (A_.rows + 1.0);
}

}  // namespace nsn
