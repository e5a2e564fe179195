// In a build whose Kokkos has CUDA this source goes through nvcc; in every other it only lists.
#include "nsn/backends/cuda/cuda_backends.h"

#include <utility>

#include "nsn/core/step/newton_options.h"

#if defined(KOKKOS_ENABLE_CUDA)
#include "nsn/backends/cuda/cuda_libraries.h"
#include "nsn/backends/cuda/direct_solver.h"
#include "nsn/core/device/device_solvers.h"
#include "nsn/core/device/uploaded_solver.h"
#include "nsn/core/step/paper/device_step.h"
#endif

namespace nsn {
namespace {

SolverInfo pcr_info() {
  SolverInfo info;
  info.name = "cuda-pcr";
  info.summary = "PCR on a CUDA device, for systems of the host: the template that 'pcr' is there";
  info.capabilities.needs_entries = true;
  info.capabilities.takes_factors = true;
  info.capabilities.handles_singular = true;
  info.capabilities.device = "cuda";
  info.options = {
      OptionSpec::choice("precond", "jacobi", {"none", "jacobi", "block-jacobi"}, "preconditioner"),
      OptionSpec::integer("max_iterations", 0, 0, 1e9, "0: what the call asks for")};
  return info;
}

SolverInfo direct_info() {
  SolverInfo info;
  info.name = "cuda-direct";
  info.summary = "Cholesky on a CUDA device: dense, or sparse by cuDSS or cuSOLVER";
  info.licence = "Apache-2.0; CUDA libraries under NVIDIA's licence";
  info.capabilities.needs_entries = true;
  info.capabilities.direct = true;
  info.capabilities.device = "cuda";
  info.options = {
      OptionSpec::integer("dense_limit", 1024, 1, 1e5, "rows up to which the matrix is dense"),
      OptionSpec::integer("refine", 10, 0, 100, "largest number of refinement steps")};
  return info;
}

#if defined(KOKKOS_ENABLE_CUDA)

using CudaDevice = Kokkos::Device<Kokkos::Cuda, Kokkos::CudaSpace>;

/// Empty, or why this machine cannot run CUDA, in the driver's words.
std::string why_no_device() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) return fmt::format("CUDA: {}", cudaGetErrorString(status));
  return count > 0 ? "" : "CUDA: no device";
}

std::unique_ptr<DeviceSolver<CudaDevice, double>> make_pcr(const Options& options) {
  DeviceKrylovOptions krylov;
  const std::string precond = options.text("precond");
  krylov.precond = precond == "none"     ? DevicePreconditioning::kNone
                   : precond == "jacobi" ? DevicePreconditioning::kJacobi
                                         : DevicePreconditioning::kBlockJacobi;
  krylov.max_iterations = static_cast<int>(options.integer("max_iterations"));
  return std::make_unique<KrylovSolver<CudaDevice, double>>("cuda-pcr", krylov);
}

std::unique_ptr<DeviceSolver<CudaDevice, double>> make_direct(const Options& options) {
  DirectSolverOptions direct;
  direct.dense_limit = static_cast<int>(options.integer("dense_limit"));
  direct.refine = static_cast<int>(options.integer("refine"));
  return std::make_unique<DirectSolver<CudaDevice>>(
      "cuda-direct", direct, [](Queue<CudaDevice>& queue) {
        return open_cuda_libraries(queue.execution().cuda_stream());
      });
}

template <class Make>
SolverInfo as_built(SolverInfo info, Make make) {
  info.reason = why_no_device();
  info.on_device = MakeOnDevice<CudaDevice, double>(make);
  info.make = [make](const Options& options,
                     const SolverRegistry&) -> std::unique_ptr<LinearSolver> {
    return std::make_unique<UploadedSolver<CudaDevice>>(make(options));
  };
  return info;
}

std::unique_ptr<StepMethod> make_step(const NewtonOptions& options, const SolverRegistry& registry,
                                      StepMonitor& monitor) {
  if (options.paper().precision == Precision::kSingle) {
    return std::make_unique<DeviceStep<CudaDevice, float>>(options, registry, monitor);
  }
  return std::make_unique<DeviceStep<CudaDevice, double>>(options, registry, monitor);
}

}  // namespace

void add_cuda_backends(SolverRegistry& registry) {
  registry.add(as_built(pcr_info(), make_pcr));
  registry.add(as_built(direct_info(), make_direct));
  DeviceInfo cuda;
  cuda.name = "cuda";
  cuda.memory = "device";
  cuda.reason = why_no_device();
  cuda.batches = true;
  cuda.make = make_step;
  registry.add(std::move(cuda));
}

#else

SolverInfo not_built(SolverInfo info) {
  info.built = false;
  info.reason = "this build's Kokkos has no CUDA: ./run build-cuda, then cmake --preset cuda";
  return info;
}

}  // namespace

void add_cuda_backends(SolverRegistry& registry) {
  registry.add(not_built(pcr_info()));
  registry.add(not_built(direct_info()));
  DeviceInfo cuda;
  cuda.name = "cuda";
  cuda.memory = "device";
  cuda.reason = not_built({}).reason;
  registry.add(std::move(cuda));
}

#endif

}  // namespace nsn
