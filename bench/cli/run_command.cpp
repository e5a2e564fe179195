// nsn run SCENE: simulates, and says how well and how fast.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "bench/cli/commands.h"
#include "bench/cli/common_options.h"
#include "bench/cli/interrupt.h"
#include "bench/cli/newton_export.h"
#include "bench/cli/outputs.h"
#include "bench/cli/progress.h"
#include "bench/cli/report_json.h"
#include "bench/cli/row_file.h"
#include "bench/cli/run_recording.h"
#include "bench/cli/simulation_options.h"
#include "bench/cli/table.h"
#include "bench/cli/vtk_series.h"
#include "bench/cli/words.h"
#include "bench/report/scene_picture.h"
#include "bench/support/run_hash.h"
#include "bench/support/run_measures.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/runtime.h"
#include "nsn/core/io/atomic_file.h"
#include "nsn/core/io/text_file.h"
#include "nsn/core/linear/failed_solves.h"
#include "nsn/models/scenes/scene.h"
#include "nsn/models/step/simulation.h"

namespace nsn::cli {
namespace {

namespace fs = std::filesystem;

struct RunFlags {
  std::string scene;
  std::optional<int> steps;  ///< none: the scene's own
  std::string picture;
  int width = 960;  ///< of pictures, pixels
  std::string animation;
  bool forces = false;  ///< in pictures
  bool hash = false;
  std::string contacts;
  std::string dump_failures;
  std::string from_state;
  std::string save_state;
  RecordingFlags pages;
  int frames_every = 1;
};

Row step_row(int step, const Simulation& simulation) {
  const StepReport& r = simulation.report();
  return {{"step", step},
          {"time_s", simulation.world().time},
          {"status", std::string(to_string(r.status))},
          {"promise", std::string(to_string(r.promise))},
          {"contacts", r.contacts},
          {"islands", r.islands},
          {"newton_iterations", r.newton_iterations},
          {"factorizations", r.factorizations},
          {"linear_iterations", r.linear_iterations},
          {"error_mps", r.error.total},
          {"error_normal_m", r.error.normal},
          {"error_friction_mps", r.error.friction},
          {"error_momentum_mps", r.error.momentum},
          {"error_relative", r.error.relative},
          {"worst_row", r.worst_row},
          {"worst_contact", r.worst_contact},
          {"worst_body_a", r.worst_body_a},
          {"worst_body_b", r.worst_body_b},
          {"target_mps", r.target},
          {"judged_error_mps", r.target_error},
          {"islands_missed", r.islands_missed},
          {"islands_failed", r.islands_failed},
          {"fast_pairs", r.fast_pairs},
          {"penetration_m", r.penetration},
          {"joint_drift_m", r.drift.distance},
          {"joint_drift_rad", r.drift.angle},
          {"limit_excess", r.drift.limit_excess},
          {"energy_j", r.energy},
          {"speed_mps", r.speed},
          {"handed_over", r.handed_over},
          {"detect_ms", 1e3 * r.detect_seconds},
          {"assemble_ms", 1e3 * r.assemble_seconds},
          {"solve_ms", 1e3 * r.solve_seconds}};
}

std::vector<Row> contact_rows(int step, const Simulation& simulation) {
  std::vector<Row> rows;
  for (const ContactInfo& c : simulation.contacts()) {
    if (c.body_a < 0 || c.body_b < 0) continue;
    rows.push_back({{"step", step},
                    {"body_a", c.body_a},
                    {"body_b", c.body_b},
                    {"x_m", c.point[0]},
                    {"y_m", c.point[1]},
                    {"z_m", c.point[2]},
                    {"normal_x", c.normal[0]},
                    {"normal_y", c.normal[1]},
                    {"normal_z", c.normal[2]},
                    {"gap_m", c.gap},
                    {"force_x_n", c.force[0]},
                    {"force_y_n", c.force[1]},
                    {"force_z_n", c.force[2]}});
  }
  return rows;
}

/// "pcg breakdown 3, petsc backend-error 60; the last: ..."
std::string failures_text(const FailedSolves& failed) {
  std::vector<std::string> parts;
  for (const auto& [what, times] : failed.count) parts.push_back(fmt::format("{} {}", what, times));
  const std::string last = failed.last.empty() ? "" : "; the last: " + failed.last;
  return fmt::format("{}{}", fmt::join(parts, ", "), last);
}

void print_promise(const Row& row, std::string_view method) {
  const auto steps = [&](const char* key) { return row[key].get<int>(); };
  const int above = steps("steps_above_1e_8_mps");
  if (method == "realtime") {
    fmt::print("  promise         {} steps on target, {} missed it but safe, {} failed\n",
               steps("reached_steps"), steps("missed_steps"), steps("failed_steps"));
  } else if (method == "paper" && steps("reached_steps") > 0 && steps("unconverged_steps") > 0) {
    fmt::print("  promise         {} steps did their iterations, {} ended before, {} failed\n",
               steps("reached_steps"), steps("missed_steps"), steps("failed_steps"));
  } else {
    fmt::print("  not converged   {} steps ({} with an error above 1e-8 m/s)\n",
               steps("unconverged_steps"), above);
  }
}

/// ", step 3, bodies 0 and 2, contact 5"
std::string place_of_error(const Row& row) {
  const auto number = [&](const char* key) { return row[key].get<int>(); };
  std::string text = fmt::format("step {}", number("error_max_step"));
  const int a = number("error_max_body_a");
  const int b = number("error_max_body_b");
  if (a >= 0)
    text += b >= 0 ? fmt::format(", bodies {} and {}", a, b) : fmt::format(", body {}", a);
  const int contact = number("error_max_contact");
  if (contact >= 0) text += fmt::format(", contact {}", contact);
  return text;
}

/// What the linear systems of the last step were over, and who solved them; each once.
std::pair<std::string, std::string> linear_words(const Simulation& simulation) {
  std::set<std::string> forms;
  std::set<std::string> solvers;
  for (int i = 0; i < simulation.report().islands; ++i) {
    const NewtonResult& result = simulation.result(i);
    forms.insert(std::string(result.form));
    solvers.insert(result.linear_solver);
  }
  return {fmt::format("{}", fmt::join(forms, "; ")), fmt::format("{}", fmt::join(solvers, "; "))};
}

void print_summary(const Row& row, std::string_view method, bool deformable) {
  const auto number = [&](const char* key) { return row[key].get<double>(); };
  fmt::print("{}, {} steps, {} contacts at most\n", row["scene"].get<std::string>(),
             row["steps"].get<int>(), row["contacts_max"].get<int>());
  fmt::print("  status          {}\n", row["status"].get<std::string>());
  print_promise(row, method);
  fmt::print("  iterations      {:.2f} Newton, {:.1f} linear per step\n",
             number("newton_iterations_mean"), number("linear_iterations_mean"));
  if (!row["linear_forms"].get<std::string>().empty()) {
    fmt::print("  linear systems  over {}, by {} (last step)\n",
               row["linear_forms"].get<std::string>(), row["linear_solvers"].get<std::string>());
  }
  if (row["failed_linear_solves"].get<long>() > 0) {
    fmt::print("  linear failures {} ({})\n", row["failed_linear_solves"].get<long>(),
               row["failed_linear_detail"].get<std::string>());
  }
  fmt::print("  error           {:.1e} m/s median, {:.1e} m/s largest ({})\n",
             number("error_median_mps"), number("error_max_mps"), place_of_error(row));
  fmt::print("  of it           e_n {:.1e} m, e_f {:.1e} m/s, momentum {:.1e} m/s (medians)\n",
             number("error_normal_median_m"), number("error_friction_median_mps"),
             number("error_momentum_median_mps"));
  fmt::print("  penetration     {:.1e} m largest\n", number("penetration_max_m"));
  if (row["fast_pairs_max"].get<int>() > 0) {
    fmt::print("  fast pairs      {} at most closed by more than their size in a step\n",
               row["fast_pairs_max"].get<int>());
  }
  if (row["joints"].get<int>() > 0) {
    fmt::print(
        "  joints          {}: drift {:.1e} m and {:.1e} rad largest, limits exceeded by {:.1e}\n",
        row["joints"].get<int>(), number("joint_drift_max_m"), number("joint_drift_max_rad"),
        number("limit_excess_max"));
  }
  fmt::print("  displacement    {:.6g} m largest, speed {:.3g} m/s at the end\n",
             number("displacement_max_m"), number("speed_max_mps"));
  if (deformable) {
    fmt::print("  volume          {:.4g} of that at rest\n", number("volume_ratio"));
  }
  fmt::print("  energy          {:.6g} J -> {:.6g} J\n", number("energy_start_j"),
             number("energy_end_j"));
  fmt::print("  time per step   detect {:.3f} ms, assemble {:.3f} ms, solve {:.3f} ms (medians)\n",
             number("detect_ms_median"), number("assemble_ms_median"), number("solve_ms_median"));
  fmt::print("  per contact     {:.5f} ms (median of the steps)\n",
             number("ms_per_contact_median"));
  fmt::print("  device          {}: rows on {}, linear systems on {}; {:.0f} launches per step\n",
             row["device"].get<std::string>(), row["evaluate_on"].get<std::string>(),
             row["solve_on"].get<std::string>(), number("launches_per_step"));
  if (number("copied_up_bytes_per_step") + number("copied_down_bytes_per_step") > 0.0) {
    fmt::print("  copied          {:.0f} bytes up, {:.0f} down per step; {:.0f} per iteration\n",
               number("copied_up_bytes_per_step"), number("copied_down_bytes_per_step"),
               number("copied_bytes_per_newton_iteration"));
  }
}

render::Image frame(const RunFlags& given, const Simulation& simulation, int width, int height,
                    const std::optional<report::Framing>& framing = {}) {
  using Arrows = std::vector<report::ForceArrow>;
  const Arrows forces = given.forces ? report::contact_forces(simulation) : Arrows{};
  return report::picture_of(simulation.world(), forces, width, height, framing);
}

/// A scene by its name, or the scene `robot` with a file.
struct Chosen {
  std::string scene;
  std::string label;  ///< of files and reports
  Options::Assignments parameters;
};

Chosen choose(const SimulationFlags& flags, const std::string& name) {
  const std::filesystem::path path = name;
  const std::string kind = path.extension().string();
  const bool robot = kind == ".xml" || kind == ".urdf" || kind == ".mjcf";
  if (!robot) return {name, name, scene_parameters(flags)};
  Chosen chosen{"robot", path.stem().string(), {{"file", name}}};
  for (const auto& one : scene_parameters(flags)) chosen.parameters.push_back(one);
  return chosen;
}

/// Frames and tables of two scenes in one folder would be mixed up.
void refuse_folder_of_another(const fs::path& folder, const std::string& label) {
  if (!fs::is_directory(folder)) return;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const fs::path& file = entry.path();
    if (file.extension() != ".run" || file.stem() == label) continue;
    throw InputError(fmt::format("--out {}: has the run of another scene ({}), name another folder",
                                 folder.string(), file.filename().string()));
  }
}

/// What grows with the steps. All of it survives an interrupt, the tables a kill -9 as well.
class Recording {
 public:
  Recording(const CommonOptions& common, const RunFlags& given, const Simulation& simulation)
      : given_(given),
        folder_(common.out),
        measures(simulation),
        steps_(common.out.empty() ? fs::path() : folder_ / "steps.csv"),
        contacts_(given.contacts) {
    if (common.out.empty()) return;
    series_.emplace(common.out, given.scene);
    series_->add(simulation.world());
  }

  void add(int step, const Simulation& simulation) {
    measures.add(simulation);
    if (given_.hash) hash.add(simulation);
    steps_.add({step_row(step, simulation)});
    if (!given_.contacts.empty()) contacts_.add(contact_rows(step, simulation));
    if (step % given_.frames_every != 0) return;
    if (series_) series_->add(simulation.world());
    if (!given_.animation.empty()) add_frame(simulation);
  }

  /// `stopped`: where an interrupt ended the run.
  void write(const Simulation& simulation, const std::string& stopped) {
    if (stopped.empty()) {
      steps_.finish();
      contacts_.finish();
    }
    if (series_) {
      series_->finish(stopped);
      render::write_png(frame(given_, simulation, given_.width, given_.width * 2 / 3),
                        folder_ / (given_.scene + ".png"));
    }
    if (!given_.picture.empty()) {
      render::write_png(frame(given_, simulation, given_.width, given_.width * 2 / 3),
                        given_.picture);
    }
    if (!given_.animation.empty()) {
      if (frames_.empty()) add_frame(simulation);
      const double seconds = simulation.options().h * given_.frames_every;
      render::write_animation(frames_, seconds, given_.animation);
    }
    if (!given_.save_state.empty()) write_file(given_.save_state, simulation.state());
  }

 private:
  /// Of the animation, seen from where the first was.
  void add_frame(const Simulation& simulation) {
    if (!framing_) framing_ = report::framing_of(simulation.world());
    frames_.push_back(frame(given_, simulation, 480, 320, framing_));
  }

  const RunFlags& given_;
  fs::path folder_;
  std::optional<report::Framing> framing_;

 public:
  bench::RunMeasures measures;
  bench::RunHash hash;

 private:
  RowFile steps_;
  RowFile contacts_;
  std::optional<VtkSeries> series_;
  std::vector<render::Image> frames_;
};

int run(const CommonOptions& common, const SimulationFlags& flags, RunFlags given) {
  note_interrupts();
  const Runtime runtime(common.threads);
  const Chosen chosen = choose(flags, given.scene);
  const SceneInfo& info = scene_info(chosen.scene);
  const int steps = given.steps.value_or(info.default_steps);
  NSN_THROW_UNLESS(steps >= 0, "--steps {} is negative", steps);
  NSN_THROW_UNLESS(given.frames_every >= 1, "--frame-every {} is not positive", given.frames_every);
  Simulation simulation(make_scene(chosen.scene, chosen.parameters), simulation_options(flags),
                        standard_backends());
  if (common.prints_tables()) {
    for (const std::string& note : simulation.world().notes) fmt::print(stderr, "nsn: {}\n", note);
  }
  given.scene = chosen.label;
  refuse_folder_of_another(common.out, given.scene);
  if (!given.from_state.empty()) {
    const std::string state = read_text_file(given.from_state);
    try {
      simulation.set_state(state);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(given.from_state + ": " + error.what());
    }
  }
  probe_outputs(common,
                {given.picture, given.animation, given.contacts, given.save_state, given.pages.html,
                 given.pages.glb, given.pages.trace},
                {given.dump_failures});
  if (!common.out.empty()) given.pages.run = fs::path(common.out) / (given.scene + ".run");
  Recording recording(common, given, simulation);
  RunRecording pages(given.pages, given.scene, facts_of(flags), simulation);
  int done = 0;
  if (!given.dump_failures.empty()) {
    simulation.inspect([&](int island, StepEquations& equations, const NewtonResult& result) {
      if (result.converged()) return;
      write_friction_step(given.dump_failures, equations, given.scene, done + 1, island);
    });
  }
  {
    Progress progress(given.scene, steps, common.prints_tables());
    while (done < steps && !interrupted()) {
      progress.step();
      simulation.step();
      recording.add(++done, simulation);
      pages.add(simulation);
    }
  }
  const std::string stopped =
      done < steps ? stopped_at(fmt::format("step {} of {}", done, steps)) : "";
  Row row = {{"scene", given.scene}};
  row.update(recording.measures.row(simulation));
  const FailedSolves failed = failed_solves();
  const auto [forms, solvers] = linear_words(simulation);
  row["linear_forms"] = forms;
  row["linear_solvers"] = solvers;
  row["failed_linear_solves"] = failed.total();
  row["failed_linear_detail"] = failures_text(failed);
  recording.write(simulation, stopped);
  pages.write(stopped);
  if (!common.json.empty()) write_json(common.json, json_report({row}, stopped));
  if (common.prints_tables()) {
    print_summary(row, method_name(simulation.options().newton),
                  !simulation.world().deformables().empty());
    if (!given.pages.html.empty()) fmt::print("open {}\n", fs::absolute(given.pages.html).string());
  }
  if (given.hash) {
    fmt::print("hash {} {}{}\n", recording.hash.text(), bench::hash_platform(),
               stopped.empty() ? "" : ", " + stopped);
  }
  return exit_code(recording.measures.held ? 0 : 1);
}

}  // namespace

void add_run_command(Command& app, int& exit_code) {
  Command command = app.add_subcommand("run", "simulate a scene");
  auto common = std::make_shared<CommonOptions>();
  auto flags = std::make_shared<SimulationFlags>();
  auto given = std::make_shared<RunFlags>();
  command
      .add_option("scene", given->scene,
                  "which scene (nsn scenes lists them), or a robot: a file of URDF or MJCF")
      .required()
      .completes(scene_words());
  command.add_option("--steps", given->steps, "number of steps (default: the scene's own)");
  command.add_option("--picture", given->picture, "PNG of the last frame").type_name("FILE");
  command
      .add_option("--picture-width", given->width,
                  "of the picture, pixels; its height is two thirds")
      .range(60, 7680)
      .show_default();
  command.add_flag("--forces", given->forces, "contact forces as lines in pictures");
  command
      .add_option("--animation", given->animation,
                  "animated PNG, a frame every --frame-every steps")
      .type_name("FILE");
  command.add_flag("--hash", given->hash,
                   "prints a hash of positions, velocities, impulses and iteration counts");
  command.add_option("--contacts", given->contacts, "CSV of every contact of every step")
      .type_name("FILE");
  command
      .add_option("--dump-failures", given->dump_failures,
                  "folder for the systems of steps that did not converge")
      .type_name("DIR");
  command
      .add_option("--save-state", given->save_state,
                  "what decides the future after the last step, for --from-state")
      .type_name("FILE");
  command
      .add_option("--from-state", given->from_state,
                  "goes on where --save-state of the same scene and parameters ended")
      .type_name("FILE");
  command
      .add_option("--frame-every", given->frames_every,
                  "steps between frames of --out and --animation")
      .show_default();
  add_recording_flags(command, given->pages);
  add_simulation_flags(command, *flags);
  add_threads_option(command, *common);
  add_json_option(command, *common);
  add_out_option(command, *common, "steps.csv, VTK frames, a picture and the run for nsn view");
  add_quiet_option(command, *common);
  command.callback([=, &exit_code] { exit_code = run(*common, *flags, *given); });
}

}  // namespace nsn::cli
