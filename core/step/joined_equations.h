/// Islands side by side as one step, for a batch (core/step/paper/step_batch.h).
#pragma once

#include <span>
#include <vector>

#include "nsn/core/step/paper/team_step.h"
#include "nsn/core/step/step_method.h"

namespace nsn {

/// Block diagonal.
class JoinedEquations final : public StepEquations {
 public:
  /// Takes the systems and records of the islands; each must have records. The pattern is new unless
  /// all of theirs are known from the call before.
  void join(std::span<IslandStep* const> islands);
  /// Where each island is; blocks of S are not known here.
  std::vector<paper::WorldRange>& worlds() { return worlds_; }

  const System& system() const override { return system_; }
  const StepRecords* records() override { return &records_; }
  void evaluate(ConstVector, Vector, BlockCsr&, Vector) override {}
  void stiffness(ConstVector, ConstVector, Vector) override {}
  void add_full_stiffness(ConstVector, ConstVector, StiffnessModes, BlockCsr&) override {}

 private:
  void append(const System& system, const StepRecords& records);

  System system_;
  StepRecords records_;
  std::vector<paper::WorldRange> worlds_;
  std::vector<double> M_, M_inverse_, u_start_, u_free_, rho_, rho_error_, E_;
  std::vector<Index> row_begin_, column_;
  std::vector<std::uint64_t> patterns_, known_patterns_;
};

}  // namespace nsn
