#include "bench/compare/row_log.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "nsn/core/base/error.h"
#include "nsn/core/io/atomic_file.h"

namespace nsn::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// The path of a system and when its matrix was written.
std::string key_of(const SystemSource& source) {
  std::error_code error;
  fs::path matrix = source.path;
  if (source.exported) matrix = matrix_of(source.path);
  const auto written = fs::last_write_time(matrix, error).time_since_epoch().count();
  return fmt::format("{} {}", fs::weakly_canonical(source.path, error).string(), written);
}

}  // namespace

RowLog::RowLog(fs::path file, Json settings, bool again)
    : file_(std::move(file)), settings_(std::move(settings)) {
  std::ifstream in(file_, std::ios::binary);
  std::string line;
  if (again || !in || !std::getline(in, line)) return;
  try {
    if (Json::parse(line) != settings_) return;
    while (std::getline(in, line)) {
      if (in.eof()) break;  // no line end: cut off
      const Json row = Json::parse(line);
      SolverOutcome outcome = solver_outcome_from(row);
      rows_[row.at("key").get<std::string>()][outcome.label] = std::move(outcome);
      kept_ += line + "\n";
      ++found_;
    }
  } catch (const nlohmann::json::exception&) {  // what follows was not written by this program
  }
}

std::map<std::string, SolverOutcome> RowLog::known(const SystemSource& source) const {
  const auto found = rows_.find(key_of(source));
  return found == rows_.end() ? std::map<std::string, SolverOutcome>() : found->second;
}

void RowLog::begin() {
  write_file(file_, line_of(settings_) + kept_);
  kept_.clear();
  begun_ = true;
}

void RowLog::append(const SystemSource& source, const SolverOutcome& outcome) {
  if (!begun_) begin();
  Json row = to_json(outcome);
  row["system"] = source.name;
  row["key"] = key_of(source);
  const std::string text = line_of(row);
  const int file = ::open(file_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  const bool written =
      file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      ::fsync(file) == 0;
  const int error = errno;
  if (file >= 0) ::close(file);
  if (!written) {
    throw InputError(
        fmt::format("{}: cannot be written: {}", file_.string(), std::strerror(error)));
  }
}

}  // namespace nsn::bench
