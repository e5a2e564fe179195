/// A picture in memory and its way to a PNG file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace nsn::render {

/// 8-bit RGB, row by row from the top left.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;  ///< 3 * width * height

  Image() = default;
  Image(int width_, int height_)
      : width(width_),
        height(height_),
        rgb(3U * static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_)) {}
};

/// PNG, as core/io/atomic_file.h writes files.
void write_png(const Image& image, const std::filesystem::path& path);

/// The bytes of the PNG file, e.g. to embed it in a page.
std::vector<std::uint8_t> encode_png(const Image& image);

/// An animated PNG: equally large frames, each shown for `seconds_per_frame`, repeated for ever.
/// A frame holds what differs from the one before; black becomes (1, 0, 0).
void write_animation(const std::vector<Image>& frames, double seconds_per_frame,
                     const std::filesystem::path& path);

}  // namespace nsn::render
