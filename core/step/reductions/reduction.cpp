#include "nsn/core/step/reductions/reduction.h"

#include <algorithm>

#include "nsn/core/base/math3.h"
#include "nsn/core/base/vector_kernels.h"

namespace nsn {

void StepReduction::begin(const System& system) {
  rows_.fit(system);
}

void StepReduction::allocate(const System& system) {
  const auto dofs = static_cast<std::size_t>(system.dofs());
  const std::size_t unknowns = kBlock * kept_.size();
  arena_.assign(3 * dofs + unknowns + kBlock * dofs, 0.0);
  double* next = arena_.data();
  const auto lay = [&](Vector& v, std::size_t n) {
    v = Vector(next, n);
    next += n;
  };
  lay(origin_, dofs);
  lay(base_, dofs);
  lay(impulse_, dofs);
  lay(H_, kBlock * dofs);
  lay(q_, unknowns);
}

void StepReduction::start_at(const System& system, ConstVector u) {
  copy(u, origin_);
  copy(system.u_free, impulse_);
  axpby(-1.0, u, 1.0, impulse_);
  multiply_blocks(system.M, impulse_, base_);
}

void StepReduction::set_q(const BlockCsr& J, ConstVector value) {
  const BlockRows rows(J);
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    const Index i = kept_[k];
    double* const q = &q_(kBlock * k);
    rows.multiply(i, base_.data(), q);
    for (Index c = 0; c < kBlock; ++c) q[c] += value(kBlock * i + c);
  }
}

void StepReduction::add_kept_impulse(double factor, ConstVector r, Vector f) const {
  const BlockCsr& J = rows_.J;
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    const Index i = kept_[k];
    const Vec3 r_i = factor * load3(&r(kBlock * k));
    if (r_i[0] == 0.0 && r_i[1] == 0.0 && r_i[2] == 0.0) continue;
    for (Index e = J.row_begin(i); e < J.row_begin(i + 1); ++e) {
      double* const out = &f(kBlock * J.column(e));
      store3(out, load3(out) + transpose_times(load9(&J.value(kBlockSize * e)), r_i));
    }
  }
}

StepError StepReduction::evaluate(StepEquations& equations, StepEvaluation& at, ConstVector /*d*/,
                                  State& state) {
  at.evaluate(equations, state.u);
  return at.error(equations.system(), state.u, state.r);
}

void StepReduction::gather(ConstVector all, Vector kept) const {
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    std::copy_n(&all(kBlock * kept_[k]), kBlock, &kept(kBlock * k));
  }
}

void StepReduction::scatter(ConstVector kept, Vector all) const {
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    std::copy_n(&kept(kBlock * k), kBlock, &all(kBlock * kept_[k]));
  }
}

void show(StepMonitor& monitor, StepReduction& reduction, const LinearOperator& S, ConstVector b) {
  NewtonSystemView view;
  view.S = S.blocks();
  view.b = b;
  view.symmetric = S.symmetric();
  view.J = &reduction.rows().J;
  view.H = reduction.H_blocks();
  view.C = reduction.rows().E;
  view.form = "proximal";
  view.W = &reduction.W();
  view.q = reduction.q();
  monitor.show(view);
}

}  // namespace nsn
