/// Options by name, validated: "pcr:max_iterations=40,precond=block-jacobi".
///
/// A solver, a scene or a study lists its options once as OptionSpecs; texts from a user are
/// checked against that list, and a mistake is answered with the nearest valid names.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nsn {

enum class OptionKind { kInteger, kReal, kChoice, kFlag };

std::string_view to_string(OptionKind kind);

/// One option: its name, what values it takes, its default, and a sentence.
struct OptionSpec {
  std::string key;
  OptionKind kind = OptionKind::kReal;
  std::string default_value;
  double min = 0.0;  ///< integer and real: min <= value <= max
  double max = 0.0;
  std::vector<std::string> choices;  ///< choice: one of these; none: any text
  std::string help;                  ///< what it is, with its unit

  static OptionSpec integer(std::string key, long default_value, double min, double max,
                            std::string help);
  static OptionSpec real(std::string key, double default_value, double min, double max,
                         std::string help);
  static OptionSpec choice(std::string key, std::string default_value,
                           std::vector<std::string> choices, std::string help);
  static OptionSpec flag(std::string key, bool default_value, std::string help);
};

/// Values for a list of OptionSpecs: every key is present and valid.
class Options {
 public:
  using Assignments = std::vector<std::pair<std::string, std::string>>;

  Options() = default;
  /// Defaults, then the assignments in order. `owner` names whose options these are in messages.
  /// Throws std::invalid_argument for an unknown key or a value outside its range.
  Options(std::span<const OptionSpec> specs, const Assignments& assignments,
          std::string_view owner);

  long integer(std::string_view key) const;
  double real(std::string_view key) const;
  const std::string& text(std::string_view key) const;
  bool flag(std::string_view key) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

/// "name:key=value,key=value" taken apart.
struct NamedOptions {
  std::string name;
  Options::Assignments assignments;
};
NamedOptions parse_named_options(std::string_view text);

/// "key=value" taken apart; throws std::invalid_argument where there is no '='.
std::pair<std::string, std::string> parse_assignment(std::string_view text);

/// "; did you mean 'pcr' or 'pcg'?" for the nearest of the names, or the list where none is near.
std::string suggestion(std::string_view text, std::span<const std::string> names);

}  // namespace nsn
