// What this machine's driver says: the CUDA backends are listed whatever it is, with its own words.
#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"

#if defined(NSN_WITH_CUDA)
#include <cuda_runtime_api.h>

#include "nsn/backends/cuda/cuda_device.h"
#endif

namespace nsn {
namespace {

TEST(CudaBackends, AreListedWithTheReasonTheyCannotRun) {
  const SolverRegistry registry = standard_backends();
  for (const char* name : {"cuda-pcr", "cuda-direct"}) {
    const SolverInfo& info = registry.info(name);
    EXPECT_EQ(info.capabilities.device, "cuda");
    if (info.available()) continue;
    EXPECT_FALSE(info.reason.empty());
    try {
      static_cast<void>(registry.make(name));
      ADD_FAILURE() << name << " was made";
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(info.reason), std::string::npos) << error.what();
    }
  }
}

#if defined(NSN_WITH_CUDA)

TEST(CudaBackends, AreBuiltAndQuoteTheDriver) {
  const SolverInfo info = standard_backends().info("cuda-pcr");

  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);

  EXPECT_TRUE(info.built);
  EXPECT_EQ(info.available(), status == cudaSuccess && count > 0);
  if (status != cudaSuccess) {
    EXPECT_NE(info.reason.find(cudaGetErrorString(status)), std::string::npos) << info.reason;
  }
}

TEST(CudaDevice, OpeningWithoutADeviceFailsInTheDriversWords) {
  if (cuda::why_no_device().empty()) GTEST_SKIP() << "this machine has a CUDA device";
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);

  try {
    static_cast<void>(cuda::open_cuda_device(0));
    ADD_FAILURE() << "a device was opened";
  } catch (const cuda::DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find(cudaGetErrorString(status)), std::string::npos)
        << error.what();
  }
}

TEST(CudaDevice, ErrorsAreSortedAndKeepTheirWords) {
  using Kind = cuda::DeviceError::Kind;
  const struct {
    cudaError_t status;
    Kind kind;
  } cases[] = {{cudaErrorMemoryAllocation, Kind::kOutOfMemory},
               {cudaErrorNoKernelImageForDevice, Kind::kUnsupportedArchitecture},
               {cudaErrorUnsupportedPtxVersion, Kind::kUnsupportedArchitecture},
               {cudaErrorIllegalAddress, Kind::kDeviceLost},
               {cudaErrorDevicesUnavailable, Kind::kDeviceLost},
               {cudaErrorECCUncorrectable, Kind::kDeviceLost},
               {cudaErrorInvalidValue, Kind::kOther}};
  for (const auto& c : cases) {
    const cuda::DeviceError error = cuda::cuda_error(static_cast<int>(c.status), "the call");

    EXPECT_EQ(error.kind(), c.kind) << error.what();
    EXPECT_EQ(std::string(error.what()), std::string("the call: ") + cudaGetErrorString(c.status) +
                                             " (" + cudaGetErrorName(c.status) + ")");
  }
}

#endif  // NSN_WITH_CUDA

}  // namespace
}  // namespace nsn
