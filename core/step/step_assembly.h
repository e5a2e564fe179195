/// Symbolic work of the paper's method, on the host, once per pattern: the blocks of J by nodes, the
/// pattern of S in either form, and which products its blocks are sums of.
#pragma once

#include <string_view>
#include <vector>

#include "nsn/core/linear/linear_solver.h"
#include "nsn/core/matrix/block_csr.h"
#include "nsn/core/step/newton_options.h"

namespace nsn::paper {

/// The blocks of J node by node, rows ascending.
struct NodeLists {
  std::vector<Index> begin, row, block;
};
NodeLists node_lists(const BlockCsr& J);

/// One block of S = sum of products over pairs of blocks of J (left, right), and of its mirror.
struct ProductLists {
  std::vector<Index> row_begin, column;  ///< S
  std::vector<Index> upper, mirror;      ///< where block k of the list and its mirror are in S
  std::vector<Index> begin;              ///< of block k in `left` and `right`
  std::vector<Index> left, right;        ///< blocks of J
};

/// S = J H^-1 J^T + C over the row blocks: pairs of blocks in one column of J.
ProductLists compliance_products(const BlockCsr& J, const NodeLists& nodes);
/// S = H + J^T N J over the nodes: pairs of blocks in one row of J.
ProductLists stiffness_products(const BlockCsr& J, const NodeLists& nodes);

/// Throws std::invalid_argument where the options ask for factors and the solver for entries.
void require_matrix_free(const PaperOptions& options, const Capabilities& solver,
                         std::string_view name);

/// More than `most` pairs of rows share a node: blocks of J H^-1 J^T. Counts no further.
bool has_more_pairs(const BlockCsr& J, const NodeLists& nodes, double most);

}  // namespace nsn::paper
