/// What a closed-loop run was like, collected step by step.
///
///   RunMeasures measures(simulation);                 // before the first step
///   for (...) { simulation.step(); measures.add(simulation); }
///   Row row = measures.row(simulation);
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "nsn/models/step/simulation.h"

namespace nsn::bench {

struct RunMeasures {
  explicit RunMeasures(const Simulation& simulation);

  /// After every step.
  void add(const Simulation& simulation);
  /// converged: every step met its tolerance; on target: or realtime's target; safe: realtime missed
  /// some targets and kept its promise; done: paper did its iterations; not converged: the promise was
  /// not kept; failed: a step had no usable answer. The promise is kept with the first four.
  std::string status() const;
  /// All of it as one flat object, units in the names.
  nlohmann::ordered_json row(const Simulation& simulation) const;

  std::vector<double> error;                    ///< m/s, per step
  std::vector<double> normal;                   ///< its part e_n, m, per step
  std::vector<double> friction, momentum;       ///< its parts e_f, e_m, m/s, per step
  std::vector<double> detect, assemble, solve;  ///< ms, per step
  std::vector<double> per_contact;              ///< ms, per step with contacts
  int unconverged = 0;                          ///< steps that miss the tolerance or target
  int solved = 0;                               ///< steps within the tolerance
  int reached = 0, missed = 0, failed = 0;      ///< steps, by what became of the promise
  bool held = true;                             ///< every step kept the method's promise
  int coarse = 0;                               ///< steps with an error above 1e-8 m/s
  int contacts = 0;                             ///< most
  int contacts_of_island = 0;                   ///< most of one island
  double newton = 0.0;                          ///< iterations, sum
  double linear = 0.0;                          ///< iterations, sum
  double penetration = 0.0;                     ///< m, largest
  int fast_pairs = 0;                           ///< most of a step (models/step/simulation.h)
  /// J, largest that a step gains beyond the work done on it.
  double energy_gain = 0.0;
  JointDrift drift;
  bool finite = true;
  Traffic traffic;            ///< sums over the steps
  Traffic iteration_traffic;  ///< of the Newton iterations alone
  std::string evaluate_on, solve_on;

 private:
  /// The step of the largest error, and what it touches.
  struct Worst {
    double error = -1.0;  // m/s
    int step = 0;         // from 1
    int body_a = -1, body_b = -1, contact = -1;
    double target_error = 0.0, target = 0.0;  // m/s
  };
  Worst worst_;
  std::vector<Vec3> start_;  // of bodies, then of particles
  double energy_start_ = 0.0;
  double energy_before_ = 0.0;
};

}  // namespace nsn::bench
