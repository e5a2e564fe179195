#include "bench/cli/progress.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "bench/cli/table.h"

namespace nsn::cli {
namespace {

constexpr auto kPatience = std::chrono::seconds(1);
constexpr auto kRefresh = std::chrono::milliseconds(100);
constexpr long kBarWidth = 24;

}  // namespace

Progress::Progress(std::string label, long total, bool enabled)
    : label_(std::move(label)), total_(total), enabled_(enabled && ::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::step(std::string_view what) {
  ++started_;
  const auto now = Clock::now();
  if (!enabled_ || now - begin_ < kPatience || now - drawn_ < kRefresh) return;
  drawn_ = now;
  draw(what);
}

void Progress::draw(std::string_view what) {
  shown_ = true;
  const double spent = std::chrono::duration<double>(drawn_ - begin_).count();
  long done = started_ - 1;
  const std::string rate =
      done > 0 ? fmt::format(", {:.3g}/s", static_cast<double>(done) / spent) : std::string();
  std::string line;
  if (total_ > 0) {
    done = std::min(done, total_);
    const long filled = kBarWidth * done / total_;
    std::string bar;
    for (long k = 0; k < kBarWidth; ++k) bar += k < filled ? "█" : "░";
    const double left =
        done > 0 ? spent * static_cast<double>(total_ - done) / static_cast<double>(done) : -1.0;
    line = fmt::format("{} {} {}/{}{}, {} left  {}", label_, bar, done, total_, rate,
                       seconds_text(left), what);
  } else {
    line =
        fmt::format("{} {} done{}, {} so far  {}", label_, done, rate, seconds_text(spent), what);
  }
  while (display_width(line) > 79) {
    while ((static_cast<unsigned char>(line.back()) & 0xC0U) == 0x80U) line.pop_back();  // UTF-8
    line.pop_back();
  }
  fmt::print(stderr, "\r{}\x1b[K", line);
  std::fflush(stderr);
}

}  // namespace nsn::cli
