#include "nsn/core/step/far_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsn/core/base/math3.h"
#include "nsn/core/step/spin_arm.h"

namespace nsn {
namespace {

/// Times the island's speed: two bodies that both turn their speeds around approach each other by so
/// much more.
constexpr double kTurnAround = 4.0;

/// Of the speed at which a row without impulse opens, m/s or rad/s; 0: the row carries some, or holds.
double opening_speed(const RowLaw& law, const double* v, const double* r) {
  if (law.is_contact()) return r[0] == 0.0 ? std::max(v[0], 0.0) : 0.0;
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k) {
    const bool empty = std::isinf(law.lo[k]) && std::isinf(law.hi[k]);
    if (empty) continue;
    const bool limit = law.lo[k] == 0.0 && std::isinf(law.hi[k]);
    least = std::min(least, limit && r[k] == 0.0 ? std::max(v[k], 0.0) : 0.0);
  }
  return law.unbounded() ? 0.0 : least;
}

/// Of what moves fastest, spins times the radius of gyration, m/s.
double speed_of(const System& system) {
  double speed = system.speed_scale;
  for (Index n = 1; n < system.rigid_nodes; n += 2) {
    speed = std::max(speed, spin_arm(system, n) * norm(load3(&system.u_free(kBlock * n))));
  }
  return speed;
}

}  // namespace

bool FarRows::find(const System& system, const StepEvaluation& at, ConstVector r,
                   const RealtimePolicy& policy) {
  last_.swap(far_);
  far_.resize(system.laws.size());
  idle_ = 0;
  const double reachable = std::min(policy.far_speed, kTurnAround * speed_of(system));
  for (std::size_t i = 0; i < far_.size(); ++i) {
    const RowLaw& law = system.laws[i];
    const double speed = opening_speed(law, &at.value(kBlock * i), &r(kBlock * i));
    far_[i] = speed > (law.is_contact() ? reachable : policy.far_speed) ? 1 : 0;
    idle_ += far_[i] != 0 && speed <= policy.far_speed ? 1 : 0;
  }
  return far_ != last_;
}

bool FarRows::violated(const System& system, const StepEvaluation& at, double speed,
                       std::size_t i) const {
  if (far_[i] == 0) return false;
  const int rows = system.laws[i].is_contact() ? 1 : 3;
  const double* const v = &at.value(kBlock * i);
  return *std::min_element(v, v + rows) < -speed;
}

bool FarRows::any_violated(const System& system, const StepEvaluation& at, double speed) const {
  for (std::size_t i = 0; i < far_.size(); ++i) {
    if (violated(system, at, speed, i)) return true;
  }
  return false;
}

bool FarRows::admit(const System& system, const StepEvaluation& at) {
  bool any = false;
  for (std::size_t i = 0; i < far_.size(); ++i) {
    if (!violated(system, at, 0.0, i)) continue;
    far_[i] = 0;
    any = true;
  }
  return any;
}

}  // namespace nsn
