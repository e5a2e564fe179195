#include "nsn/models/collision/broad_phase.h"

#include <algorithm>
#include <numeric>

#include "nsn/core/base/types.h"

namespace nsn {
namespace {

constexpr int kLeaf = 6;
constexpr double kGrown = 1.2;  // boxes of the tree, since it was built

/// Sum of the sides.
double extent(const Aabb& box) {
  const Vec3 size = box.upper - box.lower;
  return size[0] + size[1] + size[2];
}

}  // namespace

bool BroadPhase::collect(const std::vector<Aabb>& boxes) {
  unbounded_.clear();
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (!boxes[i].bounded) unbounded_.push_back(static_cast<int>(i));
  }
  const std::size_t bounded = boxes.size() - unbounded_.size();
  bool known = leaves_.size() == bounded;
  for (std::size_t k = 0; k < leaves_.size() && known; ++k) {
    const std::size_t item = to_size(leaves_[k].item);
    known = item < boxes.size() && boxes[item].bounded;
    if (known) leaves_[k].box = boxes[item];
  }
  if (known) return true;
  leaves_.clear();
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].bounded) leaves_.push_back({boxes[i], static_cast<int>(i)});
  }
  return false;
}

int BroadPhase::build(int begin, int end) {
  const int index = static_cast<int>(nodes_.size());
  Aabb box = leaves_[to_size(begin)].box;
  for (int k = begin + 1; k < end; ++k) grow(box, leaves_[to_size(k)].box);
  nodes_.push_back({box, begin, end, -1});
  if (end - begin <= kLeaf) return index;
  const int axis = longest_axis(box);
  const int middle = (begin + end) / 2;
  std::nth_element(leaves_.begin() + begin, leaves_.begin() + middle, leaves_.begin() + end,
                   [axis](const Leaf& a, const Leaf& b) {
                     const double x = a.box.lower[axis] + a.box.upper[axis];
                     const double y = b.box.lower[axis] + b.box.upper[axis];
                     return x != y ? x < y : a.item < b.item;
                   });
  build(begin, middle);
  nodes_[to_size(index)].right = build(middle, end);
  return index;
}

double BroadPhase::fit() {
  double size = 0.0;
  for (int index = static_cast<int>(nodes_.size()) - 1; index >= 0; --index) {  // children first
    Node& node = nodes_[to_size(index)];
    if (node.right >= 0) {
      node.box = nodes_[to_size(index + 1)].box;
      grow(node.box, nodes_[to_size(node.right)].box);
    } else {
      node.box = leaves_[to_size(node.begin)].box;
      for (int k = node.begin + 1; k < node.end; ++k) grow(node.box, leaves_[to_size(k)].box);
    }
    size += extent(node.box);
  }
  return size;
}

/// Appends without a branch: whether two boxes of neighbouring leaves meet cannot be foreseen.
void BroadPhase::offer(const Leaf& a, const Leaf& b) {
  found_[num_found_] = {std::min(a.item, b.item), std::max(a.item, b.item)};
  num_found_ += static_cast<std::size_t>(meet(a.box, b.box));
}

void BroadPhase::reserve_pairs(std::size_t more) {
  if (found_.size() < num_found_ + more) found_.resize(2 * (num_found_ + more));
}

void BroadPhase::join(int index) {
  const Node& node = nodes_[to_size(index)];
  if (node.right >= 0) {
    join(index + 1);
    join(node.right);
    return join(index + 1, node.right);
  }
  reserve_pairs(kLeaf * kLeaf);
  for (int i = node.begin; i < node.end; ++i) {
    for (int j = i + 1; j < node.end; ++j) offer(leaves_[to_size(i)], leaves_[to_size(j)]);
  }
}

void BroadPhase::join(int a, int b) {
  const Node& A = nodes_[to_size(a)];
  const Node& B = nodes_[to_size(b)];
  if (!meet(A.box, B.box)) return;
  if (A.right < 0 && B.right < 0) {
    reserve_pairs(kLeaf * kLeaf);
    for (int i = A.begin; i < A.end; ++i) {
      if (!meet(leaves_[to_size(i)].box, B.box)) continue;
      for (int j = B.begin; j < B.end; ++j) offer(leaves_[to_size(i)], leaves_[to_size(j)]);
    }
  } else if (B.right < 0 || (A.right >= 0 && A.end - A.begin >= B.end - B.begin)) {
    join(a + 1, b);
    join(A.right, b);
  } else {
    join(a, b + 1);
    join(a, B.right);
  }
}

/// Counting: by the second items, then by the first ones.
void BroadPhase::sort_pairs(std::size_t num_items) {
  found_.resize(num_found_);
  pairs_.resize(num_found_);
  const auto pass = [&](const std::vector<Pair>& in, int Pair::*key, std::vector<Pair>& out) {
    place_.assign(num_items + 1, 0);
    for (const Pair& pair : in) ++place_[to_size(pair.*key) + 1];
    std::partial_sum(place_.begin(), place_.end(), place_.begin());
    for (const Pair& pair : in) out[to_size(place_[to_size(pair.*key)]++)] = pair;
  };
  pass(found_, &Pair::second, pairs_);
  pass(pairs_, &Pair::first, found_);
}

const std::vector<BroadPhase::Pair>& BroadPhase::find(const std::vector<Aabb>& boxes) {
  const bool known = collect(boxes);
  if (!known || fit() > kGrown * size_when_built_) {
    nodes_.clear();
    if (!leaves_.empty()) build(0, static_cast<int>(leaves_.size()));
    size_when_built_ = fit();
  }
  num_found_ = 0;
  reserve_pairs(unbounded_.size() * leaves_.size());
  for (const int i : unbounded_) {
    for (const Leaf& leaf : leaves_) {
      found_[num_found_++] = {std::min(i, leaf.item), std::max(i, leaf.item)};
    }
  }
  if (!nodes_.empty()) join(0);
  sort_pairs(boxes.size());
  return found_;
}

}  // namespace nsn
