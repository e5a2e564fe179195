#include "models/collision/broad_phase.h"

#include <algorithm>

namespace nsn {
namespace {

constexpr int kLeaf = 4;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

void grow(Aabb& box, const Aabb& other) {
  for (int k = 0; k < 3; ++k) {
    box.lower[k] = std::min(box.lower[k], other.lower[k]);
    box.upper[k] = std::max(box.upper[k], other.upper[k]);
  }
}

int longest_axis(const Aabb& box) {
  const Vec3 size = box.upper - box.lower;
  if (size[0] >= size[1] && size[0] >= size[2]) return 0;
  return size[1] >= size[2] ? 1 : 2;
}

}  // namespace

int BroadPhase::build(const std::vector<Aabb>& boxes, int begin, int end) {
  const int index = static_cast<int>(nodes_.size());
  Node node{boxes[at(order_[at(begin)])], begin, end, -1};
  for (int k = begin + 1; k < end; ++k) grow(node.box, boxes[at(order_[at(k)])]);
  nodes_.push_back(node);
  if (end - begin <= kLeaf) return index;
  const int axis = longest_axis(node.box);
  const int middle = (begin + end) / 2;
  std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                   [&](int i, int j) {
                     const Aabb& a = boxes[at(i)];
                     const Aabb& b = boxes[at(j)];
                     const double x = a.lower[axis] + a.upper[axis];
                     const double y = b.lower[axis] + b.upper[axis];
                     return x != y ? x < y : i < j;
                   });
  build(boxes, begin, middle);
  nodes_[at(index)].right = build(boxes, middle, end);
  return index;
}

void BroadPhase::query(const std::vector<Aabb>& boxes, int item) {
  const Aabb& box = boxes[at(item)];
  stack_.assign(1, 0);
  while (!stack_.empty()) {
    const int index = stack_.back();
    stack_.pop_back();
    const Node& node = nodes_[at(index)];
    if (!overlap(box, node.box)) continue;
    if (node.right >= 0) {
      stack_.push_back(node.right);
      stack_.push_back(index + 1);
      continue;
    }
    for (int k = node.begin; k < node.end; ++k) {
      const int other = order_[at(k)];
      if (other > item && overlap(box, boxes[at(other)])) pairs_.emplace_back(item, other);
    }
  }
}

const std::vector<BroadPhase::Pair>& BroadPhase::find(const std::vector<Aabb>& boxes) {
  nodes_.clear();
  order_.clear();
  unbounded_.clear();
  pairs_.clear();
  for (int i = 0; i < static_cast<int>(boxes.size()); ++i) {
    (boxes[at(i)].bounded ? order_ : unbounded_).push_back(i);
  }
  for (const int i : unbounded_) {
    for (const int j : order_) pairs_.emplace_back(std::min(i, j), std::max(i, j));
  }
  if (!order_.empty()) {
    build(boxes, 0, static_cast<int>(order_.size()));
    for (int item = 0; item < static_cast<int>(boxes.size()); ++item) {
      if (boxes[at(item)].bounded) query(boxes, item);
    }
  }
  std::sort(pairs_.begin(), pairs_.end());
  return pairs_;
}

}  // namespace nsn
