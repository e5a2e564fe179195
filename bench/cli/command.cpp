#include "bench/cli/command.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string_view>
#include <type_traits>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "nsn/core/base/options.h"

namespace nsn::cli {

struct CommandState {
  CLI::App root;
  std::map<const CLI::Option*, Completion> completions;
};

namespace {

/// Why a text is no value of its option; empty: it is one. Runs before CLI11 converts, which says it in its own words.
template <class Value>
std::string objection(const std::string& text) {
  if constexpr (std::is_same_v<Value, bool>) {
    constexpr std::array<std::string_view, 4> kWords{"true", "false", "1", "0"};
    const bool known = std::find(kWords.begin(), kWords.end(), text) != kWords.end();
    return known ? "" : fmt::format("'{}' is neither true nor false", text);
  } else if constexpr (std::is_integral_v<Value>) {
    Value value{};
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc::result_out_of_range) return fmt::format("{} is too large", text);
    const bool whole = error == std::errc() && stop == end;
    return whole ? "" : fmt::format("'{}' is not a whole number", text);
  } else if constexpr (std::is_floating_point_v<Value>) {
    char* stop = nullptr;
    const double value = std::strtod(text.c_str(), &stop);
    const bool whole = !text.empty() && *stop == '\0' && std::isfinite(value);
    return whole ? "" : fmt::format("'{}' is not a finite number", text);
  } else {
    return {};
  }
}

template <class Value>
struct Plain {
  using Type = Value;
};
template <class Value>
struct Plain<std::optional<Value>> {
  using Type = Value;
};

template <class Value>
CLI::Validator within(Value min, Value max) {
  const auto check = [min, max](const std::string& text) -> std::string {
    const double value = std::strtod(text.c_str(), nullptr);
    if (value >= static_cast<double>(min) && value <= static_cast<double>(max)) return {};
    return fmt::format("{} is not between {} and {}", text, min, max);
  };
  return {check, CLI::Range(min, max).get_description()};
}

}  // namespace

Option Option::required() const {
  option_->required();
  return *this;
}

Option Option::show_default() const {
  option_->capture_default_str();
  return *this;
}

Option Option::range(int min, int max) const {
  option_->check(within(min, max));
  return *this;
}

Option Option::range(double min, double max) const {
  option_->check(within(min, max));
  return *this;
}

Option Option::type_name(const std::string& name) const {
  option_->type_name(name);
  return *this;
}

Option Option::separated_by(char separator) const {
  option_->delimiter(separator);
  return *this;
}

Option Option::once() const {
  option_->expected(1);
  return *this;
}

Option Option::one_value_each_time() const {
  option_->allow_extra_args(false);
  return *this;
}

Option Option::value_or(const std::string& missing) const {
  option_->expected(0, 1)->default_str(missing);
  return *this;
}

Option Option::completes(Completion words) const {
  state_->completions[option_] = std::move(words);
  return *this;
}

bool Option::given() const {
  return option_->count() > 0;
}

Command::Command(const std::string& summary)
    : own_(std::make_shared<CommandState>()), state_(own_.get()), app_(&state_->root) {
  app_->description(summary);
}

Command::Command(CLI::App& app, CommandState& state) : state_(&state), app_(&app) {}

Command Command::add_subcommand(const std::string& name, const std::string& summary) {
  app_->require_subcommand(1);
  return {*app_->add_subcommand(name, summary), *state_};
}

std::vector<Command> Command::subcommands() const {
  std::vector<Command> all;
  for (CLI::App* app : app_->get_subcommands([](CLI::App*) { return true; })) {
    all.push_back({*app, *state_});
  }
  return all;
}

std::string Command::name() const {
  return app_->get_name();
}

std::string Command::summary() const {
  return app_->get_description();
}

template <class Value>
Option Command::add_option(const std::string& name, Value& value, const std::string& help) const {
  CLI::Option* const option = app_->add_option(name, value, help);
  option->check(CLI::Validator(objection<typename Plain<Value>::Type>, ""));
  return {*option, *state_};
}

using Texts = std::vector<std::string>;
template Option Command::add_option(const std::string&, int&, const std::string&) const;
template Option Command::add_option(const std::string&, double&, const std::string&) const;
template Option Command::add_option(const std::string&, std::uint64_t&, const std::string&) const;
template Option Command::add_option(const std::string&, std::string&, const std::string&) const;
template Option Command::add_option(const std::string&, Texts&, const std::string&) const;
template Option Command::add_option(const std::string&, std::optional<int>&,
                                    const std::string&) const;
template Option Command::add_option(const std::string&, std::optional<double>&,
                                    const std::string&) const;
template Option Command::add_option(const std::string&, std::optional<std::string>&,
                                    const std::string&) const;
template Option Command::add_option(const std::string&, std::optional<bool>&,
                                    const std::string&) const;

Option Command::add_flag(const std::string& name, bool& value, const std::string& help) const {
  return {*app_->add_flag(name, value, help), *state_};
}

Option Command::add_function(const std::string& name,
                             std::function<void(const std::vector<std::string>&)> take,
                             const std::string& help) const {
  return {*app_->add_option_function<Texts>(name, std::move(take), help), *state_};
}

std::vector<OptionView> Command::options() const {
  std::vector<OptionView> all;
  for (const CLI::Option* option : std::as_const(*app_).get_options()) {
    OptionView view;
    view.positional = option->get_positional();
    view.name = view.positional ? option->get_name(true) : "--" + option->get_lnames().front();
    view.help = option->get_description();
    if (option->get_items_expected_max() > 0) view.type = option->get_type_name();
    view.values = option->results();
    const auto found = state_->completions.find(option);
    if (found != state_->completions.end()) view.completion = found->second;
    all.push_back(std::move(view));
  }
  return all;
}

bool Command::has_option(const std::string& name) const {
  return app_->get_option_no_throw(name) != nullptr;
}

void Command::footer(const std::string& text) const {
  app_->footer(text);
}

void Command::version(const std::string& text) const {
  app_->set_version_flag("--version", text);
}

void Command::callback(std::function<void()> run) const {
  app_->callback(std::move(run));
}

void Command::parse(std::vector<std::string> words) const {
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    app_->parse(words);
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
}

void Command::parse(const std::string& line) const {
  try {
    app_->parse(line);
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
}

std::optional<int> Command::parse(int argc, char** argv) const {
  std::vector<const char*> words(argv, argv + argc);
  if (words.size() > 1 && std::string_view(words[1]) == "help") {  // help X: X --help
    words.erase(words.begin() + 1);
    words.push_back("--help");
  }
  try {
    app_->parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::Success& help_or_version) {
    return app_->exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    throw UsageError(explain(error.what()));
  }
  return std::nullopt;
}

// What was wrong on the command line, in one line, with the nearest valid words.
std::string Command::explain(const std::string& error) const {
  const auto chosen = app_->get_subcommands();
  const std::vector<std::string> extra = app_->remaining(true);
  if (!extra.empty() && !chosen.empty()) {
    std::vector<std::string> names;
    for (const OptionView& option : Command(*chosen.front(), *state_).options()) {
      if (!option.positional) names.push_back(option.name);
    }
    return fmt::format("{} has no option '{}'{}", chosen.front()->get_name(), extra.front(),
                       suggestion(extra.front(), names));
  }
  std::vector<std::string> names;
  for (const Command& command : subcommands()) names.push_back(command.name());
  if (!extra.empty()) {
    return fmt::format("unknown command '{}'{}", extra.front(), suggestion(extra.front(), names));
  }
  if (chosen.empty()) return fmt::format("a command is needed: {}", fmt::join(names, ", "));
  return error;
}

}  // namespace nsn::cli
