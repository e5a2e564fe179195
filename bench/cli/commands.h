/// The sub-commands of `nsn`, one file each: bench/cli/<name>_command.cpp.
///
/// Each function adds its sub-command to the app and, when it is chosen, runs it from the callback
/// and sets exit_code: 0 success, 1 not converged. Bad input is an exception
/// (std::invalid_argument, nsn::InputError): main() prints its one line on stderr and exits with 2.
/// A new command is declared here and listed in main.cpp.
#pragma once

#include "bench/cli/command.h"

namespace nsn::cli {

using AddCommand = void (*)(Command& app, int& exit_code);

void add_compare_command(Command& app, int& exit_code);
void add_completion_command(Command& app, int& exit_code);
void add_convert_command(Command& app, int& exit_code);
void add_devices_command(Command& app, int& exit_code);
void add_doctor_command(Command& app, int& exit_code);
void add_solve_command(Command& app, int& exit_code);
void add_solvers_command(Command& app, int& exit_code);
void add_scenes_command(Command& app, int& exit_code);
void add_run_command(Command& app, int& exit_code);
void add_export_command(Command& app, int& exit_code);
void add_generate_command(Command& app, int& exit_code);
void add_joints_command(Command& app, int& exit_code);
void add_robot_command(Command& app, int& exit_code);
void add_robustness_command(Command& app, int& exit_code);
void add_study_command(Command& app, int& exit_code);
void add_sweep_command(Command& app, int& exit_code);
void add_view_command(Command& app, int& exit_code);

}  // namespace nsn::cli
