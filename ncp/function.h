/// NSN_FUNCTION: marks a function that both the host and a CUDA device may call.
///
/// The functors in ncp/ depend on this macro and on nothing else, so that a .cu file, a host kernel
/// and a test include the very same source.
#pragma once

#if defined(__CUDACC__)
#define NSN_FUNCTION __host__ __device__ inline
#else
#define NSN_FUNCTION inline
#endif
