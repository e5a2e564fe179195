#include "nsn/backends/cuda/harness/host_device.h"

#include <cstring>

#include <fmt/format.h>

namespace nsn::cuda::harness {
namespace {

struct HostRecording final : Device::Recording {
  std::vector<std::function<void()>> calls;
};

}  // namespace

HostDevice::HostDevice(HostDeviceOptions options)
    : options_(options), harness_(options.harness), libraries_(make_host_libraries()) {
  properties_ = {"host harness", options.multiprocessors, options.harness.warp_size,
                 options.threads, options.harness.memory_bytes};
}

HostDevice::~HostDevice() = default;

int HostDevice::cooperative_blocks(const AnyKernel& /*kernel*/, const Shape& /*shape*/) {
  return options_.multiprocessors;
}

void HostDevice::count_call() {
  if (++calls_ == options_.fail_at) {
    throw DeviceError(DeviceError::Kind::kDeviceLost, "the harness was told to fail here");
  }
}

void HostDevice::check(const void* memory, std::size_t bytes) const {
  if (!harness_.owns(memory, bytes)) {
    throw HarnessError(fmt::format("{} bytes at {} are not one piece of device memory", bytes,
                                   static_cast<const void*>(memory)));
  }
}

void* HostDevice::do_allocate(std::size_t bytes) {
  count_call();
  void* const memory = harness_.allocate(bytes);
  if (memory == nullptr) {
    throw DeviceError(DeviceError::Kind::kOutOfMemory,
                      fmt::format("out of memory: {} bytes were asked for", bytes));
  }
  ++live_;
  return memory;
}

void HostDevice::do_release(void* memory) noexcept {
  harness_.release(memory);
  --live_;
}

void HostDevice::do_upload(void* to, const void* from, std::size_t bytes) {
  count_call();
  check(to, bytes);
  std::memcpy(to, from, bytes);
}

void HostDevice::do_download(void* to, const void* from, std::size_t bytes) {
  count_call();
  check(from, bytes);
  std::memcpy(to, from, bytes);
}

void HostDevice::do_zero(void* memory, std::size_t bytes) {
  check(memory, bytes);
  std::memset(memory, 0, bytes);
}

void HostDevice::do_launch(const AnyKernel& kernel, const Shape& shape) {
  if (recorded_ != nullptr) {
    recorded_->push_back([this, kernel, shape] { do_launch(kernel, shape); });
    return;
  }
  count_call();
  std::visit([&](const auto& k) { harness_.run(k, shape); }, kernel);
}

void HostDevice::do_call(const std::function<void()>& call) {
  if (recorded_ != nullptr) {
    recorded_->push_back([this, call] { do_call(call); });
    return;
  }
  count_call();
  call();
}

std::unique_ptr<Device::Recording> HostDevice::do_record(const std::function<void()>& body) {
  auto recording = std::make_unique<HostRecording>();
  recorded_ = &recording->calls;
  body();
  recorded_ = nullptr;
  return recording;
}

void HostDevice::do_replay(Recording& recording) {
  for (const auto& call : static_cast<HostRecording&>(recording).calls) call();
}

}  // namespace nsn::cuda::harness
