/// Kernels around the factorisations: entries into dense matrices, vectors into and out of the
/// order of the factor, and the residual that refinement needs.
#pragma once

#include "nsn/backends/cuda/pcr_kernels.cuh"

namespace nsn::cuda {

/// to[place[i]] = from[i], or 1 for the entries past the end of `from` (the unit diagonal that pads
/// a dense matrix). `to` was set to zero before.
template <class T>
struct Scatter {
  Array<const double> from;
  Array<const int> place;  ///< each place at most once
  Array<T> to;

  template <class Thread>
  NSN_DEVICE void operator()(Thread& thread) const {
    const int size = thread.blocks() * thread.threads();
    for (int i = thread.block() * thread.threads() + thread.thread(); i < place.size; i += size) {
      to.set(place[i], static_cast<T>(i < from.size ? from[i] : 1.0));
    }
  }
};

/// to[i] = from[place[i]]; -1: zero.
template <class T>
struct Gather {
  Array<const double> from;
  Array<const int> place;
  Array<T> to;

  template <class Thread>
  NSN_DEVICE void operator()(Thread& thread) const {
    const int size = thread.blocks() * thread.threads();
    for (int i = thread.block() * thread.threads() + thread.thread(); i < to.size; i += size) {
      to.set(i, static_cast<T>(place[i] >= 0 ? from[place[i]] : 0.0));
    }
  }
};

/// to[place[i]] += factor * from[i]; -1: left out. A factor of -1 takes the last correction back.
template <class T>
struct AddTo {
  Array<const T> from;
  Array<const int> place;
  Array<double> to;
  double factor = 1.0;

  template <class Thread>
  NSN_DEVICE void operator()(Thread& thread) const {
    const int size = thread.blocks() * thread.threads();
    for (int i = thread.block() * thread.threads() + thread.thread(); i < from.size; i += size) {
      const int at = place[i];
      if (at >= 0) to.set(at, to[at] + factor * static_cast<double>(from[i]));
    }
  }
};

/// r = b - A x, and |r|^2 by blocks.
struct CsrResidual {
  CsrForm<double> A;
  Array<double> b, x, r;
  Array<double> partial;  ///< one per block
  int lanes = 1;

  template <class Thread>
  NSN_DEVICE void operator()(Thread& thread) const {
    const int rank = thread.block() * thread.threads() + thread.thread();
    const int size = thread.blocks() * thread.threads();
    double sum[1] = {0.0};
    for (int row = rank / lanes; row < b.size / 3; row += size / lanes) {
      const Triple Ax = A.row_times(thread, row, x, lanes);
      if (rank % lanes != 0) continue;
      for (int c = 0; c < 3; ++c) {
        const double value = b[3 * row + c] - Ax.v[c];
        r.set(3 * row + c, value);
        sum[0] += value * value;
      }
    }
    sum_over_block(thread, sum);
    if (thread.thread() == 0) partial.set(thread.block(), sum[0]);
  }
};

}  // namespace nsn::cuda
