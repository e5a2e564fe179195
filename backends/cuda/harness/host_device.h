/// A Device on the host: the same kernels through the harness, Eigen in place of the libraries.
///
/// Not a backend: registries of programs never hold it. Tests open it to run the CUDA backends on
/// machines without a GPU, with every access of every kernel watched, and to let it fail on
/// command.
#pragma once

#include "nsn/backends/cuda/device.h"
#include "nsn/backends/cuda/harness/harness.h"

namespace nsn::cuda::harness {

struct HostDeviceOptions {
  HarnessOptions harness = {};
  int multiprocessors = 2;
  int threads = 8;  ///< per block
  /// The n-th call (allocations, copies, launches, library calls; from 1) fails as lost device;
  /// 0: never.
  int fail_at = 0;
};

class HostDevice final : public Device {
 public:
  explicit HostDevice(HostDeviceOptions options = {});
  ~HostDevice() override;

  const DeviceProperties& properties() const override { return properties_; }
  Libraries& libraries() override { return *libraries_; }
  int cooperative_blocks(const AnyKernel& kernel, const Shape& shape) override;

  Harness& harness() { return harness_; }
  /// Buffers that are still allocated.
  int live_allocations() const { return live_; }
  /// Calls so far, as fail_at counts them.
  int calls() const { return calls_; }

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
  void count_call();
  void check(const void* memory, std::size_t bytes) const;

  HostDeviceOptions options_;
  Harness harness_;
  DeviceProperties properties_;
  std::unique_ptr<Libraries> libraries_;
  std::vector<std::function<void()>>* recorded_ = nullptr;  // while recording
  int live_ = 0;
  int calls_ = 0;
};

/// cuSPARSE, cuSOLVER and cuDSS played by Eigen.
std::unique_ptr<Libraries> make_host_libraries();

}  // namespace nsn::cuda::harness
