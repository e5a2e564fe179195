#include "nsn/core/factor/block_symbolic.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>
#include <utility>

#include "nsn/core/base/types.h"
#include "nsn/core/factor/block_groups.h"
#include "nsn/core/factor/block_ordering.h"
#include "nsn/core/factor/dissection.h"

namespace nsn {
namespace {

constexpr Index kNone = -1;
// Operations: above, nested dissection pays for its time, and the order with fewer operations is taken.
constexpr double kDissectFlops = 3e8;

Graph group_graph(const BlockCsr& A, const BlockGroups& groups) {
  Graph graph;
  graph.begin.reserve(to_size(groups.count()) + 1);
  std::vector<Index> seen(to_size(groups.count()), kNone);
  for (Index g = 0; g < groups.count(); ++g) {
    const Index i = groups.member[to_size(groups.begin[to_size(g)])];
    seen[to_size(g)] = g;
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      const Index h = groups.of[to_size(A.column(k))];
      if (seen[to_size(h)] == g) continue;
      seen[to_size(h)] = g;
      graph.neighbour.push_back(h);
    }
    graph.begin.push_back(static_cast<Index>(graph.neighbour.size()));
  }
  return graph;
}

std::vector<Index> inverse(const std::vector<Index>& order) {
  std::vector<Index> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[to_size(order[k])] = static_cast<Index>(k);
  return place;
}

/// parent[k]: the next column that column k updates, by the order given.
std::vector<Index> elimination_tree(const Graph& graph, const std::vector<Index>& order,
                                    const std::vector<Index>& place) {
  std::vector<Index> parent(order.size(), kNone);
  std::vector<Index> ancestor(order.size(), kNone);
  for (Index k = 0; k < graph.nodes(); ++k) {
    const Index node = order[to_size(k)];
    for (Index e = graph.begin[to_size(node)]; e < graph.begin[to_size(node) + 1]; ++e) {
      Index i = place[to_size(graph.neighbour[to_size(e)])];
      while (i < k) {  // climb to the root, pointing everything met at k
        const Index up = ancestor[to_size(i)];
        ancestor[to_size(i)] = k;
        if (up == kNone) {
          parent[to_size(i)] = k;
          break;
        }
        i = up;
      }
    }
  }
  return parent;
}

/// Children before parents, subtrees contiguous; returns old positions by new ones.
std::vector<Index> postorder(const std::vector<Index>& parent) {
  const Index n = static_cast<Index>(parent.size());
  std::vector<Index> child(to_size(n), kNone);
  std::vector<Index> sibling(to_size(n), kNone);
  for (Index k = n - 1; k >= 0; --k) {
    if (parent[to_size(k)] == kNone) continue;
    sibling[to_size(k)] = child[to_size(parent[to_size(k)])];
    child[to_size(parent[to_size(k)])] = k;
  }
  std::vector<Index> post;
  post.reserve(to_size(n));
  std::vector<Index> stack;
  for (Index root = 0; root < n; ++root) {
    if (parent[to_size(root)] != kNone) continue;
    stack.push_back(root);
    while (!stack.empty()) {
      const Index k = stack.back();
      if (child[to_size(k)] != kNone) {
        stack.push_back(child[to_size(k)]);
        child[to_size(k)] = sibling[to_size(child[to_size(k)])];
      } else {
        post.push_back(k);
        stack.pop_back();
      }
    }
  }
  return post;
}

/// Rows below the diagonal of every column of the factor.
struct Structure {
  std::vector<Index> begin{0};
  std::vector<Index> rows;
  std::vector<Index> parent;
  Index count(Index k) const { return begin[to_size(k) + 1] - begin[to_size(k)]; }
};

Structure column_structure(const Graph& graph, const std::vector<Index>& order,
                           const std::vector<Index>& place) {
  const Index n = graph.nodes();
  Structure s;
  s.parent.assign(to_size(n), kNone);
  s.begin.reserve(to_size(n) + 1);
  s.rows.reserve(4 * graph.neighbour.size());
  std::vector<Index> child(to_size(n), kNone);
  std::vector<Index> sibling(to_size(n), kNone);
  std::vector<Index> seen(to_size(n), kNone);
  for (Index k = 0; k < n; ++k) {
    const std::size_t first = s.rows.size();
    const auto add = [&](Index i) {
      if (i <= k || seen[to_size(i)] == k) return;
      seen[to_size(i)] = k;
      s.rows.push_back(i);
    };
    const Index node = order[to_size(k)];
    for (Index e = graph.begin[to_size(node)]; e < graph.begin[to_size(node) + 1]; ++e) {
      add(place[to_size(graph.neighbour[to_size(e)])]);
    }
    for (Index c = child[to_size(k)]; c != kNone; c = sibling[to_size(c)]) {
      for (Index e = s.begin[to_size(c)]; e < s.begin[to_size(c) + 1]; ++e) add(s.rows[to_size(e)]);
    }
    std::sort(s.rows.begin() + static_cast<std::ptrdiff_t>(first), s.rows.end());
    if (s.rows.size() > first) {
      const Index up = s.rows[first];
      s.parent[to_size(k)] = up;
      sibling[to_size(k)] = child[to_size(up)];
      child[to_size(up)] = k;
    }
    s.begin.push_back(static_cast<Index>(s.rows.size()));
  }
  return s;
}

/// An order with subtrees in one piece, what it leads to, and its operations.
struct Elimination {
  std::vector<Index> order;
  Structure structure;
  double flops = 0.0;
};

Elimination eliminate(const Graph& graph, const std::vector<Index>& weight,
                      const std::vector<Index>& given) {
  Elimination result;
  result.order.reserve(given.size());
  for (const Index k : postorder(elimination_tree(graph, given, inverse(given)))) {
    result.order.push_back(given[to_size(k)]);
  }
  result.structure = column_structure(graph, result.order, inverse(result.order));
  for (Index k = 0; k < graph.nodes(); ++k) {
    const double w = weight[to_size(result.order[to_size(k)])];
    double h = 0.0;
    for (Index e = result.structure.begin[to_size(k)]; e < result.structure.begin[to_size(k) + 1];
         ++e) {
      h += weight[to_size(result.order[to_size(result.structure.rows[to_size(e)])])];
    }
    result.flops += w * w * w / 3.0 + w * w * h + w * h * h;
  }
  return result;
}

/// A run of groups that is eliminated together; its rows are those of its last group.
struct Run {
  Index first;
  Index last;
  Index parent = kNone;  // run
  double zeros = 0.0;
  bool swallowed = false;
};

class Supernodes {
 public:
  Supernodes(const Structure& structure, const std::vector<Index>& offset,
             const SymbolicOptions& options)
      : structure_(structure), offset_(offset), options_(options) {}

  std::vector<Run> build() {
    find_fundamental();
    for (Index r = 0; r < static_cast<Index>(runs_.size()); ++r) swallow_children(r);
    std::erase_if(runs_, [](const Run& run) { return run.swallowed; });
    return std::move(runs_);
  }

 private:
  double width(const Run& run) const {
    return offset_[to_size(run.last) + 1] - offset_[to_size(run.first)];
  }
  double height(const Run& run) const {
    double sum = 0.0;
    for (Index k = structure_.begin[to_size(run.last)]; k < structure_.begin[to_size(run.last) + 1];
         ++k) {
      const Index g = structure_.rows[to_size(k)];
      sum += offset_[to_size(g) + 1] - offset_[to_size(g)];
    }
    return sum;
  }
  static double size(double w, double h) { return 0.5 * w * (w + 1.0) + w * h; }

  void find_fundamental() {
    const Index n = static_cast<Index>(structure_.parent.size());
    std::vector<Index> children(to_size(n), 0);
    for (const Index p : structure_.parent) {
      if (p != kNone) ++children[to_size(p)];
    }
    run_of_.resize(to_size(n));
    for (Index k = 0; k < n; ++k) {
      const bool joins = k > 0 && structure_.parent[to_size(k) - 1] == k &&
                         children[to_size(k)] == 1 &&
                         structure_.count(k - 1) == structure_.count(k) + 1;
      if (joins) {
        runs_.back().last = k;
      } else {
        runs_.push_back({k, k});
      }
      run_of_[to_size(k)] = static_cast<Index>(runs_.size()) - 1;
    }
    for (Run& run : runs_) {
      const Index up = structure_.parent[to_size(run.last)];
      if (up != kNone) run.parent = run_of_[to_size(up)];
    }
    heights_.reserve(runs_.size());
    for (const Run& run : runs_) heights_.push_back(height(run));
    into_.assign(runs_.size(), kNone);
  }

  Index live(Index run) const {
    while (run != kNone && into_[to_size(run)] != kNone) run = into_[to_size(run)];
    return run;
  }

  /// The child that ends right before run r joins it where that adds few zeros; repeatedly.
  void swallow_children(Index r) {
    while (runs_[to_size(r)].first > 0) {
      const Index c = live(run_of_[to_size(runs_[to_size(r)].first) - 1]);
      if (c == r || live(runs_[to_size(c)].parent) != r) return;
      Run& run = runs_[to_size(r)];
      Run& child = runs_[to_size(c)];
      const double w = width(child) + width(run);
      const double merged = size(w, heights_[to_size(r)]);
      const double zeros = merged - size(width(child), heights_[to_size(c)]) -
                           size(width(run), heights_[to_size(r)]) + child.zeros + run.zeros;
      const bool few = zeros <= options_.relax * merged && w <= options_.widest_relaxed;
      if (!few && w > options_.always_merge) return;
      run.first = child.first;
      run.zeros = zeros;
      child.swallowed = true;
      into_[to_size(c)] = r;
    }
  }

  const Structure& structure_;
  const std::vector<Index>& offset_;  // first node of each group
  SymbolicOptions options_;
  std::vector<Run> runs_;
  std::vector<Index> run_of_;
  std::vector<Index> into_;
  std::vector<double> heights_;
};

void count_flops(BlockSymbolic& symbolic) {
  for (Index s = 0; s < symbolic.supernodes(); ++s) {
    const double w = 3.0 * (symbolic.first[to_size(s) + 1] - symbolic.first[to_size(s)]);
    const double h = 3.0 * (symbolic.row_begin[to_size(s) + 1] - symbolic.row_begin[to_size(s)]);
    symbolic.factor_size += 0.5 * w * (w + 1.0) + w * h;
    symbolic.flops += w * w * w / 3.0 + w * w * h + w * h * h;
  }
}

/// All nodes are neighbours: one front in their own order.
BlockSymbolic one_front(Index n) {
  BlockSymbolic symbolic;
  symbolic.order.resize(to_size(n));
  std::iota(symbolic.order.begin(), symbolic.order.end(), 0);
  symbolic.place = symbolic.order;
  symbolic.first = {0, n};
  symbolic.row_begin = {0, 0};
  symbolic.parent = {kNone};
  count_flops(symbolic);
  return symbolic;
}

/// The order, with what it leads to: minimum degree, or nested dissection where that takes fewer operations.
/// weight: scalars of a group.
Elimination ordered(const Graph& graph, const std::vector<Index>& weight) {
  Elimination elimination = eliminate(graph, weight, minimum_degree_order(graph, weight));
  if (elimination.flops <= kDissectFlops) return elimination;
  const std::vector<Index> order = dissection_order(graph, weight);
  if (order.empty()) return elimination;
  Elimination other = eliminate(graph, weight, order);
  return other.flops < elimination.flops ? std::move(other) : std::move(elimination);
}

/// rows[i]: row of A that row i of the pattern is.
BlockCsr active_pattern(const BlockCsr& A, std::span<const std::uint8_t> active,
                        std::vector<Index>& rows) {
  std::vector<Index> place(to_size(A.rows), kNone);
  for (Index i = 0; i < A.rows; ++i) {
    if (active[to_size(i)] == 0) continue;
    place[to_size(i)] = static_cast<Index>(rows.size());
    rows.push_back(i);
  }
  const auto n = static_cast<Index>(rows.size());
  BlockCsr part{n, n, IndexVector("row_begin", rows.size() + 1),
                IndexVector(Kokkos::view_alloc(std::string("column"), Kokkos::WithoutInitializing),
                            A.column.extent(0)),
                Vector()};
  Index kept = 0;
  for (Index i = 0; i < n; ++i) {
    for (Index k = A.row_begin(rows[to_size(i)]); k < A.row_begin(rows[to_size(i)] + 1); ++k) {
      const Index j = place[to_size(A.column(k))];
      if (j != kNone) part.column(kept++) = j;
    }
    part.row_begin(i + 1) = kept;
  }
  return part;
}

/// rows: of the whole matrix; scalars: of each row of A.
BlockSymbolic analyze(const BlockCsr& A, std::span<const Index> scalars,
                      const SymbolicOptions& options) {
  const BlockGroups groups = group_blocks(A);
  const Graph graph = group_graph(A, groups);
  std::vector<Index> nodes(to_size(groups.count()));
  std::vector<Index> weight(to_size(groups.count()), 0);
  for (Index g = 0; g < groups.count(); ++g) {
    nodes[to_size(g)] = groups.begin[to_size(g) + 1] - groups.begin[to_size(g)];
    for (Index m = groups.begin[to_size(g)]; m < groups.begin[to_size(g) + 1]; ++m) {
      weight[to_size(g)] += scalars.empty() ? 3 : scalars[to_size(groups.member[to_size(m)])];
    }
  }
  const Elimination elimination = ordered(graph, weight);
  const std::vector<Index>& order = elimination.order;
  const Structure& structure = elimination.structure;
  std::vector<Index> offset(order.size() + 1, 0);
  BlockSymbolic symbolic;
  symbolic.order.reserve(to_size(A.rows));
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Index g = order[k];
    offset[k + 1] = offset[k] + nodes[to_size(g)];
    for (Index m = groups.begin[to_size(g)]; m < groups.begin[to_size(g) + 1]; ++m) {
      symbolic.order.push_back(groups.member[to_size(m)]);
    }
  }
  symbolic.place = inverse(symbolic.order);
  std::vector<Index> supernode_of(to_size(A.rows));
  for (const Run& run : Supernodes(structure, offset, options).build()) {
    const Index s = static_cast<Index>(symbolic.first.size());
    symbolic.first.push_back(offset[to_size(run.first)]);
    for (Index k = offset[to_size(run.first)]; k < offset[to_size(run.last) + 1]; ++k)
      supernode_of[to_size(k)] = s;
    for (Index k = structure.begin[to_size(run.last)]; k < structure.begin[to_size(run.last) + 1];
         ++k) {
      const Index g = structure.rows[to_size(k)];
      for (Index i = offset[to_size(g)]; i < offset[to_size(g) + 1]; ++i)
        symbolic.rows.push_back(i);
    }
    symbolic.row_begin.push_back(static_cast<Index>(symbolic.rows.size()));
  }
  symbolic.first.push_back(A.rows);
  for (std::size_t s = 0; s + 1 < symbolic.row_begin.size(); ++s) {
    const bool root = symbolic.row_begin[s] == symbolic.row_begin[s + 1];
    symbolic.parent.push_back(
        root ? kNone : supernode_of[to_size(symbolic.rows[to_size(symbolic.row_begin[s])])]);
  }
  count_flops(symbolic);
  return symbolic;
}

}  // namespace

BlockSymbolic analyze_blocks(const BlockCsr& A, const SymbolicOptions& options) {
  if (A.rows > 0 && A.blocks() == A.rows * A.rows) return one_front(A.rows);
  return analyze(A, {}, options);
}

BlockSymbolic analyze_active(const BlockCsr& A, std::span<const std::uint8_t> active,
                             const SymbolicOptions& options) {
  std::vector<Index> rows;
  const BlockCsr part = active_pattern(A, active, rows);
  std::vector<Index> scalars;
  scalars.reserve(rows.size());
  for (const Index row : rows) scalars.push_back(std::popcount(active[to_size(row)]));
  BlockSymbolic symbolic = analyze(part, scalars, options);
  for (Index& row : symbolic.order) row = rows[to_size(row)];
  symbolic.place.assign(to_size(A.rows), kNone);
  for (std::size_t k = 0; k < symbolic.order.size(); ++k) {
    symbolic.place[to_size(symbolic.order[k])] = static_cast<Index>(k);
  }
  return symbolic;
}

WeightedGraph elimination_graph(const BlockCsr& A, std::span<const std::uint8_t> active) {
  std::vector<Index> rows;
  const BlockCsr part = active_pattern(A, active, rows);
  const BlockGroups groups = group_blocks(part);
  WeightedGraph out{group_graph(part, groups), std::vector<Index>(to_size(groups.count()), 0)};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out.weight[to_size(groups.of[i])] += std::popcount(active[to_size(rows[i])]);
  }
  return out;
}

double elimination_flops(const WeightedGraph& of, const std::vector<Index>& order) {
  return eliminate(of.graph, of.weight, order).flops;
}

}  // namespace nsn
