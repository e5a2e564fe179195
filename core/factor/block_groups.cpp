#include "nsn/core/factor/block_groups.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace nsn {
namespace {

constexpr Index kNone = -1;

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

bool same_row(const BlockCsr& A, Index i, Index j) {
  const Index n = A.row_begin(i + 1) - A.row_begin(i);
  if (n != A.row_begin(j + 1) - A.row_begin(j)) return false;
  const Index* const a = A.column.data() + A.row_begin(i);
  return std::equal(a, a + n, A.column.data() + A.row_begin(j));
}

}  // namespace

BlockGroups group_blocks(const BlockCsr& A) {
  const Index n = A.rows;
  std::vector<std::pair<std::uint64_t, Index>> hashed(at(n));
  for (Index i = 0; i < n; ++i) {
    std::uint64_t hash = 0;
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      hash = hash * 0x100000001B3ULL + static_cast<std::uint64_t>(A.column(k)) + 1;
    }
    hashed[at(i)] = {hash, i};
  }
  std::sort(hashed.begin(), hashed.end());
  BlockGroups groups;
  groups.of.assign(at(n), kNone);
  std::vector<Index> representative;
  Index candidates = 0;  // first group with the present hash
  for (std::size_t k = 0; k < hashed.size(); ++k) {
    const Index i = hashed[k].second;
    if (k == 0 || hashed[k].first != hashed[k - 1].first) {
      candidates = static_cast<Index>(representative.size());
    }
    Index g = candidates;
    while (g < static_cast<Index>(representative.size()) &&
           !same_row(A, i, representative[at(g)])) {
      ++g;
    }
    if (g == static_cast<Index>(representative.size())) representative.push_back(i);
    groups.of[at(i)] = g;
  }
  groups.begin.assign(representative.size() + 1, 0);
  for (const Index g : groups.of) ++groups.begin[at(g) + 1];
  std::partial_sum(groups.begin.begin(), groups.begin.end(), groups.begin.begin());
  groups.member.resize(at(n));
  std::vector<Index> next(groups.begin.begin(), groups.begin.end() - 1);
  for (Index i = 0; i < n; ++i) groups.member[at(next[at(groups.of[at(i)])]++)] = i;
  return groups;
}

}  // namespace nsn
