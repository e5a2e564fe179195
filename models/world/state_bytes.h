/// Numbers as bytes that mean the same on every machine: 8 bytes each, lowest first. What a saved state
/// (models/step/simulation.h) is made of.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nsn/core/base/math3.h"

namespace nsn {

class StateWriter {
 public:
  void number(std::uint64_t x);
  void number(double x) { number(std::bit_cast<std::uint64_t>(x)); }
  void vector(const Vec3& v);
  void matrix(const Mat3& A);
  void quaternion(const Quaternion& q);
  /// Its length first.
  void text(std::string_view bytes);

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Every call throws std::invalid_argument where the bytes end.
class StateReader {
 public:
  explicit StateReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t integer();
  double number() { return std::bit_cast<double>(integer()); }
  Vec3 vector();
  Mat3 matrix();
  Quaternion quaternion();
  std::string text();
  /// A length of things that take at least `bytes` each.
  std::size_t count(std::size_t bytes);
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

/// FNV-1a, 64 bits.
std::uint64_t checksum(std::string_view bytes);

}  // namespace nsn
