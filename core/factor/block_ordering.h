/// A fill-reducing order for the elimination of a symmetric graph: approximate minimum degree.
///
/// Nodes are eliminated by the smallest bound on their degree, kept in a quotient graph: an
/// eliminated node becomes an element whose neighbours are a clique, elements swallow those they
/// contain, and nodes that cannot be told apart are merged. [Amestoy, Davis, Duff 1996]
#pragma once

#include <span>
#include <vector>

#include "nsn/core/base/types.h"

namespace nsn {

/// Neighbours of node i are neighbour[begin[i]] ... neighbour[begin[i+1] - 1]; symmetric, a node
/// may or may not list itself.
struct Graph {
  std::vector<Index> begin{0};
  std::vector<Index> neighbour;

  Index nodes() const { return static_cast<Index>(begin.size()) - 1; }
};

/// order[k] is the node eliminated k-th. weight: scalars that a node stands for, > 0, one per node.
std::vector<Index> minimum_degree_order(const Graph& graph, std::span<const Index> weight);

}  // namespace nsn
