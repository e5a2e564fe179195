/// Islands: bodies and particles that touch each other, directly or through others, by rows of any
/// kind.
///
/// What is fixed does not connect, but for the rows of a batch (models/rows/row_batch.h), which
/// stay together. What has no row belongs to no island: it flies freely.
#pragma once

#include <vector>

#include "nsn/models/rows/row_set.h"
#include "nsn/models/world/world.h"

namespace nsn {

/// One row block of a step: block k of row set `set`.
struct RowRef {
  int set = 0;
  int k = 0;
};

struct Island {
  std::vector<int> bodies;     ///< dynamic ones, ascending
  std::vector<int> particles;  ///< dynamic ones, ascending
  std::vector<RowRef> rows;    ///< in the order of the row sets
};

/// Finds islands; keeps its memory from step to step.
class IslandFinder {
 public:
  /// separate: false puts everything that has a row into one island. Blocks that touch nothing
  /// dynamic are left out, but for those of a batch of which another does.
  const std::vector<Island>& find(const World& world, const std::vector<const RowSet*>& sets,
                                  bool separate);
  int count() const { return count_; }
  const Island& island(int i) const { return islands_[static_cast<std::size_t>(i)]; }

 private:
  int root(int item);
  void join(int a, int b);
  Island& island_of(int item);
  /// Body b is item b, particle p item B + p; -1: fixed.
  int item_of(int node) const;
  int join_block(const NodeList& list);

  int num_bodies_ = 0;
  std::vector<int> first_;           // item of every block of every set, -1: all is fixed
  std::vector<int> first_of_batch_;  // per set: an item of it, -1: none or not a batch
  std::vector<int> parent_;          // of every item; -1: fixed
  std::vector<int> island_;          // per root; -1: none yet
  std::vector<char> touched_;
  std::vector<Island> islands_;  // the first count_ are in use; the rest keep their memory
  int count_ = 0;
};

}  // namespace nsn
