/// Which shapes may touch: a bounding-volume tree over axis-aligned boxes.
///
/// Median splits along the longest side: O(n log n) to build, and O(n + pairs) to search where
/// shapes lie beside each other, whatever their sizes: the tree is joined with itself, so that a
/// pair of far subtrees is examined once. From step to step the tree keeps its leaves and only
/// fits its boxes; it is built again when they have grown. Unbounded shapes meet everything.
///
/// Which pairs there are depends on the boxes alone, not on the tree, and they come out sorted: the
/// same input gives the same contacts in the same order.
#pragma once

#include <utility>
#include <vector>

#include "nsn/models/collision/shape.h"

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
    int begin = 0;  ///< leaves: leaves_[begin, end)
    int end = 0;
    int right = -1;  ///< second child; the first one follows its parent. -1: a leaf
  };
  struct Leaf {
    Aabb box;
    int item = 0;
  };

  /// Shapes as they are now; true where the leaves of the last step are theirs.
  bool collect(const std::vector<Aabb>& boxes);
  int build(int begin, int end);
  /// Boxes of all nodes from those of the leaves; returns the sum of their sizes.
  double fit();
  void join(int node);
  void join(int a, int b);
  void offer(const Leaf& a, const Leaf& b);
  /// Room for `more` further ones in found_.
  void reserve_pairs(std::size_t more);
  void sort_pairs(std::size_t num_items);

  std::vector<Node> nodes_;
  std::vector<Leaf> leaves_;  // bounded shapes, neighbours side by side
  std::vector<int> unbounded_;
  double size_when_built_ = 0.0;
  std::vector<Pair> found_;  // and room for more
  std::size_t num_found_ = 0;
  std::vector<Pair> pairs_;  // half sorted
  std::vector<int> place_;   // of the next pair with an item, while sorting
};

}  // namespace nsn
