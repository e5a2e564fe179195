/// Linear solves of this process that gave no answer: a solver whose every solve fails is seen,
/// whatever a chain or a method made of it.
#pragma once

#include <map>
#include <string>

namespace nsn {

struct FailedSolves {
  std::map<std::string, long> count;  ///< by solver and status: "pcg breakdown"
  std::string last;                   ///< the sentence of the last one; empty: it had none

  long total() const {
    long sum = 0;
    for (const auto& [what, times] : count) sum += times;
    return sum;
  }
};

/// Since the start of the process or the last call of forget_failed_solves(). Any thread may ask.
FailedSolves failed_solves();
void forget_failed_solves();

}  // namespace nsn
