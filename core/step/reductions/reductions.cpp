#include "nsn/core/step/reductions/reductions.h"

#include <algorithm>

namespace nsn {
namespace {

/// Ratio of masses up to which joint rows are eliminated: beyond, the weight of eliminated rows
/// times the condition that brings is no longer small (a chain with an end of 1e6 of its links).
constexpr double kWidestMasses = 1e5;

/// Largest mass of a rigid body over the smallest.
double mass_ratio(const System& system) {
  double least = kInfinity;
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
  return jointed_.flops() <= std::max(rules_.realtime.cheap_elimination, least_rows_flops(J)) &&
         mass_ratio(system) <= kWidestMasses;
}

}  // namespace nsn
