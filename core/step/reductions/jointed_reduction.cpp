#include "nsn/core/step/reductions/jointed_reduction.h"

#include <algorithm>
#include <utility>

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
  impulses_.assign(rows, 0.0);  // stays zero but for eliminated rows
  free_r_ = Vector(impulses_.data(), rows);
}

bool JointedReduction::fits(const System& system) const {
  return std::all_of(eliminated().begin(), eliminated().end(),
                     [&](Index i) { return system.laws[static_cast<std::size_t>(i)].unbounded(); });
}

bool JointedReduction::linearise(StepEquations& equations, StepEvaluation& at, ConstVector u,
                                 ConstVector r, bool stiffness) {
  const System& system = equations.system();
  const ConstVector centre = std::exchange(forgets_, false) ? ConstVector() : r;
  ConstVector H = system.M;
  if (stiffness) {
    equations.stiffness(u, r, H_);
    H = H_;
  }
  start_at(system, u);
  if (!mass_.assemble(system, at, H)) return false;
  mass_.free_impulses(at, centre, free_r_);
  add_transposed(at.J, 1.0, free_r_, base_);
  mass_.solve(base_);
  take(at);
  set_q(rows_.J, rows_.value);
  return true;
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
