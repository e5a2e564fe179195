#include "bench/robustness/closed_loop.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/core.h>

#include "bench/support/quantile.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/models/scenes/scene.h"

namespace nsn::robustness {
namespace {

constexpr double kSolved = 1e-8;       // m/s
constexpr double kSpeedLimit = 1e3;    // m/s
constexpr double kErrorFloor = 1e-16;  // m/s: an error of zero has no logarithm

double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double v : values) sum += v;
  return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

double cone_violation(const Simulation& simulation) {
  double worst = 0.0;
  for (const ContactInfo& c : simulation.contacts()) {
    const Vec3& r = c.impulse;
    const double normal = dot(r, c.normal);
    const double excess = norm(r - normal * c.normal) - c.mu * std::max(normal, 0.0);
    if (normal > 0.0) worst = std::max(worst, excess / normal);
  }
  return worst;
}

/// The energy of all dynamic bodies lifted by 1 m.
double energy_unit(const World& world) {
  double mass = 0.0;
  for (const ConstBodyRef body : world.bodies()) mass += body.dynamic() ? body.mass : 0.0;
  const double unit = mass * norm(world.gravity);
  return unit > 0.0 ? unit : 1.0;
}

void append(std::vector<double>& all, const std::vector<double>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

std::string Case::name() const {
  std::string text = scene;
  for (const auto& [key, value] : parameters) text += fmt::format(" {}={}", key, value);
  return text;
}

std::vector<Case> all_cases() {
  std::vector<Case> list;
  for (const auto* name :
       {"box-on-incline", "sliding-box", "rolling-ball", "spinning-disc", "balls-on-plate",
        "a-frame", "overhang", "harmonic-stack", "capstan", "four-leg-table", "cylinder-ring",
        "painleve-rod", "heavy-stack", "arch", "circular-arch"}) {
    list.push_back({name, {}});
  }
  list.push_back({"wall", {{"rows", "5"}, {"columns", "6"}, {"drop", "0.001"}}});
  list.push_back({"sphere-pile", {{"balls", "60"}}});
  for (int seed = 1; seed <= 6; ++seed) {
    list.push_back({"sliding-stack", {{"seed", std::to_string(seed)}}});
  }
  return list;
}

std::vector<Case> cases_of(const std::vector<std::string>& scenes) {
  const std::vector<Case> all = all_cases();
  std::vector<Case> list;
  for (const std::string& name : scenes) {
    const std::size_t before = list.size();
    std::copy_if(all.begin(), all.end(), std::back_inserter(list),
                 [&](const Case& one) { return one.scene == name; });
    if (list.size() == before) list.push_back({scene_info(name).name, {}});
  }
  return list;
}

Sample run(const Case& one, const SimulationOptions& options, int steps) {
  Simulation simulation(make_scene(one.scene, one.parameters), options, standard_backends());
  const double unit = energy_unit(simulation.world());
  Sample sample;
  double before = energy(simulation.world());
  for (int k = 0; k < steps; ++k) {
    const StepReport& report = simulation.step();
    sample.error.push_back(report.error.total);
    sample.factorizations.push_back(report.newton_iterations);
    const double gain = (report.energy - before - report.work_external) / unit;
    sample.energy_gain = std::max(sample.energy_gain, gain);
    sample.cone_violation = std::max(sample.cone_violation, cone_violation(simulation));
    sample.penetration = std::max(sample.penetration, report.penetration);
    sample.handed_over += report.handed_over ? 1 : 0;
    before = report.energy;
    sample.blown_up = !std::isfinite(report.energy) || report.speed > kSpeedLimit;
    if (sample.blown_up) break;
  }
  return sample;
}

Summary summarise(const std::vector<Sample>& samples) {
  Summary sum;
  std::vector<double> errors;
  std::vector<double> factorizations;
  double log_median = 0.0;
  double log_p95 = 0.0;
  for (const Sample& sample : samples) {
    append(errors, sample.error);
    append(factorizations, sample.factorizations);
    log_median += std::log(std::max(bench::quantile(sample.error, 0.5), kErrorFloor));
    log_p95 += std::log(std::max(bench::quantile(sample.error, 0.95), kErrorFloor));
    sum.energy_gain = std::max(sum.energy_gain, sample.energy_gain);
    sum.cone_violation = std::max(sum.cone_violation, sample.cone_violation);
    sum.handed_over += sample.handed_over;
    sum.blown_up += sample.blown_up ? 1 : 0;
  }
  const double count = std::max(1.0, static_cast<double>(samples.size()));
  sum.cases = static_cast<int>(samples.size());
  sum.steps = static_cast<int>(errors.size());
  sum.solved = static_cast<int>(
      std::count_if(errors.begin(), errors.end(), [](double e) { return e <= kSolved; }));
  sum.factorizations_mean = mean(factorizations);
  sum.factorizations_median = bench::median(factorizations);
  sum.error_median = std::exp(log_median / count);
  sum.error_p95 = std::exp(log_p95 / count);
  sum.error_max = bench::quantile(errors, 1.0);
  return sum;
}

}  // namespace nsn::robustness
