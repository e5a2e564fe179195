/// Numbers of fixed size out of bytes, in either byte order.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "nsn/core/io/text_scanner.h"

namespace nsn {

/// The number at bytes [k * sizeof(T), ...) of `data`; swapped: stored in the other byte order.
template <class T>
T number_at(std::string_view data, std::size_t k, bool swapped) {
  char raw[sizeof(T)];
  std::memcpy(raw, data.data() + k * sizeof(T), sizeof(T));
  if (swapped) {
    for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(raw[i], raw[sizeof(T) - 1 - i]);
  }
  T value;
  std::memcpy(&value, raw, sizeof(T));
  return value;
}

/// Binary numbers in the order they are stored.
class BinaryReader {
 public:
  BinaryReader(TextScanner& scanner, bool swapped) : scanner_(&scanner), swapped_(swapped) {}

  template <class T>
  T read(std::string_view what) {
    return number_at<T>(scanner_->bytes(sizeof(T), what), 0, swapped_);
  }
  /// A count of things of at least `bytes_each` bytes that are still to come.
  template <class T>
  std::int64_t read_count(std::string_view what, std::int64_t bytes_each) {
    const T value = read<T>(what);
    const std::int64_t most = scanner_->remaining() / bytes_each;
    if (value < T{0} || static_cast<std::uint64_t>(value) > static_cast<std::uint64_t>(most)) {
      scanner_->fail("{} {} is more than the file can hold", what, value);
    }
    return static_cast<std::int64_t>(value);
  }
  TextScanner& scanner() { return *scanner_; }

 private:
  TextScanner* scanner_;
  bool swapped_;
};

/// Whether data written in this order must be swapped here.
inline bool needs_swap(bool stored_big_endian) {
  return stored_big_endian != (std::endian::native == std::endian::big);
}

}  // namespace nsn
