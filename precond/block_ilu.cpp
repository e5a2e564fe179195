#include "nsn/precond/block_ilu.h"

#include <algorithm>

#include <fmt/format.h>

namespace nsn {
namespace {

constexpr double kFirstShift = 1e-8;  // after none; the square root of rounding

template <class Matrix>
BlockRowsView view(const Matrix& S) {
  return {{S.row_begin.data(), S.row_begin.extent(0)},
          {S.column.data(), S.column.extent(0)},
          S.value.data()};
}

}  // namespace

void BlockIlu::analyze(const LinearOperator& op) {
  blocks_ = op.blocks() != nullptr;
  if (blocks_) {
    three_.analyze(view(*op.blocks()));
  } else {
    one_.analyze(view(*op.scalars()));
  }
}

bool BlockIlu::factorize(const LinearOperator& op, Pivots pivots) {
  return blocks_ ? three_.factorize(view(*op.blocks()), shift_, pivots)
                 : one_.factorize(view(*op.scalars()), shift_, pivots);
}

void BlockIlu::factorize(const LinearOperator& op) {
  shift_ = options_.shift;
  note_.clear();
  int rises = 0;
  while (!factorize(op, {.definite = options_.definite, .forced = rises == kMostRises})) {
    shift_ = std::max(10.0 * shift_, kFirstShift);
    ++rises;
  }
  const char* const quality = options_.definite ? "positive definite" : "regular";
  if (rises == kMostRises) {
    note_ = fmt::format(
        "block-ILU takes the diagonal blocks of S alone: with every shift a pivot block was "
        "not {}",
        quality);
  } else if (rises > 0) {
    note_ = fmt::format("factors of S + {:.0e} diag S: a pivot block was not {}", shift_, quality);
  }
  if (replaced() > 0) {
    note_ += fmt::format("{}{} blocks are replaced by their diagonal", note_.empty() ? "" : "; ",
                         replaced());
  }
}

void BlockIlu::apply(ConstVector r, Vector z) const {
  if (blocks_) {
    three_.apply(r.data(), z.data());
  } else {
    one_.apply(r.data(), z.data());
  }
}

Index BlockIlu::replaced() const {
  return blocks_ ? three_.replaced() : one_.replaced();
}

double BlockIlu::bytes_per_apply() const {
  return blocks_ ? three_.bytes_per_apply() : one_.bytes_per_apply();
}

double BlockIlu::bytes_held() const {
  return three_.bytes_held() + one_.bytes_held();
}

}  // namespace nsn
