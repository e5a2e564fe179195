#include "nsn/core/io/contactbench.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "nsn/core/base/error.h"

namespace nsn {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are stored");

namespace {

struct Array {
  std::vector<std::size_t> shape;
  bool column_order = false;
  std::vector<double> value;
};

/// Reads little-endian fields of an archive, never beyond its end.
class ArchiveReader {
 public:
  ArchiveReader(std::string_view bytes, std::string_view name) : bytes_(bytes), name_(name) {}

  /// The .npy arrays by their file names, in the order of the local headers.
  std::map<std::string, Array> arrays() {
    constexpr std::uint32_t kLocalHeader = 0x04034b50;
    std::map<std::string, Array> result;
    while (remaining() >= 30 && field<std::uint32_t>(0) == kLocalHeader) {
      auto [name, data] = entry();
      result[name] = array(name, data);
    }
    return result;
  }

 private:
  std::size_t remaining() const { return bytes_.size() - position_; }

  template <class T>
  T field(std::size_t offset) const {
    T value;
    std::memcpy(&value, bytes_.data() + position_ + offset, sizeof value);
    return value;
  }

  [[noreturn]] void fail(std::string_view entry, std::string_view reason) const {
    throw InputError(fmt::format("{}: {}: {}", name_, entry, reason));
  }

  /// Offsets by the zip format: 6 flags, 8 method, 18 and 22 sizes, 26 name length, 28 extra
  /// length.
  std::pair<std::string, std::string_view> entry() {
    constexpr std::uint16_t kSizesFollowData = 8;
    const std::size_t name_length = field<std::uint16_t>(26);
    const std::size_t extra_length = field<std::uint16_t>(28);
    if (remaining() < 30 + name_length + extra_length) fail("archive", "ends inside a header");
    const std::string name(bytes_.substr(position_ + 30, name_length));
    if (field<std::uint16_t>(8) != 0) {
      fail(name, "is compressed; write it with numpy.savez, not savez_compressed");
    }
    if ((field<std::uint16_t>(6) & kSizesFollowData) != 0)
      fail(name, "does not state its size in front");
    std::uint64_t size = field<std::uint32_t>(18);
    if (size == std::numeric_limits<std::uint32_t>::max())
      size = long_size(name, name_length, extra_length);
    position_ += 30 + name_length + extra_length;
    if (size > remaining())
      fail(name, fmt::format("declares {} bytes, {} are left", size, remaining()));
    const std::string_view data = bytes_.substr(position_, size);
    position_ += size;
    return {name, data};
  }

  /// The zip64 extra field: 1, length, uncompressed size, compressed size.
  std::uint64_t long_size(const std::string& name, std::size_t name_length,
                          std::size_t extra_length) {
    const std::size_t at = 30 + name_length;
    if (extra_length < 20 || field<std::uint16_t>(at) != 1) fail(name, "does not state its size");
    return field<std::uint64_t>(at + 12);
  }

  /// "\x93NUMPY", version, header length, "{'descr': '<f8', 'fortran_order': False, 'shape': (24,
  /// 24), }"
  Array array(const std::string& name, std::string_view data) const {
    if (data.size() < 12 || data.substr(0, 6) != "\x93NUMPY") fail(name, "is not a .npy array");
    const bool long_header = data[6] >= 2;
    std::uint32_t header_length = 0;
    std::memcpy(&header_length, data.data() + 8, long_header ? 4 : 2);
    const std::size_t begin = long_header ? 12 : 10;
    if (header_length > data.size() - begin) fail(name, "ends inside its header");
    const std::string_view header = data.substr(begin, header_length);
    if (header.find("'descr': '<f8'") == std::string_view::npos) fail(name, "is not of type '<f8'");
    Array result{
        shape(name, header), header.find("'fortran_order': True") != std::string_view::npos, {}};
    fill(result, name, data.substr(begin + header_length));
    return result;
  }

  std::vector<std::size_t> shape(const std::string& name, std::string_view header) const {
    const std::size_t open = header.find("'shape': (");
    const std::size_t close = header.find(')', open == std::string_view::npos ? 0 : open);
    if (open == std::string_view::npos || close == std::string_view::npos)
      fail(name, "has no shape");
    std::vector<std::size_t> extents;
    const char* at = header.data() + open + 10;
    const char* const end = header.data() + close;
    while (at < end) {
      std::size_t extent = 0;
      const auto [next, error] = std::from_chars(at, end, extent);
      if (error != std::errc()) fail(name, "has a shape that is not made of integers");
      extents.push_back(extent);
      at = next;
      while (at < end && (*at == ',' || *at == ' ')) ++at;
    }
    return extents;
  }

  void fill(Array& array, const std::string& name, std::string_view data) const {
    const std::size_t stored = data.size() / sizeof(double);
    std::size_t entries = 1;
    for (const std::size_t extent : array.shape) {
      if (extent != 0 && entries > stored / extent) fail(name, "declares more values than it has");
      entries *= extent;
    }
    if (entries > stored) fail(name, "declares more values than it has");
    array.value.resize(entries);
    if (entries > 0) std::memcpy(array.value.data(), data.data(), entries * sizeof(double));
    for (const double x : array.value) {
      if (!std::isfinite(x)) fail(name, "has a value that is not finite");
    }
  }

  std::string_view bytes_;
  std::string_view name_;
  std::size_t position_ = 0;
};

const Array& find(const std::map<std::string, Array>& arrays, const std::string& key,
                  std::string_view name) {
  const auto at = arrays.find(key + ".npy");
  if (at == arrays.end()) throw InputError(fmt::format("{}: {}.npy: is missing", name, key));
  return at->second;
}

/// Row of (t1, t2, n) order that stands at row k of (n, t1, t2) order.
std::size_t source_row(std::size_t k) {
  return k % 3 == 0 ? k + 2 : k - 1;
}

Csr turned(const Array& G, std::size_t n) {
  std::vector<Triplet> triplets;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t row = source_row(i);
      const std::size_t column = source_row(j);
      const double x = G.value[G.column_order ? row + column * n : row * n + column];
      if (x != 0.0) triplets.push_back({static_cast<Index>(i), static_cast<Index>(j), x});
    }
  }
  return csr_from_triplets(static_cast<Index>(n), static_cast<Index>(n), triplets);
}

}  // namespace

FrictionFile parse_contactbench(std::string_view bytes, std::string_view name) {
  const auto arrays = ArchiveReader(bytes, name).arrays();
  const Array& G = find(arrays, "G", name);
  const Array& g = find(arrays, "g", name);
  const Array& mus = find(arrays, "mus", name);
  const std::size_t n = 3 * mus.value.size();
  if (mus.shape.size() != 1) throw InputError(fmt::format("{}: mus.npy: is not a vector", name));
  if (G.shape != std::vector<std::size_t>{n, n}) {
    throw InputError(fmt::format("{}: G.npy: is not {} x {} for {} contacts", name, n, n, n / 3));
  }
  if (g.value.size() != n) {
    throw InputError(
        fmt::format("{}: g.npy: has {} values for {} contacts", name, g.value.size(), n / 3));
  }
  FrictionProblem problem{3, turned(G, n), Vector("q", n), Vector("mu", n / 3)};
  for (std::size_t k = 0; k < n; ++k) problem.q(k) = g.value[source_row(k)];
  for (std::size_t k = 0; k < n / 3; ++k) {
    problem.mu(k) = mus.value[k];
    if (mus.value[k] < 0.0) {
      throw InputError(
          fmt::format("{}: mus.npy: mu {} of contact {} is negative", name, mus.value[k], k));
    }
  }
  const double asymmetric = asymmetry(problem.W);
  return {std::move(problem), FrictionFormat::kContactBench, "dense", asymmetric};
}

}  // namespace nsn
