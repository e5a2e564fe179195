#include "bench/render/image.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
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

/// Each row behind a filter byte (0: as it is, 2: difference to the row above), deflated.
Bytes deflated(const Image& image, std::uint8_t filter) {
  const auto stride = 3U * static_cast<std::size_t>(image.width);
  Bytes raw;
  raw.reserve((stride + 1) * static_cast<std::size_t>(image.height));
  for (std::size_t y = 0; y < static_cast<std::size_t>(image.height); ++y) {
    raw.push_back(filter);
    for (std::size_t i = 0; i < stride; ++i) {
      const bool differs = filter == 2 && y > 0;
      const std::uint8_t above = differs ? image.rgb[(y - 1) * stride + i] : std::uint8_t{0};
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

/// What is smaller: smooth pictures are by differences, a few patches on black are not.
Bytes compressed_rows(const Image& image) {
  Bytes plain = deflated(image, 0);
  Bytes differences = deflated(image, 2);
  return plain.size() < differences.size() ? plain : differences;
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

/// The part of an animation's frame that is drawn over the frame before it.
struct Patch {
  int left = 0;
  int top = 0;
  Image image;
};

std::span<const std::uint8_t> pixel(const Image& image, int x, int y) {
  const auto at = 3U * static_cast<std::size_t>(y * image.width + x);
  return std::span(image.rgb).subspan(at, 3);
}

/// The rectangle of the pixels that differ; those in it that do not differ are black, which readers leave out.
Patch difference(const Image& before, const Image& now) {
  int low[2] = {now.width, now.height};
  int high[2] = {0, 0};
  const auto differs = [&](int x, int y) {
    return !std::ranges::equal(pixel(before, x, y), pixel(now, x, y));
  };
  for (int y = 0; y < now.height; ++y) {
    for (int x = 0; x < now.width; ++x) {
      if (!differs(x, y)) continue;
      low[0] = std::min(low[0], x);
      low[1] = std::min(low[1], y);
      high[0] = std::max(high[0], x + 1);
      high[1] = std::max(high[1], y + 1);
    }
  }
  if (high[0] == 0) return {0, 0, Image(1, 1)};
  Patch patch{low[0], low[1], Image(high[0] - low[0], high[1] - low[1])};
  for (int y = low[1]; y < high[1]; ++y) {
    for (int x = low[0]; x < high[0]; ++x) {
      if (!differs(x, y)) continue;
      const auto at = 3U * static_cast<std::size_t>((y - low[1]) * patch.image.width + x - low[0]);
      std::ranges::copy(pixel(now, x, y),
                        patch.image.rgb.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
  return patch;
}

/// A picture without black, which is the colour that is left out: black pixels become almost black.
Image without_black(Image image) {
  for (std::size_t at = 0; at + 2 < image.rgb.size(); at += 3) {
    if (image.rgb[at] + image.rgb[at + 1] + image.rgb[at + 2] == 0) image.rgb[at] = 1;
  }
  return image;
}

Bytes frame_control(std::uint32_t sequence, const Patch& patch, std::uint16_t milliseconds) {
  Bytes data;
  put32(data, sequence);
  for (const int value : {patch.image.width, patch.image.height, patch.left, patch.top}) {
    put32(data, static_cast<std::uint32_t>(value));
  }
  put16(data, milliseconds);
  put16(data, 1000);
  data.push_back(0);                                                  // dispose: leave as it is
  data.push_back(sequence == 0 ? std::uint8_t{0} : std::uint8_t{1});  // blend: whole, then over
  return data;
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
  put_chunk(out, "tRNS", Bytes(6, 0));  // black is left out: what was there before stays
  const auto milliseconds =
      static_cast<std::uint16_t>(std::clamp(std::lround(1000.0 * seconds_per_frame), 1L, 60000L));
  std::uint32_t sequence = 0;
  Image before;
  for (const Image& frame : frames) {
    if (frame.width != frames.front().width || frame.height != frames.front().height) {
      throw std::invalid_argument("the frames of an animation have one size");
    }
    Image now = without_black(frame);
    const Patch patch = sequence == 0 ? Patch{0, 0, now} : difference(before, now);
    before = std::move(now);
    put_chunk(out, "fcTL", frame_control(sequence++, patch, milliseconds));
    const Bytes rows = compressed_rows(patch.image);
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
