/// Rows that are evaluated together because they are many: finite elements, springs.
///
/// All blocks of a batch belong to one island and follow each other in it, k = 0 ... size() - 1.
/// Their compliance E may change with the configuration and couples the three rows of a block.
#pragma once

#include "nsn/core/matrix/block_csr.h"
#include "nsn/models/rows/row_set.h"

namespace nsn {

/// Node of the island of a node of the configuration, -1: fixed.
class NodeMap {
 public:
  virtual ~NodeMap() = default;
  virtual Index local(int node) const = 0;
};

class RowBatch {
 public:
  virtual ~RowBatch() = default;

  /// Once per step, before anything else: where things are now is what rates are measured against.
  virtual void start_step(const World& world) = 0;
  /// Value, J and E of every block at a configuration. Allocates nothing.
  virtual void evaluate(const Configuration& at, const RowTarget& target) = 0;
  /// H += h^2 times the hardening part of the geometric stiffness, 3x3 blocks on the diagonal (9
  /// per node of the island), or all of it in a block matrix over the island's nodes.
  virtual void add_stiffness(const Configuration& at, const NodeMap& nodes, Vector H) = 0;
  virtual void add_stiffness(const Configuration& at, const NodeMap& nodes, StiffnessModes modes,
                             BlockCsr& H) = 0;
  /// Adds the whole of it as a record that a device evaluates, from row block to.row on; false:
  /// this kind has none.
  virtual bool record(const RecordTarget&) const { return false; }
};

}  // namespace nsn
