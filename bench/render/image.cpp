#include "bench/render/image.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string_view>
#include <zlib.h>

#include "nsn/core/io/atomic_file.h"

namespace nsn::render {
namespace {

using Bytes = std::vector<std::uint8_t>;

void put32(Bytes& out, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) out.push_back(static_cast<std::uint8_t>(value >> shift));
}

void put16(Bytes& out, std::uint16_t value) {
  out.push_back(static_cast<std::uint8_t>(value >> 8));
  out.push_back(static_cast<std::uint8_t>(value));
}

/// length, type, data, CRC of type and data
void put_chunk(Bytes& out, std::string_view type, std::span<const std::uint8_t> data) {
  put32(out, static_cast<std::uint32_t>(data.size()));
  const std::size_t start = out.size();
  out.insert(out.end(), type.begin(), type.end());
  out.insert(out.end(), data.begin(), data.end());
  put32(out, static_cast<std::uint32_t>(
                 crc32(0, out.data() + start, static_cast<uInt>(out.size() - start))));
}

/// Each row behind a filter byte (2: difference to the row above), deflated.
Bytes compressed_rows(const Image& image) {
  const auto stride = 3U * static_cast<std::size_t>(image.width);
  Bytes raw;
  raw.reserve((stride + 1) * static_cast<std::size_t>(image.height));
  for (std::size_t y = 0; y < static_cast<std::size_t>(image.height); ++y) {
    raw.push_back(2);
    for (std::size_t i = 0; i < stride; ++i) {
      const std::uint8_t above = y > 0 ? image.rgb[(y - 1) * stride + i] : std::uint8_t{0};
      raw.push_back(static_cast<std::uint8_t>(image.rgb[y * stride + i] - above));
    }
  }
  uLongf size = compressBound(static_cast<uLong>(raw.size()));
  Bytes packed(size);
  if (compress2(packed.data(), &size, raw.data(), static_cast<uLong>(raw.size()), 9) != Z_OK) {
    throw std::runtime_error("zlib could not compress a picture");
  }
  packed.resize(size);
  return packed;
}

Bytes header(const Image& image) {
  Bytes out{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  Bytes data;
  put32(data, static_cast<std::uint32_t>(image.width));
  put32(data, static_cast<std::uint32_t>(image.height));
  for (const int byte : {8, 2, 0, 0, 0}) data.push_back(static_cast<std::uint8_t>(byte));
  put_chunk(out, "IHDR", data);
  return out;
}

void write_bytes(const Bytes& bytes, const std::filesystem::path& path) {
  write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

std::vector<std::uint8_t> encode_png(const Image& image) {
  Bytes out = header(image);
  put_chunk(out, "IDAT", compressed_rows(image));
  put_chunk(out, "IEND", {});
  return out;
}

void write_png(const Image& image, const std::filesystem::path& path) {
  write_bytes(encode_png(image), path);
}

void write_animation(const std::vector<Image>& frames, double seconds_per_frame,
                     const std::filesystem::path& path) {
  if (frames.empty()) throw std::invalid_argument("an animation needs a frame");
  Bytes out = header(frames.front());
  Bytes control;
  put32(control, static_cast<std::uint32_t>(frames.size()));
  put32(control, 0);  // repeat for ever
  put_chunk(out, "acTL", control);
  std::uint32_t sequence = 0;
  for (const Image& frame : frames) {
    if (frame.width != frames.front().width || frame.height != frames.front().height) {
      throw std::invalid_argument("the frames of an animation have one size");
    }
    Bytes data;
    put32(data, sequence++);
    put32(data, static_cast<std::uint32_t>(frame.width));
    put32(data, static_cast<std::uint32_t>(frame.height));
    put32(data, 0);
    put32(data, 0);
    put16(data, static_cast<std::uint16_t>(
                    std::clamp(std::lround(1000.0 * seconds_per_frame), 1L, 60000L)));
    put16(data, 1000);
    data.push_back(0);
    data.push_back(0);
    put_chunk(out, "fcTL", data);
    const Bytes rows = compressed_rows(frame);
    if (sequence == 1) {
      put_chunk(out, "IDAT", rows);
      continue;
    }
    Bytes numbered;
    put32(numbered, sequence++);
    numbered.insert(numbered.end(), rows.begin(), rows.end());
    put_chunk(out, "fdAT", numbered);
  }
  put_chunk(out, "IEND", {});
  write_bytes(out, path);
}

}  // namespace nsn::render
