/// A command of `nsn` and its options. Sources see this header instead of CLI11, whose own costs each source that
/// includes it five seconds of compiling; command.cpp alone knows it.
///
///   Command command = app.add_subcommand("scenes", "what can be run");
///   command.add_option("scene", *name, "show the parameters of this one").completes(scene_words);
///   command.add_option("--steps", steps, "of each scene").range(1, 1000).show_default();
///   command.callback([=, &exit_code] { exit_code = run(*name); });
///
/// A name with dashes is an option, one without is a positional argument.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace nsn::cli {

/// The command line is not understood; what() is one line.
struct UsageError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// A word that a shell may complete to, and a sentence on it.
struct Candidate {
  std::string word;
  std::string help;
};
using Candidates = std::vector<Candidate>;
/// Given all words of the command line, the last one in part.
using Completion = std::function<Candidates(const std::vector<std::string>& words)>;

struct CommandState;

class Option {
 public:
  Option(CLI::Option& option, CommandState& state) : option_(&option), state_(&state) {}

  Option required() const;
  Option show_default() const;  ///< in the help
  Option range(int min, int max) const;
  Option range(double min, double max) const;
  /// In the help: FILE and DIR complete to files and folders.
  Option type_name(const std::string& name) const;
  Option separated_by(char separator) const;          ///< a list in one word
  Option once() const;                                ///< one value, given once
  Option one_value_each_time() const;                 ///< as many times as wanted
  Option value_or(const std::string& missing) const;  ///< the value may be left out
  Option completes(Completion words) const;
  bool given() const;

 private:
  CLI::Option* option_;
  CommandState* state_;
};

/// An option as completion, messages and sweeps see it.
struct OptionView {
  std::string name;  ///< with dashes, or that of a positional argument
  std::string help;
  std::string type;  ///< "FILE", "INT", ...; empty: a flag
  bool positional = false;
  std::vector<std::string> values;  ///< given on the command line
  Completion completion;            ///< empty: none
};

class Command {
 public:
  explicit Command(const std::string& summary = "");

  Command add_subcommand(const std::string& name, const std::string& summary);
  std::vector<Command> subcommands() const;
  std::string name() const;
  std::string summary() const;

  /// Value: int, double, std::uint64_t, std::string, a vector of these texts, or an optional int, double, text or bool.
  template <class Value>
  Option add_option(const std::string& name, Value& value, const std::string& help) const;
  Option add_flag(const std::string& name, bool& value, const std::string& help) const;
  /// Calls `take` with the values.
  Option add_function(const std::string& name,
                      std::function<void(const std::vector<std::string>&)> take,
                      const std::string& help) const;
  std::vector<OptionView> options() const;
  bool has_option(const std::string& name) const;

  void footer(const std::string& text) const;
  void version(const std::string& text) const;
  void callback(std::function<void()> run) const;

  /// Options and arguments, apart or as a shell takes a line apart. Throws UsageError.
  void parse(std::vector<std::string> words) const;
  void parse(const std::string& line) const;
  /// Of main(): runs the callback of the subcommand; an exit code if help or the version was printed.
  std::optional<int> parse(int argc, char** argv) const;

 private:
  Command(CLI::App& app, CommandState& state);
  std::string explain(const std::string& error) const;

  std::shared_ptr<CommandState> own_;  ///< of the top command, which outlives its subcommands
  CommandState* state_;
  CLI::App* app_;
};

}  // namespace nsn::cli
