// Orders of elimination: every node once, whatever the graph; separators where a graph has them.
#include "nsn/core/factor/block_ordering.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/core/factor/block_symbolic.h"
#include "nsn/core/factor/dissection.h"

namespace nsn {
namespace {

/// n^3 nodes, neighbours up to one step away in every direction.
Graph cube(Index n) {
  Graph graph;
  const auto inside = [n](Index x) { return x >= 0 && x < n; };
  for (Index i = 0; i < n * n * n; ++i) {
    const Index x = i % n;
    const Index y = i / n % n;
    const Index z = i / (n * n);
    for (Index d = 0; d < 27; ++d) {
      const Index a = x + d % 3 - 1;
      const Index b = y + d / 3 % 3 - 1;
      const Index c = z + d / 9 - 1;
      if (inside(a) && inside(b) && inside(c)) graph.neighbour.push_back(a + n * (b + n * c));
    }
    graph.begin.push_back(static_cast<Index>(graph.neighbour.size()));
  }
  return graph;
}

Graph complete(Index n) {
  Graph graph;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) graph.neighbour.push_back(j);
    graph.begin.push_back(static_cast<Index>(graph.neighbour.size()));
  }
  return graph;
}

/// Two copies without an edge between them.
Graph twice(const Graph& one) {
  Graph graph = one;
  for (const Index j : one.neighbour) graph.neighbour.push_back(j + one.nodes());
  for (Index i = 1; i <= one.nodes(); ++i) {
    graph.begin.push_back(one.begin[static_cast<std::size_t>(i)] + one.begin.back());
  }
  return graph;
}

BlockCsr pattern(const Graph& graph) {
  BlockCsr A;
  A.rows = A.columns = graph.nodes();
  A.row_begin = IndexVector("row_begin", graph.begin.size());
  A.column = IndexVector("column", graph.neighbour.size());
  std::copy(graph.begin.begin(), graph.begin.end(), A.row_begin.data());
  std::copy(graph.neighbour.begin(), graph.neighbour.end(), A.column.data());
  return A;
}

bool has_metis() {
  return !dissection_order(cube(2), std::vector<Index>(8, 1)).empty();
}

void expect_permutation(const Graph& graph) {
  const std::vector<Index> weight(static_cast<std::size_t>(graph.nodes()), 1);
  std::vector<Index> order = dissection_order(graph, weight);

  std::sort(order.begin(), order.end());
  std::vector<Index> all(weight.size());
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(order, all);
}

TEST(NestedDissection, OrdersEveryNodeOnce) {
  if (!has_metis()) GTEST_SKIP() << "built without METIS";
  expect_permutation(cube(1));
  expect_permutation(cube(4));
  expect_permutation(cube(9));
  expect_permutation(twice(cube(7)));
}

TEST(NestedDissection, NothingAtAll) {
  EXPECT_TRUE(dissection_order(Graph{}, {}).empty());
}

TEST(NestedDissection, NoSeparatorWhereEveryoneMeetsEveryone) {
  if (!has_metis()) GTEST_SKIP() << "built without METIS";
  expect_permutation(complete(150));
}

TEST(NestedDissection, RefusesWeightsOfAnotherGraph) {
  if (!has_metis()) GTEST_SKIP() << "built without METIS";
  const std::vector<Index> weight(7, 1);
  EXPECT_THROW(dissection_order(cube(2), weight), std::invalid_argument);
}

TEST(NestedDissection, LastComesASeparatorOfTheCube) {
  if (!has_metis()) GTEST_SKIP() << "built without METIS";
  const Index n = 12;
  const Graph graph = cube(n);
  const std::vector<Index> weight(static_cast<std::size_t>(graph.nodes()), 1);
  const std::vector<Index> order = dissection_order(graph, weight);

  // Without the last n^2 to 1.5 n^2 nodes of the order (a flat separator has n^2) the first node
  // reaches at most 70 % of the others.
  std::vector<char> blocked(weight.size(), 0);
  for (std::size_t k = weight.size() - static_cast<std::size_t>(3 * n * n / 2); k < weight.size();
       ++k) {
    blocked[static_cast<std::size_t>(order[k])] = 1;
  }
  std::vector<Index> reached{order.front()};
  blocked[static_cast<std::size_t>(order.front())] = 1;
  for (std::size_t k = 0; k < reached.size(); ++k) {
    const auto i = static_cast<std::size_t>(reached[k]);
    for (Index e = graph.begin[i]; e < graph.begin[i + 1]; ++e) {
      const Index j = graph.neighbour[static_cast<std::size_t>(e)];
      if (blocked[static_cast<std::size_t>(j)] != 0) continue;
      blocked[static_cast<std::size_t>(j)] = 1;
      reached.push_back(j);
    }
  }
  EXPECT_LE(static_cast<double>(reached.size()), 0.7 * graph.nodes());
}

// A band of blocks of which every third takes part: those three apart are no neighbours, and nothing fills in.
TEST(BlockSymbolic, RowsThatDoNotTakePartAreLeftOut) {
  const Index n = 30;
  Graph band;
  for (Index i = 0; i < n; ++i) {
    for (Index j = std::max(0, i - 2); j <= std::min(n - 1, i + 2); ++j)
      band.neighbour.push_back(j);
    band.begin.push_back(static_cast<Index>(band.neighbour.size()));
  }
  const BlockCsr A = pattern(band);
  std::vector<std::uint8_t> active(30, 0);
  for (std::size_t i = 0; i < active.size(); i += 3) active[i] = 5;
  const BlockSymbolic symbolic = analyze_active(A, active);
  EXPECT_EQ(symbolic.order.size(), 10U);
  for (std::size_t k = 0; k < symbolic.order.size(); ++k) {
    const auto row = static_cast<std::size_t>(symbolic.order[k]);
    EXPECT_EQ(row % 3, 0U);
    EXPECT_EQ(symbolic.place[row], static_cast<Index>(k));
  }
  EXPECT_EQ(symbolic.place[1], -1);
  const WeightedGraph graph = elimination_graph(A, active);
  EXPECT_EQ(graph.graph.nodes(), 10);
  EXPECT_EQ(std::accumulate(graph.weight.begin(), graph.weight.end(), 0), 20);
  EXPECT_DOUBLE_EQ(elimination_flops(graph, minimum_degree_order(graph.graph, graph.weight)),
                   10 * 8.0 / 3.0);
}

// A cube of n^3 nodes: the last front, n^2 nodes, alone takes (3 n^2)^3 / 3 = 3e8 operations for
// n = 18, all fronts together some twenty times that where they nest.
TEST(BlockSymbolic, LargeMeshesAreDissected) {
  const Graph graph = cube(18);
  const BlockSymbolic symbolic = analyze_blocks(pattern(graph));

  EXPECT_GT(symbolic.flops, 3e8);
  EXPECT_LT(symbolic.flops, 1e10);
}

}  // namespace
}  // namespace nsn
