#include "nsn/core/io/text_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#include "nsn/core/base/error.h"

namespace nsn {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

[[noreturn]] void refuse(const std::filesystem::path& path, std::string_view reason) {
  throw InputError(fmt::format("{}: {}", path.string(), reason));
}

}  // namespace

std::string read_text_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) refuse(path, "no such file");
  if (error) refuse(path, error.message());
  if (std::filesystem::is_directory(status)) refuse(path, "is a directory, a file is needed");
  if (!std::filesystem::is_regular_file(status)) refuse(path, "is not a regular file");
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (!file) refuse(path, std::strerror(errno));
  const auto size = std::filesystem::file_size(path, error);
  if (error) refuse(path, error.message());
  std::string text(size, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) refuse(path, "could not be read to its end");
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
