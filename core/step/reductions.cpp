#include "nsn/core/step/reductions.h"

#include <algorithm>
#include <limits>

namespace nsn {
namespace {

/// Largest mass of a rigid body over the smallest.
double mass_ratio(const System& system) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0.0;
  for (Index n = 0; n < system.rigid_nodes; n += 2) {
    least = std::min(least, system.M(kBlockSize * n));
    most = std::max(most, system.M(kBlockSize * n));
  }
  return most / least;
}

}  // namespace

StepReduction& Reductions::choose(const System& system, const BlockCsr& J,
                                  const std::vector<std::uint8_t>& far) {
  chosen_ = nullptr;  // an exception below must not leave half a choice behind
  if (rules_.elastic && elastic_.analyze(system, J, rules_.elimination, rules_.stiffness)) {
    chosen_ = &elastic_;
    return elastic_;
  }
  if (rules_.joints && rules_.elimination != Elimination::kNever) {
    jointed_.analyze(system, J, far);
    if (worth_eliminating_joints(system, J)) {
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

bool Reductions::worth_eliminating_joints(const System& system, const BlockCsr& J) const {
  if (jointed_.eliminated().empty()) return false;
  if (rules_.elimination == Elimination::kAlways) return true;
  const RealtimePolicy& policy = rules_.realtime;
  const bool cheap = jointed_.flops() <= policy.cheap_elimination ||
                     jointed_.flops() <= policy.worth_eliminating * least_rows_flops(J);
  return cheap && mass_ratio(system) <= policy.widest_masses;
}

}  // namespace nsn
