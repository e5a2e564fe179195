#include "nsn/models/collision/point_tree.h"

#include <algorithm>
#include <array>
#include <utility>

#include "nsn/core/base/types.h"

namespace nsn {
namespace {

constexpr int kLeaf = 24;  // examined one by one

/// Four at a time: one after the other, each would wait for the one before.
double greatest(const std::array<double, kLeaf>& values) {
  static_assert(kLeaf % 4 == 0);
  std::array<double, 4> most{values[0], values[1], values[2], values[3]};
  for (std::size_t i = 4; i < kLeaf; i += 4) {
    for (std::size_t k = 0; k < 4; ++k) most[k] = std::max(most[k], values[i + k]);
  }
  return std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
}

}  // namespace

PointTree::PointTree(std::vector<Vec3> points) : points_(std::move(points)) {
  build(0, static_cast<int>(points_.size()));
  for (const Vec3& p : points_) {
    for (int k = 0; k < 3; ++k) coordinates_[to_size(k)].push_back(p[k]);
  }
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
  nodes_[to_size(index)].right = build(middle, end);
  return index;
}

Vec3 PointTree::furthest(const Vec3& n) const {
  struct Part {
    int node;
    double reach;  // no point of it is further along n
  };
  const auto part = [&](int index) {
    return Part{index, greatest_along(nodes_[to_size(index)].box, n)};
  };
  std::array<Part, 64> stack;  // depth of a median tree: log2 of the number of points, twice
  std::size_t top = 0;
  stack[top++] = {0, 1e300};
  double most = -1e300;
  int best = 0;
  while (top > 0) {
    const Part next = stack[--top];
    if (next.reach <= most) continue;
    const Node& node = nodes_[to_size(next.node)];
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
    along.fill(-1e300);
    const double* x = &coordinates_[0][to_size(node.begin)];
    const double* y = &coordinates_[1][to_size(node.begin)];
    const double* z = &coordinates_[2][to_size(node.begin)];
    const std::size_t count = to_size(node.end - node.begin);
    for (std::size_t k = 0; k < count; ++k) along[k] = n[0] * x[k] + n[1] * y[k] + n[2] * z[k];
    const double furthest = greatest(along);
    if (furthest <= most) continue;
    most = furthest;
    best =
        node.begin + static_cast<int>(std::find(along.begin(), along.end(), most) - along.begin());
  }
  return points_[to_size(best)];
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
