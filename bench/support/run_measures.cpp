#include "bench/support/run_measures.h"

#include <algorithm>
#include <cmath>

#include "bench/support/quantile.h"
#include "nsn/models/rows/joint_rows.h"

namespace nsn::bench {
namespace {

constexpr double kFine = 1e-8;  // m/s: errors that do not matter

std::vector<Vec3> positions_of(const World& world) {
  std::vector<Vec3> all;
  for (const ConstBodyRef body : world.bodies()) all.push_back(body.position);
  for (const ConstParticleRef p : world.particles()) all.push_back(p.position);
  return all;
}

double volume_of(const Particles& particles, const Deformable& body, bool at_rest) {
  double sum = 0.0;
  for (const auto& tet : body.mesh.tet) {
    Vec3 x[4];
    for (std::size_t k = 0; k < 4; ++k) {
      x[k] = at_rest ? body.mesh.node[static_cast<std::size_t>(tet[k])]
                     : particles[static_cast<std::size_t>(body.particle(tet[k]))].position;
    }
    sum += dot(cross(x[1] - x[0], x[2] - x[0]), x[3] - x[0]) / 6.0;
  }
  return sum;
}

/// Volume of all deformable bodies over that at rest; 1 for none.
double volume_ratio(const World& world) {
  double now = 0.0;
  double rest = 0.0;
  for (const Deformable& body : world.deformables()) {
    now += volume_of(world.particles(), body, false);
    rest += volume_of(world.particles(), body, true);
  }
  return rest > 0.0 ? now / rest : 1.0;
}

}  // namespace

RunMeasures::RunMeasures(const Simulation& simulation)
    : start_(positions_of(simulation.world())),
      energy_start_(energy(simulation.world())),
      energy_before_(energy_start_) {}

void RunMeasures::add(const Simulation& simulation) {
  const StepReport& r = simulation.report();
  error.push_back(r.error.total);
  normal.push_back(r.error.normal);
  friction.push_back(r.error.friction);
  momentum.push_back(r.error.momentum);
  detect.push_back(1e3 * r.detect_seconds);
  assemble.push_back(1e3 * r.assemble_seconds);
  solve.push_back(1e3 * r.solve_seconds);
  if (r.contacts > 0) {
    per_contact.push_back((detect.back() + assemble.back() + solve.back()) / r.contacts);
  }
  unconverged += r.converged() ? 0 : 1;
  solved += r.status == NewtonStatus::kConverged ? 1 : 0;
  reached += r.promise == Promise::kReached ? 1 : 0;
  missed += r.promise == Promise::kMissed ? 1 : 0;
  failed += r.promise == Promise::kFailed ? 1 : 0;
  held = held && r.promise_held;
  if (!(r.error.total <= worst_.error)) {
    worst_ = {r.error.total,   static_cast<int>(error.size()),
              r.worst_body_a,  r.worst_body_b,
              r.worst_contact, r.target_error,
              r.target};
  }
  coarse += r.error.total <= kFine ? 0 : 1;
  contacts = std::max(contacts, r.contacts);
  contacts_of_island = std::max(contacts_of_island, r.contacts_of_island);
  newton += r.newton_iterations;
  linear += r.linear_iterations;
  penetration = std::max(penetration, r.penetration);
  fast_pairs = std::max(fast_pairs, r.fast_pairs);
  energy_gain = std::max(energy_gain, r.energy - energy_before_ - r.work_external);
  energy_before_ = r.energy;
  drift.distance = std::max(drift.distance, r.drift.distance);
  drift.angle = std::max(drift.angle, r.drift.angle);
  drift.limit_excess = std::max(drift.limit_excess, r.drift.limit_excess);
  traffic += r.traffic;
  iteration_traffic += r.iteration_traffic;
  if (!r.evaluate_on.empty()) evaluate_on = r.evaluate_on;
  if (!r.solve_on.empty()) solve_on = r.solve_on;
  finite = finite && std::isfinite(r.energy) && std::isfinite(r.error.total);
}

std::string RunMeasures::status() const {
  if (failed > 0) return "failed";
  if (!held) return "not converged";
  if (solved == static_cast<int>(error.size())) return "converged";
  if (unconverged == 0) return "on target";
  return missed > 0 ? "safe" : "done";
}

nlohmann::ordered_json RunMeasures::row(const Simulation& simulation) const {
  const auto steps = static_cast<int>(error.size());
  const double count = std::max(steps, 1);
  double displacement = 0.0;
  const std::vector<Vec3> now = positions_of(simulation.world());
  for (std::size_t k = 0; k < std::min(now.size(), start_.size()); ++k) {
    displacement = std::max(displacement, norm(now[k] - start_[k]));
  }
  return {{"steps", steps},
          {"status", status()},
          {"promise_held", held},
          {"reached_steps", reached},
          {"missed_steps", missed},
          {"failed_steps", failed},
          {"unconverged_steps", unconverged},
          {"steps_above_1e_8_mps", coarse},
          {"newton_iterations_mean", newton / count},
          {"linear_iterations_mean", linear / count},
          {"error_median_mps", median(error)},
          {"error_max_mps", std::max(worst_.error, 0.0)},
          {"error_max_step", worst_.step},
          {"error_max_body_a", worst_.body_a},
          {"error_max_body_b", worst_.body_b},
          {"error_max_contact", worst_.contact},
          {"error_max_judged_mps", worst_.target_error},
          {"error_max_target_mps", worst_.target},
          {"error_normal_median_m", median(normal)},
          {"error_friction_median_mps", median(friction)},
          {"error_momentum_median_mps", median(momentum)},
          {"penetration_max_m", penetration},
          {"displacement_max_m", displacement},
          {"speed_max_mps", simulation.report().speed},
          {"volume_ratio", volume_ratio(simulation.world())},
          {"energy_start_j", energy_start_},
          {"energy_end_j", simulation.report().energy},
          {"energy_gain_max_j", energy_gain},
          {"contacts_max", contacts},
          {"fast_pairs_max", fast_pairs},
          {"detect_ms_median", median(detect)},
          {"assemble_ms_median", median(assemble)},
          {"solve_ms_median", median(solve)},
          {"joints", simulation.world().joints().num_joints()},
          {"joint_drift_max_m", drift.distance},
          {"joint_drift_max_rad", drift.angle},
          {"limit_excess_max", drift.limit_excess},
          {"ms_per_contact_median", median(per_contact)},
          {"device", simulation.options().newton.device},
          {"evaluate_on", evaluate_on.empty() ? "host" : evaluate_on},
          {"solve_on", solve_on.empty() ? "host" : solve_on},
          {"launches_per_step", static_cast<double>(traffic.launches) / count},
          {"copied_up_bytes_per_step", traffic.to_device / count},
          {"copied_down_bytes_per_step", traffic.from_device / count},
          {"copied_bytes_per_newton_iteration",
           (iteration_traffic.to_device + iteration_traffic.from_device) / std::max(newton, 1.0)}};
}

}  // namespace nsn::bench
