#include "nsn/core/step/energy_guard.h"

#include <algorithm>
#include <cmath>

#include "nsn/core/base/math3.h"
#include "nsn/core/base/vector_kernels.h"

namespace nsn {

double inner(ConstVector blocks, ConstVector a, ConstVector b) {
  double sum = 0.0;
  for (Index n = 0; n < size_of(blocks) / kBlockSize; ++n) {
    sum += dot(load3(&a(kBlock * n)), load9(&blocks(kBlockSize * n)) * load3(&b(kBlock * n)));
  }
  return sum;
}

namespace {

/// Velocity of row c of contact i that is not the solver's choice: of given motion, and what an overlap
/// at the start is to come apart at.
double given_velocity(const System& system, Index i, Index c) {
  const double prescribed = system.prescribed(3 * i + c);
  if (c != 0 || system.laws[static_cast<std::size_t>(i)].rebounds) return prescribed;
  return prescribed + std::min(0.0, system.value_start(3 * i) - prescribed);
}

}  // namespace

bool EnergyGuard::limit(const System& system, StepReduction& reduction, Vector r, Vector push) {
  motion_.resize(static_cast<std::size_t>(system.dofs()));
  const Vector motion(motion_.data(), motion_.size());
  copy(reduction.origin(), motion);
  axpby(1.0, reduction.base(), 1.0, motion);
  double B = 0.0;
  double w = 0.0;
  double c0 = 0.0;
  for (Index n = 0; n < system.nodes(); ++n) {
    const Mat3 M = load9(&system.M(kBlockSize * n));
    const Vec3 b = load3(&motion(kBlock * n));
    const Vec3 a = load3(&system.weight(kBlock * n));
    const Vec3 d = load3(&push(kBlock * n));
    const Vec3 start = load3(&system.u_start(kBlock * n));
    const Vec3 Md = M * d;
    B += dot(b - a, Md);
    w += dot(d, Md);
    c0 += dot(a - 0.5 * b, M * b) + 0.5 * dot(start, M * start);
  }
  const BlockRows J(reduction.rows().J);
  const Vector q = reduction.q();
  for (std::size_t k = 0; k < reduction.kept().size(); ++k) {
    const Index i = reduction.kept()[k];
    const bool contact = system.laws[static_cast<std::size_t>(i)].is_contact();
    double moved[3] = {0.0, 0.0, 0.0};
    if (!contact) J.multiply(i, motion.data(), moved);
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t row = 3 * k + c;
      B +=
          r(row) * (contact ? given_velocity(system, i, static_cast<Index>(c)) : q(row) - moved[c]);
    }
  }
  const double budget = std::max(c0, 0.0);
  if (!(0.5 * w + B > budget) || !(w > 0.0)) return false;
  const double shorter = std::clamp((-B + std::sqrt(B * B + 2.0 * w * budget)) / w, 0.0, 1.0);
  if (shorter >= 1.0) return false;
  axpby(0.0, r, shorter, r);
  axpby(0.0, push, shorter, push);
  return true;
}

double EnergyGuard::gain(const System& system, const StepReduction& reduction, ConstVector v,
                         const State& state) {
  double gain = 0.5 * inner(system.M, state.u, state.u) -
                0.5 * inner(system.M, system.u_start, system.u_start) -
                inner(system.M, system.weight, state.u);
  const BlockRows J(reduction.rows().J);
  for (std::size_t k = 0; k < reduction.kept().size(); ++k) {
    const Index i = reduction.kept()[k];
    const bool contact = system.laws[static_cast<std::size_t>(i)].is_contact();
    double moved[3];
    J.multiply(i, state.u.data(), moved);
    for (Index c = 0; c < 3; ++c) {
      const double row = v(3 * k + static_cast<std::size_t>(c));
      gain += state.r(3 * i + c) * (contact ? given_velocity(system, i, c) : row - moved[c]);
    }
  }
  for (const Index i : reduction.eliminated()) {
    double moved[3];
    J.multiply(i, state.u.data(), moved);
    for (Index c = 0; c < 3; ++c) gain -= state.r(3 * i + c) * moved[c];
  }
  return gain;
}

}  // namespace nsn
