#include "nsn/core/factor/nested_dissection.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "nsn/core/base/error.h"
#include "nsn/core/base/types.h"

namespace nsn {
namespace {

constexpr Index kNone = -1;
// What the search for separators costs against what it saves. An order changes operations, not what
// a factorisation computes, and the caller keeps that of minimum degree if it takes fewer.
constexpr std::size_t kLeaf = 120;      // nodes that minimum degree orders
constexpr double kLeastShare = 0.3;     // of a part, on the smaller side of its separator
constexpr double kMostSeparator = 0.4;  // of a part; beyond, it is no separator
constexpr int kMaxThinnings = 20;       // of a separator, while it gets smaller
constexpr int kDirections = 3;          // pairs of ends tried

enum Side : std::uint8_t { kLeft, kRight, kBetween };

struct Separator {
  std::array<std::vector<Index>, 3> nodes;  // by side

  double size(Side side) const { return static_cast<double>(nodes[side].size()); }
  bool useful() const {
    const double all = size(kLeft) + size(kRight) + size(kBetween);
    return std::min(size(kLeft), size(kRight)) >= 0.9 * kLeastShare * all &&
           size(kBetween) <= kMostSeparator * all;
  }
  bool better_than(const Separator& other) const {
    if (useful() != other.useful()) return useful();
    return size(kBetween) < other.size(kBetween);
  }
};

class Dissection {
 public:
  Dissection(const Graph& graph, std::span<const Index> weight);
  std::vector<Index> run();

 private:
  struct Part {
    std::vector<Index> nodes;
    std::size_t end;  // of its places in the order
  };

  void order_part(Part part);
  void place(const std::vector<Index>& nodes, std::size_t end);
  void place_by_degree(const std::vector<Index>& nodes, std::size_t end);
  Index search(Index from, std::vector<Index>& distance);
  Separator find_separator(const std::vector<Index>& nodes);
  Separator split(std::vector<Index> nodes);
  bool move_towards(Side near, const std::vector<Index>& nodes);
  void match(Index start, Side near);
  void augment(Index end);
  template <class F>
  void for_neighbours(Index i, F f) const {
    for (Index e = graph_.begin[to_size(i)]; e < graph_.begin[to_size(i) + 1]; ++e) {
      const Index j = graph_.neighbour[to_size(e)];
      if (j != i && member_[to_size(j)] == stamp_) f(j);
    }
  }

  const Graph& graph_;
  std::span<const Index> weight_;
  std::vector<Part> parts_;
  std::vector<Index> order_;
  std::vector<Index> member_;                // == stamp_: in the present part
  std::vector<Index> seen_;                  // == visit_: met in the present search
  std::vector<Index> local_;                 // number in the present part
  std::vector<Index> to_a_, to_b_, to_end_;  // distances: to two ends, to the nearest of all ends
  std::vector<std::uint8_t> side_;
  std::vector<Index> mate_;             // in the matching between a separator and a side
  std::vector<Index> from_;             // whence a search for a mate came
  std::vector<std::uint8_t> stranded_;  // in a search that found none
  std::vector<Index> queue_;
  Index stamp_ = 0;
  Index visit_ = 0;
};

Dissection::Dissection(const Graph& graph, std::span<const Index> weight)
    : graph_(graph), weight_(weight) {
  const std::size_t n = to_size(graph.nodes());
  for (auto* v : {&member_, &seen_, &local_, &to_a_, &to_b_, &to_end_, &mate_, &from_}) {
    v->assign(n, 0);
  }
  side_.assign(n, kLeft);
  stranded_.assign(n, 0);
  order_.assign(n, kNone);
}

/// The order is filled part by part, each part's separator at the end of its places.
std::vector<Index> Dissection::run() {
  std::vector<Index> all(order_.size());
  std::iota(all.begin(), all.end(), 0);
  parts_.push_back({std::move(all), order_.size()});
  while (!parts_.empty()) {
    Part part = std::move(parts_.back());
    parts_.pop_back();
    order_part(std::move(part));
  }
  return std::move(order_);
}

void Dissection::order_part(Part part) {
  ++stamp_;
  for (const Index i : part.nodes) member_[to_size(i)] = stamp_;
  if (part.nodes.size() <= kLeaf) return place_by_degree(part.nodes, part.end);
  search(part.nodes.front(), to_a_);
  if (queue_.size() < part.nodes.size()) {  // not connected
    std::erase_if(part.nodes, [this](Index i) { return seen_[to_size(i)] == visit_; });
    const std::size_t end = part.end - queue_.size();
    parts_.push_back({queue_, part.end});
    parts_.push_back({std::move(part.nodes), end});
    return;
  }
  Separator s = find_separator(part.nodes);
  if (!s.useful()) return place_by_degree(part.nodes, part.end);
  place(s.nodes[kBetween], part.end);
  std::size_t end = part.end - s.nodes[kBetween].size();
  for (const Side side : {kLeft, kRight}) {
    const std::size_t size = s.nodes[side].size();
    parts_.push_back({std::move(s.nodes[side]), end});
    end -= size;
  }
}

void Dissection::place(const std::vector<Index>& nodes, std::size_t end) {
  const auto to = order_.begin() + static_cast<std::ptrdiff_t>(end - nodes.size());
  std::copy(nodes.begin(), nodes.end(), to);
}

void Dissection::place_by_degree(const std::vector<Index>& nodes, std::size_t end) {
  Graph inner;
  std::vector<Index> weight;
  for (std::size_t k = 0; k < nodes.size(); ++k) local_[to_size(nodes[k])] = static_cast<Index>(k);
  for (const Index i : nodes) {
    for_neighbours(i, [&](Index j) { inner.neighbour.push_back(local_[to_size(j)]); });
    inner.begin.push_back(static_cast<Index>(inner.neighbour.size()));
    weight.push_back(weight_[to_size(i)]);
  }
  std::vector<Index> order = minimum_degree_order(inner, weight);
  for (Index& k : order) k = nodes[to_size(k)];
  place(order, end);
}

/// Breadth first; queue_ lists who was reached. Returns one of the farthest.
Index Dissection::search(Index from, std::vector<Index>& distance) {
  ++visit_;
  queue_.assign(1, from);
  seen_[to_size(from)] = visit_;
  distance[to_size(from)] = 0;
  for (std::size_t k = 0; k < queue_.size(); ++k) {
    const Index i = queue_[k];
    for_neighbours(i, [&](Index j) {
      if (seen_[to_size(j)] == visit_) return;
      seen_[to_size(j)] = visit_;
      distance[to_size(j)] = distance[to_size(i)] + 1;
      queue_.push_back(j);
    });
  }
  return queue_.back();
}

/// The smallest of a few; the ends of each pair are far from those before.
Separator Dissection::find_separator(const std::vector<Index>& nodes) {
  Index end = search(nodes.front(), to_a_);
  for (const Index i : nodes) to_end_[to_size(i)] = std::numeric_limits<Index>::max();
  Separator best;
  for (int k = 0; k < kDirections; ++k) {
    search(search(end, to_a_), to_b_);
    Separator s = split(nodes);
    if (k == 0 || s.better_than(best)) best = std::move(s);
    for (const Index i : nodes) {
      to_end_[to_size(i)] = std::min({to_end_[to_size(i)], to_a_[to_size(i)], to_b_[to_size(i)]});
    }
    end = *std::max_element(nodes.begin(), nodes.end(), [this](Index i, Index j) {
      return to_end_[to_size(i)] < to_end_[to_size(j)];
    });
  }
  return best;
}

/// Half the nodes to the left by the difference of the distances; of them who touches the right
/// separates; then thinner ones on either side.
Separator Dissection::split(std::vector<Index> nodes) {
  const auto middle = nodes.begin() + static_cast<std::ptrdiff_t>(nodes.size() / 2);
  const auto left_of = [this](Index i, Index j) {
    const Index a = to_a_[to_size(i)] - to_b_[to_size(i)];
    const Index b = to_a_[to_size(j)] - to_b_[to_size(j)];
    return a != b ? a < b : i < j;
  };
  std::nth_element(nodes.begin(), middle, nodes.end(), left_of);
  for (auto i = nodes.begin(); i != nodes.end(); ++i)
    side_[to_size(*i)] = i < middle ? kLeft : kRight;
  for (auto i = nodes.begin(); i != middle; ++i) {
    for_neighbours(*i, [&](Index j) {
      if (side_[to_size(j)] == kRight) side_[to_size(*i)] = kBetween;
    });
  }
  for (int k = 0; k < kMaxThinnings; ++k) {
    const bool right = move_towards(kRight, nodes);
    if (!move_towards(kLeft, nodes) && !right) break;
  }
  Separator s;
  for (const Index i : nodes) s.nodes[side_[to_size(i)]].push_back(i);
  return s;
}

/// Exchanges separating nodes for fewer ones of the side `near` where that is possible. The nodes
/// of a largest matching between the two, from those without a mate on: the others cover all edges.
bool Dissection::move_towards(Side near, const std::vector<Index>& nodes) {
  std::vector<Index> between;
  std::size_t near_size = 0;
  for (const Index i : nodes) {
    mate_[to_size(i)] = kNone;
    stranded_[to_size(i)] = 0;
    if (side_[to_size(i)] == kBetween) between.push_back(i);
    if (side_[to_size(i)] == near) ++near_size;
  }
  for (const Index i : between) match(i, near);
  std::size_t taken = 0;
  std::size_t given = 0;
  for (const Index i : between) {
    if (stranded_[to_size(i)] == 0) continue;
    ++given;
    if (mate_[to_size(i)] != kNone) ++taken;
  }
  const auto left = static_cast<double>(near_size - taken);
  if (given == taken || left < kLeastShare * static_cast<double>(nodes.size())) return false;
  for (const Index i : between) {
    if (stranded_[to_size(i)] == 0) continue;
    side_[to_size(i)] = near == kLeft ? kRight : kLeft;
    if (mate_[to_size(i)] != kNone) side_[to_size(mate_[to_size(i)])] = kBetween;
  }
  return true;
}

/// A mate for `start` on the side `near`, others changing theirs; where there is none, all that the
/// search met are stranded (later searches cannot use them either).
void Dissection::match(Index start, Side near) {
  ++visit_;
  queue_.assign(1, start);
  for (std::size_t k = 0; k < queue_.size(); ++k) {
    const Index i = queue_[k];
    Index end = kNone;
    for_neighbours(i, [&](Index j) {
      if (end != kNone || side_[to_size(j)] != near) return;
      if (stranded_[to_size(j)] != 0 || seen_[to_size(j)] == visit_) return;
      seen_[to_size(j)] = visit_;
      from_[to_size(j)] = i;
      if (mate_[to_size(j)] == kNone) {
        end = j;
      } else {
        queue_.push_back(mate_[to_size(j)]);
      }
    });
    if (end != kNone) return augment(end);
  }
  for (const Index i : queue_) {
    stranded_[to_size(i)] = 1;
    if (mate_[to_size(i)] != kNone) stranded_[to_size(mate_[to_size(i)])] = 1;
  }
}

void Dissection::augment(Index end) {
  while (end != kNone) {
    const Index i = from_[to_size(end)];
    mate_[to_size(end)] = i;
    end = std::exchange(mate_[to_size(i)], end);
  }
}

}  // namespace

std::vector<Index> nested_dissection_order(const Graph& graph, std::span<const Index> weight) {
  NSN_THROW_UNLESS(static_cast<Index>(weight.size()) == graph.nodes(),
                   "{} weights for a graph of {} nodes", weight.size(), graph.nodes());
  return Dissection(graph, weight).run();
}

}  // namespace nsn
