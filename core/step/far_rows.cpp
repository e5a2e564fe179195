#include "nsn/core/step/far_rows.h"

#include <algorithm>
#include <cmath>

namespace nsn {
namespace {

bool is_far(const RowLaw& law, const double* v, const double* r, const RealtimePolicy& policy) {
  if (law.is_contact()) return r[0] == 0.0 && v[0] > policy.far_speed;
  for (int k = 0; k < 3; ++k) {
    const bool empty = std::isinf(law.lo[k]) && std::isinf(law.hi[k]);
    const bool limit = law.lo[k] == 0.0 && std::isinf(law.hi[k]);
    if (!empty && !(limit && r[k] == 0.0 && v[k] > policy.far_speed)) return false;
  }
  return !law.unbounded();
}

}  // namespace

bool FarRows::find(const System& system, const StepEvaluation& at, ConstVector r,
                   const RealtimePolicy& policy) {
  last_.swap(far_);
  far_.resize(system.laws.size());
  for (std::size_t i = 0; i < far_.size(); ++i) {
    far_[i] = is_far(system.laws[i], &at.value(kBlock * i), &r(kBlock * i), policy) ? 1 : 0;
  }
  return far_ != last_;
}

bool FarRows::admit(const System& system, const StepEvaluation& at) {
  bool any = false;
  for (std::size_t i = 0; i < far_.size(); ++i) {
    if (far_[i] == 0) continue;
    const int rows = system.laws[i].is_contact() ? 1 : 3;
    const double* const v = &at.value(kBlock * i);
    if (*std::min_element(v, v + rows) >= 0.0) continue;
    far_[i] = 0;
    any = true;
  }
  return any;
}

}  // namespace nsn
