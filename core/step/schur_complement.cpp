#include "nsn/core/step/schur_complement.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "nsn/core/base/allocate.h"
#include "nsn/core/base/block_math.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/parallel.h"

namespace nsn {
namespace {

/// Calls visit(j) once for each block column j of row i of S, unordered; marker holds the last row
/// that saw each j.
template <class Visit>
void visit_row(const BlockCsr& J, const BlockCsr& Jt, const BlockCsr& C, Index i,
               std::vector<Index>& marker, const Visit& visit) {
  const auto once = [&](Index j) {
    if (marker[static_cast<std::size_t>(j)] == i) return;
    marker[static_cast<std::size_t>(j)] = i;
    visit(j);
  };
  once(i);
  for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) {
    const Index node = J.column(k);
    for (Index t = Jt.row_begin(node); t < Jt.row_begin(node + 1); ++t) once(Jt.column(t));
  }
  if (C.blocks() == 0) return;
  for (Index k = C.row_begin(i); k < C.row_begin(i + 1); ++k) once(C.column(k));
}

/// The pattern of S with values of zero.
BlockCsr pattern(const BlockCsr& J, const BlockCsr& Jt, const BlockCsr& C) {
  BlockCsr S{J.rows, J.rows, IndexVector("row_begin", J.row_begin.extent(0)), {}, {}};
  std::vector<Index> marker(static_cast<std::size_t>(J.rows), -1);
  long long blocks = 0;
  for (Index i = 0; i < J.rows; ++i) {
    visit_row(J, Jt, C, i, marker, [&](Index) { ++blocks; });
    NSN_THROW_UNLESS(blocks <= std::numeric_limits<Index>::max() / kBlockSize,
                     "S = J H^-1 J^T + C has more than {} entries: use the factored operator",
                     std::numeric_limits<Index>::max());
    S.row_begin(i + 1) = static_cast<Index>(blocks);
  }
  const auto count = static_cast<std::size_t>(blocks);
  S.column = allocate_untouched<IndexVector>("column", count);
  S.value = allocate_vector("value", count * kBlockSize);
  std::fill(marker.begin(), marker.end(), -1);
  for (Index i = 0; i < J.rows; ++i) {
    Index* next = S.column.data() + S.row_begin(i);
    visit_row(J, Jt, C, i, marker, [&](Index j) { *next++ = j; });
    std::sort(S.column.data() + S.row_begin(i), next);
  }
  return S;
}

}  // namespace

SchurComplement::SchurComplement(const BlockCsr& J, const BlockCsr& C) {
  NSN_THROW_UNLESS(C.blocks() == 0 || (C.rows == J.rows && C.columns == J.rows),
                   "C of {} x {} blocks for {} constraints", C.rows, C.columns, J.rows);
  Jt_ = transpose(J);
  S_ = pattern(J, Jt_.matrix, C);
  JH_ = allocate_vector("JH", J.value.extent(0));
  mirror_ = IndexVector("mirror", S_.column.extent(0));
  for (Index i = 0; i < S_.rows; ++i) {
    for (Index k = S_.row_begin(i); k < S_.row_begin(i + 1); ++k) {
      const Index j = S_.column(k);
      const Index mirror = find_block(S_, j, i);
      const bool present = mirror < S_.row_begin(j + 1) && S_.column(mirror) == i;
      NSN_THROW_UNLESS(present, "block ({}, {}) of C has no counterpart: C is not symmetric", i, j);
      mirror_(k) = mirror;
    }
  }
  C_target_ = IndexVector("C_target", C.column.extent(0));
  for (Index i = 0; i < C.rows && C.blocks() > 0; ++i) {
    for (Index k = C.row_begin(i); k < C.row_begin(i + 1); ++k) {
      C_target_(k) = find_block(S_, i, C.column(k));
    }
  }
}

void SchurComplement::refresh(const BlockCsr& J, ConstVector H_inverse, const BlockCsr& C,
                              double shift) {
  NSN_THROW_UNLESS(J.column.extent(0) == Jt_.source.extent(0) &&
                       C.column.extent(0) == C_target_.extent(0) &&
                       size_of(H_inverse) == kBlockSize * J.columns,
                   "J of {} blocks, C of {} and H^-1 of {} numbers do not fit the analysis",
                   J.blocks(), C.blocks(), H_inverse.extent(0));
  nsn::refresh(Jt_, J);
  const auto at = [](Index k) { return static_cast<std::ptrdiff_t>(k) * kBlockSize; };
  const Index* const node = J.column.data();
  const double* const Jv = J.value.data();
  const double* const H = H_inverse.data();
  double* const JH = JH_.data();
  for_range(J.blocks(), [=](Index first, Index last) {
    for (Index k = first; k < last; ++k) {
      block_times_block(Jv + at(k), H + at(node[k]), JH + at(k));
    }
  });

  // Upper triangle: S_ij = sum_k (J H^-1)_ik J_jk^T, j >= i
  const Index* const J_begin = J.row_begin.data();
  const Index* const T_begin = Jt_.matrix.row_begin.data();
  const Index* const T_column = Jt_.matrix.column.data();
  const Index* const source = Jt_.source.data();
  const Index* const S_begin = S_.row_begin.data();
  const Index* const S_column = S_.column.data();
  double* const S = S_.value.data();
  for_range(S_.rows, [=](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      std::fill(S + at(S_begin[i]), S + at(S_begin[i + 1]), 0.0);
      const Index* const diagonal =
          std::lower_bound(S_column + S_begin[i], S_column + S_begin[i + 1], i);
      for (Index k = J_begin[i]; k < J_begin[i + 1]; ++k) {
        const Index* place = diagonal;  // both lists ascend: one walk through each
        for (Index t = T_begin[node[k]]; t < T_begin[node[k] + 1]; ++t) {
          const Index j = T_column[t];
          if (j < i) continue;
          while (*place < j) ++place;
          add_block_times_transpose(JH + at(k), Jv + at(source[t]),
                                    S + at(static_cast<Index>(place - S_column)));
        }
      }
      double* const Sii = S + at(static_cast<Index>(diagonal - S_column));
      for (int e = 0; e < 3; ++e) Sii[4 * e] += shift;
    }
  });
  const Index* const target = C_target_.data();
  const double* const Cv = C.value.data();
  for_range(C.blocks(), [=](Index first, Index last) {
    for (Index k = first; k < last; ++k) {
      for (Index e = 0; e < kBlockSize; ++e) S[at(target[k]) + e] += Cv[at(k) + e];
    }
  });
  // Lower triangle: the mirror image. Of a diagonal block too.
  const Index* const mirror = mirror_.data();
  for_range(S_.rows, [=](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      Index k = S_begin[i];
      for (; S_column[k] < i; ++k) {
        const double* const from = S + at(mirror[k]);
        double* const to = S + at(k);
        for (int r = 0; r < 3; ++r) {
          for (int c = 0; c < 3; ++c) to[3 * r + c] = from[3 * c + r];
        }
      }
      double* const Sii = S + at(k);
      Sii[3] = Sii[1];
      Sii[6] = Sii[2];
      Sii[7] = Sii[5];
    }
  });
}

double SchurComplement::bytes_held() const {
  const auto size = [](const auto& v) { return static_cast<double>(v.extent(0)); };
  return 8.0 * (size(S_.value) + size(JH_) + size(Jt_.matrix.value)) +
         4.0 * (size(S_.column) + size(S_.row_begin) + size(mirror_) + size(C_target_) +
                size(Jt_.source) + size(Jt_.matrix.column) + size(Jt_.matrix.row_begin));
}

}  // namespace nsn
