/// Contacts and limits too far away to matter in a step: a reduced problem does without them.
#pragma once

#include <cstdint>
#include <vector>

#include "nsn/core/step/policy.h"
#include "nsn/core/step/step_error.h"

namespace nsn {

class FarRows {
 public:
  /// Marks the blocks that carry no impulse and are still far off at the end of the step. `at`: the
  /// rows at the first velocity. Returns true if the set changed.
  bool find(const System& system, const StepEvaluation& at, ConstVector r,
            const RealtimePolicy& policy);
  /// Unmarks blocks that the present motion would violate; `at`: the rows there. Returns true if
  /// there are some.
  bool admit(const System& system, const StepEvaluation& at);
  /// Not zero for a block that is far, one per row block.
  const std::vector<std::uint8_t>& marks() const { return far_; }

 private:
  std::vector<std::uint8_t> far_, last_;
};

}  // namespace nsn
