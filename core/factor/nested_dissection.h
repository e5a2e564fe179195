/// A fill-reducing order for large graphs that have small separators: nested dissection.
///
///     graph = A + B + S,  no edge between A and B;   order: A, then B, then S, each the same way
///
/// The factor of a mesh of n nodes in space then has O(n^(4/3)) entries and its largest front the
/// O(n^(2/3)) nodes of the first separator; minimum degree (core/factor/block_ordering.h) orders
/// the small parts. A separator is where the distances to two far ends are alike, and is thinned
/// until no smaller one lies beside it (a smallest vertex cover of the edges to one of its sides).
/// [George 1973; Ashcraft, Liu 1998]
#pragma once

#include <span>
#include <vector>

#include "nsn/core/factor/block_ordering.h"

namespace nsn {

/// order[k] is the node eliminated k-th. weight: scalars that a node stands for, > 0, one per node.
std::vector<Index> nested_dissection_order(const Graph& graph, std::span<const Index> weight);

}  // namespace nsn
