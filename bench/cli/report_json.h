/// The machine-readable report of every command: {"nsn": version, "machine": {...}, "results":
/// [...]}.
///
/// One flat object per row, snake_case keys with their units in the name. Keys are only added
/// within a major version, never renamed: scripts rely on them.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace nsn::cli {

/// Keys keep the order in which they were added.
using Row = nlohmann::ordered_json;

/// The whole report; call while the Runtime lives, so that the number of threads is right. `stopped` is where an
/// interrupt ended the work (interrupt.h): the key "partial", left out if it is empty.
nlohmann::ordered_json json_report(const std::vector<Row>& rows, const std::string& stopped = "");

/// To a file (whole or not at all), or to stdout for "-". Numbers keep all their digits; NaN and
/// infinity become null, as JSON has neither.
void write_json(const std::string& path, const nlohmann::ordered_json& report);

/// The rows as CSV: the keys of the first row name the columns; text is quoted where needed, a key
/// that a row lacks or that is null leaves its field empty.
std::string to_csv(const std::vector<Row>& rows);

/// Its first line, and the line of a row.
std::string csv_head(const std::vector<std::string>& keys);
std::string csv_line(const std::vector<std::string>& keys, const Row& row);

/// One field of a CSV line, quoted where it holds a comma, a quote or a line break.
std::string csv_text(const std::string& text);

}  // namespace nsn::cli
