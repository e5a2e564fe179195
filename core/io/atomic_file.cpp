#include "nsn/core/io/atomic_file.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "nsn/core/base/error.h"

namespace nsn {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlock = 4096;  // bytes: what file systems give out

fs::path temporary_name(const fs::path& path) {
  static std::atomic<unsigned> count{0};
  return fmt::format("{}.{}-{}.tmp", path.string(), ::getpid(), ++count);
}

}  // namespace

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)) {
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (path_.empty()) refuse("the name is empty");
  if (fs::is_directory(status)) refuse("it is a directory");
  if (path_.has_parent_path()) {
    fs::create_directories(path_.parent_path(), error);
    if (error) refuse(error.message());
  }
  const bool in_place = fs::exists(status) && !fs::is_regular_file(status);
  if (!in_place) temporary_ = temporary_name(path_);
  file_ = std::fopen((in_place ? path_ : temporary_).c_str(), "wb");
  if (file_ == nullptr) refuse(std::strerror(errno));
}

AtomicFile::~AtomicFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::error_code ignored;  // nothing more can be done for a file that nobody wants
  if (!temporary_.empty()) fs::remove(temporary_, ignored);
}

void AtomicFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) refuse(std::strerror(errno));
}

void AtomicFile::flush() {
  if (std::fflush(file_) != 0) refuse(std::strerror(errno));
}

void AtomicFile::sync() {
  flush();
  if (::fsync(::fileno(file_)) != 0 && errno != EINVAL)
    refuse(std::strerror(errno));  // EINVAL: a pipe
}

void AtomicFile::commit() {
  flush();
  if (!temporary_.empty()) {
    std::error_code error;
    fs::rename(temporary_, path_, error);
    if (error) refuse(error.message());
  }
  std::fclose(std::exchange(file_, nullptr));
}

void AtomicFile::refuse(std::string_view reason) const {
  throw InputError(fmt::format("{}: cannot be written: {}", path_.string(), reason));
}

void probe_file(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) {
    if (::access(path.c_str(), W_OK) == 0) return;
    throw InputError(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
  }
  std::vector<fs::path> made;  // folders, the deepest first
  for (fs::path folder = path.parent_path(); !folder.empty() && !fs::exists(folder, error);
       folder = folder.parent_path()) {
    made.push_back(folder);
  }
  {
    AtomicFile file(path);
    file.write(std::string(kBlock, ' '));  // a full disk refuses it
    file.flush();
  }
  for (const fs::path& folder : made) fs::remove(folder, error);
}

void write_file(const fs::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace nsn
