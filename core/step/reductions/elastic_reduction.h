/// Rows of elastic elements leave the unknowns (core/step/reductions/elastic_mass.h): a soft body has many
/// elements and few contacts, so a sparse H over nodes is far cheaper than a W over all rows.
///
/// The reference of push() are the impulses of the linearisation: H^-1 of all of them is a large
/// velocity that the elastic forces take back, to rounding of its own size.
#pragma once

#include "nsn/core/step/reductions/elastic_mass.h"
#include "nsn/core/step/reductions/reduction.h"

namespace nsn {

class ElasticReduction final : public StepReduction {
 public:
  /// Returns false if H is block diagonal and no row is eliminated: nothing else may be called
  /// then.
  bool analyze(const System& system, const BlockCsr& J, Elimination elimination,
               GeometricStiffness stiffness);

  const std::vector<Index>& eliminated() const override { return mass_.eliminated(); }
  [[nodiscard]] bool linearise(StepEquations& equations, StepEvaluation& at, ConstVector u,
                               ConstVector r, bool stiffness) override;
  /// The same with H and W of the last linearisation, for an iterate that has hardly moved; `at`
  /// was measured at (u, r).
  void linearise_values(const System& system, StepEvaluation& at, ConstVector u, ConstVector r);
  const BlockCsr& W() const override { return mass_.delassus(); }
  void push(ConstVector r, Vector out) override;
  void eliminated_impulses(ConstVector d, Vector r) const override;
  /// The impulses of the elements at the end of the step, or the linearised ones if these leave a
  /// smaller error.
  StepError evaluate(StepEquations& equations, StepEvaluation& at, ConstVector d,
                     State& state) override;

 private:
  void set_problem(const System& system, ConstVector u, ConstVector r);

  GeometricStiffness stiffness_ = GeometricStiffness::kNone;
  ElasticMass mass_;
  Vector reference_, change_;  // 3 per kept block
  Vector linear_r_;            // 3 per row block
};

}  // namespace nsn
