/// Files that appear whole or not at all.
///
///   nsn::AtomicFile file("out/table.csv");
///   file.write(text);                      // goes to out/table.csv.<unique>.tmp
///   file.commit();                         // flushed, then renamed to out/table.csv
///
/// Without commit() (an exception, an early return) the temporary is removed and a file that was
/// there before stays as it was. Missing parent folders are made. A target that exists and is not a
/// regular file (a pipe, /dev/stdout) is written to directly.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string_view>

namespace nsn {

/// Every failure is an InputError "file: cannot be written: reason".
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view text);
  /// Hands all of it to the system, which may refuse it.
  void flush();
  /// The same, and waits until the disk has it: what follows a loss of power.
  void sync();
  /// After this the file has its name; call once, last.
  void commit();

 private:
  [[noreturn]] void refuse(std::string_view reason) const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;  // empty: written in place
  std::FILE* file_ = nullptr;
};

/// Throws what write_file() would throw here and now; leaves nothing behind. A target that is not a regular file is not
/// opened: its reader would see an end.
void probe_file(const std::filesystem::path& path);

/// One file from one text.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace nsn
