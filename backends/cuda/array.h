/// Device memory as kernels see it: a raw pointer and a length.
///
/// Kernels read with a[i] and write with a.set(i, v). On a device both are plain loads and stores.
/// On the host, where only the harness (backends/cuda/harness/) runs kernels, each access is shown
/// to it first: an index out of bounds and an access that races with another thread's are errors
/// there.
///
/// NSN_DEVICE marks what runs inside a kernel; functions that the host calls as well carry
/// NSN_FUNCTION (ncp/function.h).
#pragma once

#include <cstddef>
#include <type_traits>

#include "nsn/ncp/function.h"

#if defined(__CUDACC__)
#define NSN_DEVICE __device__ inline
#else
#define NSN_DEVICE inline
#endif

namespace nsn::cuda {

#if !defined(__CUDACC__)
/// Implemented by the harness; called before every access of a kernel to element i of n.
void on_kernel_read(const void* base, std::size_t element_size, int i, int n);
void on_kernel_write(const void* base, std::size_t element_size, int i, int n);
#endif

template <class T>
struct Array {
  using Value = std::remove_const_t<T>;

  T* data = nullptr;
  int size = 0;

  /// Element i.
  NSN_DEVICE Value operator[](int i) const {
#if !defined(__CUDACC__)
    on_kernel_read(data, sizeof(T), i, size);
#endif
    return data[i];
  }
  /// Element i becomes v.
  NSN_DEVICE void set(int i, Value v) const {
#if !defined(__CUDACC__)
    on_kernel_write(data, sizeof(T), i, size);
#endif
    data[i] = v;
  }
  bool empty() const {
    return size == 0;
  }
};

/// Three numbers of one block row.
struct Triple {
  double v[3] = {0.0, 0.0, 0.0};
};

template <class T>
NSN_DEVICE Triple load_triple(const Array<T>& a, int block_row) {
  return {{static_cast<double>(a[3 * block_row]), static_cast<double>(a[3 * block_row + 1]),
           static_cast<double>(a[3 * block_row + 2])}};
}

NSN_DEVICE void store_triple(const Array<double>& a, int block_row, const Triple& t) {
  for (int c = 0; c < 3; ++c) a.set(3 * block_row + c, t.v[c]);
}

NSN_DEVICE double dot(const Triple& a, const Triple& b) {
  return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2];
}

}  // namespace nsn::cuda
