/// Vectors of a few doubles, and functions that are compiled for more than one instruction set: no
/// intrinsics, the compiler's vector types where it has them and plain arrays where it has not.
///
/// A build for any x86-64 carries a function marked NSN_KERNEL twice, once for AVX2, and the
/// processor chooses when the program is loaded. What it calls must be NSN_INLINE to become part of
/// both. NSN_VERSIONS is the same for AVX2 and for AVX-512. Nothing is contracted or reordered
/// (-ffp-contract=off), so all of them give the same result. Without effect where the compiler is
/// not GCC, and under sanitizers, which are not ready when the choice is made; NSN_KERNEL also
/// where the build is for AVX2 already.
#pragma once

#include <cstddef>
#include <cstring>

#if defined(__CUDACC__)
#define NSN_INLINE __host__ __device__ inline
#elif defined(__GNUC__)
#define NSN_INLINE inline __attribute__((always_inline))
#else
#define NSN_INLINE inline
#endif

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define NSN_VERSIONS __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#if !defined(__AVX2__) && defined(__OPTIMIZE__)
#define NSN_KERNEL __attribute__((target_clones("default", "avx2")))
#endif
#else
#define NSN_VERSIONS
#endif
#if !defined(NSN_KERNEL)
#define NSN_KERNEL
#endif

namespace nsn {

#if defined(__GNUC__)
using Lanes2 = double __attribute__((vector_size(16), aligned(8), may_alias));
using Lanes4 = double __attribute__((vector_size(32), aligned(8), may_alias));
using Lanes8 = double __attribute__((vector_size(64), aligned(8), may_alias));

template <class Lanes>
NSN_INLINE Lanes load_lanes(const double* p) {
  return *reinterpret_cast<const Lanes*>(p);
}
/// Lane by lane.
template <class Lanes>
NSN_INLINE Lanes lesser(const Lanes& a, const Lanes& b) {
  return a < b ? a : b;
}
template <class Lanes>
NSN_INLINE Lanes greater(const Lanes& a, const Lanes& b) {
  return a > b ? a : b;
}
#else
template <int kCount>
struct LaneArray {
  double lane[kCount] = {};
  double operator[](std::size_t k) const { return lane[k]; }
  double& operator[](std::size_t k) { return lane[k]; }
  friend LaneArray operator*(LaneArray a, double b) {
    for (double& x : a.lane) x *= b;
    return a;
  }
  friend LaneArray operator*(double a, const LaneArray& b) { return b * a; }
  friend LaneArray operator*(LaneArray a, const LaneArray& b) {
    for (int k = 0; k < kCount; ++k) a.lane[k] *= b.lane[k];
    return a;
  }
  friend LaneArray operator+(LaneArray a, const LaneArray& b) { return a += b; }
  friend LaneArray operator-(LaneArray a, const LaneArray& b) { return a -= b; }
  friend LaneArray operator+(LaneArray a, double b) {
    for (double& x : a.lane) x += b;
    return a;
  }
  friend LaneArray operator-(LaneArray a, double b) { return a + -b; }
  friend LaneArray operator-(double a, LaneArray b) {
    for (double& x : b.lane) x = a - x;
    return b;
  }
  LaneArray& operator+=(const LaneArray& b) {
    for (int k = 0; k < kCount; ++k) lane[k] += b.lane[k];
    return *this;
  }
  LaneArray& operator-=(const LaneArray& b) {
    for (int k = 0; k < kCount; ++k) lane[k] -= b.lane[k];
    return *this;
  }
};
using Lanes2 = LaneArray<2>;
using Lanes4 = LaneArray<4>;
using Lanes8 = LaneArray<8>;

template <class Lanes>
NSN_INLINE Lanes load_lanes(const double* p) {
  Lanes v;
  std::memcpy(v.lane, p, sizeof(v.lane));
  return v;
}
template <int kCount>
NSN_INLINE LaneArray<kCount> lesser(LaneArray<kCount> a, const LaneArray<kCount>& b) {
  for (int k = 0; k < kCount; ++k) a.lane[k] = a.lane[k] < b.lane[k] ? a.lane[k] : b.lane[k];
  return a;
}
template <int kCount>
NSN_INLINE LaneArray<kCount> greater(LaneArray<kCount> a, const LaneArray<kCount>& b) {
  for (int k = 0; k < kCount; ++k) a.lane[k] = a.lane[k] > b.lane[k] ? a.lane[k] : b.lane[k];
  return a;
}
#endif

}  // namespace nsn
