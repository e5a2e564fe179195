/// What a device cost: bytes that crossed, and launches.
#pragma once

#include <cstdint>

namespace nsn {

/// What crossed between host and device, and what was launched.
struct Traffic {
  double to_device = 0.0;    ///< bytes
  double from_device = 0.0;  ///< bytes
  std::int64_t copies = 0;   ///< across
  std::int64_t launches = 0;

  friend Traffic operator-(Traffic a, const Traffic& b) {
    a.to_device -= b.to_device;
    a.from_device -= b.from_device;
    a.copies -= b.copies;
    a.launches -= b.launches;
    return a;
  }
  Traffic& operator+=(const Traffic& b) {
    to_device += b.to_device;
    from_device += b.from_device;
    copies += b.copies;
    launches += b.launches;
    return *this;
  }
};

}  // namespace nsn
