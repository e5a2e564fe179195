/// Rows without bounds leave the unknowns (core/step/reductions/jointed_mass.h): of a robot only contacts,
/// limits and drives stay, few and small.
#pragma once

#include "nsn/core/step/reductions/jointed_mass.h"
#include "nsn/core/step/reductions/reduction.h"

namespace nsn {

class JointedReduction final : public StepReduction {
 public:
  /// far: not zero for blocks that are left out altogether, one per block. Allocates nothing yet:
  /// flops() tells what this form would cost.
  void analyze(const System& system, const BlockCsr& J, const std::vector<std::uint8_t>& far);
  /// Operations of one linearisation and a factorisation of W.
  double flops() const { return mass_.flops(); }
  /// To be called once this form is chosen.
  void adopt(const System& system);
  /// The eliminated rows are still without bounds.
  bool fits(const System& system) const;

  const std::vector<Index>& eliminated() const override { return mass_.equations(); }
  [[nodiscard]] bool linearise(StepEquations& equations, StepEvaluation& at, ConstVector u,
                               ConstVector r, bool stiffness) override;
  void forget_impulses() override { forgets_ = true; }
  const BlockCsr& W() const override { return mass_.delassus(); }
  void push(ConstVector r, Vector out) override;
  void eliminated_impulses(ConstVector d, Vector r) const override;

 private:
  JointedMass mass_;
  std::vector<double> impulses_;  // memory of the vector below
  Vector free_r_;                 // of eliminated rows without those of the others, 3 per row block
  bool forgets_ = false;          // r_e0 = 0 at the next linearisation
};

}  // namespace nsn
