#include "bench/cli/completion.h"

#include <algorithm>

#include <fmt/format.h>

namespace nsn::cli {
namespace {

/// The first sentence, on one line.
std::string one_line(const std::string& help) {
  std::string line = help.substr(0, help.find('\n'));
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line;
}

void add_values(const OptionView& option, const std::vector<std::string>& words, Completed& out) {
  if (option.type == "FILE") out.files = true;
  if (option.type == "DIR") out.folders = true;
  if (!option.completion) return;
  for (Candidate& candidate : option.completion(words)) {
    if (candidate.word.starts_with(words.back())) out.candidates.push_back(std::move(candidate));
  }
}

const OptionView* find(const std::vector<OptionView>& options, const std::string& name) {
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const OptionView& option) { return option.name == name; });
  return found == options.end() ? nullptr : &*found;
}

/// The option whose value the last word is, if the word before it is one.
const OptionView* option_before(const std::vector<OptionView>& options,
                                const std::vector<std::string>& words) {
  if (words.size() < 2) return nullptr;
  const OptionView* option = find(options, words[words.size() - 2]);
  return option != nullptr && !option->type.empty() ? option : nullptr;
}

/// --option=part
Completed value_behind_equals(const std::vector<OptionView>& options,
                              std::vector<std::string> words) {
  Completed out;
  const std::size_t equals = words.back().find('=');
  const std::string name = words.back().substr(0, equals);
  if (const OptionView* option = find(options, name)) {
    words.back().erase(0, equals + 1);
    add_values(*option, words, out);
    for (Candidate& candidate : out.candidates) candidate.word.insert(0, name + "=");
  }
  return out;
}

Completed complete_command(const Command& command, const std::vector<std::string>& words) {
  Completed out;
  const std::vector<OptionView> options = command.options();
  const std::string& last = words.back();
  if (const OptionView* option = option_before(options, words); option && !last.starts_with("--")) {
    add_values(*option, words, out);
    return out;
  }
  if (last.starts_with("--") && last.find('=') != std::string::npos) {
    return value_behind_equals(options, words);
  }
  for (const OptionView& option : options) {
    if (option.positional) {
      if (!last.starts_with("-")) add_values(option, words, out);
    } else if (option.name.starts_with(last) && last.starts_with("-")) {
      out.candidates.push_back({option.name, option.help});
    }
  }
  return out;
}

}  // namespace

Completed complete(const Command& app, const std::vector<std::string>& words) {
  if (words.empty()) return {};
  const std::vector<Command> commands = app.subcommands();
  if (words.size() > 1) {
    for (const Command& command : commands) {
      if (command.name() == words.front()) {
        return complete_command(command, {words.begin() + 1, words.end()});
      }
    }
    return {};
  }
  Completed out;
  for (const Command& command : commands) {
    if (command.name().starts_with(words.front())) {
      out.candidates.push_back({command.name(), command.summary()});
    }
  }
  if (words.front().starts_with("-")) {
    for (const OptionView& option : app.options()) {
      if (option.name.starts_with(words.front()))
        out.candidates.push_back({option.name, option.help});
    }
  }
  return out;
}

std::string completions_text(const Command& app, const std::vector<std::string>& words) {
  const Completed completed = complete(app, words);
  std::string text;
  bool more = false;
  for (const Candidate& candidate : completed.candidates) {
    text += fmt::format("{}\t{}\n", candidate.word, one_line(candidate.help));
    more = more || candidate.word.ends_with("=");
  }
  if (completed.files) text += ":files\n";
  if (completed.folders) text += ":folders\n";
  if (more) text += ":more\n";
  return text;
}

}  // namespace nsn::cli
