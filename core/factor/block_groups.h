/// Block rows with the same neighbours, themselves included: contacts between the same two bodies.
#pragma once

#include <vector>

#include "nsn/core/base/types.h"
#include "nsn/core/matrix/block_csr.h"

namespace nsn {

struct BlockGroups {
  std::vector<Index> of;      ///< block row -> group
  std::vector<Index> begin;   ///< groups + 1
  std::vector<Index> member;  ///< block rows by group, ascending in each

  Index count() const { return static_cast<Index>(begin.size()) - 1; }
};

/// A: columns of each row ascending, every diagonal block present.
BlockGroups group_blocks(const BlockCsr& A);

}  // namespace nsn
