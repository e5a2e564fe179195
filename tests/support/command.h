/// Runs a program and keeps what it said.
#pragma once

#include <cstdlib>
#include <string>
#include <sys/wait.h>

#include "nsn/core/io/text_file.h"
#include "tests/support/temporary_folder.h"

namespace nsn {

struct CommandResult {
  int exit_code = -1;
  std::string out;
  std::string err;
};

/// `command` goes through the shell: quote what needs it.
inline CommandResult run_command(const std::string& command) {
  const TemporaryFolder folder;
  const std::string out = (folder / "out").string();
  const std::string err = (folder / "err").string();
  const int status = std::system((command + " >" + out + " 2>" + err + " </dev/null").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text_file(out), read_text_file(err)};
}

}  // namespace nsn
