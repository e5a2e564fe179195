/// Which shapes may touch: a bounding-volume tree over axis-aligned boxes, rebuilt every step.
///
/// Median splits along the longest side: O(n log n) to build, O(n log n + pairs) to search,
/// whatever the sizes of the shapes. Unbounded shapes meet everything. Pairs come out sorted, so
/// that the same input gives the same contacts in the same order.
#pragma once

#include <utility>
#include <vector>

#include "models/collision/shape.h"

namespace nsn {

class BroadPhase {
 public:
  using Pair = std::pair<int, int>;  ///< first < second

  /// All pairs of overlapping boxes. The result is valid until the next call; allocates only when
  /// there are more boxes or pairs than ever before.
  const std::vector<Pair>& find(const std::vector<Aabb>& boxes);

 private:
  struct Node {
    Aabb box;
    int begin = 0;  ///< leaves: order_[begin, end)
    int end = 0;
    int right = -1;  ///< second child; the first one follows its parent. -1: a leaf
  };
  int build(const std::vector<Aabb>& boxes, int begin, int end);
  void query(const std::vector<Aabb>& boxes, int item);

  std::vector<Node> nodes_;
  std::vector<int> order_;
  std::vector<int> unbounded_;
  std::vector<int> stack_;
  std::vector<Pair> pairs_;
};

}  // namespace nsn
