// nsn joints FOLDER: trajectories and reactions of single joints against published references.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "bench/cli/commands.h"
#include "bench/cli/common_options.h"
#include "bench/cli/outputs.h"
#include "bench/cli/progress.h"
#include "bench/cli/report_json.h"
#include "bench/cli/table.h"
#include "bench/joints/joint_references.h"
#include "nsn/core/base/runtime.h"

namespace nsn::cli {
namespace {

using bench::JointCase;
using bench::JointComparison;
using bench::JointRun;

struct JointsFlags {
  std::string folder;
  double time_step = 5e-4;
};

/// One line of the table: a case under a setting.
struct Line {
  const JointCase* reference = nullptr;
  std::string setting;
  JointRun run;
  bool judged = true;  ///< the published tolerances apply
  JointComparison result;
};

/// As published, in another frame, and the default integrator at three steps.
std::vector<Line> lines(double h) {
  std::vector<Line> list;
  const Quaternion turned = normalized(Quaternion{0.4, -0.3, 0.7, 0.2});
  for (const JointCase& reference : bench::joint_cases()) {
    JointRun run;
    run.h = h;
    list.push_back({&reference, "start directions", run, true, {}});
    run.turned = turned;
    run.moved = {0.3, -1.1, 0.6};
    list.push_back({&reference, "the same, turned", run, true, {}});
  }
  for (const JointCase& reference : bench::joint_cases()) {
    for (const double factor : {4.0, 2.0, 1.0}) {
      JointRun run;
      run.h = factor * h;
      run.directions = ForceDirections::kEndOfStep;
      list.push_back({&reference, "end directions", run, false, {}});
    }
  }
  return list;
}

Row to_row(const Line& line) {
  Row row{{"case", line.reference->name},
          {"joint", line.reference->type},
          {"setting", line.setting},
          {"time_step_s", line.run.h}};
  const char* const keys[] = {"position_rms_m", "velocity_rms_mps",
                              "quaternion_rms", "angular_velocity_rms_radps",
                              "force_rms_n",    "torque_rms_nm"};
  for (std::size_t k = 0; k < line.result.rms.size(); ++k) row[keys[k]] = line.result.rms[k];
  row["energy_change_max_j"] = line.result.energy_change;
  row["drift_max"] = line.result.drift;
  row["unconverged_steps"] = line.result.unconverged;
  row["status"] = !line.judged                          ? "shown"
                  : line.result.within(*line.reference) ? "within tolerance"
                                                        : "outside";
  return row;
}

void print_table(const std::vector<Line>& list) {
  std::vector<Table::Column> columns{{"case"}, {"setting"}, {"h [s]", Align::kRight}};
  for (const auto& quantity : bench::kJointQuantities) {
    columns.push_back({std::string(quantity), Align::kRight});
  }
  columns.push_back({"energy [J]", Align::kRight});
  columns.push_back({"drift", Align::kRight});
  columns.push_back({"verdict"});
  Table table(columns);
  const JointCase* last = nullptr;
  for (const Line& line : list) {
    if (last != nullptr && last != line.reference) table.add_gap();
    last = line.reference;
    std::vector<std::string> cells{line.reference->name, line.setting,
                                   fmt::format("{:g}", line.run.h)};
    for (std::size_t k = 0; k < line.result.rms.size(); ++k) {
      const bool outside =
          line.judged && !(line.result.rms[k] <= line.result.tolerance(*line.reference, k));
      cells.push_back(residual_text(line.result.rms[k]) + (outside ? "!" : ""));
    }
    cells.push_back(residual_text(line.result.energy_change));
    cells.push_back(residual_text(line.result.drift));
    cells.push_back(to_row(line)["status"].get<std::string>());
    table.add(std::move(cells));
  }
  fmt::print("{}", table.text());
}

int run(const CommonOptions& common, const JointsFlags& flags) {
  const Runtime runtime(common.threads);
  std::vector<Line> list = lines(flags.time_step);
  probe_outputs(common);
  bool all_within = true;
  std::vector<Row> rows;
  {
    Progress progress("joints", static_cast<long>(list.size()), common.prints_tables());
    for (Line& line : list) {
      progress.step(line.reference->name);
      line.result = bench::compare_joint(*line.reference, flags.folder, line.run);
      all_within = all_within && (!line.judged || line.result.within(*line.reference));
      rows.push_back(to_row(line));
    }
  }
  if (!common.json.empty()) write_json(common.json, json_report(rows));
  if (common.prints_tables()) print_table(list);
  return all_within ? 0 : 1;
}

}  // namespace

void add_joints_command(Command& app, int& exit_code) {
  Command command =
      app.add_subcommand("joints", "compare joints with reference trajectories (ADAMS)");
  auto common = std::make_shared<CommonOptions>();
  auto flags = std::make_shared<JointsFlags>();
  command.add_option("folder", flags->folder, "folder of NAME_ADAMS_QUANTITY.txt files")
      .required()
      .type_name("DIR");
  command.add_option("--time-step", flags->time_step, "h, s").show_default();
  add_threads_option(command, *common);
  add_json_option(command, *common);
  add_quiet_option(command, *common);
  command.callback([=, &exit_code] { exit_code = run(*common, *flags); });
}

}  // namespace nsn::cli
