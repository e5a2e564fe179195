/// Every kernel of the CUDA backends in one list. A kernel is a plain struct of its arguments; its
/// operator() is the device code. A device launches whatever is in the list: the CUDA runtime on a
/// GPU (cuda_device.h), the harness on the host (harness/host_device.h).
#pragma once

#include <utility>
#include <variant>

#include "nsn/backends/cuda/direct_kernels.cuh"
#include "nsn/backends/cuda/pcr_kernels.cuh"
#include "nsn/backends/cuda/prepare_kernels.cuh"

namespace nsn::cuda {

/// Kernels that are a whole solve.
using SolveKernel = std::variant<
    PcrIslands<BlockForm<double>, BlockForm<double>>,
    PcrIslands<BlockForm<float>, BlockForm<double>>, PcrIslands<CsrForm<double>, CsrForm<double>>,
    PcrIslands<CsrForm<float>, CsrForm<double>>,
    PcrIslands<FactoredForm<double>, FactoredForm<double>>,
    PcrIslands<FactoredForm<float>, FactoredForm<double>>,
    PcrGrid<BlockForm<double>, BlockForm<double>>, PcrGrid<BlockForm<float>, BlockForm<double>>,
    PcrGrid<CsrForm<double>, CsrForm<double>>, PcrGrid<CsrForm<float>, CsrForm<double>>,
    PcrGrid<FactoredForm<double>, FactoredForm<double>>,
    PcrGrid<FactoredForm<float>, FactoredForm<double>>>;

/// Kernels that are one step of something.
using StepKernel = std::variant<
    Product<BlockForm<double>>, Product<BlockForm<float>>, Product<CsrForm<double>>,
    Product<CsrForm<float>>, Product<FactoredForm<double>>, Product<FactoredForm<float>>,
    NodePass<FactoredForm<double>>, NodePass<FactoredForm<float>>, Recompute<BlockForm<double>>,
    Recompute<CsrForm<double>>, Recompute<FactoredForm<double>>, Dots, Decide, Update, Resume,
    Narrow, GatherDiagonal, FactoredDiagonal, InvertDiagonal, Scatter<double>, Scatter<float>,
    Gather<double>, Gather<float>, AddTo<double>, AddTo<float>, CsrResidual>;

namespace detail {
template <class... A, class... B>
std::variant<A..., B...> join(const std::variant<A...>&, const std::variant<B...>&);
}  // namespace detail

using AnyKernel = decltype(detail::join(std::declval<SolveKernel>(), std::declval<StepKernel>()));

/// How a kernel is spread.
struct Shape {
  int blocks = 1;
  int threads = 1;           ///< per block: a power of two up to a warp, or a multiple of a warp
  int shared_doubles = 0;    ///< shared memory per block
  bool cooperative = false;  ///< all blocks run at once and may meet at a grid barrier
};

}  // namespace nsn::cuda
