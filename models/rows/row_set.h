/// Rows of one kind (contacts, distances, joints, limits, finite elements): a kind is one file pair
/// in this folder, derived from RowSet. Nothing else in the library knows what kinds exist.
///
/// A row set offers row blocks k = 0 ... size() - 1, three rows each. A block touches a few nodes
/// (models/world/configuration.h), has a law (core/step/system.h), and knows its value and Jacobian
/// wherever the bodies are. Where many blocks are evaluated at once, in blocks of compliance that
/// change with the configuration, the set is a RowBatch as well (row_batch.h).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "nsn/core/base/math3.h"
#include "nsn/core/matrix/block_csr.h"
#include "nsn/core/rows/body_stiffness.h"
#include "nsn/core/rows/step_records.h"
#include "nsn/core/step/system.h"
#include "nsn/models/world/configuration.h"

namespace nsn {

/// Most nodes one row block can touch: four bodies of two nodes, or eight particles.
inline constexpr int kMaxNodesPerBlock = 8;

/// Nodes of one block, in the order of RowBlock::J.
struct NodeList {
  std::array<int, kMaxNodesPerBlock> node{};
  int count = 0;

  void push(int n) { node[static_cast<std::size_t>(count++)] = n; }
  bool operator==(const NodeList&) const = default;
};

/// Value and Jacobian of one block at xi(u); a fixed body's J is written and ignored.
struct RowBlock {
  Vec3 value;                               ///< m/s: C / h, or a velocity
  std::array<Mat3, kMaxNodesPerBlock> J{};  ///< rows x node, by NodeList
};

/// Where one block of two bodies is written: three values, and nine entries of J per node.
struct BodyPairEntries {
  double* value = nullptr;
  std::array<double*, 4> J{};
};
inline BodyPairEntries body_pair_entries(RowBlock& block) {
  return {block.value.a, {block.J[0].a, block.J[1].a, block.J[2].a, block.J[3].a}};
}

/// The same of any block.
struct RowBlockEntries {
  double* value = nullptr;
  std::array<double*, kMaxNodesPerBlock> J{};
};
inline RowBlockEntries row_block_entries(RowBlock& block) {
  RowBlockEntries entries{block.value.a, {}};
  for (std::size_t k = 0; k < entries.J.size(); ++k) entries.J[k] = block.J[k].a;
  return entries;
}

/// Where blocks are written: block rows first, first + 1, ... of an island.
struct RowTarget {
  Index first = 0;
  Vector value;  ///< 3 per block row, m/s
  BlockCsr* J = nullptr;
  Vector E;  ///< compliance over h^2, 9 per block row; written by batches (row_batch.h)
  /// Place in its row of J of each node of each block (RowSet::nodes), kMaxNodesPerBlock per block;
  /// -1: a fixed node.
  const std::array<std::int8_t, kMaxNodesPerBlock>* slot = nullptr;

  /// Three values of block i.
  double* value_of(std::size_t i) const { return value.data() + kBlock * row_of(i); }
  /// The row of J of block i, nine entries a slot.
  double* J_of(std::size_t i) const {
    return J->value.data() + kBlockSize * J->row_begin(row_of(i));
  }
  /// Of block i, which touches two bodies; what belongs to a fixed one goes to `unused`.
  BodyPairEntries body_pair(std::size_t i, std::array<double, kBlockSize>& unused) const {
    BodyPairEntries entries{value_of(i), {}};
    double* const row = J_of(i);
    for (std::size_t k = 0; k < entries.J.size(); ++k) {
      entries.J[k] = slot[i][k] < 0 ? unused.data() : row + kBlockSize * slot[i][k];
    }
    return entries;
  }
  void store(std::size_t i, const RowBlock& block) const {
    store3(value_of(i), block.value);
    double* const entries = J_of(i);
    for (std::size_t k = 0; k < slot[i].size(); ++k) {
      if (slot[i][k] >= 0) store9(entries + kBlockSize * slot[i][k], block.J[k]);
    }
  }

 private:
  Index row_of(std::size_t i) const { return first + static_cast<Index>(i); }
};

/// Where the record of one block goes (core/rows/step_records.h).
struct RecordTarget {
  StepRecords& records;
  Index row = 0;                      ///< row block of the island
  const std::int8_t* slot = nullptr;  ///< places of its nodes in the row of J
  /// Of a body or particle among the records.
  std::function<Index(int body)> body;
  std::function<Index(int particle)> particle;
  /// Of the first of these, the others follow it.
  std::function<Index(std::span<const int> particles)> particles;
};

class RowBatch;
class World;

class RowSet {
 public:
  virtual ~RowSet() = default;
  /// For copies of a world; null: this kind cannot be copied.
  virtual std::unique_ptr<RowSet> clone() const { return nullptr; }

  virtual int size() const = 0;
  virtual NodeList nodes(int k) const = 0;
  virtual RowLaw law(int k, double h) const = 0;
  /// Compliance E, m/N per row (diagonal); zero is rigid. A padded row returns h^2 (unit row).
  virtual Vec3 compliance(int k, double h) const = 0;
  /// Keeps its value while the same features meet: impulses are carried over by it.
  virtual std::uint64_t id(int k) const = 0;

  virtual void evaluate(int k, const Configuration& at, RowBlock& out) const = 0;
  /// Blocks first ... first + count - 1: for sets whose neighbours share work.
  virtual void evaluate_run(int first, std::size_t count, const Configuration& at,
                            const RowTarget& out) const {
    RowBlock block;
    for (std::size_t i = 0; i < count; ++i) {
      evaluate(first + static_cast<int>(i), at, block);
      out.store(i, block);
    }
  }
  /// Adds K = d(J^T r)/dq of the moving nodes, r the impulse of the block: geometric stiffness.
  virtual void add_stiffness(int k, const Configuration& at, const Vec3& r,
                             std::span<Mat3> K) const = 0;
  /// The same of blocks first, first + 1, ..., an impulse each.
  virtual void add_stiffness_run(int first, const Configuration& at, std::span<const Vec3> r,
                                 std::span<Mat3> K) const {
    for (std::size_t i = 0; i < r.size(); ++i) {
      add_stiffness(first + static_cast<int>(i), at, r[i], K);
    }
  }
  /// Adds the block as a record that a device evaluates; false: this kind has none.
  virtual bool record(int, const RecordTarget&) const { return false; }
  /// Impulse of the block in world axes and back: what survives a change of tangent frame.
  virtual Vec3 to_world(int, const Vec3& r) const { return r; }
  virtual Vec3 from_world(int, const Vec3& r) const { return r; }

  /// Not null: the rows are evaluated together; evaluate() and add_stiffness() are not called.
  virtual RowBatch* batch() const { return nullptr; }
  /// Energy stored in the rows where the world is now, J.
  virtual double energy(const World&) const { return 0.0; }
};

}  // namespace nsn
