/// Arrays of the host in the memory of a device D, in the scalar T. Where the host reads that memory
/// and the scalars are the same nothing is copied: the span is the host's own array.
#pragma once

#include <type_traits>
#include <vector>

#include "nsn/core/device/space.h"

namespace nsn {

template <class D, class T>
inline constexpr bool kIsHostArray = kHostReads<D>&& std::is_same_v<T, double>;

/// One array of the host, read by the device.
template <class D, class T>
class Uploaded {
 public:
  /// `from` must stay as it is while the span is used.
  template <class S>
  Span<D, const T> take(Queue<D>& queue, const S* from, std::size_t n) {
    if constexpr (kHostReads<D> && std::is_same_v<S, T>) {
      return Span<D, const T>(from, n);
    } else {
      if (room_.extent(0) != n) room_ = allocate_on<D, T>("uploaded", static_cast<Index>(n));
      if constexpr (std::is_same_v<S, T>) {
        queue.copy(room_, HostSpan<const T>(from, n));
      } else {
        staged_.assign(from, from + n);
        queue.copy(room_, HostSpan<const T>(staged_.data(), n));
      }
      return Span<D, const T>(room_.data(), n);
    }
  }
  template <class S>
  Span<D, const T> take(Queue<D>& queue, const std::vector<S>& from) {
    return take(queue, from.data(), from.size());
  }
  template <class S, class... P>
  Span<D, const T> take(Queue<D>& queue, const Kokkos::View<S*, P...>& from) {
    return take(queue, from.data(), from.extent(0));
  }

 private:
  DeviceArray<D, T> room_;
  std::vector<T> staged_;
};

/// A vector of the device as the host sees it, in double.
template <class D, class T>
class HostCopy {
 public:
  /// The values that are on the device now.
  Vector read(Queue<D>& queue, Span<D, const T> from) {
    if constexpr (kIsHostArray<D, T>) {
      return Vector(const_cast<double*>(from.data()), from.extent(0));
    } else {
      fit(from.extent(0));
      if constexpr (std::is_same_v<T, double>) {
        queue.copy(room_, from);
      } else {
        queue.copy(HostSpan<T>(staged_.data(), staged_.size()), from);
        std::copy(staged_.begin(), staged_.end(), room_.data());
      }
      return room_;
    }
  }
  /// Room for its values, not read: write() brings there what is written into it.
  Vector room(Span<D, const T> to) {
    if constexpr (kIsHostArray<D, T>) {
      return Vector(const_cast<double*>(to.data()), to.extent(0));
    } else {
      fit(to.extent(0));
      return room_;
    }
  }
  void write(Queue<D>& queue, Span<D, T> to) {
    if constexpr (!kIsHostArray<D, T>) {
      if constexpr (std::is_same_v<T, double>) {
        queue.copy(to, room_);
      } else {
        for (std::size_t k = 0; k < staged_.size(); ++k) staged_[k] = static_cast<T>(room_(k));
        queue.copy(to, HostSpan<const T>(staged_.data(), staged_.size()));
      }
    }
  }

 private:
  void fit(std::size_t n) {
    if (room_.extent(0) != n) room_ = Vector("host copy", n);
    if constexpr (!std::is_same_v<T, double>) staged_.resize(n);
  }

  Vector room_;
  std::vector<T> staged_;
};

}  // namespace nsn
