// Claims about Newton's iteration and its linear systems, on steps that are held still.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bench/study/claims.h"
#include "bench/study/frozen_step.h"
#include "bench/study/scene_run.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/linear/linear_operator.h"

namespace nsn::study {
namespace {

/// The row whose columns have these values; throws std::invalid_argument if there is none.
const Row& find_row(const std::vector<Row>& rows, const Row& values) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
    return std::all_of(values.items().begin(), values.items().end(),
                       [&](const auto& item) { return row.at(item.key()) == item.value(); });
  });
  if (found == rows.end()) throw std::invalid_argument("no row " + values.dump());
  return *found;
}

Verdict judge_pcg(ClaimRuns& runs) {
  const Row row = runs.measured("pcg-erratic", [] {
    int systems = 0;
    int pcg = 0;
    int pcr = 0;
    SimulationOptions options;
    options.newton = newton_preset("paper");
    Simulation simulation(make_scene("arch"), options, standard_backends());
    simulation.observe([&](int, const NewtonSystemView& view) {
      ++systems;
      const BlockOperator op(*view.S);
      for (const char* name : {"pcg", "pcr"}) {
        const bool is_pcg = std::string_view(name) == "pcg";
        const auto solver = standard_backends().make(name);
        solver->prepare(op);
        double last = HUGE_VAL;
        bool rises = false;
        const auto watch = [&](const IterationInfo& now) {
          const double norm = is_pcg ? now.residual : now.preconditioned;
          rises = rises || (now.iteration > 0 && norm > (1.0 + 1e-12) * last);
          last = norm;
        };
        const Vector x("x", view.b.extent(0));
        static_cast<void>(solver->solve(view.b, x, {.rtol = 1e-6, .max_iterations = 200}, watch));
        (is_pcg ? pcg : pcr) += rises ? 1 : 0;
      }
    });
    for (int k = 0; k < 3; ++k) simulation.step();
    return Row{{"systems", systems}, {"pcg", pcg}, {"pcr", pcr}};
  });
  const int systems = row.at("systems");
  return {fmt::format("{} systems of the arch: PCG's residual rises in {}, PCR's preconditioned "
                      "one in {}",
                      systems, row.at("pcg").get<int>(), row.at("pcr").get<int>()),
          verdict_of({2 * row.at("pcg").get<int>() > systems, row.at("pcr") == 0}), ""};
}

Verdict judge_residual(ClaimRuns& runs) {
  const auto rows = runs.study("subproblem");
  std::string text =
      "relative residual after 200 iterations, PCR and the best of PCG, Jacobi and "
      "Gauss-Seidel:";
  std::vector<bool> tenth;
  for (const char* scene : {"arch", "beam-insertion", "heavy-stack"}) {
    const auto left = [&](const char* linear) {
      return find_row(rows, {{"scene", scene}, {"linear", linear}})
          .at("relative_residual")
          .get<double>();
    };
    const double others = std::min({left("pcg"), left("jacobi"), left("gauss-seidel")});
    text += fmt::format("{} {} {} and {}", tenth.empty() ? "" : ",", scene,
                        short_number(left("pcr")), short_number(others));
    // Both at the tolerance: nothing to compare.
    if (left("pcr") > 1e-11) tenth.push_back(10.0 * left("pcr") <= others);
  }
  return {text, verdict_of(tenth), "the heavy stack is solved in a few iterations by PCG as well"};
}

double median_after(const std::vector<Row>& rows, const char* r, const char* linear,
                    int iteration) {
  return find_row(rows, {{"r", r}, {"linear", linear}, {"iteration", iteration}})
      .at("error_median_mps")
      .get<double>();
}

Verdict judge_beam(ClaimRuns& runs) {
  const auto rows = runs.study("quartile");
  const auto last = [&](const char* r, const char* linear) {
    return median_after(rows, r, linear, 100);
  };
  return {
      fmt::format("median error of 132 steps after 100 iterations, r = 1 and effective mass: "
                  "{} and {} m/s with 40 PCR iterations, {} and {} m/s with a direct solver",
                  short_number(last("identity", "pcr")),
                  short_number(last("effective-mass", "pcr")),
                  short_number(last("identity", "contact-lu")),
                  short_number(last("effective-mass", "contact-lu"))),
      verdict_of({last("identity", "pcr") >= 10.0 * last("effective-mass", "pcr")}),
      "the 40 PCR iterations limit both: the matrix has 705 rows, and with the linear solves to "
      "rounding both end there"};
}

Verdict judge_super_linear(ClaimRuns& runs) {
  const auto rows = runs.study("quartile");
  const auto fall = [&](const char* linear, int from, int to) {
    return std::pow(median_after(rows, "effective-mass", linear, to) /
                        median_after(rows, "effective-mass", linear, from),
                    1.0 / (to - from));
  };
  const Row full = runs.measured("super-linear, t = 1", [] {
    Row out;
    for (const char* scene : {"heavy-stack", "arch"}) {
      freeze({scene}, [&](StepEquations& equations) {
        NewtonOptions options = paper_iteration(40);
        options.paper().step_length = 1.0;
        const auto history = try_method(equations, options).history;
        double least = 1.0;  // ratio of an error to the one before, above rounding
        for (std::size_t k = 1; k < history.size(); ++k) {
          const double before = history[k - 1].error.total;
          if (history[k].error.total > 1e-11) {
            least = std::min(least, history[k].error.total / before);
          }
        }
        out[scene] = least;
      });
    }
    return out;
  });
  const double first = fall("pcr", 0, 10);
  const double later = fall("pcr", 50, 100);
  return {
      fmt::format("the median error of the beam falls by a factor of {:.2f} per iteration in "
                  "the first ten, {:.2f} in the last fifty; with a direct solver {:.2f} from the "
                  "tenth to the twentieth; with t = 1 and a direct solver at best by {} (heavy "
                  "stack), {} (arch)",
                  first, later, fall("contact-lu", 10, 20), short_number(full, "heavy-stack"),
                  short_number(full, "arch")),
      verdict_of({later < 0.25}),
      "a constant t = 0.75 leaves a quarter of the error in every iteration at best, which is what "
      "a direct solver shows: linear convergence"};
}

/// Deviation over mean of each contact's normal impulse over the last half of a run, averaged over
/// the contacts that carry something.
Row noise_of(const std::string& scene, NcpKind ncp) {
  constexpr int kSteps = 240;
  constexpr int kCounted = kSteps / 2;
  SimulationOptions options;
  options.newton = newton_preset("paper");
  options.newton.paper().ncp = ncp;
  Simulation simulation(make_scene(scene), options, standard_backends());
  std::vector<double> sum, squares;
  for (int step = 0; step < kSteps; ++step) {
    simulation.step();
    if (step < kSteps - kCounted) continue;
    const std::vector<ContactInfo>& contacts = simulation.contacts();
    const std::size_t count = contacts.size();
    if (sum.empty()) sum = squares = std::vector<double>(count, 0.0);
    if (count != sum.size()) throw std::runtime_error("contacts changed");
    for (std::size_t k = 0; k < count; ++k) {
      const double r = dot(contacts[k].impulse, contacts[k].normal);
      sum[k] += r;
      squares[k] += r * r;
    }
  }
  double noise = 0.0;
  int loaded = 0;
  for (std::size_t k = 0; k < sum.size(); ++k) {
    const double mean = sum[k] / kCounted;
    if (!(mean > 0.0)) continue;
    const double variance = std::max(squares[k] / kCounted - mean * mean, 0.0);
    noise += std::sqrt(variance) / mean;
    ++loaded;
  }
  return {{"noise", loaded > 0 ? noise / loaded : 0.0}};
}

Verdict judge_forces(ClaimRuns& runs) {
  const auto rows = runs.study("ncp");
  std::vector<bool> smoother;
  std::string text = "minimum map and Fischer-Burmeister: spread over redundant contacts";
  for (const char* scene : {"cylinder-ring", "heavy-stack", "arch"}) {
    const auto spread = [&](const char* ncp) {
      return find_row(rows, {{"scene", scene}, {"method", std::string(ncp) + ", paper"}})
          .at("force_spread")
          .get<double>();
    };
    text += fmt::format("{} {} {:.2f} and {:.2f}", smoother.empty() ? "" : ",", scene,
                        spread("minimum-map"), spread("fischer-burmeister"));
    smoother.push_back(spread("fischer-burmeister") < spread("minimum-map"));
  }
  text += "; noise over time";
  for (const char* scene : {"cylinder-ring", "heavy-stack"}) {
    double of[2];
    for (const NcpKind ncp : {NcpKind::kMinimumMap, NcpKind::kFischerBurmeister}) {
      of[ncp == NcpKind::kFischerBurmeister ? 1 : 0] =
          runs.measured(fmt::format("noise {} {}", scene, to_string(ncp)),
                        [&] { return noise_of(scene, ncp); })
              .at("noise")
              .get<double>();
    }
    text += fmt::format(" {} {} and {}{}", scene, short_number(of[0]), short_number(of[1]),
                        scene == std::string("heavy-stack") ? "" : ",");
    smoother.push_back(of[1] < of[0]);
  }
  return {
      text, verdict_of(smoother),
      "both functions have the same solutions; which of the many is reached depends on the path "
      "of the iterates, scene by scene"};
}

Verdict judge_geometric(ClaimRuns& runs) {
  const auto rows = runs.study("geometric");
  const char* const sheet = "sheet of neo-hookean, stretch 2.5";
  const auto value = [&](const char* kind, const char* key) {
    return number_of(find_row(rows, {{"case", sheet}, {"geometric_stiffness", kind}}), key);
  };
  const double without = value("none, paper's iteration", "error_last_mps");
  const double with = value("diagonal, paper's iteration", "error_last_mps");
  return {fmt::format("sheet stretched to 2.5, error after 30 of the paper's iterations: {} m/s "
                      "without, {} m/s with its diagonal; exact blocks {} m/s, full {} m/s (ours)",
                      short_number(without), short_number(with),
                      short_number(value("exact", "error_last_mps")),
                      short_number(value("full", "error_last_mps"))),
          verdict_of({!(without < 1.0), with < 1e-2}),
          "the diagonal keeps the iterates finite, as far as they go; only exact stiffness "
          "converges"};
}

Verdict judge_relaxation(ClaimRuns& runs) {
  const Row row = runs.measured("relaxation-beam", [] {
    Row out;
    freeze({"beam-insertion", {}, 150}, [&](StepEquations& equations) {
      for (const char* linear : {"jacobi", "gauss-seidel", "pcr"}) {
        for (const int budget : {40, 400}) {
          NewtonOptions options = newton_preset("paper");
          options.max_iterations = 50;
          options.linear = {linear};
          options.paper().linear_iterations = budget;
          const StepError error = try_method(equations, options).result.error;
          out[fmt::format("{} {}", linear, budget)] =
              std::max({error.normal / equations.system().h, error.friction, error.box});
        }
      }
    });
    return out;
  });
  const auto left = [&](const char* key) { return row.at(key).get<double>(); };
  return {
      fmt::format("constraint error after 50 Newton iterations of 40 (400) linear ones: "
                  "Jacobi {} ({}), Gauss-Seidel {} ({}), PCR {} ({}) m/s",
                  short_number(row, "jacobi 40"), short_number(row, "jacobi 400"),
                  short_number(row, "gauss-seidel 40"), short_number(row, "gauss-seidel 400"),
                  short_number(row, "pcr 40"), short_number(row, "pcr 400")),
      verdict_of({left("jacobi 400") > left("pcr 40"), left("gauss-seidel 400") > left("pcr 40")}),
      "ten times the sweeps leave more than PCR's iterations"};
}

Verdict judge_error_model(ClaimRuns& runs) {
  const auto rows = runs.study("precision");
  std::string text = "least error and limit of 64 bits:";
  std::vector<bool> predicted;
  for (const char* scene : {"heavy-stack", "arch", "beam-insertion"}) {
    const Row& row = find_row(rows, {{"scene", scene}, {"linear", "pcr"}, {"storage", "double"}});
    const double least = row.at("least_error_mps");
    const double limit = row.at("limit_64_bit_mps");
    text += fmt::format("{} {} {} and {} m/s", predicted.empty() ? "" : ",", scene,
                        short_number(least), short_number(limit));
    predicted.push_back(least <= limit && limit <= 100.0 * least);
  }
  return {text, verdict_of(predicted),
          "the limit holds row by row (bench/study/limits.h); with norms, as printed, the friction "
          "row of one unloaded contact makes it meaningless"};
}

}  // namespace

std::vector<Claim> method_claims() {
  return {{"pcg-erratic",
           "PCG's residual rises now and then, PCR's never",
           {"nsn study claims --again pcg-erratic"},
           true,
           judge_pcg},
          {"pcr-residual",
           "PCR leaves a tenth of the residual of the others",
           {"nsn study subproblem"},
           false,
           judge_residual},
          {"beam-effective-mass",
           "effective mass brings the beam to a median error an order of magnitude smaller",
           {"nsn study quartile"},
           false,
           judge_beam},
          {"super-linear",
           "convergence is super-linear with effective mass",
           {"nsn study quartile"},
           false,
           judge_super_linear},
          {"force-smoothness",
           "Fischer-Burmeister gives smoother forces on redundant contacts than the minimum map",
           {"nsn study ncp", "nsn study claims --again force-smoothness"},
           false,
           judge_forces},
          {"geometric-stiffness",
           "a stretched sheet needs geometric stiffness; its diagonal is enough",
           {"nsn study geometric"},
           false,
           judge_geometric},
          {"relaxation-beam",
           "relaxation cannot stiffen the beam even with hundreds of iterations",
           {"nsn study claims --again relaxation-beam"},
           false,
           judge_relaxation},
          {"error-model",
           "the limits of Tisseur predict the accuracy that is reached",
           {"nsn study precision"},
           false,
           judge_error_model}};
}

}  // namespace nsn::study
