/// Points of a body, sorted so that the furthest along a direction is found without looking at all.
///
/// A bounding-volume tree with median splits. No box reaches less far than its points, in floating
/// point either: the furthest is the same as that of all points one by one.
#pragma once

#include <array>
#include <vector>

#include "nsn/models/collision/shape.h"

namespace nsn {

class PointTree {
 public:
  PointTree() = default;
  explicit PointTree(std::vector<Vec3> points);

  /// The point with the greatest n . x; there must be one.
  Vec3 furthest(const Vec3& n) const;
  /// Around all R x, tight.
  Aabb box(const Mat3& R) const;

 private:
  struct Node {
    Aabb box;
    int begin = 0;  ///< points_[begin, end)
    int end = 0;
    int right = -1;  ///< second child; the first one follows its parent. -1: a leaf
  };
  int build(int begin, int end);

  std::vector<Vec3> points_;
  std::array<std::vector<double>, 3> coordinates_;  // of the points
  std::vector<Node> nodes_;
};

}  // namespace nsn
