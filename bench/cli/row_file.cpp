#include "bench/cli/row_file.h"

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "nsn/core/base/error.h"
#include "nsn/core/io/atomic_file.h"

namespace nsn::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, const std::string& reason) {
  throw InputError(fmt::format("{}: cannot be written: {}", path.string(), reason));
}

bool in_place(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status);
}

}  // namespace

RowFile::RowFile(fs::path path) : path_(std::move(path)) {}

RowFile::~RowFile() {
  if (file_ != nullptr) std::fclose(file_);
}

void RowFile::write(const std::string& text) {
  if (file_ == nullptr) {
    written_ = in_place(path_) ? path_ : partial_name(path_);
    std::error_code error;
    if (path_.has_parent_path()) fs::create_directories(path_.parent_path(), error);
    if (error) refuse(path_, error.message());
    file_ = std::fopen(written_.c_str(), "wb");
    if (file_ == nullptr) refuse(written_, std::strerror(errno));
  }
  const bool whole = std::fwrite(text.data(), 1, text.size(), file_) == text.size();
  if (!whole || std::fflush(file_) != 0) refuse(written_, std::strerror(errno));
}

void RowFile::add(const std::vector<Row>& rows) {
  if (path_.empty() || rows.empty()) return;
  std::string text;
  if (keys_.empty()) {
    for (const auto& [key, value] : rows.front().items()) keys_.push_back(key);
    text = csv_head(keys_);
  }
  for (const Row& row : rows) text += csv_line(keys_, row);
  write(text);
}

void RowFile::close() {
  if (std::fclose(std::exchange(file_, nullptr)) != 0) refuse(written_, std::strerror(errno));
}

void RowFile::finish() {
  if (path_.empty()) return;
  write("");  // without rows, an empty file
  close();
  if (written_ == path_) return;
  std::error_code error;
  fs::rename(written_, path_, error);
  if (error) refuse(path_, error.message());
}

void RowFile::discard() {
  if (file_ == nullptr) return;
  close();
  std::error_code ignored;  // a file too many harms nobody
  if (written_ != path_) fs::remove(written_, ignored);
}

fs::path partial_name(const fs::path& path) {
  return fs::path(path).replace_extension(".partial" + path.extension().string());
}

void write_csv(const fs::path& path, const std::string& text, bool partial) {
  const fs::path other = partial_name(path);
  write_file(partial ? other : path, text);
  std::error_code ignored;  // not there
  if (!partial) fs::remove(other, ignored);
}

}  // namespace nsn::cli
