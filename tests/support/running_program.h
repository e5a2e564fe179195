/// A program that runs while a test looks on: what it has written so far, signals to it, how it ends.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "nsn/core/io/text_file.h"
#include "tests/support/temporary_folder.h"

namespace nsn::test {

class RunningProgram {
 public:
  explicit RunningProgram(const std::vector<std::string>& words) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const std::string out = (folder_ / "out").string();
    const std::string err = (folder_ / "err").string();
    child_ = ::fork();
    if (child_ != 0) return;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
    ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
    ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  ~RunningProgram() {
    if (child_ > 0) {
      ::kill(child_, SIGKILL);
      ::waitpid(child_, nullptr, 0);
    }
  }
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  /// Waits until it holds; false if the program ended before. How long that takes is of no matter.
  template <class Condition>
  bool wait_until(const Condition& holds) {
    while (!holds()) {
      if (ended()) return holds();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }

  void send(int signal) const { ::kill(child_, signal); }

  /// The exit code; that of a shell, 128 + signal, if a signal ended it.
  int wait() {
    while (!ended()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  }

  std::string out() const { return read_text_file(folder_ / "out"); }
  std::string err() const { return read_text_file(folder_ / "err"); }

 private:
  bool ended() {
    if (child_ > 0 && ::waitpid(child_, &status_, WNOHANG) == child_) child_ = -1;
    return child_ <= 0;
  }

  TemporaryFolder folder_;
  pid_t child_ = -1;
  int status_ = 0;
};

}  // namespace nsn::test
