// The paper's Table 1 for our scenes: what a step costs beside its GPU, and how exact it is.
#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "bench/study/frozen_step.h"
#include "bench/study/scene_run.h"
#include "bench/study/study.h"
#include "bench/support/quantile.h"
#include "bench/support/stopwatch.h"
#include "nsn/core/step/newton_options.h"

namespace nsn::study {
namespace {

/// A scene of the paper: its solve time, and where ours is at its hardest.
struct PaperScene {
  std::string name;
  double solve_ms = 0.0;  ///< a step on the paper's GPU
  int from = 0;           ///< first step that is measured
  int steps = 0;
};

const std::vector<PaperScene>& paper_scenes() {
  static const std::vector<PaperScene> all = {
      {"allegro-grasp", 10.0, 300, 120},   // lifted; shaken
      {"allegro-ball", 11.4, 300, 120},    // turned over
      {"pneunet", 22.25, 0, 90},           // inflated until it holds the ball
      {"arm-tomato", 12.2, 100, 120},      // closed, lifted, carried
      {"arm-beam", 18.6, 300, 120},        // halfway into the socket
      {"beam-insertion", 18.6, 100, 120},  // the same beam on a slide
      {"arch", 7.75, 0, 120},
      {"table-pile", 3.7, 120, 60},    // on the heap
      {"humanoids", 8.9, 60, 60},      // fallen
      {"yumi-cabinet", 56.0, 130, 60}  // handles held; drawers open
  };
  return all;
}

constexpr double kSecondsPerScene = 20.0;  // large scenes stop there: fewer steps
constexpr int kTrialEvery = 4;             // steps: trials between them spoil the caches

/// Errors of steps whose equations were given to the paper's method too, times of the others.
struct Measured {
  bench::RunMeasures run;
  std::vector<double> error, paper_error;  ///< m/s
  std::vector<double> processor;           ///< ms of a whole step, all threads
};

/// Steps of realtime; some of their equations are solved by paper too before the bodies move.
Measured measure(Simulation& simulation, int steps) {
  Measured all{bench::RunMeasures(simulation), {}, {}, {}};
  const NewtonOptions paper = newton_preset("paper");
  double error = 0.0;
  const auto solve_by_paper = [&](int, StepEquations& equations, const NewtonResult&) {
    error = std::max(error, try_method(equations, paper).result.error.total);
  };
  const bench::Stopwatch watch;
  for (int k = 0; k < steps && watch.seconds() < kSecondsPerScene; ++k) {
    const bool trial = k % kTrialEvery == 0;
    error = 0.0;
    simulation.inspect(trial ? Simulation::Inspector(solve_by_paper) : nullptr);
    const std::clock_t before = std::clock();
    simulation.step();
    const double ticks = static_cast<double>(std::clock() - before);
    if (!trial) {
      all.run.add(simulation);
      all.processor.push_back(1e3 * ticks / CLOCKS_PER_SEC);
      continue;
    }
    all.error.push_back(simulation.report().error.total);
    all.paper_error.push_back(error);
  }
  return all;
}

Row row_of(const PaperScene& scene, const StudyOptions& options) {
  const int from = options.quick ? 0 : scene.from;
  options.progress(fmt::format("{} · until step {}", scene.name, from));
  Simulation simulation = simulate(make_scene(scene.name), "realtime");
  for (int k = 0; k < from; ++k) static_cast<void>(simulation.step());
  options.progress(scene.name);
  const Measured all = measure(simulation, options.quick ? 8 : scene.steps);
  const World& world = simulation.world();
  return {{"scene", scene.name},
          {"solve_ms", bench::median(all.run.solve)},
          {"paper_gpu_ms", scene.solve_ms},
          {"error_mps", bench::median(all.error)},
          {"paper_error_mps", bench::median(all.paper_error)},
          {"error_max_mps", bench::quantile(all.error, 1.0)},
          {"paper_error_max_mps", bench::quantile(all.paper_error, 1.0)},
          {"detect_ms", bench::median(all.run.detect)},
          {"assembly_ms", bench::median(all.run.assemble)},
          {"processor_ms", bench::median(all.processor)},
          {"bodies", world.num_bodies()},
          {"joints", world.joints().num_joints()},
          {"tets", num_tets(world)},
          {"contacts", all.run.contacts},
          {"first_step", from + 1},
          {"steps", all.run.solve.size()}};
}

template <class Wanted>
std::string names_of(const std::vector<Row>& rows, const Wanted& wanted) {
  std::string names;
  for (const Row& row : rows) {
    if (wanted(row)) names += (names.empty() ? "" : ", ") + row.at("scene").get<std::string>();
  }
  return names.empty() ? "none" : names;
}

void find(StudyOutcome& out) {
  const auto faster = [](const Row& row) { return row.at("solve_ms") < row.at("paper_gpu_ms"); };
  const auto finer = [](const Row& row) {
    return row.at("error_mps") <= row.at("paper_error_mps") &&
           row.at("error_max_mps") <= row.at("paper_error_max_mps");
  };
  const auto dear = [](const Row& row) { return row.at("assembly_ms") >= row.at("solve_ms"); };
  const auto count = [&](const auto& wanted) {
    return std::count_if(out.rows.begin(), out.rows.end(), wanted);
  };
  const std::size_t all = out.rows.size();
  out.findings.push_back(fmt::format(
      "A step of realtime is solved in less than the paper's GPU takes in {} of {} scenes; not: "
      "{}.",
      count(faster), all, names_of(out.rows, [&](const Row& row) { return !faster(row); })));
  out.findings.push_back(fmt::format(
      "Its error, median and largest, is at most that of the preset paper on the same equations "
      "in {} of {}; not: {}.",
      count(finer), all, names_of(out.rows, [&](const Row& row) { return !finer(row); })));
  out.findings.push_back(
      fmt::format("Assembly takes longer than the solve in: {}.", names_of(out.rows, dear)));
}

}  // namespace

StudyOutcome table_study(const StudyOptions& options) {
  StudyOutcome out{.name = "table",
                   .title = "The paper's scenes",
                   .question =
                       "What does a step of realtime cost in each scene beside the "
                       "paper's GPU, and how large is its error beside that of the preset "
                       "paper on the same equations?",
                   .findings = {},
                   .charts = {},
                   .rows = {}};
  std::vector<std::string> missing;
  for (const PaperScene& scene : paper_scenes()) {
    const std::string reason = cannot_be_made(scene_info(scene.name));
    if (reason.empty()) {
      out.rows.push_back(row_of(scene, options));
    } else {
      missing.push_back(fmt::format("Not run: {}.", reason));
    }
  }
  if (!out.rows.empty()) find(out);
  out.findings.insert(out.findings.end(), missing.begin(), missing.end());
  return out;
}

}  // namespace nsn::study
