#include "bench/support/bandwidth.h"

#include <algorithm>
#include <chrono>

#include "nsn/core/base/allocate.h"
#include "nsn/core/base/parallel.h"

namespace nsn {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kShortest = 1e-4;  // s, what the clock resolves to a thousandth
constexpr int kMostCalls = 10000;

double seconds_of(const std::function<void()>& work, int calls) {
  const auto start = Clock::now();
  for (int k = 0; k < calls; ++k) work();
  return std::chrono::duration<double>(Clock::now() - start).count() / calls;
}

/// Calls in a row that take kShortest together; of a few trials the fastest counts, because one of
/// them may have been interrupted.
int calls_for(const std::function<void()>& work) {
  double seconds = seconds_of(work, 1);
  for (int k = 0; k < 4; ++k) seconds = std::min(seconds, seconds_of(work, 1));
  return static_cast<int>(std::clamp(kShortest / std::max(seconds, 1e-9), 1.0, 1.0 * kMostCalls));
}

}  // namespace

Triad::Triad(double working_set_bytes) {
  const auto n = static_cast<std::size_t>(std::max(64.0, working_set_bytes / 24.0));
  a_ = allocate_vector("a", n);
  b_ = allocate_vector("b", n);
  c_ = allocate_vector("c", n);
  Kokkos::deep_copy(b_, 1.0);
  Kokkos::deep_copy(c_, 2.0);
  pass();
  passes_ = calls_for([this] { pass(); });
}

void Triad::pass() {
  double* const a = a_.data();
  const double* const b = b_.data();
  const double* const c = c_.data();
  const double s = s_;
  for_range(size_of(a_), [=](Index first, Index last) {
    for (Index i = first; i < last; ++i) a[i] = b[i] + s * c[i];
  });
}

double Triad::run() {
  return bytes() / seconds_of([this] { pass(); }, passes_);
}

AgainstTriad time_against(Triad& triad, const std::function<void()>& work, int repeats) {
  static_cast<void>(triad.run());
  const int calls = calls_for(work);
  AgainstTriad result;
  result.seconds = seconds_of(work, calls);
  for (int k = 0; k < repeats; ++k) {
    result.seconds = std::min(result.seconds, seconds_of(work, calls));
    result.bandwidth = std::max(result.bandwidth, triad.run());
  }
  return result;
}

double triad_bandwidth(double working_set_bytes, int repeats) {
  Triad triad(working_set_bytes);
  double best = 0.0;
  for (int k = 0; k < repeats; ++k) best = std::max(best, triad.run());
  return best;
}

}  // namespace nsn
