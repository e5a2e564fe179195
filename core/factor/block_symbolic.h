/// Symbolic factorisation of a block matrix with a symmetric pattern: who is eliminated when, and
/// which dense fronts that takes.
///
/// Nodes (3x3 block rows) with the same neighbours are eliminated as one; consecutive nodes whose
/// columns have the same structure form a supernode, and a supernode swallows a child where that
/// adds few zeros. Supernode s has the nodes first[s] ... first[s+1] - 1 of the elimination order,
/// and below them the rows rows[row_begin[s]] ...; its front is dense over both. Children come
/// before parents (postorder).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nsn/core/base/types.h"
#include "nsn/core/factor/block_ordering.h"
#include "nsn/core/matrix/block_csr.h"

namespace nsn {

struct BlockSymbolic {
  std::vector<Index> order;         ///< order[k]: block row eliminated k-th
  std::vector<Index> place;         ///< place[order[k]] = k; -1 of a row that is left out
  std::vector<Index> first;         ///< supernodes + 1
  std::vector<Index> row_begin{0};  ///< supernodes + 1
  std::vector<Index> rows;          ///< places in the order, ascending, beyond the supernode's own
  std::vector<Index> parent;        ///< supernode that takes the update, -1 for a root
  double flops = 0.0;               ///< multiplications and additions of a Cholesky factorisation
  double factor_size = 0.0;         ///< scalars of the Cholesky factor

  Index supernodes() const { return static_cast<Index>(parent.size()); }
};

struct SymbolicOptions {
  double relax = 0.10;        ///< share of zeros a merged supernode may hold
  Index always_merge = 4;     ///< nodes of a supernode that is merged whatever the zeros
  Index widest_relaxed = 64;  ///< nodes of the widest supernode made by relaxation
};

/// A: square, symmetric as a pattern.
BlockSymbolic analyze_blocks(const BlockCsr& A, const SymbolicOptions& options = {});
/// The same of the rows with a bit in `active`, one entry per block row: the others are left out of the order, and a row
/// weighs as many scalars as it has bits.
BlockSymbolic analyze_active(const BlockCsr& A, std::span<const std::uint8_t> active,
                             const SymbolicOptions& options = {});

/// What an order is sought for: rows of A that take part, those with the same neighbours as one node.
struct WeightedGraph {
  Graph graph;
  std::vector<Index> weight;  ///< scalars of each node
};
WeightedGraph elimination_graph(const BlockCsr& A, std::span<const std::uint8_t> active);
/// Multiplications and additions of a Cholesky factorisation in this order.
double elimination_flops(const WeightedGraph& of, const std::vector<Index>& order);

}  // namespace nsn
