/// What memory can do: the triad a = b + s c, 24 bytes an element, over a chosen working set.
///
/// A solver's iteration is bound by memory traffic, so the honest yardstick of its time is
/// bytes moved / triad bandwidth, with a triad that has the same working set (the caches hold both
/// or neither), runs on the same threads and is measured in turn with the solver, because the speed
/// of a shared machine drifts.
///
///   Triad triad(working_set_bytes);
///   const AgainstTriad timing = time_against(triad, [&] { iterate(); });
///   fmt::print("{:.2f} of the bandwidth\n", timing.share(bytes_moved));
#pragma once

#include <functional>

#include "nsn/core/base/types.h"

namespace nsn {

/// One triad with its three arrays.
class Triad {
 public:
  /// Three arrays of together working_set_bytes, at least 3 * 512 bytes.
  explicit Triad(double working_set_bytes);

  /// Runs the triad often enough to be timed (a tenth of a millisecond); returns bytes per second.
  double run();
  /// Bytes one pass moves, counting what a store moves once.
  double bytes() const { return 24.0 * size_of(a_); }

 private:
  void pass();

  Vector a_, b_, c_;
  double s_ = 3.0;
  int passes_ = 1;
};

/// Smallest times of a piece of work and of a triad, measured in turn.
struct AgainstTriad {
  double seconds = 0.0;    ///< of one call of the work
  double bandwidth = 0.0;  ///< of the triad, bytes per second, largest seen

  /// Share of the triad's bandwidth that the work reached if it moved this many bytes.
  double share(double bytes) const { return bytes / (seconds * bandwidth); }
};

/// Calls work and triad.run() in turn, `repeats` times each after a few calls of either to warm up.
/// Work shorter than a tenth of a millisecond is called several times in a row.
AgainstTriad time_against(Triad& triad, const std::function<void()>& work, int repeats = 10);

/// Bandwidth over a working set, bytes per second: the largest of `repeats` runs.
double triad_bandwidth(double working_set_bytes, int repeats = 10);

}  // namespace nsn
