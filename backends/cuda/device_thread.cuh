/// The thread a kernel sees on a device: the twin of HostThread (harness/harness.h).
#pragma once

#include <cooperative_groups.h>

#include <climits>

#include "nsn/backends/cuda/array.h"

namespace nsn::cuda {

struct DeviceThread {
  __device__ int thread() const { return static_cast<int>(threadIdx.x); }
  __device__ int threads() const { return static_cast<int>(blockDim.x); }
  __device__ int block() const { return static_cast<int>(blockIdx.x); }
  __device__ int blocks() const { return static_cast<int>(gridDim.x); }
  __device__ int warp_size() const { return 32; }

  __device__ void sync_block() const { __syncthreads(); }
  /// Orders memory across the grid, too; cooperative launches only.
  __device__ void sync_grid() const { cooperative_groups::this_grid().sync(); }
  /// Lanes of one group meet; the others of the warp may be elsewhere.
  template <int K>
  __device__ void shuffle_xor(const double (&v)[K], double (&other)[K], int offset,
                              int lanes) const {
    const unsigned first =
        threadIdx.x % 32u / static_cast<unsigned>(lanes) * static_cast<unsigned>(lanes);
    const unsigned group = lanes == 32 ? 0xffffffffu : ((1u << lanes) - 1u) << first;
    for (int k = 0; k < K; ++k) other[k] = __shfl_xor_sync(group, v[k], offset);
  }
  __device__ Array<double> shared() const {
    extern __shared__ double scratch[];
    return {scratch, INT_MAX};
  }
  __device__ int atomic_add(const Array<int>& a, int i, int v) const {
    return atomicAdd(a.data + i, v);
  }
};

}  // namespace nsn::cuda
