#include "nsn/core/step/jointed_reduction.h"

#include <algorithm>

#include "nsn/core/base/vector_kernels.h"

namespace nsn {

void JointedReduction::analyze(const System& system, const BlockCsr& J,
                               const std::vector<std::uint8_t>& far) {
  mass_.analyze(system, J, far);
}

void JointedReduction::adopt(const System& system) {
  kept_ = mass_.kept();
  allocate(system);
  const auto rows = static_cast<std::size_t>(system.rows());
  impulses_.assign(2 * rows, 0.0);  // stays zero but for eliminated rows
  free_r_ = Vector(impulses_.data(), rows);
  change_ = Vector(impulses_.data() + rows, rows);
}

bool JointedReduction::fits(const System& system) const {
  return std::all_of(eliminated().begin(), eliminated().end(),
                     [&](Index i) { return system.laws[static_cast<std::size_t>(i)].unbounded(); });
}

bool JointedReduction::linearise(StepEquations& equations, StepEvaluation& at, ConstVector u,
                                 ConstVector r, bool stiffness) {
  const System& system = equations.system();
  ConstVector H = system.M;
  if (stiffness) {
    equations.stiffness(u, r, H_);
    H = H_;
  }
  start_at(system, u);
  if (!mass_.assemble(system, at, H)) return false;
  mass_.free_impulses(at, r, free_r_);
  add_transposed(at.J, 1.0, free_r_, base_);
  mass_.solve(base_);
  take(at);
  set_q(rows_.J, rows_.value);
  return true;
}

/// With g = M (u_free - u) + J^T r and the values of the rows now, J' and H' of before:
///   base = H'^-1 (g + J'_e^T (free_r - r_e) - J'_k^T r_k),   q = value + J'_k base
void JointedReduction::linearise_values(const System& system, StepEvaluation& at, ConstVector u,
                                        ConstVector r) {
  start_at(system, u);
  axpby(1.0, at.impulse(), 1.0, base_);
  mass_.free_impulses(at, r, free_r_);
  copy(free_r_, change_);
  axpby(-1.0, r, 1.0, change_);
  add_transposed(rows_.J, 1.0, change_, base_);
  mass_.solve(base_);
  set_q(rows_.J, at.value);
}

void JointedReduction::push(ConstVector r, Vector out) {
  fill(out, 0.0);
  add_kept_impulse(1.0, r, out);
  mass_.solve(out);
}

void JointedReduction::eliminated_impulses(ConstVector d, Vector r) const {
  mass_.impulses(rows_.J, free_r_, d, r);
}

}  // namespace nsn
