/// Whether the outputs of a command can be written, asked before any work.
///
///   probe_outputs(common, {given.picture, given.contacts}, {given.dump_failures});
///
/// What fills up while the work goes on is told at the end of it: exit code 2 and the reason.
#pragma once

#include <string>
#include <vector>

#include "bench/cli/common_options.h"

namespace nsn::cli {

/// --json and --out of the options, further files and folders, and stdout. "" is no output; nothing stays behind.
/// Throws InputError "file: cannot be written: reason".
void probe_outputs(const CommonOptions& common, const std::vector<std::string>& files = {},
                   const std::vector<std::string>& folders = {});

/// Everything printed has arrived; else InputError "stdout: cannot be written: reason". Call last.
void flush_stdout();

}  // namespace nsn::cli
