// nsn: compare linear solvers, solve friction problems, run scenes.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/core.h>

#include "bench/cli/commands.h"
#include "bench/cli/completion.h"
#include "bench/cli/outputs.h"
#include "bench/compare/worker.h"
#include "bench/distributed/distributed.h"
#include "bench/support/machine.h"
#include "bench/support/passive_waiting.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/error.h"
#include "nsn/core/linear/plugin.h"

namespace {

constexpr nsn::cli::AddCommand kCommands[] = {
    nsn::cli::add_compare_command,    nsn::cli::add_solve_command,
    nsn::cli::add_solvers_command,    nsn::cli::add_scenes_command,
    nsn::cli::add_run_command,        nsn::cli::add_view_command,
    nsn::cli::add_export_command,     nsn::cli::add_joints_command,
    nsn::cli::add_robot_command,      nsn::cli::add_robustness_command,
    nsn::cli::add_study_command,      nsn::cli::add_sweep_command,
    nsn::cli::add_devices_command,    nsn::cli::add_doctor_command,
    nsn::cli::add_completion_command, nsn::cli::add_convert_command,
    nsn::cli::add_generate_command,
};

constexpr int kBadInput = 2;
constexpr int kInternalError = 3;
constexpr std::string_view kComplete = "__complete";  // what the shells' scripts call

/// Nothing here may throw: a closed stderr has no one to complain to.
int complain(int code, const std::string& text) {
  if (nsn::bench::process_number() > 0) return code;  // of many that say the same the first speaks
  std::fputs(("nsn: " + text + "\n").c_str(), stderr);
  return code;
}

/// Nothing is computed: no thread will wait.
bool only_prints(std::string_view word) {
  constexpr std::array<std::string_view, 5> kWords{"--version", "--help", "-h", "completion",
                                                   kComplete};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

int run(nsn::cli::Command& app, int argc, char** argv) {
  int exit_code = 0;
  for (const auto add : kCommands) add(app, exit_code);
  try {
    if (argc > 1 && argv[1] == kComplete) {
      fmt::print("{}", nsn::cli::completions_text(app, {argv + 2, argv + argc}));
      nsn::cli::flush_stdout();
      return 0;
    }
    const int code = app.parse(argc, argv).value_or(exit_code);
    nsn::cli::flush_stdout();
    return code;
  } catch (const std::invalid_argument& error) {
    return complain(kBadInput, error.what());
  } catch (const nsn::InputError& error) {
    return complain(kBadInput, error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    const std::string file = error.path1().string();
    return complain(kBadInput, (file.empty() ? "a file" : file) + ": " + error.code().message());
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) == 0) throw;
    return complain(kBadInput, "stdout: cannot be written: " + error.code().message());
  }
}

/// All of what mpirun starts do the same; but for `nsn compare --distributed`.
bool share_the_work(int argc, char** argv) {
  return std::any_of(argv, argv + argc,
                     [](const char* word) { return std::string_view(word) == "--distributed"; });
}

/// A solver under comparison, in a process that `nsn compare` started.
int contestant(int argc, char** argv) {
  return nsn::bench::serve_contestants(argc, argv, [](const std::vector<std::string>& plugins) {
    nsn::SolverRegistry registry = nsn::standard_backends();
    for (const std::string& file : plugins) nsn::load_plugin(file, registry);
    return registry;
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || !only_prints(argv[1])) nsn::bench::wait_passively(argv);
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is an error of writing, with its reason
  try {
    if (argc > 1 && argv[1] == nsn::bench::kWorkerCommand) return contestant(argc, argv);
    const int processes = nsn::bench::processes_started();
    if (processes > 1 && !share_the_work(argc, argv)) {
      return complain(
          kBadInput,
          fmt::format("one of {} processes that mpirun started, which would all do the same and "
                      "overwrite each other's files; only 'nsn compare --distributed' shares its "
                      "work among them",
                      processes));
    }
    nsn::cli::Command app("Non-smooth Newton methods for frictional contact");
    app.version("nsn " + nsn::bench::version());
    app.footer(
        "Exit code: 0 success, 1 not converged, 2 bad input or an output that cannot be written,\n"
        "3 internal error; 130, 143, 129: stopped by Ctrl-C, SIGTERM, SIGHUP.");
    return run(app, argc, argv);
  } catch (const std::bad_alloc&) {
    return complain(kInternalError, "out of memory");
  } catch (const std::exception& error) {
    return complain(kInternalError, error.what());
  }
}
