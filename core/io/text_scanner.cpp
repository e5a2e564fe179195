#include "nsn/core/io/text_scanner.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "nsn/core/base/error.h"
#include "nsn/core/io/text_file.h"

namespace nsn {

namespace {

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

// from_chars does not take a leading plus sign.
std::string_view without_plus(std::string_view token) {
  const bool plus = token.size() > 1 && token[0] == '+' && token[1] != '-' && token[1] != '+';
  return plus ? token.substr(1) : token;
}

}  // namespace

void TextScanner::throw_error(const std::string& reason) const {
  throw InputError(fmt::format("{}:{}: {}", name_, line_of_token_, reason));
}

void TextScanner::skip_space() {
  while (position_ < text_.size() && is_space(text_[position_])) {
    if (text_[position_++] == '\n') ++line_;
  }
  line_of_token_ = line_;
}

std::string_view TextScanner::token(std::string_view what) {
  skip_space();
  const std::size_t first = position_;
  while (position_ < text_.size() && !is_space(text_[position_])) ++position_;
  if (position_ == first) fail("the file ends where {} is expected", what);
  return text_.substr(first, position_ - first);
}

std::int64_t TextScanner::integer(std::string_view what) {
  const std::string_view text = token(what);
  const std::string_view digits = without_plus(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range) fail("{} '{}' is too large", what, printable(text));
  if (error != std::errc() || end != digits.data() + digits.size()) {
    fail("{} '{}' is not an integer", what, printable(text));
  }
  return value;
}

Index TextScanner::count(std::string_view what, std::int64_t largest) {
  const std::int64_t value = integer(what);
  if (value < 0) fail("{} {} is negative", what, value);
  if (value > largest || value > std::numeric_limits<Index>::max()) {
    fail("{} {} is more than the file can hold", what, value);
  }
  return static_cast<Index>(value);
}

double TextScanner::number(std::string_view what) {
  const std::string_view text = token(what);
  const std::string_view digits = without_plus(text);
  double value = 0.0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (end != digits.data() + digits.size() || error == std::errc::invalid_argument) {
    fail("{} '{}' is not a number", what, printable(text));
  }
  // Out of range covers overflow and underflow alike; strtod tells them apart.
  if (error != std::errc()) value = std::strtod(std::string(digits).c_str(), nullptr);
  if (!std::isfinite(value)) fail("{} '{}' is not finite", what, printable(text));
  return value;
}

void TextScanner::expect(std::string_view expected, std::string_view what) {
  const std::string_view text = token(what);
  if (text != expected) fail("{}: '{}' in place of '{}'", what, printable(text), expected);
}

std::string_view TextScanner::line(std::string_view what) {
  skip_space();
  if (position_ == text_.size()) fail("the file ends where {} is expected", what);
  const std::size_t end = std::min(text_.find('\n', position_), text_.size());
  const std::string_view result = text_.substr(position_, end - position_);
  position_ = end;
  return result;
}

void TextScanner::end_line(std::string_view what) {
  while (position_ < text_.size() && text_[position_] != '\n') {
    if (!is_space(text_[position_])) fail("more than {} on a line", what);
    ++position_;
  }
  if (position_ == text_.size()) fail("the file ends after {}", what);
  ++position_;
  ++line_;
}

std::string_view TextScanner::bytes(std::int64_t n, std::string_view what) {
  if (n > remaining()) fail("{} needs {} bytes, the file has {} left", what, n, remaining());
  const std::string_view result = text_.substr(position_, static_cast<std::size_t>(n));
  position_ += result.size();
  return result;
}

bool TextScanner::at_end() {
  skip_space();
  return position_ == text_.size();
}

}  // namespace nsn
