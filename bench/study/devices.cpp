// The same step of the paper's method on every device and linear solver.
#include "nsn/core/step/devices.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/core.h>

#include "bench/study/frozen_step.h"
#include "bench/study/study.h"
#include "bench/support/quantile.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/step/newton_options.h"

namespace nsn::study {
namespace {

struct Measured {
  Trial trial;
  double milliseconds = 0.0;  // median, wall clock
};

/// The first run has to allocate and is not timed.
Measured measure(StepEquations& equations, const NewtonOptions& newton, int repeats) {
  using Clock = std::chrono::steady_clock;
  NewtonSolver solver(newton, standard_backends());
  const System& system = equations.system();
  Measured out;
  out.trial.state = {Vector("u", to_size(system.dofs())), Vector("r", to_size(system.rows()))};
  std::vector<double> times;
  for (int k = 0; k <= repeats; ++k) {
    const auto start = Clock::now();
    out.trial.result = solver.solve(equations, out.trial.state, false);
    const std::chrono::duration<double, std::milli> spent = Clock::now() - start;
    if (k > 0) times.push_back(spent.count());
  }
  out.milliseconds = bench::median(times);
  return out;
}

double largest_difference(ConstVector a, ConstVector b) {
  double most = 0.0;
  for (Index i = 0; i < size_of(a); ++i) most = std::max(most, std::abs(a(i) - b(i)));
  return most;
}

}  // namespace

StudyOutcome devices_study(const StudyOptions& options) {
  StudyOutcome out{.name = "devices",
                   .title = "The same step on every device",
                   .question = "What does a step cost where, and are the answers the same?",
                   .findings = {},
                   .charts = {},
                   .rows = {}};
  const int repeats = options.quick ? 3 : 11;
  double most = 0.0;
  const std::vector<FrozenScene> subjects{{"heavy-stack"}, {"arch"}, {"wall"}};
  const std::vector<std::string> solvers{"jacobi", "pcg", "pcr", "pcr:precond=block-jacobi",
                                         "cholmod"};
  const std::vector<DeviceInfo> devices = all_devices(standard_backends());
  options.pieces(subjects.size() * solvers.size() *
                 static_cast<std::size_t>(std::ranges::count_if(
                     devices, [](const DeviceInfo& device) { return device.available(); })));
  for (const FrozenScene& scene : subjects) {
    freeze(scene, [&](StepEquations& equations) {
      for (const std::string& solver : solvers) {
        if (!standard_backends().info(solver.substr(0, solver.find(':'))).available()) continue;
        Vector reference;
        for (const DeviceInfo& device : devices) {
          if (!device.available()) continue;
          options.progress(scene.name + " · " + solver + " · " + device.name);
          NewtonOptions newton = newton_preset("paper");
          newton.device = device.name;
          newton.linear = {solver};
          const Measured run = measure(equations, newton, repeats);
          if (reference.extent(0) == 0) reference = run.trial.state.u;
          const double difference = largest_difference(run.trial.state.u, reference);
          most = std::max(most, difference);
          const NewtonResult& result = run.trial.result;
          const double iterations = std::max(result.iterations, 1);
          const Traffic& step = result.traffic;
          const Traffic& loop = result.iteration_traffic;
          options.add(out, {{"scene", scene.name},
                            {"device", device.name},
                            {"linear", solver},
                            {"evaluate_on", result.evaluate_on},
                            {"solve_on", result.solve_on},
                            {"ms_median", run.milliseconds},
                            {"launches", step.launches},
                            {"copied_up_bytes", step.to_device},
                            {"copied_down_bytes", step.from_device},
                            {"copied_bytes_per_newton_iteration",
                             (loop.to_device + loop.from_device) / iterations},
                            {"newton_iterations", result.iterations},
                            {"linear_iterations", result.linear_iterations},
                            {"error_mps", result.error.total},
                            {"difference_from_serial_mps", difference}});
        }
      }
    });
  }
  out.findings.push_back(
      most == 0.0
          ? "Every device gives the velocities of serial, bit for bit."
          : fmt::format("Velocities differ from those of serial by up to {:.1e} m/s.", most));
  return out;
}

}  // namespace nsn::study
