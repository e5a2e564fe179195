#include "nsn/core/factor/block_groups.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "nsn/core/base/types.h"

namespace nsn {
namespace {

constexpr Index kNone = -1;

bool same_row(const BlockCsr& A, Index i, Index j) {
  const Index n = A.row_begin(i + 1) - A.row_begin(i);
  if (n != A.row_begin(j + 1) - A.row_begin(j)) return false;
  const Index* const a = A.column.data() + A.row_begin(i);
  return std::equal(a, a + n, A.column.data() + A.row_begin(j));
}

}  // namespace

BlockGroups group_blocks(const BlockCsr& A) {
  const Index n = A.rows;
  std::vector<std::pair<std::uint64_t, Index>> hashed(to_size(n));
  for (Index i = 0; i < n; ++i) {
    std::uint64_t hash = 0;
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      hash = hash * 0x100000001B3ULL + static_cast<std::uint64_t>(A.column(k)) + 1;
    }
    hashed[to_size(i)] = {hash, i};
  }
  std::sort(hashed.begin(), hashed.end());
  BlockGroups groups;
  groups.of.assign(to_size(n), kNone);
  std::vector<Index> representative;
  Index candidates = 0;  // first group with the present hash
  for (std::size_t k = 0; k < hashed.size(); ++k) {
    const Index i = hashed[k].second;
    if (k == 0 || hashed[k].first != hashed[k - 1].first) {
      candidates = static_cast<Index>(representative.size());
    }
    Index g = candidates;
    while (g < static_cast<Index>(representative.size()) &&
           !same_row(A, i, representative[to_size(g)])) {
      ++g;
    }
    if (g == static_cast<Index>(representative.size())) representative.push_back(i);
    groups.of[to_size(i)] = g;
  }
  groups.begin.assign(representative.size() + 1, 0);
  for (const Index g : groups.of) ++groups.begin[to_size(g) + 1];
  std::partial_sum(groups.begin.begin(), groups.begin.end(), groups.begin.begin());
  groups.member.resize(to_size(n));
  std::vector<Index> next(groups.begin.begin(), groups.begin.end() - 1);
  for (Index i = 0; i < n; ++i) groups.member[to_size(next[to_size(groups.of[to_size(i)])]++)] = i;
  return groups;
}

}  // namespace nsn
