/// Options that most sub-commands share, and the frame they run in.
///
///   void add_scenes_command(Command& app, int& exit_code) {
///     Command command = app.add_subcommand("scenes", "what can be run");
///     auto options = std::make_shared<CommonOptions>();
///     add_json_option(command, *options);
///     command.callback([=, &exit_code] { exit_code = run(*options); });
///   }
///
/// A command creates its own Runtime(options.threads) before anything that holds a view.
#pragma once

#include <cstdint>
#include <string>

#include "bench/cli/command.h"

namespace nsn::cli {

struct CommonOptions {
  int threads = 0;         ///< 0: what OMP_NUM_THREADS or the machine says
  std::uint64_t seed = 1;  ///< of everything random
  std::string json;        ///< file for the machine-readable report, "-" for stdout; empty: none
  std::string out;         ///< folder for everything that is written; empty: nothing is
  bool quiet = false;      ///< no tables, no progress

  /// Tables go to stdout unless JSON does.
  bool prints_tables() const { return !quiet && json != "-"; }
};

void add_threads_option(Command& command, CommonOptions& options);
void add_seed_option(Command& command, CommonOptions& options);
void add_json_option(Command& command, CommonOptions& options);
void add_out_option(Command& command, CommonOptions& options, const std::string& what);
void add_quiet_option(Command& command, CommonOptions& options);

}  // namespace nsn::cli
