/// Which block rows of a system belong together: the connected components of its pattern.
///
/// Two islands share no entry of S, so each is a system of its own. Rows keep their places in the
/// vectors; an island is a list of them.
#pragma once

#include <vector>

#include "nsn/core/matrix/block_csr.h"
#include "nsn/core/matrix/csr.h"

namespace nsn::cuda {

/// Island k: rows[row_begin[k]] ... rows[row_begin[k+1] - 1], ascending; likewise its nodes, the
/// block columns of J, where S = J H^-1 J^T + C. Islands are ordered by their first row; a node
/// that no row touches belongs to none.
struct Islands {
  std::vector<int> row_begin{0};
  std::vector<int> rows;
  std::vector<int> node_begin{0};
  std::vector<int> nodes;

  int count() const { return static_cast<int>(row_begin.size()) - 1; }
  int largest() const;
};

/// Of a square block matrix.
Islands find_islands(const BlockCsr& S);
/// Of a square scalar matrix, by block rows of three.
Islands find_islands(const Csr& S);
/// Of J H^-1 J^T + C with block diagonal H.
Islands find_islands(const BlockCsr& J, const BlockCsr* C);
/// All rows and nodes in one.
Islands one_island(int rows, int nodes);

}  // namespace nsn::cuda
