#include "nsn/core/step/elastic_reduction.h"

#include <algorithm>

#include "nsn/core/base/math3.h"
#include "nsn/core/base/vector_kernels.h"

namespace nsn {

bool ElasticReduction::analyze(const System& system, const BlockCsr& J, Elimination elimination,
                               GeometricStiffness stiffness) {
  stiffness_ = stiffness;
  mass_.analyze(system, J, elimination, stiffness);
  if (!mass_.sparse()) return false;
  kept_ = mass_.kept();
  allocate(system);
  for (Vector* v : {&reference_, &change_}) *v = Vector("kept r", kBlock * kept_.size());
  linear_r_ = Vector("r", static_cast<std::size_t>(system.rows()));
  return true;
}

bool ElasticReduction::linearise(StepEquations& equations, StepEvaluation& at, ConstVector u,
                                 ConstVector r, bool /*stiffness*/) {
  if (!mass_.assemble(equations, at, u, r, stiffness_)) return false;
  take(at);
  set_problem(equations.system(), u, r);
  return true;
}

void ElasticReduction::linearise_values(const System& system, StepEvaluation& at, ConstVector u,
                                        ConstVector r) {
  mass_.keep_factor(at);
  take(at);
  set_problem(system, u, r);
}

/// base = -H^-1 (M (u - u_free) + J_c^T E_c^-1 v_c - J_k^T r_k),  q = v_k + J base - (W - E) r_k.
void ElasticReduction::set_problem(const System& system, ConstVector u, ConstVector r) {
  copy(u, origin_);
  axpby(-1.0, system.u_free, 1.0, origin_);
  multiply_blocks(system.M, origin_, impulse_);
  copy(u, origin_);
  mass_.add_elastic_impulse(rows_, impulse_);
  gather(r, reference_);
  add_kept_impulse(-1.0, reference_, impulse_);
  mass_.solve(impulse_);
  copy(impulse_, base_);
  axpby(0.0, origin_, -1.0, base_);
  const BlockRows J(rows_.J);
  const BlockRows W(mass_.delassus());
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    const Index i = kept_[k];
    double moved[3];
    double pushed[3];
    J.multiply(i, base_.data(), moved);
    W.multiply(static_cast<Index>(k), reference_.data(), pushed);
    const Vec3 yielded = load9(&rows_.E(kBlockSize * i)) * load3(&reference_(kBlock * k));
    store3(&q_(kBlock * k),
           load3(&rows_.value(kBlock * i)) + load3(moved) - load3(pushed) + yielded);
  }
}

void ElasticReduction::push(ConstVector r, Vector out) {
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    store3(&change_(kBlock * k), load3(&r(kBlock * k)) - load3(&reference_(kBlock * k)));
  }
  fill(out, 0.0);
  add_kept_impulse(1.0, change_, out);
  mass_.solve(out);
}

void ElasticReduction::eliminated_impulses(ConstVector d, Vector r) const {
  mass_.linear_impulses(rows_, d, r);
}

/// Near the solution the linearised impulses balance to rounding; those of the elements carry the
/// rounding of u times their stiffness (so d is the step itself, not a difference of u).
StepError ElasticReduction::evaluate(StepEquations& equations, StepEvaluation& at, ConstVector d,
                                     State& state) {
  const System& system = equations.system();
  if (eliminated().empty()) return StepReduction::evaluate(equations, at, d, state);
  copy(state.r, linear_r_);
  eliminated_impulses(d, linear_r_);
  at.evaluate(equations, state.u);
  mass_.elastic_impulses(at, state.r);
  const StepError error = at.error(system, state.u, state.r);
  const StepError linear = at.error(system, state.u, linear_r_);
  if (!(linear.total < error.total)) return error;
  copy(linear_r_, state.r);
  return linear;
}

}  // namespace nsn
