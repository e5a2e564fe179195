// Claims about soft bodies, grasps and costs.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bench/study/claims.h"
#include "bench/study/scene_run.h"
#include "nsn/backends/standard_backends.h"

namespace nsn::study {
namespace {

using Rows = std::vector<Row>;

Claim volume() {
  std::vector<std::string> commands;
  for (const char* material : {"corotational", "neo-hookean"}) {
    commands.push_back(
        fmt::format("nsn run material-extension --set material={} --set young=1e5 --set "
                    "poisson=0.45",
                    material));
  }
  return claim_of_runs(
      "volume", "a hyperelastic model keeps its volume where a linear one loses it", commands, true,
      [](const Rows& rows) {
        const double linear = number_of(rows[0], "volume_ratio");
        const double hyperelastic = number_of(rows[1], "volume_ratio");
        return Verdict{
            fmt::format("volume of a bar stretched to 3: {:.2f} of the one at rest "
                        "(corotational), {:.2f} (stable Neo-Hookean)",
                        linear, hyperelastic),
            verdict_of({linear < 0.9, std::abs(hyperelastic - 1.0) < 0.5 * std::abs(linear - 1.0)}),
            ""};
      });
}

/// Each scene with its row's own counts of iterations.
Claim assembly() {
  const char* const kScenes[][2] = {{"arch --steps 60", "6 20"},
                                    {"table-pile --steps 120", "4 20"},
                                    {"arm-tomato --steps 120", "4 50"},
                                    {"pneunet --steps 30", "4 80"},
                                    {"humanoids --set count=100 --steps 60", "4 10"}};
  std::vector<std::string> commands;
  for (const auto& [scene, counts] : kScenes) {
    const std::string text = counts;
    commands.push_back(
        fmt::format("nsn run {} --preset paper --newton-iterations {} --linear-iterations {}",
                    scene, text.substr(0, 1), text.substr(2)));
  }
  return claim_of_runs(
      "assembly", "assembling the matrices is cheap beside the linear solves", commands, false,
      [](const Rows& rows) {
        std::string text = "rows assembled, share of the solve:";
        std::vector<bool> small;
        for (const char* scene : {"arch", "table-pile", "arm-tomato", "pneunet", "humanoids"}) {
          const Row& row = rows[small.size()];
          const double share =
              number_of(row, "assemble_ms_median") / number_of(row, "solve_ms_median");
          text += fmt::format("{} {} {:.0f} %", small.empty() ? "" : ",", scene, 100.0 * share);
          small.push_back(share < 0.2);
        }
        return Verdict{text, verdict_of(small),
                       "in realtime, which solves for less, assembly is up to half of the solve on "
                       "crowds"};
      });
}

Claim scaling() {
  std::vector<std::string> commands;
  for (const char* count : {"1", "10", "100", "400"}) {
    commands.push_back(fmt::format(
        "nsn run humanoids --set count={} --steps 120 --preset paper --newton-iterations 4 "
        "--linear-iterations 10",
        count));
  }
  return claim_of_runs(
      "scaling", "the time of a step grows sub-linearly with the size of the problem", commands,
      false, [](const Rows& rows) {
        const double counts[] = {1.0, 10.0, 100.0, 400.0};
        std::string text = "solve per humanoid, N = 1, 10, 100, 400:";
        double first = 0.0;
        double last = 0.0;
        for (std::size_t k = 0; k < rows.size(); ++k) {
          last = 1e3 * number_of(rows[k], "solve_ms_median") / counts[k];
          if (k == 0) first = last;
          text += fmt::format("{} {:.0f}", k == 0 ? "" : ",", last);
        }
        return Verdict{text + " us", verdict_of({last < 0.5 * first}),
                       "one core is busy from the first humanoid on; a GPU is not"};
      });
}

Claim direct_solvers() {
  std::vector<std::string> commands;
  for (const char* balls : {"300", "3000"}) {
    for (const char* linear : {"pcr", "cholmod --linear-iterations 0"}) {
      commands.push_back(
          fmt::format("nsn run sphere-pile --set balls={} --steps 24 --preset paper --linear {}",
                      balls, linear));
    }
  }
  return claim_of_runs(
      "direct-on-contacts", "direct solvers struggle with large systems of contacts", commands,
      false, [](const Rows& rows) {
        const auto solve = [&](std::size_t k) { return number_of(rows[k], "solve_ms_median"); };
        return Verdict{
            fmt::format("solve of a step, PCR (20) and CHOLMOD: {} contacts {:.1f} and {:.1f} ms, "
                        "{} contacts {:.0f} and {:.0f} ms",
                        rows[0].at("contacts_max").get<int>(), solve(0), solve(1),
                        rows[2].at("contacts_max").get<int>(), solve(2), solve(3)),
            verdict_of({solve(3) / solve(2) > 2.0 * solve(1) / solve(0)}),
            "the fill of a three-dimensional graph of contacts"};
      });
}

/// How far the object moves in the hand while it is shaken, m, and its lowest place in it.
Row slip_of(const NewtonOptions& newton) {
  constexpr int kHeld = 300;
  constexpr int kSteps = 780;
  SimulationOptions options;
  options.newton = newton;
  Simulation simulation(make_scene("allegro-grasp"), options, standard_backends());
  const auto place = [&] {
    const World& world = simulation.world();
    return world.bodies().back().position - world.body(0).position;
  };
  Vec3 held;
  double slip = 0.0;
  for (int k = 1; k <= kSteps; ++k) {
    simulation.step();
    if (k == kHeld) held = place();
    if (k > kHeld) slip = std::max(slip, norm(place() - held));
  }
  return {{"slip_m", std::isfinite(slip) ? Row(slip) : Row(nullptr)}};
}

Claim grasp() {
  Claim claim{"grasp",
              "grasps of irregular objects by the Allegro hand are stable",
              {"nsn study claims --again grasp"},
              false,
              {}};
  claim.judge = [](ClaimRuns& runs) {
    const Row paper = runs.measured("grasp paper", [] {
      NewtonOptions options = newton_preset("paper");
      options.max_iterations = 8;
      return slip_of(options);
    });
    const Row accurate =
        runs.measured("grasp accurate", [] { return slip_of(newton_preset("accurate")); });
    constexpr double kStable = 5e-3;  // m
    return Verdict{
        fmt::format(
            "the object moves {} m in our own hand, which is shaken, within four seconds with "
            "8 x 20 iterations, {} m with preset accurate",
            short_number(paper, "slip_m"), short_number(accurate, "slip_m")),
        verdict_of({number_of(paper, "slip_m") < kStable}), ""};
  };
  return claim;
}

}  // namespace

std::vector<Claim> model_claims() {
  return {volume(), grasp(), assembly(), scaling(), direct_solvers()};
}

}  // namespace nsn::study
