#include "bench/cli/interrupt.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>

namespace nsn::cli {
namespace {

struct Watched {
  int number;
  const char* name;
};
constexpr std::array<Watched, 3> kWatched{
    {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}}};

constexpr int kSignalled = 128;  // exit code of a shell for a program that a signal ended

volatile std::sig_atomic_t noted = 0;

/// Calls nothing but what a handler may call.
void note(int signal) {
  if (noted != 0) ::_exit(kSignalled + signal);
  noted = signal;
  constexpr std::string_view kText =
      "\nnsn: ends after the present step or row; once more ends at once\n";
  const int before = errno;
  const auto ignored = ::write(STDERR_FILENO, kText.data(), kText.size());
  static_cast<void>(ignored);  // nobody reads it then
  errno = before;
}

}  // namespace

void note_interrupts() {
  for (const Watched& watched : kWatched) {
    struct sigaction old {};
    ::sigaction(watched.number, nullptr, &old);
    if (old.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;  // reading and writing go on
    ::sigemptyset(&action.sa_mask);
    ::sigaction(watched.number, &action, nullptr);
  }
}

bool interrupted() {
  return noted != 0;
}

std::string stopped_at(const std::string& last_done) {
  std::string text;
  for (const Watched& watched : kWatched) {
    if (watched.number == noted)
      text = fmt::format("stopped by {} after {}", watched.name, last_done);
  }
  const std::string line =
      fmt::format("nsn: {}; what was computed is written and marked as partial\n", text);
  std::fputs(line.c_str(), stderr);
  return text;
}

int exit_code(int otherwise) {
  return noted == 0 ? otherwise : kSignalled + noted;
}

}  // namespace nsn::cli
