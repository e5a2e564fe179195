/// What the CUDA backends ask of a device: memory, copies, kernels, recorded sequences of kernels,
/// and a few library routines.
///
/// Two implementations: the CUDA runtime (cuda_device.h) and, in tests, the harness that runs the
/// same kernels on the host (harness/host_device.h). The front counts what crosses the bus and what
/// is launched, alike for both. Every failure is a DeviceError with the driver's or the library's
/// own words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "nsn/backends/cuda/kernels.h"
#include "nsn/backends/cuda/libraries.h"

namespace nsn::cuda {

/// A device or library call failed; what() carries its words.
class DeviceError : public std::runtime_error {
 public:
  enum class Kind {
    kOutOfMemory,
    kDeviceLost,               ///< the device or its context is gone: nothing works any more
    kUnsupportedArchitecture,  ///< no code for this device in this build
    kOther,
  };
  DeviceError(Kind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

/// What crossed the bus and what was launched. A library call counts as one launch.
struct Traffic {
  std::int64_t bytes_to_device = 0;
  std::int64_t bytes_from_device = 0;
  std::int64_t launches = 0;
  std::int64_t allocations = 0;
};

struct DeviceProperties {
  std::string name;
  int multiprocessors = 1;
  int warp_size = 32;
  int threads = 256;  ///< threads per block that our kernels are launched with
  std::size_t memory_bytes = 0;
};

class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceProperties& properties() const = 0;
  virtual Libraries& libraries() = 0;
  /// Most blocks of a cooperative launch that fit the device at once.
  virtual int cooperative_blocks(const AnyKernel& kernel, const Shape& shape) = 0;

  void* allocate(std::size_t bytes);
  void release(void* memory) noexcept { do_release(memory); }
  void upload(void* to, const void* from, std::size_t bytes);
  /// Waits for everything launched before.
  void download(void* to, const void* from, std::size_t bytes);
  void zero(void* memory, std::size_t bytes) { do_zero(memory, bytes); }
  void launch(const AnyKernel& kernel, const Shape& shape);
  /// A library call that runs on the device; counted as one launch.
  void call_library(const std::function<void()>& call);

  /// A sequence of launches and library calls that is launched as a whole.
  class Recording {
   public:
    virtual ~Recording() = default;
    std::int64_t launches = 0;
  };
  /// Records what body() launches instead of running it.
  std::unique_ptr<Recording> record(const std::function<void()>& body);
  void replay(Recording& recording);

  const Traffic& traffic() const { return traffic_; }

 private:
  virtual void* do_allocate(std::size_t bytes) = 0;
  virtual void do_release(void* memory) noexcept = 0;
  virtual void do_upload(void* to, const void* from, std::size_t bytes) = 0;
  virtual void do_download(void* to, const void* from, std::size_t bytes) = 0;
  virtual void do_zero(void* memory, std::size_t bytes) = 0;
  virtual void do_launch(const AnyKernel& kernel, const Shape& shape) = 0;
  virtual void do_call(const std::function<void()>& call) = 0;
  virtual std::unique_ptr<Recording> do_record(const std::function<void()>& body) = 0;
  virtual void do_replay(Recording& recording) = 0;

  Traffic traffic_;
};

/// Opens a device; throws DeviceError.
using DeviceFactory = std::function<std::unique_ptr<Device>()>;

}  // namespace nsn::cuda
