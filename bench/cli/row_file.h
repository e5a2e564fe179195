/// A CSV whose rows reach the disk as they are computed: a process that is killed loses the present one at most.
///
///   RowFile steps("out/steps.csv");       // writes out/steps.partial.csv from the first row on
///   steps.add({{{"step", 1}, {"time_s", 0.01}}});
///   steps.finish();                       // now it is out/steps.csv
///
/// Without finish() (an interrupt, an exception, kill -9) the file stays under its partial name, and what another
/// call left under the final name stays as it was.
#pragma once

#include <cstdio>
#include <filesystem>
#include <vector>

#include "bench/cli/report_json.h"

namespace nsn::cli {

class RowFile {
 public:
  /// An empty path: rows go nowhere. A target that exists and is no regular file (a pipe) is written to directly.
  explicit RowFile(std::filesystem::path path);
  ~RowFile();
  RowFile(const RowFile&) = delete;
  RowFile& operator=(const RowFile&) = delete;

  /// The keys of the first row of all name the columns. Throws InputError "file: cannot be written: reason".
  void add(const std::vector<Row>& rows);
  /// The rows are complete: the file takes its final name.
  void finish();
  /// The rows are somewhere else: the file goes.
  void discard();

 private:
  void write(const std::string& text);
  void close();

  std::filesystem::path path_;
  std::filesystem::path written_;  ///< empty: nothing is, yet
  std::vector<std::string> keys_;
  std::FILE* file_ = nullptr;
};

/// "out/steps.csv" -> "out/steps.partial.csv"
std::filesystem::path partial_name(const std::filesystem::path& path);

/// A whole CSV, under its partial name if `partial`; if not, one that an earlier call left under it goes.
void write_csv(const std::filesystem::path& path, const std::string& text, bool partial);

}  // namespace nsn::cli
