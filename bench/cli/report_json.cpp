#include "bench/cli/report_json.h"

#include <fmt/format.h>

#include "bench/support/machine.h"
#include "nsn/core/io/atomic_file.h"

namespace nsn::cli {
namespace {

std::string csv_field(const Row& row, const std::string& key) {
  const auto found = row.find(key);
  if (found == row.end() || found->is_null()) return {};
  return csv_text(found->is_string() ? found->get<std::string>() : found->dump());
}

}  // namespace

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
  return out;
}

nlohmann::ordered_json json_report(const std::vector<Row>& rows, const std::string& stopped) {
  const bench::Machine machine = bench::this_machine();
  nlohmann::ordered_json report;
  report["nsn"] = bench::version();
  report["command"] = bench::command_line();
  report["date"] = bench::date_text();
  report["machine"] = {{"cpu", machine.cpu},           {"cores", machine.cores},
                       {"threads", machine.threads},   {"memory_gib", machine.memory_gib},
                       {"compiler", machine.compiler}, {"build_type", machine.build_type},
                       {"kokkos", machine.kokkos},     {"system", machine.system}};
  if (!stopped.empty()) report["partial"] = stopped;
  report["results"] = rows;
  return report;
}

void write_json(const std::string& path, const nlohmann::ordered_json& report) {
  // Text from files may not be UTF-8: replace what is not rather than fail.
  const std::string text =
      report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  if (path == "-") {
    fmt::print("{}", text);
  } else {
    write_file(path, text);
  }
}

std::string csv_head(const std::vector<std::string>& keys) {
  std::vector<std::string> fields;
  for (const std::string& key : keys) fields.push_back(csv_text(key));
  return fmt::format("{}\n", fmt::join(fields, ","));
}

std::string csv_line(const std::vector<std::string>& keys, const Row& row) {
  std::vector<std::string> fields;
  for (const std::string& key : keys) fields.push_back(csv_field(row, key));
  return fmt::format("{}\n", fmt::join(fields, ","));
}

std::string to_csv(const std::vector<Row>& rows) {
  if (rows.empty()) return {};
  std::vector<std::string> keys;
  for (const auto& [key, value] : rows.front().items()) keys.push_back(key);
  std::string out = csv_head(keys);
  for (const Row& row : rows) out += csv_line(keys, row);
  return out;
}

}  // namespace nsn::cli
