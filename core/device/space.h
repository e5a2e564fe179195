/// Devices: a Kokkos::Device<execution space, memory space>, over which the paper's method and its
/// linear solvers are templates, and the two shapes of work they are made of.
///
///   Queue<D> queue;
///   queue.for_each("scale", n, KOKKOS_LAMBDA(const Index i) { y(i) = a * x(i); });
///   const Index chunks = queue.template sum_chunks<1>("dot", n, body, part);  // body(i, sums)
///
/// Bodies capture spans and numbers by value, never `this`, and run on one index. A sum is cut into
/// chunks that are a function of n and the kind of device alone; the partial sums stay in the
/// device's memory, where the body that needs the number adds them. So serial, openmp and every
/// other device of the host's shape agree bit for bit, whatever the number of threads.
///
/// Where the host reads the memory of D a small range runs as a plain loop and nothing is ever
/// copied. Everything else that crosses goes through Queue::copy(), which counts it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include "nsn/core/base/lanes.h"
#include "nsn/core/base/math3.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/base/types.h"
#include "nsn/core/device/traffic.h"

namespace nsn {

using SerialDevice = Kokkos::Device<Kokkos::Serial, Kokkos::HostSpace>;
/// Host threads; without OpenMP the same as SerialDevice.
using ThreadsDevice = Kokkos::Device<Execution, Kokkos::HostSpace>;

/// The host may read and write the memory of D: no copies.
template <class D>
inline constexpr bool kHostReads =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename D::memory_space>::accessible;

/// Views of host memory have one type, that of nsn::Vector, whatever executes.
template <class D>
using MemoryOf =
    std::conditional_t<std::is_same_v<typename D::memory_space, Kokkos::HostSpace>, Memory, D>;

/// Owns.
template <class D, class T>
using DeviceArray = Kokkos::View<T*, MemoryOf<D>>;
/// What bodies capture: typed by its memory, no reference counting.
template <class D, class T>
using Span = Kokkos::View<T*, MemoryOf<D>, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Of the host, over memory that somebody else owns.
template <class T>
using HostSpan = Kokkos::View<T*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Bodies as a lambda captures them: a copy, or their place where the device works in the host's
/// memory, since a kernel of few rows would spend its time on copies of many spans.
template <class D, class Bodies>
class Captured {
 public:
  explicit Captured(const Bodies& bodies) : held_(held(bodies)) {}
  NSN_FUNCTION const Bodies* operator->() const {
    if constexpr (kHostReads<D>) {
      return held_;
    } else {
      return &held_;
    }
  }

 private:
  static auto held(const Bodies& bodies) {
    if constexpr (kHostReads<D>) {
      return &bodies;
    } else {
      return bodies;
    }
  }
  std::conditional_t<kHostReads<D>, const Bodies*, Bodies> held_;
};

/// n entries, not initialised: whoever reads one has written it.
template <class D, class T>
DeviceArray<D, T> allocate_on(const char* label, Index n) {
  return DeviceArray<D, T>(Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing),
                           to_size(n));
}

/// Rows per chunk of a sum, and most chunks.
template <class Execution>
struct ChunkShape {
  static constexpr Index length = kChunk;
  static constexpr Index most = kMaxChunks;
  static constexpr Index part = 256;  ///< rows of for_parts()
  static constexpr int team = 1;      ///< threads that share an island of a batch
};
#if defined(KOKKOS_ENABLE_CUDA)
template <>
struct ChunkShape<Kokkos::Cuda> {
  static constexpr Index length = 32;
  static constexpr Index most = 8192;
  static constexpr Index part = 1;
  static constexpr int team = 128;
};
#endif
#if defined(KOKKOS_ENABLE_OPENMPTARGET)
template <>
struct ChunkShape<Kokkos::Experimental::OpenMPTarget> {
  static constexpr Index length = kChunk;
  static constexpr Index most = kMaxChunks;
  static constexpr Index part = 1;
  static constexpr int team = 32;  ///< the least it takes
};
#endif

/// Lives as long as a kernel of D is under way: a device of the tests marks its kernels by it.
template <class D>
struct KernelScope {
  KernelScope() {}
};

/// Launches and copies in one order. One per solver; not for two threads at once.
template <class D>
class Queue {
 public:
  using Execution = typename D::execution_space;
  using Shape = ChunkShape<Execution>;

  Traffic traffic;

  /// body(i) for i in [0, n). work: units of work of one i; ranges below 4096 units are not worth a
  /// dispatch on the host.
  template <class Body>
  void for_each(const char* name, Index n, const Body& body, Index work = 1) {
    static_assert(sizeof(Body) < 4000, "larger bodies cannot be kernel arguments on CUDA");
    if (n <= 0) return;
    if constexpr (kHostReads<D>) {
      if (is_serial() || std::int64_t{n} * work < 2 * kChunk || !detail::may_dispatch()) {
        for (Index i = 0; i < n; ++i) body(i);
        return;
      }
    }
    ++traffic.launches;
    const KernelScope<D> scope;
    // Light weight: CUDA then passes bodies as kernel arguments; without it those above 512 bytes
    // share one buffer, and every launch waits for the one before.
    Kokkos::parallel_for(
        name,
        Kokkos::Experimental::require(Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>(
                                          execution_, 0, n, Kokkos::ChunkSize(work < 64 ? 64 : 1)),
                                      Kokkos::Experimental::WorkItemProperty::HintLightWeight),
        body);
  }

  /// body(from, to) for parts [from, to) of [0, n): for bodies whose loop over a part is quicker than
  /// one index at a time. A part is one index on a GPU, and elsewhere so long that what it
  /// touches stays in the cache.
  template <class Body>
  void for_parts(const char* name, Index n, const Body& body, Index work = 1) {
    const Index length = Shape::part;
    for_each(
        name, (n + length - 1) / length,
        KOKKOS_LAMBDA(const Index c) {
          body(c * length, (c + 1) * length < n ? (c + 1) * length : n);
        },
        work * length);
  }

  /// body(i, sums) for i in [0, n), sums K numbers that start at zero in every chunk; chunk c leaves
  /// part(K c) ... Returns the number of chunks. What a body does with its sums (add, take the
  /// larger) the reader of the parts must do too. A body(from, to, sums) is called once per chunk.
  template <int K, class Body>
  Index sum_chunks(const char* name, Index n, const Body& body, Span<D, double> part) {
    const Index length = std::max(Shape::length, (n + Shape::most - 1) / Shape::most);
    const Index chunks = (n + length - 1) / length;
    for_each(
        name, chunks,
        KOKKOS_LAMBDA(const Index c) {
          double sum[K];
          for (int k = 0; k < K; ++k) sum[k] = 0.0;
          const Index last = (c + 1) * length < n ? (c + 1) * length : n;
          over_chunk(body, c * length, last, sum);
          for (int k = 0; k < K; ++k) part(K * c + k) = sum[k];
        },
        length);
    return chunks;
  }

  /// Room for the parts of K sums.
  static Index parts(int K) { return K * Shape::most; }

  /// to = from, in the order of the kernels; complete on return where the host reads `to`.
  template <class To, class From>
  void copy(const To& to, const From& from) {
    using Left = typename To::memory_space;
    using Right = typename From::memory_space;
    if (to.extent(0) == 0) return;
    if constexpr (std::is_same_v<Left, Right> && std::is_same_v<Left, Kokkos::HostSpace>) {
      if (to.data() != from.data()) std::copy_n(from.data(), from.extent(0), to.data());
    } else {
      if constexpr (!std::is_same_v<Left, Right>) {
        const double bytes =
            static_cast<double>(to.extent(0) * sizeof(typename To::non_const_value_type));
        (std::is_same_v<Left, Kokkos::HostSpace> ? traffic.from_device : traffic.to_device) +=
            bytes;
        ++traffic.copies;
      }
      Kokkos::deep_copy(execution_, to, from);
      if constexpr (!std::is_same_v<Left, Right>) execution_.fence("copied");
    }
  }

  void fence() {
    if constexpr (!kHostReads<D>) execution_.fence("queue");
  }
  /// For libraries that are to work in the same order.
  const Execution& execution() const { return execution_; }

 private:
  template <class Body>
  NSN_FUNCTION static void over_chunk(const Body& body, Index from, Index to, double* sum) {
    if constexpr (std::is_invocable_v<Body, Index, Index, double*>) {
      body(from, to, sum);
    } else {
      for (Index i = from; i < to; ++i) body(i, sum);
    }
  }
  static constexpr bool is_serial() { return std::is_same_v<Execution, Kokkos::Serial>; }

  Execution execution_;
};

// ---- Blocks of spans, for bodies

template <class View>
NSN_FUNCTION auto load_vector(const View& v, Index i) {
  return Vector3<typename View::non_const_value_type>{{v(i), v(i + 1), v(i + 2)}};
}
template <class View>
NSN_FUNCTION auto load_block(const View& v, Index i) {
  Matrix3<typename View::non_const_value_type> A;
  for (int k = 0; k < 9; ++k) A.a[k] = v(i + k);
  return A;
}
template <class View>
NSN_FUNCTION void store_vector(const View& v, Index i,
                               const Vector3<typename View::non_const_value_type>& x) {
  for (int k = 0; k < 3; ++k) v(i + k) = x[k];
}
template <class View>
NSN_FUNCTION void store_block(const View& v, Index i,
                              const Matrix3<typename View::non_const_value_type>& A) {
  for (int k = 0; k < 9; ++k) v(i + k) = A.a[k];
}

/// out += A x, the block A where it stands.
template <class View, class Real>
NSN_INLINE void add_product(const View& blocks, Index at, const Vector3<Real>& x,
                            Vector3<Real>& out) {
  for (int k = 0; k < 3; ++k) {
    const Index row = at + 3 * k;
    out[k] += blocks(row) * x[0] + blocks(row + 1) * x[1] + blocks(row + 2) * x[2];
  }
}

/// In another precision.
template <class To, int R, int C, class From>
NSN_FUNCTION SmallMatrix<R, C, To> converted(const SmallMatrix<R, C, From>& A) {
  SmallMatrix<R, C, To> B;
  for (int k = 0; k < R * C; ++k) B.a[k] = static_cast<To>(A.a[k]);
  return B;
}

/// Sum number k of K over the chunks.
template <class View>
NSN_FUNCTION double total_of(const View& part, Index chunks, int K, int k) {
  double sum = 0.0;
  for (Index c = 0; c < chunks; ++c) sum += part(K * c + k);
  return sum;
}
/// The larger one; what is not a number stays.
NSN_FUNCTION double worse_of(double a, double b) {
  return b <= a || a != a ? a : b;
}
/// Largest of number k of K over the chunks.
template <class View>
NSN_FUNCTION double worst_of(const View& part, Index chunks, int K, int k) {
  double worst = 0.0;
  for (Index c = 0; c < chunks; ++c) worst = worse_of(worst, part(K * c + k));
  return worst;
}

}  // namespace nsn
