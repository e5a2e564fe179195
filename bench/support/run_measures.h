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
  /// All of it as one flat object, units in the names.
  nlohmann::ordered_json row(const Simulation& simulation) const;

  std::vector<double> error;                    ///< m/s, per step
  std::vector<double> normal;                   ///< its part e_n, m, per step
  std::vector<double> friction, momentum;       ///< its parts e_f, e_m, m/s, per step
  std::vector<double> detect, assemble, solve;  ///< ms, per step
  std::vector<double> per_contact;              ///< ms, per step with contacts
  int unconverged = 0;                          ///< steps that miss their own tolerance
  int coarse = 0;                               ///< steps with an error above 1e-8 m/s
  int contacts = 0;                             ///< most
  int contacts_of_island = 0;                   ///< most of one island
  double newton = 0.0;                          ///< iterations, sum
  double linear = 0.0;                          ///< iterations, sum
  double penetration = 0.0;                     ///< m, largest
  /// J, largest that a step gains beyond the work done on it.
  double energy_gain = 0.0;
  JointDrift drift;
  bool finite = true;
  Traffic traffic;            ///< sums over the steps
  Traffic iteration_traffic;  ///< of the Newton iterations alone
  std::string evaluate_on, solve_on;

 private:
  std::vector<Vec3> start_;  // of bodies, then of particles
  double energy_start_ = 0.0;
  double energy_before_ = 0.0;
};

}  // namespace nsn::bench
