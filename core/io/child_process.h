/// Runs a function in a forked child, so that what crashes or never ends takes only the child with
/// it.
///
/// Made for third-party parsers of hostile files. The child may use memory and files but starts no
/// thread and touches no Kokkos view: after fork() only the calling thread exists there.
#pragma once

#include <functional>
#include <string>

namespace nsn {

/// How a child ended.
struct ChildOutcome {
  enum class Kind {
    kFinished,  ///< bytes: what the function returned
    kRefused,   ///< bytes: text of the InputError it threw
    kDied       ///< bytes: how, e.g. "signal 11"
  };
  Kind kind = Kind::kDied;
  std::string bytes;
};

/// Runs `work` in a child with at most `cpu_seconds` of processor time; its stderr goes nowhere.
/// Throws std::runtime_error if no child can be made.
[[nodiscard]] ChildOutcome run_in_child(const std::function<std::string()>& work,
                                        int cpu_seconds = 60);

}  // namespace nsn
