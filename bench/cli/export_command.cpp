// nsn export SCENE --step K: the linear systems of one step as folders for nsn compare.
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/core.h>

#include "bench/cli/commands.h"
#include "bench/cli/common_options.h"
#include "bench/cli/newton_export.h"
#include "bench/cli/outputs.h"
#include "bench/cli/progress.h"
#include "bench/cli/report_json.h"
#include "bench/cli/simulation_options.h"
#include "bench/cli/words.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/runtime.h"
#include "nsn/models/scenes/scene.h"
#include "nsn/models/step/simulation.h"

namespace nsn::cli {
namespace {

struct ExportFlags {
  std::string scene;
  int step = 1;
  std::string newton = "all";
  std::string format = "mtx";
};

/// -1: all.
int wanted_iteration(const std::string& text) {
  if (text == "all") return -1;
  try {
    std::size_t used = 0;
    const int value = std::stoi(text, &used);
    if (used == text.size() && value >= 0) return value;
  } catch (const std::logic_error&) {
    // falls through to the message below
  }
  throw std::invalid_argument(fmt::format("--newton '{}' is neither a number nor 'all'", text));
}

int run(const CommonOptions& common, const SimulationFlags& flags, const ExportFlags& given) {
  const Runtime runtime(common.threads);
  NSN_THROW_UNLESS(!common.out.empty(), "nsn export needs --out DIR");
  NSN_THROW_UNLESS(given.step >= 1, "--step {} is not positive", given.step);
  NSN_THROW_UNLESS(given.format == "mtx" || given.format == "petsc" || given.format == "fclib",
                   "--format '{}' is not one of mtx, petsc, fclib", given.format);
  const int wanted = wanted_iteration(given.newton);
  probe_outputs(common);
  Simulation simulation(make_scene(given.scene, scene_parameters(flags)), simulation_options(flags),
                        standard_backends());
  {
    Progress progress(given.scene, given.step - 1, common.prints_tables());
    for (int k = 1; k < given.step; ++k) {
      progress.step();
      simulation.step();
    }
  }
  std::vector<Row> rows;
  if (given.format == "fclib") {
    simulation.inspect([&](int island, StepEquations& equations, const NewtonResult&) {
      const auto path = write_friction_step(common.out, equations, given.scene, given.step, island);
      if (path.empty()) return;
      rows.push_back({{"file", path.string()}, {"contacts", equations.system().blocks()}});
      if (common.prints_tables()) fmt::print("{}\n", path.string());
    });
  }
  if (given.format != "fclib")
    simulation.observe([&](int island, const NewtonSystemView& view) {
      if (wanted >= 0 && view.iteration != wanted) return;
      const std::filesystem::path folder = std::filesystem::path(common.out) /
                                           fmt::format("{}-step{}-island{}-newton{}", given.scene,
                                                       given.step, island, view.iteration);
      write_newton_system(folder, view, system_format_from(given.format), given.scene, given.step,
                          island);
      rows.push_back({{"folder", folder.string()},
                      {"rows", view.S->scalar_rows()},
                      {"newton_iteration", view.iteration}});
      if (common.prints_tables())
        fmt::print("{}: {} rows\n", folder.string(), view.S->scalar_rows());
    });
  simulation.step();
  if (rows.empty() && common.prints_tables()) {
    fmt::print("step {} of {} took no Newton iteration that was asked for\n", given.step,
               given.scene);
  }
  if (!common.json.empty()) write_json(common.json, json_report(rows));
  return rows.empty() ? 1 : 0;
}

}  // namespace

void add_export_command(Command& app, int& exit_code) {
  Command command = app.add_subcommand("export", "write the linear systems of a step");
  auto common = std::make_shared<CommonOptions>();
  auto flags = std::make_shared<SimulationFlags>();
  auto given = std::make_shared<ExportFlags>();
  command.add_option("scene", given->scene, "which scene").required().completes(scene_words());
  command.add_option("--step", given->step, "which step, from 1").show_default();
  command.add_option("--newton", given->newton, "which Newton iteration, from 0, or all")
      .show_default();
  command
      .add_option(
          "--format", given->format,
          "mtx: linear systems; petsc: the same in PETSc's binary format; fclib: the step as a\n"
          "friction problem")
      .completes(words({"mtx", "petsc", "fclib"}))
      .show_default();
  add_simulation_flags(command, *flags);
  add_threads_option(command, *common);
  add_json_option(command, *common);
  add_out_option(command, *common, "folders of exported systems");
  add_quiet_option(command, *common);
  command.callback([=, &exit_code] { exit_code = run(*common, *flags, *given); });
}

}  // namespace nsn::cli
