/// The NCP and friction functors inside a kernel, for nvcc and for the harness.
#pragma once

#include "nsn/backends/cuda/array.h"
#include "nsn/ncp/fischer_burmeister.h"
#include "nsn/ncp/friction.h"
#include "nsn/ncp/minimum_map.h"
#include "nsn/ncp/natural_map.h"

namespace nsn::cuda {

/// Map, d0 and b of a contact with x = (1, b, a), u = (a, a, b), mu = 0.5, and one box row.
NSN_FUNCTION void natural_map_numbers(double a, double b, double* out) {
  const double x[3] = {1.0, b, a};
  const double u[3] = {a, a, b};
  ncp::BlockLinearization rows;
  double phi[3];
  ncp::natural_map(x, u, 0.5, 2.0, out);
  ncp::linearise_contact(ncp::NormalMap::kMinimum, x, u, 0.5, false, false,
                         {phi, out + 3, out + 6, rows});
  out[9] = ncp::natural_map(a, b, -0.5, 0.5, 2.0);
}

/// out[6 i ...]: Fischer-Burmeister and minimum map of (a_i, b_i), each value and both slopes;
/// friction[2 i ...]: the projected force of Alart-Curnier for v = (a_i, b_i), x = (b_i, a_i);
/// contact[10 i ...]: the natural map of that contact with x_N = 1, its box row and the step of its
/// linearisation (natural_map_numbers).
struct EvaluateNcp {
  Array<const double> a, b;
  Array<double> out;
  Array<double> friction;
  Array<double> contact;

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
      double numbers[10];
      natural_map_numbers(a[i], b[i], numbers);
      for (int k = 0; k < 10; ++k) contact.set(10 * i + k, numbers[k]);
    }
  }
};

}  // namespace nsn::cuda
