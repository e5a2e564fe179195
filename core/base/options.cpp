#include "nsn/core/base/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "nsn/core/base/error.h"

namespace nsn {
namespace {

/// Edits (insert, delete, replace, swap of neighbours counts two) that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row.back();
}

double parse_number(std::string_view text, std::string_view what) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  NSN_THROW_UNLESS(error == std::errc{} && end == text.data() + text.size() && std::isfinite(value),
                   "{}: '{}' is not a finite number", what, text);
  return value;
}

void check(const OptionSpec& spec, std::string_view value, std::string_view owner) {
  const std::string what = fmt::format("option '{}' of {}", spec.key, owner);
  switch (spec.kind) {
    case OptionKind::kChoice:
      if (spec.choices.empty()) return;  // any text: a file
      NSN_THROW_UNLESS(
          std::find(spec.choices.begin(), spec.choices.end(), value) != spec.choices.end(),
          "{}: unknown value '{}'{}", what, value, suggestion(value, spec.choices));
      return;
    case OptionKind::kFlag:
      NSN_THROW_UNLESS(value == "true" || value == "false", "{}: '{}' is neither true nor false",
                       what, value);
      return;
    case OptionKind::kInteger:
    case OptionKind::kReal: {
      const double number = parse_number(value, what);
      NSN_THROW_UNLESS(spec.kind == OptionKind::kReal || number == std::floor(number),
                       "{}: '{}' is not an integer", what, value);
      NSN_THROW_UNLESS(number >= spec.min && number <= spec.max, "{}: {} is outside [{}, {}]", what,
                       value, spec.min, spec.max);
      return;
    }
  }
}

}  // namespace

std::string_view to_string(OptionKind kind) {
  switch (kind) {
    case OptionKind::kInteger:
      return "integer";
    case OptionKind::kReal:
      return "real";
    case OptionKind::kChoice:
      return "choice";
    case OptionKind::kFlag:
      return "flag";
  }
  return "?";
}

OptionSpec OptionSpec::integer(std::string key, long default_value, double min, double max,
                               std::string help) {
  return {std::move(key), OptionKind::kInteger, fmt::format("{}", default_value), min, max, {},
          std::move(help)};
}

OptionSpec OptionSpec::real(std::string key, double default_value, double min, double max,
                            std::string help) {
  return {std::move(key), OptionKind::kReal, fmt::format("{}", default_value), min, max, {},
          std::move(help)};
}

OptionSpec OptionSpec::choice(std::string key, std::string default_value,
                              std::vector<std::string> choices, std::string help) {
  return {std::move(key),     OptionKind::kChoice, std::move(default_value), 0.0, 0.0,
          std::move(choices), std::move(help)};
}

OptionSpec OptionSpec::flag(std::string key, bool default_value, std::string help) {
  return {std::move(key),    OptionKind::kFlag, default_value ? "true" : "false", 0.0, 0.0,
          {"true", "false"}, std::move(help)};
}

Options::Options(std::span<const OptionSpec> specs, const Assignments& assignments,
                 std::string_view owner) {
  std::vector<std::string> keys;
  for (const OptionSpec& spec : specs) {
    values_[spec.key] = spec.default_value;
    keys.push_back(spec.key);
  }
  for (const auto& [key, value] : assignments) {
    const auto spec = std::find_if(specs.begin(), specs.end(),
                                   [&k = key](const OptionSpec& s) { return s.key == k; });
    NSN_THROW_UNLESS(spec != specs.end(), "{} has no option '{}'{}", owner, key,
                     suggestion(key, keys));
    check(*spec, value, owner);
    values_[key] = value;
  }
}

const std::string& Options::text(std::string_view key) const {
  const auto found = values_.find(key);
  NSN_THROW_UNLESS(found != values_.end(), "no option '{}' was declared", key);
  return found->second;
}

long Options::integer(std::string_view key) const {
  return static_cast<long>(real(key));
}

double Options::real(std::string_view key) const {
  return parse_number(text(key), key);
}

bool Options::flag(std::string_view key) const {
  return text(key) == "true";
}

std::pair<std::string, std::string> parse_assignment(std::string_view text) {
  const std::size_t equals = text.find('=');
  NSN_THROW_UNLESS(equals != std::string_view::npos && equals > 0,
                   "'{}' is not of the form key=value", text);
  return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

NamedOptions parse_named_options(std::string_view text) {
  const std::size_t colon = text.find(':');
  NamedOptions result{std::string(text.substr(0, colon)), {}};
  if (colon == std::string_view::npos) return result;
  std::string_view rest = text.substr(colon + 1);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    result.assignments.push_back(parse_assignment(rest.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return result;
}

std::string suggestion(std::string_view text, std::span<const std::string> names) {
  std::vector<std::string> near;
  const std::size_t reach = std::max<std::size_t>(2, text.size() / 3);
  for (const std::string& name : names) {
    const bool contains = text.size() >= 2 && name.find(text) != std::string::npos;
    if (contains || edit_distance(text, name) <= reach) near.push_back(fmt::format("'{}'", name));
  }
  if (!near.empty()) return fmt::format("; did you mean {}?", fmt::join(near, " or "));
  if (names.empty()) return "; it has none";
  return fmt::format("; valid: {}", fmt::join(names, ", "));
}

}  // namespace nsn
