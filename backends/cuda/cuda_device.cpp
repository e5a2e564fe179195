#include "nsn/backends/cuda/cuda_device.h"

#include <cuda_runtime_api.h>

#include <fmt/format.h>

#include "nsn/backends/cuda/cuda_libraries.h"
#include "nsn/backends/cuda/launch.h"

namespace nsn::cuda {
namespace {

constexpr int kThreads = 256;

DeviceError::Kind kind_of(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
      return DeviceError::Kind::kOutOfMemory;
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidKernelImage:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorInvalidPtx:
      return DeviceError::Kind::kUnsupportedArchitecture;
    case cudaErrorDeviceUninitialized:
    case cudaErrorDevicesUnavailable:
    case cudaErrorContextIsDestroyed:
    case cudaErrorECCUncorrectable:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalAddress:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorUnknown:
      return DeviceError::Kind::kDeviceLost;
    default:
      return DeviceError::Kind::kOther;
  }
}

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw cuda_error(static_cast<int>(status), what);
}

class CudaRecording final : public Device::Recording {
 public:
  explicit CudaRecording(cudaGraphExec_t graph) : graph_(graph) {}
  ~CudaRecording() override { static_cast<void>(cudaGraphExecDestroy(graph_)); }
  CudaRecording(const CudaRecording&) = delete;
  CudaRecording& operator=(const CudaRecording&) = delete;
  cudaGraphExec_t graph() const { return graph_; }

 private:
  cudaGraphExec_t graph_;
};

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int index);
  ~CudaDevice() override;
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  const DeviceProperties& properties() const override { return properties_; }
  Libraries& libraries() override;
  int cooperative_blocks(const AnyKernel& kernel, const Shape& shape) override;

 private:
  void* do_allocate(std::size_t bytes) override;
  void do_release(void* memory) noexcept override;
  void do_upload(void* to, const void* from, std::size_t bytes) override;
  void do_download(void* to, const void* from, std::size_t bytes) override;
  void do_zero(void* memory, std::size_t bytes) override;
  void do_launch(const AnyKernel& kernel, const Shape& shape) override;
  void do_call(const std::function<void()>& call) override;
  std::unique_ptr<Recording> do_record(const std::function<void()>& body) override;
  void do_replay(Recording& recording) override;

  // The current device belongs to the thread; a solver may be called from another one.
  void make_current() const { check(cudaSetDevice(index_), "cudaSetDevice"); }

  int index_;
  DeviceProperties properties_;
  cudaStream_t stream_ = nullptr;
  std::unique_ptr<Libraries> libraries_;
};

CudaDevice::CudaDevice(int index) : index_(index) {
  make_current();
  cudaDeviceProp p{};
  check(cudaGetDeviceProperties(&p, index), "cudaGetDeviceProperties");
  properties_ = {p.name, p.multiProcessorCount, p.warpSize, kThreads, p.totalGlobalMem};
  const std::string code =
      fmt::format("kernels for {} (compute capability {}.{})", p.name, p.major, p.minor);
  check(probe_code(), code.c_str());
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
}

CudaDevice::~CudaDevice() {
  libraries_.reset();
  static_cast<void>(cudaStreamDestroy(stream_));
}

Libraries& CudaDevice::libraries() {
  make_current();
  if (!libraries_) libraries_ = make_cuda_libraries(*this, stream_);
  return *libraries_;
}

int CudaDevice::cooperative_blocks(const AnyKernel& kernel, const Shape& shape) {
  make_current();
  int blocks = 0;
  std::visit(
      [&](const auto& k) {
        if constexpr (std::is_convertible_v<decltype(k), SolveKernel>) {
          check(blocks_per_multiprocessor(k, shape, &blocks),
                "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
        }
      },
      kernel);
  return blocks * properties_.multiprocessors;
}

void* CudaDevice::do_allocate(std::size_t bytes) {
  make_current();
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes);
  if (status != cudaSuccess) {
    static_cast<void>(cudaGetLastError());  // out of memory is not sticky
    throw cuda_error(static_cast<int>(status), fmt::format("cudaMalloc of {} bytes", bytes));
  }
  return memory;
}

void CudaDevice::do_release(void* memory) noexcept {
  static_cast<void>(cudaFree(memory));  // after a loss there is nothing left to free
}

void CudaDevice::do_upload(void* to, const void* from, std::size_t bytes) {
  make_current();
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_),
        "cudaMemcpy to the device");
}

void CudaDevice::do_download(void* to, const void* from, std::size_t bytes) {
  make_current();
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_),
        "cudaMemcpy from the device");
  check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
}

void CudaDevice::do_zero(void* memory, std::size_t bytes) {
  make_current();
  check(cudaMemsetAsync(memory, 0, bytes, stream_), "cudaMemset");
}

void CudaDevice::do_launch(const AnyKernel& kernel, const Shape& shape) {
  make_current();
  std::visit([&](const auto& k) { check(cuda::launch(k, shape, stream_), "kernel launch"); },
             kernel);
}

void CudaDevice::do_call(const std::function<void()>& call) {
  make_current();
  call();
}

std::unique_ptr<Device::Recording> CudaDevice::do_record(const std::function<void()>& body) {
  make_current();
  check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal),
        "cudaStreamBeginCapture");
  cudaGraph_t graph = nullptr;
  try {
    body();
  } catch (...) {
    static_cast<void>(cudaStreamEndCapture(stream_, &graph));
    if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
    throw;
  }
  check(cudaStreamEndCapture(stream_, &graph), "cudaStreamEndCapture");
  cudaGraphExec_t executable = nullptr;
  const cudaError_t status = cudaGraphInstantiate(&executable, graph, 0);
  static_cast<void>(cudaGraphDestroy(graph));
  check(status, "cudaGraphInstantiate");
  return std::make_unique<CudaRecording>(executable);
}

void CudaDevice::do_replay(Recording& recording) {
  make_current();
  check(cudaGraphLaunch(static_cast<CudaRecording&>(recording).graph(), stream_),
        "cudaGraphLaunch");
}

std::string ask_for_devices() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return fmt::format("no CUDA device: {} ({})", cudaGetErrorString(status),
                       cudaGetErrorName(status));
  }
  return count > 0 ? "" : "no CUDA device: the driver counts none";
}

}  // namespace

const std::string& why_no_device() {
  static const std::string reason = ask_for_devices();
  return reason;
}

std::unique_ptr<Device> open_cuda_device(int index) {
  return std::make_unique<CudaDevice>(index);
}

DeviceError cuda_error(int status, const std::string& what) {
  const auto code = static_cast<cudaError_t>(status);
  return {kind_of(code),
          fmt::format("{}: {} ({})", what, cudaGetErrorString(code), cudaGetErrorName(code))};
}

}  // namespace nsn::cuda
