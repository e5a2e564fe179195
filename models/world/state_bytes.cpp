#include "nsn/models/world/state_bytes.h"

#include "nsn/core/base/error.h"

namespace nsn {

void StateWriter::number(std::uint64_t x) {
  for (unsigned shift = 0; shift < 64; shift += 8) {
    bytes_.push_back(static_cast<char>(static_cast<unsigned char>(x >> shift)));
  }
}

void StateWriter::vector(const Vec3& v) {
  for (const double x : v.a) number(x);
}

void StateWriter::matrix(const Mat3& A) {
  for (const double x : A.a) number(x);
}

void StateWriter::quaternion(const Quaternion& q) {
  for (const double x : {q.w, q.x, q.y, q.z}) number(x);
}

void StateWriter::text(std::string_view bytes) {
  number(std::uint64_t{bytes.size()});
  bytes_.append(bytes);
}

std::uint64_t StateReader::integer() {
  NSN_THROW_UNLESS(bytes_.size() - at_ >= 8, "state: ends after {} bytes", bytes_.size());
  std::uint64_t x = 0;
  for (unsigned shift = 0; shift < 64; shift += 8) {
    x |= std::uint64_t{static_cast<unsigned char>(bytes_[at_++])} << shift;
  }
  return x;
}

Vec3 StateReader::vector() {
  Vec3 v;
  for (double& x : v.a) x = number();
  return v;
}

Mat3 StateReader::matrix() {
  Mat3 A;
  for (double& x : A.a) x = number();
  return A;
}

Quaternion StateReader::quaternion() {
  Quaternion q;
  for (double* const x : {&q.w, &q.x, &q.y, &q.z}) *x = number();
  return q;
}

std::size_t StateReader::count(std::size_t bytes) {
  const std::uint64_t n = integer();
  NSN_THROW_UNLESS(n <= (bytes_.size() - at_) / bytes, "state: ends after {} bytes", bytes_.size());
  return static_cast<std::size_t>(n);
}

std::string StateReader::text() {
  const std::size_t n = count(1);
  std::string out(bytes_.substr(at_, n));
  at_ += n;
  return out;
}

std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : bytes) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ULL;
  }
  return hash;
}

}  // namespace nsn
