/// What `nsn doctor` finds out about this build and this machine.
#pragma once

#include <string>
#include <vector>

namespace nsn::cli {

enum class Health { kGood, kMissing, kBroken };

/// "good", "missing", "broken".
std::string to_string(Health health);

/// One thing that was examined.
struct Finding {
  std::string topic;  ///< "build", "part", "solver", "machine", "run"
  std::string name;
  Health health = Health::kGood;
  std::string found;    ///< what is there: a version, a folder, a number with its unit
  std::string cost;     ///< of what is missing or broken: what cannot be done; empty: nothing
  bool needed = false;  ///< by a default: without it nsn doctor ends with exit code 1
};

/// All findings; call while the Runtime lives.
std::vector<Finding> findings();

}  // namespace nsn::cli
