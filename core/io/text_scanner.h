/// Whitespace-separated tokens of a text held in memory, with the line of each for error messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "nsn/core/base/types.h"

namespace nsn {

/// A cursor over `text`. Every failure throws InputError "name:line: reason", where the line is
/// that of the token in question. Copies are cheap: a copy taken earlier is the way back.
class TextScanner {
 public:
  /// first_line: number of the line that `text` begins on, where it is a part of a file.
  TextScanner(std::string_view text, std::string_view name, std::int64_t first_line = 1)
      : text_(text), name_(name), line_(first_line), line_of_token_(first_line) {}

  /// Next token. `what` names what is expected, for the message at the end of the text.
  std::string_view token(std::string_view what);
  std::int64_t integer(std::string_view what);
  /// An integer in [0, largest].
  Index count(std::string_view what, std::int64_t largest);
  /// A finite number; what underflows is 0.
  double number(std::string_view what);
  /// The next token must read `expected`.
  void expect(std::string_view expected, std::string_view what);
  /// Rest of the current line, or the next one that is not blank when nothing is left on it.
  std::string_view line(std::string_view what);

  /// Ends the current line: only blanks may be left on it. What follows may be binary.
  void end_line(std::string_view what);
  /// The next n bytes as they are, n >= 0. Lines are not counted inside binary data.
  std::string_view bytes(std::int64_t n, std::string_view what);
  /// Nothing but white space is left.
  bool at_end();

  /// Characters not read yet.
  std::int64_t remaining() const { return static_cast<std::int64_t>(text_.size() - position_); }
  /// How many tokens can be left at most: a token and its separator take two characters.
  std::int64_t most_tokens() const { return (remaining() + 1) / 2; }
  /// Line of the last token, counted from 1.
  std::int64_t line_number() const { return line_of_token_; }

  template <class... Arguments>
  [[noreturn]] void fail(fmt::format_string<Arguments...> text, Arguments&&... arguments) const {
    throw_error(fmt::format(text, std::forward<Arguments>(arguments)...));
  }

 private:
  void skip_space();
  [[noreturn]] void throw_error(const std::string& reason) const;

  std::string_view text_;
  std::string_view name_;
  std::size_t position_ = 0;
  std::int64_t line_;
  std::int64_t line_of_token_;
};

}  // namespace nsn
