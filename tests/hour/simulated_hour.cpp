// simulated_hour SCENE PRESET [STEPS]: an hour of a scene in steps of 1/120 s, as one line of CSV.
//
// What must not happen: numbers that are none, memory that grows, bodies at rest that creep. Measured against the end
// of the first minute, when everything has settled and every buffer has its size. simulated_hour --head: the columns.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/runtime.h"
#include "nsn/core/step/newton_options.h"
#include "nsn/models/scenes/scene.h"
#include "nsn/models/step/simulation.h"

namespace nsn {
namespace {

constexpr int kMinute = 7200;  // steps
constexpr int kHour = 60 * kMinute;

double memory_mib() {
  std::ifstream file("/proc/self/statm");
  long total = 0;
  long resident = 0;
  file >> total >> resident;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1048576.0;
}

std::vector<Vec3> positions(const World& world) {
  std::vector<Vec3> all;
  for (const ConstBodyRef body : world.bodies()) all.push_back(body.position);
  for (const ConstParticleRef p : world.particles()) all.push_back(p.position);
  return all;
}

double largest_distance(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, norm(a[k] - b[k]));
  return largest;
}

int run(const std::string& scene, const std::string& preset, int steps) {
  const Runtime runtime(1);
  SimulationOptions options;
  options.newton = newton_preset(preset);
  Simulation simulation(make_scene(scene, {}), options, standard_backends());
  const int first = std::min(kMinute, steps);
  std::vector<Vec3> settled;
  double memory = 0.0;
  double energy_settled = 0.0;
  double error = 0.0;
  double penetration = 0.0;
  double joint_drift = 0.0;
  double energy_most = -HUGE_VAL;
  const auto begin = std::clock();
  int done = 0;
  bool finite = true;
  while (done < steps && finite) {
    const StepReport& report = simulation.step();
    ++done;
    finite = std::isfinite(report.energy) && std::isfinite(report.speed) &&
             std::isfinite(report.error.total);
    if (done == first) {
      settled = positions(simulation.world());
      memory = memory_mib();
      energy_settled = energy_most = report.energy;
    }
    if (done < first) continue;
    error = std::max(error, report.error.total);
    penetration = std::max(penetration, report.penetration);
    joint_drift = std::max(joint_drift, report.drift.distance);
    energy_most = std::max(energy_most, report.energy);
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  const double moved =
      settled.empty() ? HUGE_VAL : largest_distance(settled, positions(simulation.world()));
  fmt::print("{},{},{},{:.3f},{},{:.1f},{:.1f},{:.1e},{:.1e},{:.1e},{:.1e},{:.1e}\n", scene, preset,
             done, 1e3 * seconds / std::max(done, 1), finite ? "yes" : "no", memory,
             memory_mib() - memory, moved, simulation.report().energy - energy_settled,
             energy_most - energy_settled, penetration, std::max(error, joint_drift));
  return finite ? 0 : 1;
}

}  // namespace
}  // namespace nsn

int main(int argc, char** argv) {
  if (argc == 2 && argv[1] == std::string("--head")) {
    fmt::print(
        "scene,preset,steps,ms_per_step,finite,memory_mib,memory_growth_mib,moved_m,energy_change_"
        "j,"
        "energy_gain_j,penetration_m,error\n");
    return 0;
  }
  if (argc < 3) {
    fmt::print(stderr, "usage: {} SCENE PRESET [STEPS] | --head\n", argv[0]);
    return 2;
  }
  try {
    return nsn::run(argv[1], argv[2], argc > 3 ? std::atoi(argv[3]) : nsn::kHour);
  } catch (const std::exception& error) {
    fmt::print(stderr, "simulated_hour: {}\n", error.what());
    return 2;
  }
}
