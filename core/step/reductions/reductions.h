/// The three reductions of a step (core/step/reductions/reduction.h) and the one function that chooses among
/// them by their operations.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "nsn/core/step/newton_options.h"
#include "nsn/core/step/policy.h"
#include "nsn/core/step/reductions/block_diagonal_reduction.h"
#include "nsn/core/step/reductions/elastic_reduction.h"
#include "nsn/core/step/reductions/jointed_reduction.h"

namespace nsn {

/// Which rows a method can do without.
struct ReductionRules {
  Elimination elimination = Elimination::kAuto;
  GeometricStiffness stiffness = GeometricStiffness::kNone;
  bool elastic = false;  ///< rows of elastic elements
  bool joints = false;   ///< rows without bounds between rigid bodies
  RealtimePolicy realtime{};
};

class Reductions {
 public:
  explicit Reductions(const ReductionRules& rules) : rules_(rules) {}

  /// Chooses for the pattern of `system`, and analyses. far: not zero for blocks that a jointed
  /// form leaves out, one per block, or empty.
  StepReduction& choose(const System& system, const BlockCsr& J,
                        const std::vector<std::uint8_t>& far = {});
  /// The jointed form, which was chosen, again with other blocks left out.
  void readmit(const System& system, const BlockCsr& J, const std::vector<std::uint8_t>& far);
  bool is_elastic() const { return chosen_ == &elastic_; }
  ElasticReduction& elastic() { return elastic_; }
  /// What stays unknown, for a person.
  std::string_view form() const {
    return is_elastic()   ? "rows, elastic ones eliminated"
           : is_jointed() ? "rows, joints eliminated"
                          : "rows";
  }
  bool is_jointed() const { return chosen_ == &jointed_; }
  /// The choice still holds for a system of the same pattern with other bounds.
  bool fits(const System& system) const { return !is_jointed() || jointed_.fits(system); }

 private:
  bool worth_eliminating_joints(const System& system, const BlockCsr& J) const;

  ReductionRules rules_;
  BlockDiagonalReduction block_diagonal_;
  ElasticReduction elastic_;
  JointedReduction jointed_;
  StepReduction* chosen_ = nullptr;
};

}  // namespace nsn
