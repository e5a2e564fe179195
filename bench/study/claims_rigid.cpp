// Claims about rigid bodies in closed loop: r, linear solvers, friction, starts and steps of Newton.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bench/study/claims.h"

namespace nsn::study {
namespace {

using Rows = std::vector<Row>;

const std::string kPaper = " --preset paper";
const std::string kDirect = " --preset paper --linear cholmod --linear-iterations 0";

double moved(const Row& row) {
  return number_of(row, "displacement_max_m");
}
std::string metres(const Row& row) {
  return short_number(row, "displacement_max_m");
}

Claim effective_mass(const std::string& scene, int steps, double times) {
  std::vector<std::string> commands;
  for (const char* r : {"effective-mass", "time-step", "identity"}) {
    commands.push_back(fmt::format("nsn run {} --steps {}{} --r {}", scene, steps, kDirect, r));
  }
  return claim_of_runs(
      "r-" + scene, "effective mass keeps the " + scene + " still; r = h^2 and r = 1 do not",
      commands, true, [times](const Rows& rows) {
        return Verdict{fmt::format("displacement {} m; {} m with r = h^2, {} m with r = 1",
                                   metres(rows[0]), metres(rows[1]), metres(rows[2])),
                       verdict_of({moved(rows[1]) > times * moved(rows[0]),
                                   moved(rows[2]) > times * moved(rows[0])}),
                       ""};
      });
}

Claim stack_solvers() {
  const std::string run = "nsn run heavy-stack --steps 100";
  return claim_of_runs(
      "stack-solvers", "PCR and a direct solver hold the heavy stack, relaxation collapses",
      {run + kPaper, run + kDirect, run + kPaper + " --linear gauss-seidel",
       run + kPaper + " --linear jacobi"},
      true, [](const Rows& rows) {
        const auto deep = [&](std::size_t k) { return number_of(rows[k], "penetration_max_m"); };
        return Verdict{
            fmt::format("displacement {} m (PCR), {} m (direct); penetration {} m (Gauss-Seidel), "
                        "{} m (Jacobi)",
                        metres(rows[0]), metres(rows[1]),
                        short_number(rows[2], "penetration_max_m"),
                        short_number(rows[3], "penetration_max_m")),
            verdict_of(
                {moved(rows[0]) < 1e-2, moved(rows[1]) < 1e-2, deep(2) > 1e-2, deep(3) > 1e-2}),
            ""};
      });
}

constexpr double kFallen = 0.5;  // m: a block has left its place

Claim arch_falls() {
  const std::string run = "nsn run arch --steps 14400 --preset paper --linear ";
  return claim_of_runs(
      "arch-relaxation", "the arch collapses in the end with Gauss-Seidel and Jacobi",
      {run + "gauss-seidel", run + "jacobi"}, false, [](const Rows& rows) {
        return Verdict{fmt::format("displacement after two minutes {} m (Gauss-Seidel), {} m "
                                   "(Jacobi)",
                                   metres(rows[0]), metres(rows[1])),
                       verdict_of({moved(rows[0]) > kFallen, moved(rows[1]) > kFallen}), ""};
      });
}

Claim arch_stands() {
  const std::string run = "nsn run arch --steps 14400";
  return claim_of_runs(
      "arch-krylov", "PCR and a direct solver keep the arch, without drift",
      {run + kPaper, run + kDirect, run}, false, [](const Rows& rows) {
        constexpr double kStill = 1e-3;  // m in two minutes
        return Verdict{
            fmt::format("displacement after two minutes {} m (PCR), {} m (direct); preset "
                        "accurate {} m",
                        metres(rows[0]), metres(rows[1]), metres(rows[2])),
            verdict_of({moved(rows[0]) < kFallen, moved(rows[1]) < kFallen,
                        moved(rows[0]) < kStill && moved(rows[1]) < kStill}),
            "six cold Newton iterations with t = 0.75 leave an error in every step, which adds up; "
            "a direct solver does not change that"};
      });
}

Claim arch_hundreds() {
  const std::string run = "nsn run arch --steps 7200 --linear-iterations 100 --preset paper";
  return claim_of_runs(
      "arch-hundreds", "relaxation collapses even with hundreds of iterations",
      {run + " --linear gauss-seidel", run}, false, [](const Rows& rows) {
        return Verdict{fmt::format("100 per Newton iteration, 600 per step: displacement after a "
                                   "minute {} m (Gauss-Seidel), {} m (PCR)",
                                   metres(rows[0]), metres(rows[1])),
                       verdict_of({moved(rows[0]) > kFallen && moved(rows[1]) < kFallen}),
                       "with 100 linear iterations what is left is Newton's own error"};
      });
}

Claim incline() {
  const std::string run = "nsn run box-on-incline --set slope=0.505 --steps 120";
  return claim_of_runs(
      "friction-fixed-point", "the fixed point of friction solves Coulomb's law",
      {run + kDirect + " --newton-iterations 30", run}, true, [](const Rows& rows) {
        constexpr double kExact = 2.207e-2;  // m: g (sin - mu cos) t^2 / 2
        return Verdict{
            fmt::format("a box beyond the friction angle slides {} m in a second, preset accurate "
                        "{} m; exact 2.2e-02 m",
                        metres(rows[0]), metres(rows[1])),
            verdict_of({std::abs(moved(rows[0]) - kExact) < 0.1 * kExact}),
            "a contact inside its cone has W = 0 and pins the body, whatever the others do"};
      });
}

/// A step length t per run.
Claim step_length() {
  std::vector<std::string> commands;
  for (const char* scene : {"heavy-stack --steps 240", "arch --steps 240"}) {
    for (const char* t : {"0.5", "0.65", "0.75", "0.9", "1"}) {
      commands.push_back(fmt::format("nsn run {} --preset paper --step-length {}", scene, t));
    }
  }
  return claim_of_runs(
      "step-length", "the method is not particularly sensitive to t (0.75)", commands, true,
      [](const Rows& rows) {
        std::string text;
        std::vector<bool> alike;
        for (std::size_t scene = 0; scene < 2; ++scene) {
          double least = HUGE_VAL;
          double most = 0.0;
          text += scene == 0 ? "median error with t = 0.5, 0.65, 0.75, 0.9, 1: heavy stack "
                             : "; arch ";
          for (std::size_t k = 5 * scene; k < 5 * scene + 5; ++k) {
            least = std::min(least, number_of(rows[k], "error_median_mps"));
            most = std::max(most, number_of(rows[k], "error_median_mps"));
            text += (k == 5 * scene ? "" : ", ") + short_number(rows[k], "error_median_mps");
          }
          alike.push_back(most < 3.0 * least);
        }
        return Verdict{text + " m/s", verdict_of(alike),
                       "on the heavy stack full steps leave least"};
      });
}

Claim start() {
  std::vector<std::string> commands;
  for (const char* scene : {"humanoids --set count=8 --steps 240", "table-pile --steps 240"}) {
    for (const char* u : {"zero", "previous", "predicted"}) {
      commands.push_back(
          fmt::format("nsn run {} --preset paper --newton-iterations 4 --start {}", scene, u));
    }
  }
  return claim_of_runs(
      "start", "zero velocity is the most robust starting iterate, also under random torques",
      commands, false, [](const Rows& rows) {
        std::string text = "largest error from zero, the last and the unconstrained velocity: ";
        std::vector<bool> least;
        for (std::size_t k = 0; k < rows.size(); k += 3) {
          text += (k == 0 ? "humanoids " : "; tables ");
          for (std::size_t s = k; s < k + 3; ++s) {
            text += (s == k ? "" : ", ") + short_number(rows[s], "error_max_mps");
          }
          const double zero = number_of(rows[k], "error_max_mps");
          least.push_back(zero <= number_of(rows[k + 1], "error_max_mps") &&
                          zero <= number_of(rows[k + 2], "error_max_mps"));
        }
        return Verdict{text + " m/s", verdict_of(least),
                       "from zero all of the motion has to be found in four iterations"};
      });
}

Claim line_search() {
  std::vector<std::string> commands;
  for (const char* mu : {"0", "0.5"}) {
    for (const char* damping : {"constant", "line-search"}) {
      commands.push_back(
          fmt::format("nsn run heavy-stack --set mu={} --steps 60 --preset paper --linear cholmod "
                      "--linear-iterations 0 --newton-iterations 60 --tolerance 1e-6 --damping {}",
                      mu, damping));
    }
  }
  for (const char* damping : {"constant", "line-search"}) {
    commands.push_back(fmt::format(
        "nsn run sliding-stack --steps 60 --preset paper --linear cholmod --linear-iterations 0 "
        "--newton-iterations 60 --tolerance 1e-6 --damping {}",
        damping));
  }
  return claim_of_runs(
      "line-search", "a line search works without friction and stalls with it", commands, true,
      [](const Rows& rows) {
        const auto left = [&](std::size_t k) { return rows[k].at("unconverged_steps").get<int>(); };
        return Verdict{
            fmt::format("steps of 60 not solved to 1e-6 in 60 iterations, constant t and line "
                        "search: heavy stack without friction {} and {}, with friction {} and {}, "
                        "sliding stack {} and {}",
                        left(0), left(1), left(2), left(3), left(4), left(5)),
            verdict_of({left(1) <= left(0), left(3) > left(2), left(5) > left(4)}),
            "it takes full steps wherever the merit falls, which t = 0.75 never does"};
      });
}

Claim warm_start() {
  std::vector<std::string> commands;
  for (const char* scene : {"heavy-stack", "arch"}) {
    for (const char* warm : {"false --start zero", "true --start previous"}) {
      commands.push_back(
          fmt::format("nsn run {} --steps 60 --preset paper --linear cholmod --linear-iterations 0 "
                      "--newton-iterations 60 --tolerance 1e-6 --warm-start {}",
                      scene, warm));
    }
  }
  return claim_of_runs(
      "warm-start", "warm starting can make the method much more efficient", commands, true,
      [](const Rows& rows) {
        const auto count = [&](std::size_t k) {
          return rows[k].at("newton_iterations_mean").get<double>();
        };
        return Verdict{fmt::format("Newton iterations per step, cold and warm: heavy stack "
                                   "{:.1f} and {:.1f}, arch {:.1f} and {:.1f}",
                                   count(0), count(1), count(2), count(3)),
                       verdict_of({count(1) < 0.5 * count(0), count(3) < 0.5 * count(2)}), ""};
      });
}

Claim singular() {
  std::vector<std::string> commands;
  for (const char* linear : {"pcr", "pcg", "cholmod --linear-iterations 0"}) {
    commands.push_back(fmt::format(
        "nsn run cylinder-ring --steps 60 --preset paper --regularization 0 --newton-iterations 20 "
        "--linear {}",
        linear));
  }
  return claim_of_runs(
      "singular", "PCR converges on nearly singular systems where PCG and Cholesky may fail",
      commands, true, [](const Rows& rows) {
        const double pcr = number_of(rows[0], "error_median_mps");
        return Verdict{fmt::format("cylinder ring without regularisation, median error {} m/s "
                                   "(PCR), {} m/s (PCG), {} m/s (Cholesky)",
                                   short_number(rows[0], "error_median_mps"),
                                   short_number(rows[1], "error_median_mps"),
                                   short_number(rows[2], "error_median_mps")),
                       verdict_of({number_of(rows[1], "error_median_mps") > 10.0 * pcr,
                                   number_of(rows[2], "error_median_mps") > 10.0 * pcr}),
                       "Cholesky meets pivots of rounding; PCG does as well as PCR here"};
      });
}

}  // namespace

std::vector<Claim> rigid_claims() {
  return {effective_mass("heavy-stack", 100, 10.0),
          effective_mass("arch", 60, 2.0),
          stack_solvers(),
          arch_falls(),
          arch_stands(),
          arch_hundreds(),
          singular(),
          incline(),
          step_length(),
          start(),
          line_search(),
          warm_start()};
}

}  // namespace nsn::study
