/// The life of a device inside a solver: opened when first needed, its failures turned into
/// statuses, its traffic counted from report to report.
#pragma once

#include <memory>
#include <string>

#include "nsn/backends/cuda/device.h"
#include "nsn/core/linear/linear_solver.h"

namespace nsn::cuda {

class DeviceSession {
 public:
  explicit DeviceSession(DeviceFactory open) : open_(std::move(open)) {}

  /// The device, opened if it is not; throws DeviceError.
  Device& device() {
    if (!device_) {
      device_ = open_();
      reported_ = {};
    }
    return *device_;
  }
  /// A lost device is closed, so that a later call may open it again. Whatever lives on it must be
  /// gone.
  void close() {
    device_.reset();
    reported_ = {};
  }
  /// Moves what was counted since the last report into this one.
  void report_traffic(LinearReport& report) {
    if (!device_) return;
    const Traffic& now = device_->traffic();
    report.bytes_to_device = static_cast<double>(now.bytes_to_device - reported_.bytes_to_device);
    report.bytes_from_device =
        static_cast<double>(now.bytes_from_device - reported_.bytes_from_device);
    report.kernel_launches = now.launches - reported_.launches;
    reported_ = now;
  }

 private:
  DeviceFactory open_;
  std::unique_ptr<Device> device_;
  Traffic reported_;
};

}  // namespace nsn::cuda
