/// One island of a world as the equations of a step (core/step/system.h).
#pragma once

#include <array>
#include <limits>
#include <unordered_map>
#include <vector>

#include "nsn/core/step/step_error.h"
#include "nsn/core/step/system.h"
#include "nsn/models/rows/row_batch.h"
#include "nsn/models/step/islands.h"
#include "nsn/models/world/world.h"
#include "nsn/precond/complementarity.h"

namespace nsn {

/// What the islands of one step share; each writes only the entries of its own bodies.
struct IslandWorkspace {
  Configuration configuration;
  std::vector<int> position;           ///< of a body within its island; -1: fixed
  std::vector<int> particle_position;  ///< of a particle among its island's nodes; -1: fixed
  std::vector<Mat3> K;                 ///< geometric stiffness, per node of a body
  bool any_kinematic = false;          ///< a body or particle of given motion exists
  /// m/s and rad/s: at which overlaps and exceeded limits go at most.
  double recovery_speed = std::numeric_limits<double>::infinity();

  void start(const World& world, double h);
};

class IslandEquations final : public StepEquations, private NodeMap {
 public:
  /// Takes the island's rows and bodies at the start of a step; keeps its memory, and the pattern
  /// id where rows touch the same nodes as before. Everything given must outlive the step; the
  /// views of system() end with the next call.
  void assemble(const World& world, const Island& island, const std::vector<const RowSet*>& sets,
                const ComplementarityOptions& scaling, IslandWorkspace& shared);

  /// Takes the laws of the rows anew: bounds that follow from impulses.
  void update_laws();

  const System& system() const override { return system_; }
  void evaluate(ConstVector u, Vector value, BlockCsr& J, Vector E) override;
  void stiffness(ConstVector u, ConstVector r, Vector H) override;
  void add_full_stiffness(ConstVector u, ConstVector r, StiffnessModes modes, BlockCsr& H) override;
  const StepRecords* records() override;

 private:
  /// Row blocks of the island that follow each other in one set.
  struct Run {
    const RowSet* set = nullptr;
    RowBatch* batch = nullptr;  // null: evaluated block by block
    int k = 0;                  // first block, in the set
    std::size_t first = 0;      // the same, in the island
    std::size_t count = 0;
  };

  /// Nodes of the island that one block touches, ascending, and where its own go among them.
  struct BlockPattern {
    std::array<Index, kMaxNodesPerBlock> column{};
    std::array<std::int8_t, kMaxNodesPerBlock> slot{};
    int count = 0;
  };

  Index local(int node) const override;
  BlockPattern block_pattern(const NodeList& list) const;
  bool build_pattern();
  void lay_out();
  void set_bodies(double h);
  void set_particles(double h);
  void set_rows();
  void find_runs();
  void set_prescribed();
  void limit_recovery();
  void keep_deep(Vector value) const;
  Vec3 prescribed_velocity(int node) const;
  void move_bodies(ConstVector u);
  Mat3 body_stiffness(int node) const;
  void gather_body_stiffness(ConstVector r);
  bool make_records();
  Index body_record(int body);
  Index particle_record(int particle);
  Index particle_records(std::span<const int> particles);
  Index add_particle_record(int particle);

  const World* world_ = nullptr;
  const Island* island_ = nullptr;
  const std::vector<const RowSet*>* sets_ = nullptr;
  IslandWorkspace* shared_ = nullptr;
  System system_;
  std::vector<double> storage_;   // what the vectors of system_ view
  std::vector<Index> row_begin_;  // pattern of J, compared with the last step's
  std::vector<Index> column_;
  std::vector<std::array<std::int8_t, kMaxNodesPerBlock>>
      slot_;  // where a block's nodes go in its row
  std::vector<Run> runs_;
  std::vector<Vec3> impulse_;  // of one run
  std::vector<double> moved_;  // u where the bodies are in shared_
  StepEvaluation start_;       // rows at the start of the step
  /// A row that is violated by more than recovery_speed mends in a step, and what of it stays.
  struct DeepRow {
    Index row;
    double kept;  // m/s or rad/s, < 0: over h
  };
  std::vector<DeepRow> deep_;
  Vector zero_;
  /// Made where a device asks for them.
  enum class Records : std::uint8_t { kUnknown, kMade, kNone };
  Records recorded_ = Records::kUnknown;
  StepRecords records_;
  std::unordered_map<int, Index> known_bodies_, known_particles_;
};

}  // namespace nsn
