#include "nsn/core/factor/block_symbolic.h"

#include <algorithm>
#include <numeric>

#include "nsn/core/factor/block_groups.h"
#include "nsn/core/factor/block_ordering.h"
#include "nsn/core/factor/nested_dissection.h"

namespace nsn {
namespace {

constexpr Index kNone = -1;
constexpr double kDissectFlops = 3e8;  // above, nested dissection is tried too

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

Graph group_graph(const BlockCsr& A, const BlockGroups& groups) {
  Graph graph;
  graph.begin.reserve(at(groups.count()) + 1);
  std::vector<Index> seen(at(groups.count()), kNone);
  for (Index g = 0; g < groups.count(); ++g) {
    const Index i = groups.member[at(groups.begin[at(g)])];
    seen[at(g)] = g;
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      const Index h = groups.of[at(A.column(k))];
      if (seen[at(h)] == g) continue;
      seen[at(h)] = g;
      graph.neighbour.push_back(h);
    }
    graph.begin.push_back(static_cast<Index>(graph.neighbour.size()));
  }
  return graph;
}

std::vector<Index> inverse(const std::vector<Index>& order) {
  std::vector<Index> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[at(order[k])] = static_cast<Index>(k);
  return place;
}

/// parent[k]: the next column that column k updates, by the order given.
std::vector<Index> elimination_tree(const Graph& graph, const std::vector<Index>& order,
                                    const std::vector<Index>& place) {
  std::vector<Index> parent(order.size(), kNone);
  std::vector<Index> ancestor(order.size(), kNone);
  for (Index k = 0; k < graph.nodes(); ++k) {
    const Index node = order[at(k)];
    for (Index e = graph.begin[at(node)]; e < graph.begin[at(node) + 1]; ++e) {
      Index i = place[at(graph.neighbour[at(e)])];
      while (i < k) {  // climb to the root, pointing everything met at k
        const Index up = ancestor[at(i)];
        ancestor[at(i)] = k;
        if (up == kNone) {
          parent[at(i)] = k;
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
  std::vector<Index> child(at(n), kNone);
  std::vector<Index> sibling(at(n), kNone);
  for (Index k = n - 1; k >= 0; --k) {
    if (parent[at(k)] == kNone) continue;
    sibling[at(k)] = child[at(parent[at(k)])];
    child[at(parent[at(k)])] = k;
  }
  std::vector<Index> post;
  post.reserve(at(n));
  std::vector<Index> stack;
  for (Index root = 0; root < n; ++root) {
    if (parent[at(root)] != kNone) continue;
    stack.push_back(root);
    while (!stack.empty()) {
      const Index k = stack.back();
      if (child[at(k)] != kNone) {
        stack.push_back(child[at(k)]);
        child[at(k)] = sibling[at(child[at(k)])];
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
  Index count(Index k) const { return begin[at(k) + 1] - begin[at(k)]; }
};

Structure column_structure(const Graph& graph, const std::vector<Index>& order,
                           const std::vector<Index>& place) {
  const Index n = graph.nodes();
  Structure s;
  s.parent.assign(at(n), kNone);
  s.begin.reserve(at(n) + 1);
  s.rows.reserve(4 * graph.neighbour.size());
  std::vector<Index> child(at(n), kNone);
  std::vector<Index> sibling(at(n), kNone);
  std::vector<Index> seen(at(n), kNone);
  for (Index k = 0; k < n; ++k) {
    const std::size_t first = s.rows.size();
    const auto add = [&](Index i) {
      if (i <= k || seen[at(i)] == k) return;
      seen[at(i)] = k;
      s.rows.push_back(i);
    };
    const Index node = order[at(k)];
    for (Index e = graph.begin[at(node)]; e < graph.begin[at(node) + 1]; ++e) {
      add(place[at(graph.neighbour[at(e)])]);
    }
    for (Index c = child[at(k)]; c != kNone; c = sibling[at(c)]) {
      for (Index e = s.begin[at(c)]; e < s.begin[at(c) + 1]; ++e) add(s.rows[at(e)]);
    }
    std::sort(s.rows.begin() + static_cast<std::ptrdiff_t>(first), s.rows.end());
    if (s.rows.size() > first) {
      const Index up = s.rows[first];
      s.parent[at(k)] = up;
      sibling[at(k)] = child[at(up)];
      child[at(up)] = k;
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
    result.order.push_back(given[at(k)]);
  }
  result.structure = column_structure(graph, result.order, inverse(result.order));
  for (Index k = 0; k < graph.nodes(); ++k) {
    const double w = 3.0 * weight[at(result.order[at(k)])];
    double h = 0.0;
    for (Index e = result.structure.begin[at(k)]; e < result.structure.begin[at(k) + 1]; ++e) {
      h += 3.0 * weight[at(result.order[at(result.structure.rows[at(e)])])];
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
  double width(const Run& run) const { return offset_[at(run.last) + 1] - offset_[at(run.first)]; }
  double height(const Run& run) const {
    double sum = 0.0;
    for (Index k = structure_.begin[at(run.last)]; k < structure_.begin[at(run.last) + 1]; ++k) {
      const Index g = structure_.rows[at(k)];
      sum += offset_[at(g) + 1] - offset_[at(g)];
    }
    return sum;
  }
  static double size(double w, double h) { return 0.5 * w * (w + 1.0) + w * h; }

  void find_fundamental() {
    const Index n = static_cast<Index>(structure_.parent.size());
    std::vector<Index> children(at(n), 0);
    for (const Index p : structure_.parent) {
      if (p != kNone) ++children[at(p)];
    }
    run_of_.resize(at(n));
    for (Index k = 0; k < n; ++k) {
      const bool joins = k > 0 && structure_.parent[at(k) - 1] == k && children[at(k)] == 1 &&
                         structure_.count(k - 1) == structure_.count(k) + 1;
      if (joins) {
        runs_.back().last = k;
      } else {
        runs_.push_back({k, k});
      }
      run_of_[at(k)] = static_cast<Index>(runs_.size()) - 1;
    }
    for (Run& run : runs_) {
      const Index up = structure_.parent[at(run.last)];
      if (up != kNone) run.parent = run_of_[at(up)];
    }
    heights_.reserve(runs_.size());
    for (const Run& run : runs_) heights_.push_back(height(run));
    into_.assign(runs_.size(), kNone);
  }

  Index live(Index run) const {
    while (run != kNone && into_[at(run)] != kNone) run = into_[at(run)];
    return run;
  }

  /// The child that ends right before run r joins it where that adds few zeros; repeatedly.
  void swallow_children(Index r) {
    while (runs_[at(r)].first > 0) {
      const Index c = live(run_of_[at(runs_[at(r)].first) - 1]);
      if (c == r || live(runs_[at(c)].parent) != r) return;
      Run& run = runs_[at(r)];
      Run& child = runs_[at(c)];
      const double w = width(child) + width(run);
      const double merged = size(w, heights_[at(r)]);
      const double zeros = merged - size(width(child), heights_[at(c)]) -
                           size(width(run), heights_[at(r)]) + child.zeros + run.zeros;
      const bool few = zeros <= options_.relax * merged && w <= options_.widest_relaxed;
      if (!few && w > options_.always_merge) return;
      run.first = child.first;
      run.zeros = zeros;
      child.swallowed = true;
      into_[at(c)] = r;
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
    const double w = 3.0 * (symbolic.first[at(s) + 1] - symbolic.first[at(s)]);
    const double h = 3.0 * (symbolic.row_begin[at(s) + 1] - symbolic.row_begin[at(s)]);
    symbolic.factor_size += 0.5 * w * (w + 1.0) + w * h;
    symbolic.flops += w * w * w / 3.0 + w * w * h + w * h * h;
  }
}

/// All nodes are neighbours: one front in their own order.
BlockSymbolic one_front(Index n) {
  BlockSymbolic symbolic;
  symbolic.order.resize(at(n));
  std::iota(symbolic.order.begin(), symbolic.order.end(), 0);
  symbolic.place = symbolic.order;
  symbolic.first = {0, n};
  symbolic.row_begin = {0, 0};
  symbolic.parent = {kNone};
  count_flops(symbolic);
  return symbolic;
}

}  // namespace

BlockSymbolic analyze_blocks(const BlockCsr& A, const SymbolicOptions& options) {
  if (A.rows > 0 && A.blocks() == A.rows * A.rows) return one_front(A.rows);
  const BlockGroups groups = group_blocks(A);
  const Graph graph = group_graph(A, groups);
  std::vector<Index> weight(at(groups.count()));
  for (Index g = 0; g < groups.count(); ++g) {
    weight[at(g)] = groups.begin[at(g) + 1] - groups.begin[at(g)];
  }
  Elimination elimination = eliminate(graph, weight, minimum_degree_order(graph, weight));
  if (elimination.flops > kDissectFlops) {
    Elimination other = eliminate(graph, weight, nested_dissection_order(graph, weight));
    if (other.flops < elimination.flops) elimination = std::move(other);
  }
  const std::vector<Index>& order = elimination.order;
  const Structure& structure = elimination.structure;
  std::vector<Index> offset(order.size() + 1, 0);
  BlockSymbolic symbolic;
  symbolic.order.reserve(at(A.rows));
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Index g = order[k];
    offset[k + 1] = offset[k] + weight[at(g)];
    for (Index m = groups.begin[at(g)]; m < groups.begin[at(g) + 1]; ++m) {
      symbolic.order.push_back(groups.member[at(m)]);
    }
  }
  symbolic.place = inverse(symbolic.order);
  std::vector<Index> supernode_of(at(A.rows));
  for (const Run& run : Supernodes(structure, offset, options).build()) {
    const Index s = static_cast<Index>(symbolic.first.size());
    symbolic.first.push_back(offset[at(run.first)]);
    for (Index k = offset[at(run.first)]; k < offset[at(run.last) + 1]; ++k)
      supernode_of[at(k)] = s;
    for (Index k = structure.begin[at(run.last)]; k < structure.begin[at(run.last) + 1]; ++k) {
      const Index g = structure.rows[at(k)];
      for (Index i = offset[at(g)]; i < offset[at(g) + 1]; ++i) symbolic.rows.push_back(i);
    }
    symbolic.row_begin.push_back(static_cast<Index>(symbolic.rows.size()));
  }
  symbolic.first.push_back(A.rows);
  for (std::size_t s = 0; s + 1 < symbolic.row_begin.size(); ++s) {
    const bool root = symbolic.row_begin[s] == symbolic.row_begin[s + 1];
    symbolic.parent.push_back(root ? kNone
                                   : supernode_of[at(symbolic.rows[at(symbolic.row_begin[s])])]);
  }
  count_flops(symbolic);
  return symbolic;
}

}  // namespace nsn
