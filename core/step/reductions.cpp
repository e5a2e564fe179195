#include "nsn/core/step/reductions.h"

#include <algorithm>

namespace nsn {

StepReduction& Reductions::choose(const System& system, const BlockCsr& J,
                                  const std::vector<std::uint8_t>& far) {
  chosen_ = nullptr;  // an exception below must not leave half a choice behind
  if (rules_.elastic && elastic_.analyze(system, J, rules_.elimination, rules_.stiffness)) {
    chosen_ = &elastic_;
    return elastic_;
  }
  if (rules_.joints && rules_.elimination != Elimination::kNever) {
    jointed_.analyze(system, J, far);
    if (worth_eliminating_joints(J)) {
      jointed_.adopt(system);
      chosen_ = &jointed_;
      return jointed_;
    }
  }
  block_diagonal_.analyze(system, J);
  chosen_ = &block_diagonal_;
  return block_diagonal_;
}

void Reductions::readmit(const System& system, const BlockCsr& J,
                         const std::vector<std::uint8_t>& far) {
  jointed_.analyze(system, J, far);
  jointed_.adopt(system);
}

bool Reductions::worth_eliminating_joints(const BlockCsr& J) const {
  if (jointed_.eliminated().empty()) return false;
  return rules_.elimination == Elimination::kAlways ||
         jointed_.flops() <= std::max(rules_.realtime.cheap_elimination, least_rows_flops(J));
}

}  // namespace nsn
