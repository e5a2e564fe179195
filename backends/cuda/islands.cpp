#include "nsn/backends/cuda/islands.h"

#include <algorithm>
#include <numeric>

namespace nsn::cuda {
namespace {

class UnionFind {
 public:
  explicit UnionFind(int n) : parent_(static_cast<std::size_t>(n)) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int find(int i) {
    while (at(i) != i) i = at(i) = at(at(i));
    return i;
  }
  // The smaller index stays the root: islands are ordered by their first row.
  void join(int i, int j) {
    i = find(i);
    j = find(j);
    at(std::max(i, j)) = std::min(i, j);
  }

 private:
  int& at(int i) { return parent_[static_cast<std::size_t>(i)]; }
  std::vector<int> parent_;
};

// Sorts members 0 ... count-1 (offset in the union-find: first) into the lists of their islands.
void sort_members(UnionFind& sets, const std::vector<int>& island_of_root, int first, int count,
                  std::vector<int>& begin, std::vector<int>& members) {
  const auto island = [&](int i) {
    return island_of_root[static_cast<std::size_t>(sets.find(first + i))];
  };
  for (int i = 0; i < count; ++i) {
    if (island(i) >= 0) ++begin[static_cast<std::size_t>(island(i)) + 1];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<int> next(begin.begin(), begin.end() - 1);
  members.resize(static_cast<std::size_t>(begin.back()));
  for (int i = 0; i < count; ++i) {
    if (island(i) < 0) continue;
    members[static_cast<std::size_t>(next[static_cast<std::size_t>(island(i))]++)] = i;
  }
}

Islands collect(UnionFind& sets, int rows, int nodes) {
  std::vector<int> island_of_root(static_cast<std::size_t>(rows + nodes), -1);
  int count = 0;
  for (int i = 0; i < rows; ++i) {
    int& island = island_of_root[static_cast<std::size_t>(sets.find(i))];
    if (island < 0) island = count++;
  }
  Islands islands;
  islands.row_begin.assign(static_cast<std::size_t>(count) + 1, 0);
  islands.node_begin.assign(static_cast<std::size_t>(count) + 1, 0);
  sort_members(sets, island_of_root, 0, rows, islands.row_begin, islands.rows);
  sort_members(sets, island_of_root, rows, nodes, islands.node_begin, islands.nodes);
  return islands;
}

void join_entries(UnionFind& sets, const BlockCsr& A, int first_column) {
  for (Index i = 0; i < A.rows; ++i) {
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      sets.join(i, first_column + A.column(k));
    }
  }
}

}  // namespace

int Islands::largest() const {
  int most = 0;
  for (std::size_t k = 0; k + 1 < row_begin.size(); ++k) {
    most = std::max(most, row_begin[k + 1] - row_begin[k]);
  }
  return most;
}

Islands find_islands(const BlockCsr& S) {
  UnionFind sets(S.rows);
  join_entries(sets, S, 0);
  return collect(sets, S.rows, 0);
}

Islands find_islands(const Csr& S) {
  const int rows = (S.rows + kBlock - 1) / kBlock;
  UnionFind sets(rows);
  for (Index i = 0; i < S.rows; ++i) {
    for (Index k = S.row_begin(i); k < S.row_begin(i + 1); ++k) {
      sets.join(i / kBlock, S.column(k) / kBlock);
    }
  }
  return collect(sets, rows, 0);
}

Islands find_islands(const BlockCsr& J, const BlockCsr* C) {
  UnionFind sets(J.rows + J.columns);
  join_entries(sets, J, J.rows);
  if (C != nullptr) join_entries(sets, *C, 0);
  return collect(sets, J.rows, J.columns);
}

Islands one_island(int rows, int nodes) {
  Islands islands;
  islands.row_begin = {0, rows};
  islands.node_begin = {0, nodes};
  islands.rows.resize(static_cast<std::size_t>(rows));
  islands.nodes.resize(static_cast<std::size_t>(nodes));
  std::iota(islands.rows.begin(), islands.rows.end(), 0);
  std::iota(islands.nodes.begin(), islands.nodes.end(), 0);
  return islands;
}

}  // namespace nsn::cuda
