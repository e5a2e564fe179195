// nsn: compare linear solvers, solve friction problems, run scenes.
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "bench/cli/commands.h"
#include "bench/support/machine.h"
#include "bench/support/passive_waiting.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/options.h"

namespace {

constexpr nsn::cli::AddCommand kCommands[] = {
    nsn::cli::add_compare_command, nsn::cli::add_solve_command, nsn::cli::add_solvers_command,
    nsn::cli::add_scenes_command,  nsn::cli::add_run_command,   nsn::cli::add_export_command,
    nsn::cli::add_joints_command,  nsn::cli::add_robot_command, nsn::cli::add_robustness_command,
    nsn::cli::add_study_command,   nsn::cli::add_sweep_command, nsn::cli::add_devices_command,
};

constexpr int kBadInput = 2;
constexpr int kInternalError = 3;

int complain(int code, std::string_view text) {
  fmt::print(stderr, "nsn: {}\n", text);
  return code;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// What was wrong on the command line, in one line, with the nearest valid words.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const std::vector<std::string> extra = app.remaining(true);
  if (extra.empty() && chosen.empty()) {
    return fmt::format("a command is needed: {}", fmt::join(command_names(app), ", "));
  }
  if (extra.empty()) return error.what();
  const std::string& word = extra.front();
  if (chosen.empty()) {
    return fmt::format("unknown command '{}'{}", word, nsn::suggestion(word, command_names(app)));
  }
  return fmt::format("{} has no option '{}'{}", chosen.front()->get_name(), word,
                     nsn::suggestion(word, option_names(*chosen.front())));
}

int run(CLI::App& app, int argc, char** argv) {
  int exit_code = 0;
  for (const auto add : kCommands) add(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return app.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    return complain(kBadInput, explain(app, error));
  } catch (const std::invalid_argument& error) {
    return complain(kBadInput, error.what());
  } catch (const nsn::InputError& error) {
    return complain(kBadInput, error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return complain(kBadInput, error.what());
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  nsn::bench::wait_passively(argv);
  try {
    CLI::App app{"Non-smooth Newton methods for frictional contact"};
    app.require_subcommand(1);
    app.set_version_flag("--version", "nsn " + nsn::bench::version());
    app.footer("Exit code: 0 success, 1 not converged, 2 bad input, 3 internal error.");
    return run(app, argc, argv);
  } catch (const std::bad_alloc&) {
    return complain(kInternalError, "out of memory");
  } catch (const std::exception& error) {
    return complain(kInternalError, error.what());
  }
}
