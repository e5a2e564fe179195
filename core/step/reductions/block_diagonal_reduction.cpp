#include "nsn/core/step/reductions/block_diagonal_reduction.h"

#include <numeric>

#include "nsn/core/base/vector_kernels.h"

namespace nsn {

void BlockDiagonalReduction::analyze(const System& system, const BlockCsr& J) {
  kept_.resize(static_cast<std::size_t>(system.blocks()));
  std::iota(kept_.begin(), kept_.end(), 0);
  delassus_.analyze(J);
  allocate(system);
  H_inverse_ = Vector("H^-1", kBlock * static_cast<std::size_t>(system.dofs()));
}

bool BlockDiagonalReduction::linearise(StepEquations& equations, StepEvaluation& at, ConstVector u,
                                       ConstVector r, bool stiffness) {
  const System& system = equations.system();
  if (stiffness) {
    equations.stiffness(u, r, H_);
    invert_blocks(H_, H_inverse_);
    blocks_ = H_;
    inverse_ = H_inverse_;
  } else {
    blocks_ = system.M;
    inverse_ = system.M_inverse;
  }
  start_at(system, u);
  copy(base_, impulse_);
  multiply_blocks(inverse_, impulse_, base_);
  take(at);
  delassus_.assemble(rows_.J, inverse_, rows_.E);
  set_q(rows_.J, rows_.value);
  return true;
}

void BlockDiagonalReduction::push(ConstVector r, Vector out) {
  fill(impulse_, 0.0);
  add_kept_impulse(1.0, r, impulse_);
  multiply_blocks(inverse_, impulse_, out);
}

}  // namespace nsn
