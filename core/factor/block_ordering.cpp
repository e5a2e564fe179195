#include "nsn/core/factor/block_ordering.h"

#include <algorithm>
#include <cstdint>

#include "nsn/core/base/error.h"

namespace nsn {
namespace {

constexpr Index kNone = -1;

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

/// The quotient graph. A node is a variable (not yet eliminated, or merged into another one) or an
/// element (eliminated). Lists of a variable: its elements, then its variables, in place.
class QuotientGraph {
 public:
  QuotientGraph(const Graph& graph, std::span<const Index> weight);
  std::vector<Index> eliminate_all();

 private:
  bool is_variable(Index i) const { return weight_[at(i)] > 0 && !eliminated_[at(i)]; }
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
  const std::size_t n = at(nodes_);
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
    begin_[at(i)] = static_cast<Index>(list_.size());
    for (Index k = graph.begin[at(i)]; k < graph.begin[at(i) + 1]; ++k) {
      const Index j = graph.neighbour[at(k)];
      if (j == i) continue;
      list_.push_back(j);
      degree_[at(i)] += weight_[at(j)];
    }
    length_[at(i)] = static_cast<Index>(list_.size()) - begin_[at(i)];
    remaining_ += weight_[at(i)];
  }
  head_.assign(at(remaining_) + 1, kNone);
  lowest_ = remaining_;
  for (Index i = nodes_ - 1; i >= 0; --i) insert(i);
  order_.reserve(n);
}

void QuotientGraph::insert(Index i) {
  const Index d = degree_[at(i)];
  next_[at(i)] = head_[at(d)];
  previous_[at(i)] = kNone;
  if (head_[at(d)] != kNone) previous_[at(head_[at(d)])] = i;
  head_[at(d)] = i;
  lowest_ = std::min(lowest_, d);
}

void QuotientGraph::remove(Index i) {
  if (previous_[at(i)] != kNone) {
    next_[at(previous_[at(i)])] = next_[at(i)];
  } else {
    head_[at(degree_[at(i)])] = next_[at(i)];
  }
  if (next_[at(i)] != kNone) previous_[at(next_[at(i)])] = previous_[at(i)];
}

Index QuotientGraph::take_minimum() {
  while (head_[at(lowest_)] == kNone) ++lowest_;
  const Index pivot = head_[at(lowest_)];
  remove(pivot);
  return pivot;
}

/// L_pivot = variables of the pivot and of its elements, appended to list_.
void QuotientGraph::form_element(Index pivot) {
  ++stamp_;
  mark_[at(pivot)] = stamp_;
  const Index first = static_cast<Index>(list_.size());
  Index weight = 0;
  const auto add = [&](Index i) {
    if (!is_variable(i) || mark_[at(i)] == stamp_) return;
    mark_[at(i)] = stamp_;
    list_.push_back(i);
    weight += weight_[at(i)];
    remove(i);  // from its degree list, until its new degree is known
  };
  const Index from = begin_[at(pivot)];
  for (Index k = from; k < from + length_[at(pivot)]; ++k) {
    const Index j = list_[at(k)];
    if (k >= from + elements_[at(pivot)]) {
      add(j);
      continue;
    }
    if (absorbed_[at(j)]) continue;
    for (Index e = begin_[at(j)]; e < begin_[at(j)] + length_[at(j)]; ++e) add(list_[at(e)]);
    absorbed_[at(j)] = 1;
  }
  eliminated_[at(pivot)] = 1;
  remaining_ -= weight_[at(pivot)];
  begin_[at(pivot)] = first;
  length_[at(pivot)] = static_cast<Index>(list_.size()) - first;
  elements_[at(pivot)] = 0;
  degree_[at(pivot)] = weight;
}

/// outside_(e) = weight of L_e that is not in L_pivot, for every element near the pivot.
void QuotientGraph::measure_elements(Index pivot) {
  for (Index k = begin_[at(pivot)]; k < begin_[at(pivot)] + length_[at(pivot)]; ++k) {
    const Index i = list_[at(k)];
    for (Index e = begin_[at(i)]; e < begin_[at(i)] + elements_[at(i)]; ++e) {
      const Index element = list_[at(e)];
      if (absorbed_[at(element)]) continue;
      if (mark_[at(element)] != stamp_) {
        mark_[at(element)] = stamp_;
        outside_[at(element)] = degree_[at(element)];
      }
      outside_[at(element)] -= weight_[at(i)];
    }
  }
}

/// Shortens the lists of i, adds the pivot as an element and bounds the degree.
void QuotientGraph::update_variable(Index i, Index pivot) {
  const Index from = begin_[at(i)];
  const Index middle = from + elements_[at(i)];
  const Index end = from + length_[at(i)];
  Index to = from;
  Index degree = 0;
  std::uint64_t hash = 0;
  for (Index k = from; k < middle; ++k) {
    const Index e = list_[at(k)];
    if (absorbed_[at(e)]) continue;
    if (outside_[at(e)] == 0) {  // contained in the pivot's element
      absorbed_[at(e)] = 1;
      continue;
    }
    degree += outside_[at(e)];
    hash += static_cast<std::uint64_t>(e) * 0x9E3779B97F4A7C15ULL;
    list_[at(to++)] = e;
  }
  const Index kept_elements = to - from;
  Index write = to;
  for (Index k = middle; k < end; ++k) {
    const Index j = list_[at(k)];
    if (!is_variable(j) || mark_[at(j)] == stamp_) continue;
    degree += weight_[at(j)];
    hash += static_cast<std::uint64_t>(j) * 0x9E3779B97F4A7C15ULL;
    list_[at(write++)] = j;
  }
  // What led from i to the pivot, itself or one of its elements, has left a place at the end.
  list_[at(write++)] = list_[at(to)];
  list_[at(to)] = pivot;
  elements_[at(i)] = kept_elements + 1;
  length_[at(i)] = write - from;
  const Index around = degree_[at(pivot)] - weight_[at(i)];
  degree_[at(i)] =
      std::min({degree_[at(i)] + around, degree + around, remaining_ - weight_[at(i)]});
  hash_[at(i)] = hash;
}

bool QuotientGraph::same_lists(Index i, Index j) {
  if (length_[at(i)] != length_[at(j)] || elements_[at(i)] != elements_[at(j)]) return false;
  ++stamp_;
  for (Index k = begin_[at(i)]; k < begin_[at(i)] + length_[at(i)]; ++k) {
    mark_[at(list_[at(k)])] = stamp_;
  }
  for (Index k = begin_[at(j)]; k < begin_[at(j)] + length_[at(j)]; ++k) {
    if (mark_[at(list_[at(k)])] != stamp_) return false;
  }
  return true;
}

/// Node `from` is eliminated together with, and after, `into`.
void QuotientGraph::merge(Index from, Index into) {
  weight_[at(into)] += weight_[at(from)];
  weight_[at(from)] = 0;
  if (merged_first_[at(into)] == kNone) {
    merged_first_[at(into)] = from;
  } else {
    merged_next_[at(merged_last_[at(into)])] = from;
  }
  merged_last_[at(into)] = from;
}

void QuotientGraph::merge_indistinguishable(Index pivot) {
  by_hash_.clear();
  for (Index k = begin_[at(pivot)]; k < begin_[at(pivot)] + length_[at(pivot)]; ++k) {
    if (weight_[at(list_[at(k)])] > 0) by_hash_.push_back(list_[at(k)]);
  }
  std::sort(by_hash_.begin(), by_hash_.end(), [&](Index a, Index b) {
    return hash_[at(a)] != hash_[at(b)] ? hash_[at(a)] < hash_[at(b)] : a < b;
  });
  for (std::size_t a = 0; a < by_hash_.size(); ++a) {
    const Index i = by_hash_[a];
    if (weight_[at(i)] == 0) continue;
    for (std::size_t b = a + 1; b < by_hash_.size(); ++b) {
      const Index j = by_hash_[b];
      if (hash_[at(j)] != hash_[at(i)]) break;
      if (weight_[at(j)] == 0 || !same_lists(i, j)) continue;
      degree_[at(i)] = std::max<Index>(0, degree_[at(i)] - weight_[at(j)]);
      merge(j, i);
    }
  }
}

/// Drops merged nodes from the pivot's element and returns the others to the degree lists.
void QuotientGraph::finish(Index pivot) {
  Index to = begin_[at(pivot)];
  Index weight = 0;
  for (Index k = begin_[at(pivot)]; k < begin_[at(pivot)] + length_[at(pivot)]; ++k) {
    const Index i = list_[at(k)];
    if (weight_[at(i)] == 0) continue;
    list_[at(to++)] = i;
    weight += weight_[at(i)];
    degree_[at(i)] = std::clamp<Index>(degree_[at(i)], 0, remaining_ - weight_[at(i)]);
    insert(i);
  }
  length_[at(pivot)] = to - begin_[at(pivot)];
  degree_[at(pivot)] = weight;
  if (length_[at(pivot)] == 0) absorbed_[at(pivot)] = 1;
}

std::vector<Index> QuotientGraph::eliminate_all() {
  while (remaining_ > 0) {
    const Index pivot = take_minimum();
    form_element(pivot);
    measure_elements(pivot);
    const Index first = begin_[at(pivot)];
    for (Index k = first; k < first + length_[at(pivot)]; ++k) update_variable(list_[at(k)], pivot);
    merge_indistinguishable(pivot);
    finish(pivot);
    order_.push_back(pivot);
  }
  // Pivots with the nodes merged into them, which may have swallowed others in turn.
  std::vector<Index> order;
  order.reserve(at(nodes_));
  std::vector<Index> stack;
  for (const Index pivot : order_) {
    stack.push_back(pivot);
    while (!stack.empty()) {
      const Index i = stack.back();
      stack.pop_back();
      order.push_back(i);
      for (Index j = merged_first_[at(i)]; j != kNone; j = merged_next_[at(j)]) stack.push_back(j);
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
