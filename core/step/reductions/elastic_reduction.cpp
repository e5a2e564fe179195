#include "nsn/core/step/reductions/elastic_reduction.h"

#include <algorithm>

#include "nsn/core/base/math3.h"
#include "nsn/core/base/vector_kernels.h"

namespace nsn {
namespace {

// Line search of an elastic step: meshes that are turned inside out recover only with it
// (tests/models/collision/point_cloud_test.cpp).
constexpr double kCurvature = 0.9;  // of the slope that may be left at the end, as usual for Newton
constexpr int kMaxShortenings = 8;  // each by at least 0.7: a twentieth of the step

/// d . (M (u - u_free) - J^T r), J at the end of the step; scratch: 3 per node.
double slope(const System& system, const StepEvaluation& at, ConstVector d, const State& state,
             Vector scratch) {
  at.apply_transposed(state.r, scratch);
  double sum = 0.0;
  for (Index n = 0; n < system.nodes(); ++n) {
    const Vec3 change = load3(&state.u(kBlock * n)) - load3(&system.u_free(kBlock * n));
    const Vec3 g = load9(&system.M(kBlockSize * n)) * change - load3(&scratch(kBlock * n));
    sum += dot(g, load3(&d(kBlock * n)));
  }
  return sum;
}

}  // namespace

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
  multiply(mass_.H(), d, impulse_);
  const double start = dot(impulse_, d);  // the slope at the start, with the other sign
  copy(state.r, linear_r_);
  eliminated_impulses(d, linear_r_);
  double length = 1.0;
  for (int k = 0; k <= kMaxShortenings; ++k) {
    at.evaluate(equations, state.u);
    mass_.elastic_impulses(at, state.r);
    const double end = slope(system, at, d, state, impulse_);
    if (end <= kCurvature * start || k == kMaxShortenings) break;
    length *= std::clamp(start / (start + end), 0.1, 0.7);
    copy(origin_, state.u);
    axpby(length, d, 1.0, state.u);
  }
  const StepError error = at.error(system, state.u, state.r);
  if (length < 1.0) return error;
  const StepError linear = at.error(system, state.u, linear_r_);
  if (!(linear.total < error.total)) return error;
  copy(linear_r_, state.r);
  return linear;
}

}  // namespace nsn
