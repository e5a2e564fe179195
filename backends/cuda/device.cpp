#include "nsn/backends/cuda/device.h"

namespace nsn::cuda {

void* Device::allocate(std::size_t bytes) {
  ++traffic_.allocations;
  return do_allocate(bytes);
}

void Device::upload(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  traffic_.bytes_to_device += static_cast<std::int64_t>(bytes);
  do_upload(to, from, bytes);
}

void Device::download(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  traffic_.bytes_from_device += static_cast<std::int64_t>(bytes);
  do_download(to, from, bytes);
}

void Device::launch(const AnyKernel& kernel, const Shape& shape) {
  ++traffic_.launches;
  do_launch(kernel, shape);
}

void Device::call_library(const std::function<void()>& call) {
  ++traffic_.launches;
  do_call(call);
}

std::unique_ptr<Device::Recording> Device::record(const std::function<void()>& body) {
  const std::int64_t before = traffic_.launches;
  std::unique_ptr<Recording> recording = do_record(body);
  recording->launches = traffic_.launches - before;
  traffic_.launches = before;
  return recording;
}

void Device::replay(Recording& recording) {
  traffic_.launches += recording.launches;
  do_replay(recording);
}

}  // namespace nsn::cuda
