/// A fill-reducing order for large graphs that have small separators: nested dissection, by METIS.
///
///     graph = A + B + S,  no edge between A and B;   order: A, then B, then S, each the same way
///
/// The factor of a mesh of n nodes in space then has O(n^(4/3)) entries and its largest front the
/// O(n^(2/3)) nodes of the first separator. [George 1973; Karypis, Kumar 1998]
#pragma once

#include <span>
#include <vector>

#include "nsn/core/factor/block_ordering.h"

namespace nsn {

/// order[k] is the node eliminated k-th. weight: scalars that a node stands for, > 0, one per node. Empty
/// where the library was built without METIS.
std::vector<Index> dissection_order(const Graph& graph, std::span<const Index> weight);

}  // namespace nsn
