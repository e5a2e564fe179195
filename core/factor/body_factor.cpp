#include "nsn/core/factor/body_factor.h"

#include <algorithm>
#include <utility>

#include "nsn/core/factor/block_ordering.h"
#include "nsn/core/factor/body_blocks.h"

namespace nsn {
namespace {

using body_blocks::kBody;
using body_blocks::kPadded;

/// Least degree, then children right before their parent in the tree of the elimination: the fill
/// is the same.
std::vector<Index> find_order(const std::vector<std::vector<Index>>& neighbours) {
  Graph graph;
  for (const auto& list : neighbours) {
    graph.neighbour.insert(graph.neighbour.end(), list.begin(), list.end());
    graph.begin.push_back(static_cast<Index>(graph.neighbour.size()));
  }
  const std::size_t n = neighbours.size();
  const std::vector<Index> order = minimum_degree_order(graph, std::vector<Index>(n, 1));
  std::vector<Index> number(n);
  for (std::size_t k = 0; k < n; ++k) number[to_size(order[k])] = static_cast<Index>(k);
  // Liu's algorithm: the root of each neighbour's subtree so far gets the present node as parent.
  std::vector<Index> parent(n, -1);
  std::vector<Index> top(n, -1);
  for (std::size_t k = 0; k < n; ++k) {
    for (const Index neighbour : neighbours[to_size(order[k])]) {
      Index i = number[to_size(neighbour)];
      while (i >= 0 && i < static_cast<Index>(k)) {
        const Index next = top[to_size(i)];
        top[to_size(i)] = static_cast<Index>(k);
        if (next < 0) parent[to_size(i)] = static_cast<Index>(k);
        i = next;
      }
    }
  }
  std::vector<std::vector<Index>> children(n + 1);  // the last list: roots
  for (std::size_t k = 0; k < n; ++k) {
    children[parent[k] < 0 ? n : to_size(parent[k])].push_back(static_cast<Index>(k));
  }
  std::vector<Index> postorder;
  std::vector<std::pair<std::size_t, std::size_t>> stack{{n, 0}};  // node, next child
  while (!stack.empty()) {
    auto& [node, child] = stack.back();
    if (child < children[node].size()) {
      stack.emplace_back(to_size(children[node][child++]), 0);
      continue;
    }
    if (node < n) postorder.push_back(order[node]);
    stack.pop_back();
  }
  return postorder;
}

}  // namespace

void BodyFactor::analyze(std::vector<std::vector<Index>> neighbours) {
  const auto bodies = static_cast<Index>(neighbours.size());
  for (auto& list : neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  order_ = find_order(neighbours);
  place_.resize(to_size(bodies));
  for (Index k = 0; k < bodies; ++k) place_[to_size(order_[to_size(k)])] = k;
  std::vector<std::vector<Index>> columns(to_size(bodies));
  below_begin_.assign(1, 0);
  below_.clear();
  target_of_pair_.clear();
  for (Index k = 0; k < bodies; ++k) {
    std::vector<Index>& column = columns[to_size(k)];
    for (const Index n : neighbours[to_size(order_[to_size(k)])]) {
      if (place_[to_size(n)] > k) column.push_back(place_[to_size(n)]);
    }
    std::sort(column.begin(), column.end());
    column.erase(std::unique(column.begin(), column.end()), column.end());
    below_.insert(below_.end(), column.begin(), column.end());
    below_begin_.push_back(static_cast<Index>(below_.size()));
    if (column.empty()) continue;
    std::vector<Index>& parent = columns[to_size(column.front())];
    parent.insert(parent.end(), column.begin() + 1, column.end());
  }
  for (Index k = 0; k < bodies; ++k) {
    for (Index a = below_begin_[to_size(k)]; a < below_begin_[to_size(k) + 1]; ++a) {
      for (Index b = below_begin_[to_size(k)]; b < a; ++b) {
        target_of_pair_.push_back(block_of(below_[to_size(b)], below_[to_size(a)]));
      }
    }
  }
  root_.resize(to_size(bodies));
  for (Index k = bodies - 1; k >= 0; --k) {
    const bool top = below_begin_[to_size(k)] == below_begin_[to_size(k) + 1];
    root_[to_size(k)] = top ? k : root_[to_size(below_[to_size(below_begin_[to_size(k)])])];
  }
  diagonal_.resize(body_blocks::kSize * to_size(bodies));
  reciprocal_.resize(kPadded * to_size(bodies));
  off_.resize(body_blocks::kSize * below_.size());
  x_.resize(kPadded * to_size(bodies));
}

Index BodyFactor::block_of(Index p, Index q) const {
  const auto first = below_.begin() + below_begin_[to_size(p)];
  const auto last = below_.begin() + below_begin_[to_size(p) + 1];
  return static_cast<Index>(std::lower_bound(first, last, q) - below_.begin());
}

void BodyFactor::clear() {
  std::fill(off_.begin(), off_.end(), 0.0);
  std::fill(diagonal_.begin(), diagonal_.end(), 0.0);
}

double* BodyFactor::diagonal(Index place) {
  return diagonal_.data() + body_blocks::kSize * to_size(place);
}

double* BodyFactor::off(Index block) {
  return off_.data() + body_blocks::kSize * to_size(block);
}

const double* BodyFactor::reciprocal(Index place) const {
  return reciprocal_.data() + kPadded * to_size(place);
}

bool BodyFactor::factorise() {
  const auto off = [&](Index block) { return off_.data() + body_blocks::kSize * to_size(block); };
  const auto diagonal = [&](std::size_t k) { return diagonal_.data() + body_blocks::kSize * k; };
  const auto subtract = [](const double* B, const double* X, double* C) {
    body_blocks::subtract_product(B, kPadded, kPadded, X, kPadded, C);
  };
  std::size_t pair = 0;
  for (std::size_t k = 0; k < order_.size(); ++k) {
    double* const reciprocal = reciprocal_.data() + kPadded * k;
    if (!body_blocks::factor(diagonal(k), reciprocal)) return false;
    for (Index a = below_begin_[k]; a < below_begin_[k + 1]; ++a) {
      body_blocks::divide(diagonal(k), reciprocal, kPadded, kPadded, off(a));
      for (Index b = below_begin_[k]; b < a; ++b) {
        subtract(off(b), off(a), off(target_of_pair_[pair++]));
      }
      subtract(off(a), off(a), diagonal(to_size(below_[to_size(a)])));
    }
  }
  return true;
}

void BodyFactor::solve(Vector f) {
  const auto x = [&](std::size_t k) { return x_.data() + kPadded * k; };
  const auto off = [&](Index block) { return off_.data() + body_blocks::kSize * to_size(block); };
  const auto diagonal = [&](std::size_t k) { return diagonal_.data() + body_blocks::kSize * k; };
  for (std::size_t k = 0; k < order_.size(); ++k) {
    std::copy_n(&f(static_cast<Index>(kBody) * order_[k]), kBody, x(k));
  }
  for (std::size_t k = 0; k < order_.size(); ++k) {
    body_blocks::forward(diagonal(k), reciprocal_.data() + kPadded * k, x(k));
    for (Index a = below_begin_[k]; a < below_begin_[k + 1]; ++a) {
      body_blocks::subtract_transposed(off(a), x(k), x(to_size(below_[to_size(a)])));
    }
  }
  for (std::size_t k = order_.size(); k-- > 0;) {
    for (Index a = below_begin_[k]; a < below_begin_[k + 1]; ++a) {
      body_blocks::subtract(off(a), x(to_size(below_[to_size(a)])), x(k));
    }
    body_blocks::backward(diagonal(k), reciprocal_.data() + kPadded * k, x(k));
  }
  for (std::size_t k = 0; k < order_.size(); ++k) {
    std::copy_n(x(k), kBody, &f(static_cast<Index>(kBody) * order_[k]));
  }
}

}  // namespace nsn
