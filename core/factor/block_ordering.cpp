#include "nsn/core/factor/block_ordering.h"

#include <algorithm>
#include <cstdint>

#include "nsn/core/base/error.h"
#include "nsn/core/base/types.h"

namespace nsn {
namespace {

constexpr Index kNone = -1;

/// The quotient graph. A node is a variable (not yet eliminated, or merged into another one) or an
/// element (eliminated). Lists of a variable: its elements, then its variables, in place.
class QuotientGraph {
 public:
  QuotientGraph(const Graph& graph, std::span<const Index> weight);
  std::vector<Index> eliminate_all();

 private:
  bool is_variable(Index i) const { return weight_[to_size(i)] > 0 && !eliminated_[to_size(i)]; }
  void insert(Index i);
  void remove(Index i);
  Index take_minimum();
  void form_element(Index pivot);
  void measure_elements(Index pivot);
  void update_variable(Index i, Index pivot);
  void merge_indistinguishable(Index pivot);
  bool same_lists(Index i, Index j);
  void merge(Index from, Index into);
  void finish(Index pivot);

  Index nodes_;
  Index remaining_ = 0;           // weight not yet eliminated
  std::vector<Index> list_;       // all lists; those of elements are appended
  std::vector<Index> begin_;      // of a node's list
  std::vector<Index> elements_;   // variables: how many elements lead the list
  std::vector<Index> length_;     // of the list
  std::vector<Index> weight_;     // 0: merged or absorbed
  std::vector<Index> degree_;     // variables: bound; elements: weight of their list
  std::vector<char> eliminated_;  // is or was an element
  std::vector<char> absorbed_;    // an element that is part of another
  std::vector<Index> mark_;       // == stamp_: variable in, or element met near, the present one
  std::vector<Index> outside_;    // elements: weight outside the present one
  Index stamp_ = 0;
  std::vector<Index> head_, next_, previous_;  // nodes by degree
  Index lowest_ = 0;
  std::vector<std::uint64_t> hash_;
  std::vector<Index> by_hash_;
  std::vector<Index> merged_first_, merged_next_, merged_last_;  // nodes that follow a pivot
  std::vector<Index> order_;
};

QuotientGraph::QuotientGraph(const Graph& graph, std::span<const Index> weight)
    : nodes_(graph.nodes()), weight_(weight.begin(), weight.end()) {
  const std::size_t n = to_size(nodes_);
  begin_.resize(n);
  elements_.assign(n, 0);
  length_.assign(n, 0);
  degree_.assign(n, 0);
  eliminated_.assign(n, 0);
  absorbed_.assign(n, 0);
  mark_.assign(n, 0);
  outside_.assign(n, 0);
  next_.assign(n, kNone);
  previous_.assign(n, kNone);
  hash_.assign(n, 0);
  merged_first_.assign(n, kNone);
  merged_next_.assign(n, kNone);
  merged_last_.assign(n, kNone);
  list_.reserve(2 * graph.neighbour.size() + n);
  for (Index i = 0; i < nodes_; ++i) {
    begin_[to_size(i)] = static_cast<Index>(list_.size());
    for (Index k = graph.begin[to_size(i)]; k < graph.begin[to_size(i) + 1]; ++k) {
      const Index j = graph.neighbour[to_size(k)];
      if (j == i) continue;
      list_.push_back(j);
      degree_[to_size(i)] += weight_[to_size(j)];
    }
    length_[to_size(i)] = static_cast<Index>(list_.size()) - begin_[to_size(i)];
    remaining_ += weight_[to_size(i)];
  }
  head_.assign(to_size(remaining_) + 1, kNone);
  lowest_ = remaining_;
  for (Index i = nodes_ - 1; i >= 0; --i) insert(i);
  order_.reserve(n);
}

void QuotientGraph::insert(Index i) {
  const Index d = degree_[to_size(i)];
  next_[to_size(i)] = head_[to_size(d)];
  previous_[to_size(i)] = kNone;
  if (head_[to_size(d)] != kNone) previous_[to_size(head_[to_size(d)])] = i;
  head_[to_size(d)] = i;
  lowest_ = std::min(lowest_, d);
}

void QuotientGraph::remove(Index i) {
  if (previous_[to_size(i)] != kNone) {
    next_[to_size(previous_[to_size(i)])] = next_[to_size(i)];
  } else {
    head_[to_size(degree_[to_size(i)])] = next_[to_size(i)];
  }
  if (next_[to_size(i)] != kNone) previous_[to_size(next_[to_size(i)])] = previous_[to_size(i)];
}

Index QuotientGraph::take_minimum() {
  while (head_[to_size(lowest_)] == kNone) ++lowest_;
  const Index pivot = head_[to_size(lowest_)];
  remove(pivot);
  return pivot;
}

/// L_pivot = variables of the pivot and of its elements, appended to list_.
void QuotientGraph::form_element(Index pivot) {
  ++stamp_;
  mark_[to_size(pivot)] = stamp_;
  const Index first = static_cast<Index>(list_.size());
  Index weight = 0;
  const auto add = [&](Index i) {
    if (!is_variable(i) || mark_[to_size(i)] == stamp_) return;
    mark_[to_size(i)] = stamp_;
    list_.push_back(i);
    weight += weight_[to_size(i)];
    remove(i);  // from its degree list, until its new degree is known
  };
  const Index from = begin_[to_size(pivot)];
  for (Index k = from; k < from + length_[to_size(pivot)]; ++k) {
    const Index j = list_[to_size(k)];
    if (k >= from + elements_[to_size(pivot)]) {
      add(j);
      continue;
    }
    if (absorbed_[to_size(j)]) continue;
    for (Index e = begin_[to_size(j)]; e < begin_[to_size(j)] + length_[to_size(j)]; ++e)
      add(list_[to_size(e)]);
    absorbed_[to_size(j)] = 1;
  }
  eliminated_[to_size(pivot)] = 1;
  remaining_ -= weight_[to_size(pivot)];
  begin_[to_size(pivot)] = first;
  length_[to_size(pivot)] = static_cast<Index>(list_.size()) - first;
  elements_[to_size(pivot)] = 0;
  degree_[to_size(pivot)] = weight;
}

/// outside_(e) = weight of L_e that is not in L_pivot, for every element near the pivot.
void QuotientGraph::measure_elements(Index pivot) {
  for (Index k = begin_[to_size(pivot)]; k < begin_[to_size(pivot)] + length_[to_size(pivot)];
       ++k) {
    const Index i = list_[to_size(k)];
    for (Index e = begin_[to_size(i)]; e < begin_[to_size(i)] + elements_[to_size(i)]; ++e) {
      const Index element = list_[to_size(e)];
      if (absorbed_[to_size(element)]) continue;
      if (mark_[to_size(element)] != stamp_) {
        mark_[to_size(element)] = stamp_;
        outside_[to_size(element)] = degree_[to_size(element)];
      }
      outside_[to_size(element)] -= weight_[to_size(i)];
    }
  }
}

/// Shortens the lists of i, adds the pivot as an element and bounds the degree.
void QuotientGraph::update_variable(Index i, Index pivot) {
  const Index from = begin_[to_size(i)];
  const Index middle = from + elements_[to_size(i)];
  const Index end = from + length_[to_size(i)];
  Index to = from;
  Index degree = 0;
  std::uint64_t hash = 0;
  for (Index k = from; k < middle; ++k) {
    const Index e = list_[to_size(k)];
    if (absorbed_[to_size(e)]) continue;
    if (outside_[to_size(e)] == 0) {  // contained in the pivot's element
      absorbed_[to_size(e)] = 1;
      continue;
    }
    degree += outside_[to_size(e)];
    hash += static_cast<std::uint64_t>(e) * 0x9E3779B97F4A7C15ULL;
    list_[to_size(to++)] = e;
  }
  const Index kept_elements = to - from;
  Index write = to;
  for (Index k = middle; k < end; ++k) {
    const Index j = list_[to_size(k)];
    if (!is_variable(j) || mark_[to_size(j)] == stamp_) continue;
    degree += weight_[to_size(j)];
    hash += static_cast<std::uint64_t>(j) * 0x9E3779B97F4A7C15ULL;
    list_[to_size(write++)] = j;
  }
  // What led from i to the pivot, itself or one of its elements, has left a place at the end.
  list_[to_size(write++)] = list_[to_size(to)];
  list_[to_size(to)] = pivot;
  elements_[to_size(i)] = kept_elements + 1;
  length_[to_size(i)] = write - from;
  const Index around = degree_[to_size(pivot)] - weight_[to_size(i)];
  degree_[to_size(i)] =
      std::min({degree_[to_size(i)] + around, degree + around, remaining_ - weight_[to_size(i)]});
  hash_[to_size(i)] = hash;
}

bool QuotientGraph::same_lists(Index i, Index j) {
  if (length_[to_size(i)] != length_[to_size(j)] || elements_[to_size(i)] != elements_[to_size(j)])
    return false;
  ++stamp_;
  for (Index k = begin_[to_size(i)]; k < begin_[to_size(i)] + length_[to_size(i)]; ++k) {
    mark_[to_size(list_[to_size(k)])] = stamp_;
  }
  for (Index k = begin_[to_size(j)]; k < begin_[to_size(j)] + length_[to_size(j)]; ++k) {
    if (mark_[to_size(list_[to_size(k)])] != stamp_) return false;
  }
  return true;
}

/// Node `from` is eliminated together with, and after, `into`.
void QuotientGraph::merge(Index from, Index into) {
  weight_[to_size(into)] += weight_[to_size(from)];
  weight_[to_size(from)] = 0;
  if (merged_first_[to_size(into)] == kNone) {
    merged_first_[to_size(into)] = from;
  } else {
    merged_next_[to_size(merged_last_[to_size(into)])] = from;
  }
  merged_last_[to_size(into)] = from;
}

void QuotientGraph::merge_indistinguishable(Index pivot) {
  by_hash_.clear();
  for (Index k = begin_[to_size(pivot)]; k < begin_[to_size(pivot)] + length_[to_size(pivot)];
       ++k) {
    if (weight_[to_size(list_[to_size(k)])] > 0) by_hash_.push_back(list_[to_size(k)]);
  }
  std::sort(by_hash_.begin(), by_hash_.end(), [&](Index a, Index b) {
    return hash_[to_size(a)] != hash_[to_size(b)] ? hash_[to_size(a)] < hash_[to_size(b)] : a < b;
  });
  for (std::size_t a = 0; a < by_hash_.size(); ++a) {
    const Index i = by_hash_[a];
    if (weight_[to_size(i)] == 0) continue;
    for (std::size_t b = a + 1; b < by_hash_.size(); ++b) {
      const Index j = by_hash_[b];
      if (hash_[to_size(j)] != hash_[to_size(i)]) break;
      if (weight_[to_size(j)] == 0 || !same_lists(i, j)) continue;
      degree_[to_size(i)] = std::max<Index>(0, degree_[to_size(i)] - weight_[to_size(j)]);
      merge(j, i);
    }
  }
}

/// Drops merged nodes from the pivot's element and returns the others to the degree lists.
void QuotientGraph::finish(Index pivot) {
  Index to = begin_[to_size(pivot)];
  Index weight = 0;
  for (Index k = begin_[to_size(pivot)]; k < begin_[to_size(pivot)] + length_[to_size(pivot)];
       ++k) {
    const Index i = list_[to_size(k)];
    if (weight_[to_size(i)] == 0) continue;
    list_[to_size(to++)] = i;
    weight += weight_[to_size(i)];
    degree_[to_size(i)] =
        std::clamp<Index>(degree_[to_size(i)], 0, remaining_ - weight_[to_size(i)]);
    insert(i);
  }
  length_[to_size(pivot)] = to - begin_[to_size(pivot)];
  degree_[to_size(pivot)] = weight;
  if (length_[to_size(pivot)] == 0) absorbed_[to_size(pivot)] = 1;
}

std::vector<Index> QuotientGraph::eliminate_all() {
  while (remaining_ > 0) {
    const Index pivot = take_minimum();
    form_element(pivot);
    measure_elements(pivot);
    const Index first = begin_[to_size(pivot)];
    for (Index k = first; k < first + length_[to_size(pivot)]; ++k)
      update_variable(list_[to_size(k)], pivot);
    merge_indistinguishable(pivot);
    finish(pivot);
    order_.push_back(pivot);
  }
  // Pivots with the nodes merged into them, which may have swallowed others in turn.
  std::vector<Index> order;
  order.reserve(to_size(nodes_));
  std::vector<Index> stack;
  for (const Index pivot : order_) {
    stack.push_back(pivot);
    while (!stack.empty()) {
      const Index i = stack.back();
      stack.pop_back();
      order.push_back(i);
      for (Index j = merged_first_[to_size(i)]; j != kNone; j = merged_next_[to_size(j)])
        stack.push_back(j);
    }
  }
  return order;
}

}  // namespace

std::vector<Index> minimum_degree_order(const Graph& graph, std::span<const Index> weight) {
  NSN_THROW_UNLESS(static_cast<Index>(weight.size()) == graph.nodes(),
                   "{} weights for a graph of {} nodes", weight.size(), graph.nodes());
  return QuotientGraph(graph, weight).eliminate_all();
}

}  // namespace nsn
