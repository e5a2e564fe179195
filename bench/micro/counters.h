// Counters beside each time: bytes moved, and the share of the triad's bandwidth.
#pragma once

#include <functional>

#include <benchmark/benchmark.h>

#include "bench/support/bandwidth.h"

namespace nsn::micro {

/// Repeats the work in turn with a triad of the same working set and sets the counters
/// bytes (of one call) and bandwidth_fraction.
inline void count_bytes(benchmark::State& state, double bytes, double working_set,
                        const std::function<void()>& work) {
  Triad triad(working_set);
  state.counters["bytes"] = bytes;
  state.counters["bandwidth_fraction"] = time_against(triad, work, 5).share(bytes);
}

}  // namespace nsn::micro
