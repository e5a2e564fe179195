/// The NCP and friction functors inside a kernel, for nvcc and for the harness.
#pragma once

#include "nsn/backends/cuda/array.h"
#include "nsn/ncp/fischer_burmeister.h"
#include "nsn/ncp/friction.h"
#include "nsn/ncp/minimum_map.h"

namespace nsn::cuda {

/// out[6 i ...]: Fischer-Burmeister and minimum map of (a_i, b_i), each value and both slopes;
/// friction[2 i ...]: the projected force of Alart-Curnier for v = (a_i, b_i), x = (b_i, a_i).
struct EvaluateNcp {
  Array<const double> a, b;
  Array<double> out;
  Array<double> friction;

  template <class Thread>
  NSN_DEVICE void operator()(Thread& thread) const {
    const int size = thread.blocks() * thread.threads();
    for (int i = thread.block() * thread.threads() + thread.thread(); i < a.size; i += size) {
      const auto fb = ncp::FischerBurmeister{}(a[i], b[i]);
      const auto map = ncp::MinimumMap{}(a[i], b[i]);
      const double values[6] = {fb.phi, fb.d_a, fb.d_b, map.phi, map.d_a, map.d_b};
      for (int k = 0; k < 6; ++k) out.set(6 * i + k, values[k]);
      const double v[2] = {a[i], b[i]};
      const double x[2] = {b[i], a[i]};
      const auto point = ncp::AlartCurnier{}(v, x, 0.5, 2.0);
      friction.set(2 * i, point.projected[0]);
      friction.set(2 * i + 1, point.projected[1]);
    }
  }
};

}  // namespace nsn::cuda
