#include "bench/cli/outputs.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <poll.h>
#include <unistd.h>

#include <fmt/format.h>

#include "nsn/core/base/error.h"
#include "nsn/core/io/atomic_file.h"

namespace nsn::cli {
namespace {

[[noreturn]] void refuse_stdout(int error) {
  throw InputError(fmt::format("stdout: cannot be written: {}", std::strerror(error)));
}

/// A pipe that nobody reads is known before the first byte.
void probe_stdout() {
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  if (::poll(&out, 1, 0) < 0) return;
  if ((out.revents & POLLNVAL) != 0) refuse_stdout(EBADF);
  if ((out.revents & (POLLERR | POLLHUP)) != 0) refuse_stdout(EPIPE);
}

}  // namespace

void probe_outputs(const CommonOptions& common, const std::vector<std::string>& files,
                   const std::vector<std::string>& folders) {
  probe_stdout();
  if (!common.json.empty() && common.json != "-") probe_file(common.json);
  for (const std::string& file : files) {
    if (!file.empty()) probe_file(file);
  }
  std::vector<std::string> all = folders;
  all.push_back(common.out);
  for (const std::string& folder : all) {
    if (!folder.empty()) probe_file(std::filesystem::path(folder) / "probe");
  }
}

void flush_stdout() {
  const bool failed = std::ferror(stdout) != 0;
  if (std::fflush(stdout) != 0) refuse_stdout(errno);
  if (failed) refuse_stdout(EIO);
}

}  // namespace nsn::cli
