/// Every row stays: W = J H^-1 J^T + E over all rows, H = M + geometric stiffness in 3x3 blocks.
#pragma once

#include "nsn/core/step/reductions/delassus.h"
#include "nsn/core/step/reductions/reduction.h"

namespace nsn {

class BlockDiagonalReduction final : public StepReduction {
 public:
  /// Takes the pattern of J and allocates.
  void analyze(const System& system, const BlockCsr& J);

  const std::vector<Index>& eliminated() const override { return none_; }
  [[nodiscard]] bool linearise(StepEquations& equations, StepEvaluation& at, ConstVector u,
                               ConstVector r, bool stiffness) override;
  const BlockCsr& W() const override { return delassus_.matrix(); }
  void push(ConstVector r, Vector out) override;
  void eliminated_impulses(ConstVector, Vector) const override {}
  ConstVector factor() const override { return delassus_.factor(); }
  ConstVector H_blocks() const override { return blocks_; }

 private:
  Delassus delassus_;
  Vector H_inverse_;     // 9 per node
  ConstVector blocks_;   // H of the last linearisation
  ConstVector inverse_;  // its inverse
  std::vector<Index> none_;
};

}  // namespace nsn
