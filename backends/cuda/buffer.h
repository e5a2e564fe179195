/// Device memory that frees itself.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "nsn/backends/cuda/device.h"

namespace nsn::cuda {

/// n elements of T on a device, not initialised. Must not outlive its device.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(Device& device, std::size_t n) : device_(&device), n_(n) {
    if (n > 0) data_ = static_cast<T*>(device.allocate(n * sizeof(T)));
  }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer moved(std::move(other));
    swap(moved);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (data_ != nullptr) device_->release(data_);
  }

  /// `size()` elements from the host.
  void upload(const T* from) {
    if (n_ > 0) device_->upload(data_, from, n_ * sizeof(T));
  }
  /// The first `count` elements from the host.
  void upload(const T* from, std::size_t count) { device_->upload(data_, from, count * sizeof(T)); }
  void download(T* to, std::size_t count) const { device_->download(to, data_, count * sizeof(T)); }
  void zero() {
    if (n_ > 0) device_->zero(data_, n_ * sizeof(T));
  }

  T* data() const { return data_; }
  std::size_t size() const { return n_; }
  double bytes() const { return static_cast<double>(n_ * sizeof(T)); }
  Array<T> array() const { return {data_, static_cast<int>(n_)}; }
  Array<const T> constant() const { return {data_, static_cast<int>(n_)}; }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(n_, other.n_);
  }

  Device* device_ = nullptr;
  T* data_ = nullptr;
  std::size_t n_ = 0;
};

/// A buffer that holds a copy of a host vector.
template <class T>
Buffer<T> to_device(Device& device, const std::vector<T>& host) {
  Buffer<T> buffer(device, host.size());
  buffer.upload(host.data());
  return buffer;
}

}  // namespace nsn::cuda
