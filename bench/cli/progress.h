/// A progress bar on stderr with rate and time left: only on a terminal, and only once the work has taken a second.
///
///   Progress progress("compare", num_solves, options.prints_tables());
///   for (...) { progress.step("bcsstk14 · pcr"); ... }
///
/// The bar removes itself at the end of its life.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace nsn::cli {

class Progress {
 public:
  /// total <= 0: not known, the line tells the rate alone. enabled = false: silent, whatever the terminal says.
  Progress(std::string label, long total, bool enabled = true);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void set_total(long total) { total_ = total; }
  /// One more of the total begins; `what` names it.
  void step(std::string_view what = {});

 private:
  void draw(std::string_view what);

  using Clock = std::chrono::steady_clock;
  std::string label_;
  long total_;
  long started_ = 0;
  bool enabled_;
  bool shown_ = false;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point drawn_{};
};

}  // namespace nsn::cli
