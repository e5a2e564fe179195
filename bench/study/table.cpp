// The paper's Table 1, row by row with its own counts of iterations, beside the figures it prints.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "bench/study/scene_run.h"
#include "bench/study/study.h"
#include "bench/support/quantile.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/step/newton_options.h"
#include "nsn/models/rows/joint_rows.h"

namespace nsn::study {
namespace {

struct Timing {
  double mean = 0.0;       ///< ms
  double deviation = 0.0;  ///< ms
};

/// A row of Table 1 as printed, and the scene here that stands for it.
struct PaperRow {
  std::string label;
  std::string scene;
  int from = 0;   ///< first step that is measured: where the scene is at its hardest
  int steps = 0;  ///< that are measured
  int newton = 0;
  int linear = 0;
  int bodies = 0;
  int joints = 0;
  int tets = 0;
  int contacts = 0;
  int island = 0;  ///< contacts of the largest island
  Timing assembly, solve;
  std::string differs;  ///< what is not the paper's here
};

const std::vector<PaperRow>& paper_rows() {
  static const std::vector<PaperRow> all = {
      {"Allegro DexNet",
       "allegro-grasp",
       300,
       60,
       8,
       20,
       21,
       21,
       0,
       104,
       104,
       {0.4, 0.1},
       {10.0, 1.5},
       "own hand, 14 generated non-manifold objects for the DexNet collection"},
      {"Allegro Ball",
       "allegro-ball",
       300,
       60,
       6,
       50,
       21,
       21,
       427,
       409,
       409,
       {0.35, 0.05},
       {11.4, 1.2},
       "own hand"},
      {"PneuNet",
       "pneunet",
       80,
       30,
       4,
       80,
       1,
       0,
       2241,
       532,
       532,
       {0.3, 0.05},
       {22.25, 1.4},
       "own fingers of 2550 tetrahedra"},
      {"Fetch Tomato",
       "arm-tomato",
       100,
       60,
       4,
       50,
       29,
       28,
       319,
       371,
       371,
       {0.45, 0.05},
       {12.2, 1.25},
       "own arm for Fetch, script for a person"},
      {"Fetch Beam",
       "arm-beam",
       300,
       60,
       6,
       50,
       42,
       42,
       0,
       300,
       300,
       {0.2, 0.1},
       {18.6, 2.25},
       "own arm for Fetch"},
      {"Arch", "arch", 0, 120, 6, 20, 20, 0, 0, 134, 134, {0.15, 0.05}, {7.75, 1.4}, ""},
      {"Table Pile",
       "table-pile",
       120,
       60,
       4,
       20,
       54,
       0,
       0,
       936,
       736,
       {0.1, 0.05},
       {3.7, 0.95},
       "tables of five boxes"},
      {"Humanoid Run",
       "humanoids",
       60,
       60,
       4,
       10,
       5200,
       4800,
       0,
       10893,
       33,
       {0.8, 0.05},
       {8.9, 0.25},
       "own humanoid, random torques for a trained policy"},
      {"Yumi Cabinet",
       "yumi-cabinet",
       130,
       60,
       5,
       25,
       6400,
       6600,
       0,
       4082,
       55,
       {1.8, 0.25},
       {56.0, 6.4},
       "own robot of two arms, 6000 joints for 6600, script for a trained policy"}};
  return all;
}

constexpr double kSecondsPerCell = 6.0;  // large scenes stop there: fewer steps
constexpr double kAlike = 0.2;           // counts of contacts that differ by less need no reason

Timing timing_of(const std::vector<double>& ms) {
  Timing out;
  for (const double t : ms) out.mean += t / static_cast<double>(ms.size());
  double squares = 0.0;
  for (const double t : ms) squares += (t - out.mean) * (t - out.mean);
  out.deviation = std::sqrt(squares / static_cast<double>(std::max<std::size_t>(ms.size(), 1)));
  return out;
}

SimulationOptions options_of(const PaperRow& row, const std::string& preset) {
  SimulationOptions options;
  options.newton = newton_preset(preset);
  if (preset != "paper") return options;
  options.newton.max_iterations = row.newton;
  options.newton.paper().linear_iterations = row.linear;
  return options;
}

/// A mode of detection and a preset on one scene, from the state where another run has brought it.
struct Cell {
  bool features = false;
  std::string preset;
};

std::string mode_name(bool features) {
  return features ? "every feature pair" : "manifolds";
}

Row row_of(const PaperRow& paper, const World& start, const Cell& cell, int steps) {
  SimulationOptions options = options_of(paper, cell.preset);
  options.mesh_features = cell.features;
  World world = make_scene(paper.scene);
  take_state(start, world);
  Simulation simulation(std::move(world), options, standard_backends());
  const bench::RunMeasures run = run_for(simulation, steps, kSecondsPerCell);
  const Timing assembly = timing_of(run.assemble);
  const Timing solve = timing_of(run.solve);
  const World& at = simulation.world();
  return {{"row", paper.label},
          {"scene", paper.scene},
          {"contacts_by", mode_name(cell.features)},
          {"preset", cell.preset},
          {"paper_newton", paper.newton},
          {"paper_linear", paper.linear},
          {"bodies", at.num_bodies()},
          {"paper_bodies", paper.bodies},
          {"joints", at.joints().num_joints()},
          {"paper_joints", paper.joints},
          {"tets", num_tets(at)},
          {"paper_tets", paper.tets},
          {"contacts", run.contacts},
          {"contacts_of_island", run.contacts_of_island},
          {"paper_contacts", paper.contacts},
          {"paper_contacts_of_island", paper.island},
          {"detect_ms", timing_of(run.detect).mean},
          {"assembly_ms", assembly.mean},
          {"assembly_deviation_ms", assembly.deviation},
          {"paper_assembly_ms", paper.assembly.mean},
          {"paper_assembly_deviation_ms", paper.assembly.deviation},
          {"solve_ms", solve.mean},
          {"solve_deviation_ms", solve.deviation},
          {"paper_gpu_solve_ms", paper.solve.mean},
          {"paper_gpu_solve_deviation_ms", paper.solve.deviation},
          {"e_n_m", bench::median(run.normal)},
          {"e_f_mps", bench::median(run.friction)},
          {"e_m_mps", bench::median(run.momentum)},
          {"error_mps", bench::median(run.error)},
          {"error_max_mps", bench::quantile(run.error, 1.0)},
          {"first_step", paper.from + 1},
          {"steps", run.solve.size()},
          {"differs", paper.differs}};
}

void add_rows(const PaperRow& paper, const StudyOptions& options, StudyOutcome& out) {
  const int from = options.quick ? 0 : paper.from;
  options.progress(fmt::format("{} · until step {}", paper.scene, from));
  Simulation before = simulate(make_scene(paper.scene), "realtime");
  for (int k = 0; k < from; ++k) static_cast<void>(before.step());
  for (const bool features : {false, true}) {
    for (const std::string preset : {"paper", "realtime", "accurate"}) {
      const bool large = before.world().num_bodies() > 1000;
      if (features && large && preset == "accurate") continue;  // many minutes a step
      options.progress(fmt::format("{} · {} · {}", paper.scene, mode_name(features), preset));
      const int steps = options.quick ? 4 : paper.steps;
      options.add(out, row_of(paper, before.world(), {features, preset}, steps));
    }
  }
}

/// "arch 84, 189 for 134": contacts by manifolds and by every pair of features.
std::string contacts_finding(const std::vector<Row>& rows) {
  std::string text;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Row& one = rows[k];
    if (one.at("contacts_by") != mode_name(false) || one.at("preset") != "realtime") continue;
    const auto other = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
      return row.at("row") == one.at("row") && row.at("contacts_by") == mode_name(true) &&
             row.at("preset") == "realtime";
    });
    const double printed = one.at("paper_contacts");
    const double ours = other == rows.end() ? 0.0 : other->at("contacts").get<double>();
    const bool alike = std::abs(ours - printed) <= kAlike * printed;
    text += fmt::format("{}{} {} and {:g} for {:g}{}", text.empty() ? "" : "; ",
                        one.at("scene").get<std::string>(), one.at("contacts").get<int>(), ours,
                        printed, alike ? "" : " (differs)");
  }
  return text;
}

template <class Holds>
std::string count_of(const std::vector<Row>& rows, const std::string& preset, const Holds& holds) {
  int all = 0;
  int number = 0;
  std::string others;
  for (const Row& row : rows) {
    if (row.at("preset") != preset || row.at("contacts_by") != mode_name(false)) continue;
    ++all;
    if (holds(row)) {
      ++number;
    } else {
      others += (others.empty() ? "; not: " : ", ") + row.at("scene").get<std::string>();
    }
  }
  return fmt::format("{} of {}{}", number, all, others);
}

void find(StudyOutcome& out) {
  const auto faster = [](const Row& row) {
    return row.at("solve_ms") < row.at("paper_gpu_solve_ms");
  };
  for (const std::string preset : {"paper", "realtime"}) {
    out.findings.push_back(
        fmt::format("{}, manifolds: a step is solved in less than the paper's GPU printed in {}.",
                    preset, count_of(out.rows, preset, faster)));
  }
  out.findings.push_back(
      "Times are of other equations than the paper's: contacts by manifolds and by every feature "
      "pair, and those it printed: " +
      contacts_finding(out.rows) + ".");
  const auto cheap = [](const Row& row) { return row.at("assembly_ms") < row.at("solve_ms"); };
  out.findings.push_back(fmt::format("paper: assembly takes less than the solve in {}.",
                                     count_of(out.rows, "paper", cheap)));
}

}  // namespace

StudyOutcome table_study(const StudyOptions& options) {
  StudyOutcome out{.name = "table",
                   .title = "Table 1 of the paper",
                   .question =
                       "What do the nine rows of the paper's table cost here, each preset "
                       "from the same state, paper with the row's own counts of Newton and "
                       "linear iterations?",
                   .findings = {},
                   .charts = {},
                   .rows = {}};
  std::vector<std::string> missing;
  for (const PaperRow& row : paper_rows()) {
    const std::string reason = cannot_be_made(scene_info(row.scene));
    if (reason.empty()) {
      add_rows(row, options, out);
    } else {
      missing.push_back(fmt::format("Not run: {}: {}.", row.label, reason));
    }
  }
  if (!out.rows.empty()) find(out);
  out.findings.insert(out.findings.end(), missing.begin(), missing.end());
  return out;
}

}  // namespace nsn::study
