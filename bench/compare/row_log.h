/// The rows of a comparison on disk, one JSON object a line, each written as soon as it is known: a
/// comparison that was stopped goes on where it was, and its reports can be made from what is there.
///
///   RowLog log(folder / "rows.jsonl", settings, again);
///   calls.known = log.known(system);
///   calls.on_row = [&](const SystemOutcome& s, const SolverOutcome& o) { log.append(s, o); };
///
/// The first line holds the settings: rows made with others are not kept.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "bench/compare/outcome.h"
#include "bench/compare/systems.h"

namespace nsn::bench {

class RowLog {
 public:
  /// Reads what is there unless `again`; a last line that was cut off is dropped. Writes nothing yet.
  /// Throws InputError for a file that cannot be read.
  RowLog(std::filesystem::path file, nlohmann::ordered_json settings, bool again);

  /// Rows of this system as its files are now, by label.
  std::map<std::string, SolverOutcome> known(const SystemSource& source) const;
  /// One write, which has reached the disk on return. Throws InputError if it does not.
  void append(const SystemSource& source, const SolverOutcome& outcome);
  /// Rows that were found.
  std::size_t size() const { return found_; }

 private:
  void begin();

  std::filesystem::path file_;
  nlohmann::ordered_json settings_;
  std::string kept_;    // the text of the rows that stay
  bool begun_ = false;  // the file holds settings and rows that stay, and nothing else
  std::size_t found_ = 0;
  std::map<std::string, std::map<std::string, SolverOutcome>> rows_;  // by system, by label
};

}  // namespace nsn::bench
