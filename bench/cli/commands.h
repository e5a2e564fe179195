/// The sub-commands of `nsn`, one file each: bench/cli/<name>_command.cpp.
///
/// Each function adds its sub-command to the app and, when it is chosen, runs it from the callback
/// and sets exit_code: 0 success, 1 not converged. Bad input is an exception
/// (std::invalid_argument, nsn::InputError): main() prints its one line on stderr and exits with 2.
/// A new command is declared here and listed in main.cpp.
#pragma once

#include <CLI/CLI.hpp>

namespace nsn::cli {

using AddCommand = void (*)(CLI::App& app, int& exit_code);

void add_compare_command(CLI::App& app, int& exit_code);
void add_devices_command(CLI::App& app, int& exit_code);
void add_solve_command(CLI::App& app, int& exit_code);
void add_solvers_command(CLI::App& app, int& exit_code);
void add_scenes_command(CLI::App& app, int& exit_code);
void add_run_command(CLI::App& app, int& exit_code);
void add_export_command(CLI::App& app, int& exit_code);
void add_joints_command(CLI::App& app, int& exit_code);
void add_robot_command(CLI::App& app, int& exit_code);
void add_robustness_command(CLI::App& app, int& exit_code);
void add_study_command(CLI::App& app, int& exit_code);
void add_sweep_command(CLI::App& app, int& exit_code);

}  // namespace nsn::cli
