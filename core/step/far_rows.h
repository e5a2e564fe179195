/// Contacts and limits too far away to matter in a step: a reduced problem does without them.
#pragma once

#include <cstdint>
#include <vector>

#include "nsn/core/step/policy.h"
#include "nsn/core/step/step_error.h"

namespace nsn {

class FarRows {
 public:
  /// Marks the blocks that carry no impulse and are still far off at the end of the step: contacts
  /// further than the island's bodies could come if they turned their speeds around, and beyond
  /// policy.far_speed in any case. `at`: the rows at the first velocity. Returns true if the set
  /// changed.
  bool find(const System& system, const StepEvaluation& at, ConstVector r,
            const RealtimePolicy& policy);
  /// Some block that is far is violated at the present motion, by more than `speed`, m/s or rad/s.
  bool any_violated(const System& system, const StepEvaluation& at, double speed) const;
  /// Unmarks blocks that the present motion would violate; `at`: the rows there. Returns true if
  /// there are some.
  bool admit(const System& system, const StepEvaluation& at);
  /// Contacts that are far only because the island is slow.
  Index idle() const { return idle_; }
  /// Not zero for a block that is far, one per row block.
  const std::vector<std::uint8_t>& marks() const { return far_; }

 private:
  bool violated(const System& system, const StepEvaluation& at, double speed, std::size_t i) const;

  std::vector<std::uint8_t> far_, last_;
  Index idle_ = 0;
};

}  // namespace nsn
