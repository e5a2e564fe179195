/// Islands: bodies that touch each other, directly or through others, by rows of any kind.
///
/// Fixed bodies do not connect. Bodies without a row belong to no island: they fly freely.
#pragma once

#include <vector>

#include "models/rows/row_set.h"
#include "models/world.h"

namespace nsn {

/// One row block of a step: block k of row set `set`.
struct RowRef {
  int set = 0;
  int k = 0;
};

struct Island {
  std::vector<int> bodies;   ///< dynamic ones, ascending
  std::vector<RowRef> rows;  ///< in the order of the row sets
};

/// Finds islands; keeps its memory from step to step.
class IslandFinder {
 public:
  /// separate: false puts everything that has a row into one island. Blocks that touch no dynamic
  /// body are left out.
  const std::vector<Island>& find(const World& world, const std::vector<const RowSet*>& sets,
                                  bool separate);
  int count() const { return count_; }

 private:
  int root(int body);
  void join(int a, int b);
  Island& island_of(int body);

  std::vector<int> parent_;
  std::vector<int> island_;  // per root; -1: none yet
  std::vector<char> touched_;
  std::vector<Island> islands_;  // the first count_ are in use; the rest keep their memory
  int count_ = 0;
};

}  // namespace nsn
