#include "nsn/core/io/child_process.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nsn/core/base/error.h"

namespace nsn {

namespace {

constexpr char kData = 'D';
constexpr char kError = 'E';
constexpr char kEnd = '.';  // last byte: the answer is whole

void write_all(int file, const std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::write(file, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno != EINTR) ::_exit(1);
    if (n > 0) done += static_cast<std::size_t>(n);
  }
}

std::string read_all(int file) {
  std::string bytes;
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t n = ::read(file, buffer.data(), buffer.size());
    if (n == 0) return bytes;
    if (n < 0 && errno != EINTR) return bytes;
    if (n > 0) bytes.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

[[noreturn]] void child_main(const std::function<std::string()>& work, int out, int cpu_seconds) {
  const rlimit processor{static_cast<rlim_t>(cpu_seconds), static_cast<rlim_t>(cpu_seconds)};
  const rlimit core{0, 0};
  ::setrlimit(RLIMIT_CPU, &processor);
  ::setrlimit(RLIMIT_CORE, &core);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
  std::string answer;
  try {
    answer = kData + work();
  } catch (const InputError& error) {
    answer = kError + std::string(error.what());
  } catch (const std::exception& error) {
    answer = kError + std::string("failed: ") + error.what();
  }
  write_all(out, answer + kEnd);
  ::_exit(0);
}

std::string describe(int status) {
  if (WIFSIGNALED(status)) return fmt::format("signal {}", WTERMSIG(status));
  return fmt::format("exit code {}", WEXITSTATUS(status));
}

}  // namespace

ChildOutcome run_in_child(const std::function<std::string()>& work, int cpu_seconds) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error(fmt::format("pipe: {}", std::strerror(errno)));
  }
  const pid_t child = ::fork();
  if (child == 0) child_main(work, ends[1], cpu_seconds);
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    throw std::runtime_error(fmt::format("fork: {}", std::strerror(errno)));
  }
  std::string bytes = read_all(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (bytes.size() < 2 || bytes.back() != kEnd || status != 0) {
    return {ChildOutcome::Kind::kDied, describe(status)};
  }
  const auto kind =
      bytes.front() == kData ? ChildOutcome::Kind::kFinished : ChildOutcome::Kind::kRefused;
  return {kind, bytes.substr(1, bytes.size() - 2)};
}

}  // namespace nsn
