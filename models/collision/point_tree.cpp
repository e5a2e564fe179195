#include "models/collision/point_tree.h"

#include <algorithm>
#include <array>
#include <utility>

namespace nsn {
namespace {

constexpr int kLeaf = 24;  // so many are looked at one by one

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

PointTree::PointTree(std::vector<Vec3> points) : points_(std::move(points)) {
  build(0, static_cast<int>(points_.size()));
}

int PointTree::build(int begin, int end) {
  const int index = static_cast<int>(nodes_.size());
  const Aabb box = box_of({points_.data() + begin, points_.data() + end});
  nodes_.push_back({box, begin, end, -1});
  if (end - begin <= kLeaf) return index;
  const int axis = longest_axis(box);
  const int middle = (begin + end) / 2;
  std::nth_element(points_.begin() + begin, points_.begin() + middle, points_.begin() + end,
                   [axis](const Vec3& p, const Vec3& q) { return p[axis] < q[axis]; });
  build(begin, middle);
  nodes_[at(index)].right = build(middle, end);
  return index;
}

Vec3 PointTree::furthest(const Vec3& n) const {
  struct Part {
    int node;
    double reach;  // no point of it is further along n
  };
  const auto part = [&](int index) {
    return Part{index, greatest_along(nodes_[at(index)].box, n)};
  };
  std::array<Part, 64> stack;  // depth of a median tree: log2 of the number of points, twice
  std::size_t top = 0;
  stack[top++] = {0, 1e300};
  double most = -1e300;
  int best = 0;
  while (top > 0) {
    const Part next = stack[--top];
    if (next.reach <= most) continue;
    const Node& node = nodes_[at(next.node)];
    if (node.right >= 0) {
      const Part left = part(next.node + 1);
      const Part right = part(node.right);
      stack[top++] = left.reach < right.reach ? left : right;
      stack[top++] = left.reach < right.reach ? right : left;
      continue;
    }
    // The furthest first, then which it is: which points are further than those before cannot be
    // foreseen.
    std::array<double, kLeaf> along;
    double furthest = -1e300;
    for (int k = node.begin; k < node.end; ++k) {
      along[at(k - node.begin)] = dot(n, points_[at(k)]);
      furthest = std::max(furthest, along[at(k - node.begin)]);
    }
    if (furthest <= most) continue;
    most = furthest;
    best =
        node.begin + static_cast<int>(std::find(along.begin(), along.end(), most) - along.begin());
  }
  return points_[at(best)];
}

Aabb PointTree::box(const Mat3& R) const {
  Aabb box = kNowhere;
  if (nodes_.size() == 1) {
    for (const Vec3& p : points_) grow(box, R * p);
    return box;
  }
  for (int k = 0; k < 3; ++k) {
    const Vec3 axis{R(k, 0), R(k, 1), R(k, 2)};
    box.lower[k] = dot(axis, furthest(-axis));
    box.upper[k] = dot(axis, furthest(axis));
  }
  return box;
}

}  // namespace nsn
