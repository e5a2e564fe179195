#include "nsn/core/io/text_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>
#if defined(NSN_WITH_ZLIB)
#include <zlib.h>
#endif

#include "nsn/core/base/error.h"

namespace nsn {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

[[noreturn]] void refuse(const std::filesystem::path& path, std::string_view reason) {
  throw InputError(fmt::format("{}: {}", path.string(), reason));
}

std::string plain(const std::filesystem::path& path) {
  std::error_code error;
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (!file) refuse(path, std::strerror(errno));
  const auto size = std::filesystem::file_size(path, error);
  if (error) refuse(path, error.message());
  std::string text(size, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) refuse(path, "could not be read to its end");
  return text;
}

#if defined(NSN_WITH_ZLIB)

struct CloseGzip {
  void operator()(gzFile file) const { gzclose(file); }
};

std::string unpacked(const std::filesystem::path& path) {
  constexpr unsigned kPiece = 1U << 20U;  // bytes
  const std::unique_ptr<gzFile_s, CloseGzip> file(gzopen(path.c_str(), "rb"));
  if (!file) refuse(path, std::strerror(errno));
  std::string text;
  int got = 1;
  while (got > 0) {
    const std::size_t size = text.size();
    text.resize(size + kPiece);
    got = gzread(file.get(), text.data() + size, kPiece);
    text.resize(size + static_cast<std::size_t>(std::max(got, 0)));
  }
  int status = Z_OK;
  const char* const reason = gzerror(file.get(), &status);
  if (status != Z_OK) refuse(path, fmt::format("damaged gzip file ({})", reason));
  return text;
}

#else

std::string unpacked(const std::filesystem::path& path) {
  refuse(path, "is compressed, and nsn was built without zlib");
}

#endif

}  // namespace

std::string read_text_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) refuse(path, "no such file");
  if (error) refuse(path, error.message());
  if (std::filesystem::is_directory(status)) refuse(path, "is a directory, a file is needed");
  if (!std::filesystem::is_regular_file(status)) refuse(path, "is not a regular file");
  std::string text = path.extension() == ".gz" ? unpacked(path) : plain(path);
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text;
}

std::string printable(std::string_view text, std::size_t longest) {
  std::string out;
  for (const char c : text.substr(0, longest)) {
    if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  if (text.size() > longest) out += "...";
  return out;
}

}  // namespace nsn
