#include "core/safeguarded_step.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/friction_cone.h"
#include "core/linear_chain.h"
#include "core/math3.h"
#include "core/vector_kernels.h"

namespace nsn {
namespace {

constexpr double kGoal = 1e-7;      // m/s: good enough, spend no more
constexpr double kHandOver = 1e-2;  // m/s: the accurate method takes over where that is allowed
constexpr int kSweeps = 10;
constexpr double kBoxWeight = 1e-12;  // proximal weight of box rows

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

/// One contact at scaled x, u: natural map, right-hand side and linearisation
/// (core/newton_system.h).
void linearise_contact(const double* x, const double* u, double mu, double* phi, double* d0,
                       double* b, BlockLinearization& block) {
  block = {};
  const double normal = x[0] - u[0];
  for (int k = 0; k < 3; ++k) d0[k] = b[k] = 0.0;
  if (normal <= 0.0) {
    for (int k = 0; k < 3; ++k) {
      phi[k] = x[k];
      d0[k] = -x[k];
    }
    return;
  }
  phi[0] = u[0];
  b[0] = -u[0];
  const double X[2] = {x[1] - u[1], x[2] - u[2]};
  const double size = std::hypot(X[0], X[1]);
  const double F = mu * normal;
  if (size <= F && F > 0.0) {
    block.active = 7;
    for (int k = 1; k < 3; ++k) {
      phi[k] = u[k];
      b[k] = -u[k];
    }
    return;
  }
  const double t[2] = {size > 0.0 ? X[0] / size : 1.0, size > 0.0 ? X[1] / size : 0.0};
  const double kappa = size > 0.0 ? F / size : 0.0;
  phi[1] = x[1] - F * t[0];
  phi[2] = x[2] - F * t[1];
  const double across = phi[2] * t[0] - phi[1] * t[1];
  const double c = mu * u[0] - (phi[1] * t[0] + phi[2] * t[1]);
  d0[1] = c * t[0];
  d0[2] = c * t[1];
  block.rotated = true;
  block.tx = t[0];
  block.ty = t[1];
  block.coupling = mu;
  if (kappa < 1e-14) {
    block.active = 1;
    d0[1] += across * t[1];
    d0[2] -= across * t[0];
  } else {
    block.active = 5;
    block.compliance[2] = (1.0 - kappa) / kappa;
    b[2] = -across / kappa;
  }
}

/// What a step that is handed over is solved with.
NewtonOptions accurate_options(NewtonOptions options) {
  options.max_iterations = std::max(options.max_iterations, 400);
  options.stiffness = GeometricStiffness::kExact;
  return options;
}

/// An iterative solver gets a budget and a loose tolerance: iterations in place of a factorisation.
DualSystemOptions dual_options(const NewtonOptions& options) {
  DualSystemOptions dual;
  if (options.linear_iterations > 0) {
    dual.rtol = 1e-3;
    dual.max_iterations = options.linear_iterations;
    dual.max_gmres_iterations = options.linear_iterations;
  }
  return dual;
}

}  // namespace

SafeguardedTimeStep::SafeguardedTimeStep(const NewtonOptions& options,
                                         const SolverRegistry& registry)
    : options_(options),
      accurate_(accurate_options(options), registry),
      dual_(make_linear_chain(options.linear, registry), dual_options(options)),
      lagged_(!dual_.solver().capabilities().direct &&
              !dual_.solver().capabilities().handles_unsymmetric) {
  history_.reserve(at(options.max_iterations) + 2);
}

void SafeguardedTimeStep::fit(const System& system) {
  at_.fit(system);
  if (ready_ && pattern_id_ == system.pattern_id) return;
  ready_ = true;
  pattern_id_ = system.pattern_id;
  delassus_.analyze(at_.J);
  dual_.analyze(delassus_.matrix());
  blocks_.resize(at(system.blocks()));
  sizes_.reserve(at(system.blocks()));
  for (Vector* v : {&q_, &s_, &q_scaled_, &x_, &v_, &phi_, &b_, &d0_, &z_, &A_, &centre_, &safe_,
                    &v_safe_, &trial_, &v_trial_, &scratch_r_, &bound_lo_, &bound_hi_}) {
    *v = Vector("row vector", at(system.rows()));
  }
  for (Vector* v : {&scratch_u_, &u_zero_}) *v = Vector("node vector", at(system.dofs()));
}

void SafeguardedTimeStep::linearise(StepEquations& equations) {
  const System& system = equations.system();
  at_.evaluate(equations, u_zero_);
  copy(at_.value, scratch_r_);  // C / h at the start
  at_.evaluate(equations, system.u_start);
  copy(system.u_free, scratch_u_);
  axpby(-1.0, system.u_start, 1.0, scratch_u_);
  at_.apply(scratch_u_, q_);
  axpby(1.0, at_.value, 1.0, q_);
  for (Index i = 0; i < system.blocks(); ++i) {
    const RowLaw& law = system.laws[at(i)];
    if (law.is_contact() && !law.rebounds) q_(3 * i) -= std::min(0.0, scratch_r_(3 * i));
  }
  delassus_.assemble(at_.J, system.M_inverse, at_.E);
  dual_.set_values(delassus_.matrix(), true);
  set_scaling();
  for (Index i = 0; i < system.blocks(); ++i) {
    const RowLaw& law = system.laws[at(i)];
    for (int k = 0; k < 3; ++k) {
      bound_lo_(3 * i + k) = law.lo[k] / s_(3 * i + k);
      bound_hi_(3 * i + k) = law.hi[k] / s_(3 * i + k);
      q_scaled_(3 * i + k) = s_(3 * i + k) * q_(3 * i + k);
    }
  }
}

void SafeguardedTimeStep::set_scaling() {
  const BlockCsr& W = delassus_.matrix();
  double largest = 0.0;
  for (Index i = 0; i < W.rows; ++i) {
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) {
      if (W.column(k) != i) continue;
      const double norm = spectral_norm(&W.value(kBlockSize * k));
      largest = std::max(largest, norm);
      for (int r = 0; r < 3; ++r) s_(3 * i + r) = norm;
    }
  }
  for (Index k = 0; k < size_of(s_); ++k) {
    s_(k) = 1.0 / std::sqrt(std::max(s_(k), 1e-12 * (largest > 0.0 ? largest : 1.0)));
  }
  dual_.scale(s_);
}

/// r_N >= 0, |r_T| <= mu r_N radially; box rows within their bounds.
void SafeguardedTimeStep::clip(const System& system, Vector x) const {
  for (Index i = 0; i < system.blocks(); ++i) {
    double* x_i = &x(3 * i);
    if (!system.laws[at(i)].is_contact()) {
      for (int k = 0; k < 3; ++k) {
        x_i[k] = std::clamp(x_i[k], bound_lo_(3 * i + k), bound_hi_(3 * i + k));
      }
      continue;
    }
    x_i[0] = std::max(x_i[0], 0.0);
    const double bound = system.laws[at(i)].mu * x_i[0];
    const double size = std::hypot(x_i[1], x_i[2]);
    const double shrink = size > bound ? bound / size : 1.0;
    x_i[1] *= shrink;
    x_i[2] *= shrink;
  }
}

double SafeguardedTimeStep::error(const System& system, ConstVector x, ConstVector v) const {
  double largest = 0.0;
  for (Index i = 0; i < system.blocks(); ++i) {
    const RowLaw& law = system.laws[at(i)];
    double map[3];
    if (law.is_contact()) {
      nsn::natural_map(&x(3 * i), &v(3 * i), law.mu, 1.0, map);
    } else {
      for (int k = 0; k < 3; ++k) {
        map[k] = nsn::natural_map(x(3 * i + k), v(3 * i + k), bound_lo_(3 * i + k),
                                  bound_hi_(3 * i + k), 1.0);
      }
    }
    const double size = std::sqrt(map[0] * map[0] + map[1] * map[1] + map[2] * map[2]) / s_(3 * i);
    if (!(size <= largest)) largest = size;
  }
  return std::isfinite(largest) ? largest : std::numeric_limits<double>::infinity();
}

void SafeguardedTimeStep::offer(const System& system, ConstVector z, int tries) {
  if (!all_finite(z)) return;
  dual_.apply(z, v_);
  axpby(1.0, q_scaled_, 1.0, v_);
  constexpr double kSteps[] = {1.0, 0.5, 0.25, 0.1};
  for (int k = 0; k < tries; ++k) {
    const double t = kSteps[k];
    copy(safe_, trial_);
    copy(v_safe_, v_trial_);
    axpby(t, z, 1.0 - t, trial_);
    axpby(t, v_, 1.0 - t, v_trial_);
    const double e = error(system, trial_, v_trial_);
    if (!(e < safe_error_)) continue;
    safe_error_ = e;
    copy(trial_, safe_);
    copy(v_trial_, v_safe_);
    return;
  }
}

void SafeguardedTimeStep::set_weights(const System& system, double alpha) {
  sizes_.clear();
  const auto size_of_block = [&](Index i) {
    const double* c = &centre_(3 * i);
    return std::sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
  };
  for (Index i = 0; i < system.blocks(); ++i) {
    if (system.laws[at(i)].is_contact() && size_of_block(i) > 0.0) {
      sizes_.push_back(size_of_block(i));
    }
  }
  double median = 0.0;
  if (!sizes_.empty()) {
    const auto middle = sizes_.begin() + static_cast<std::ptrdiff_t>(sizes_.size() / 2);
    std::nth_element(sizes_.begin(), middle, sizes_.end());
    median = *middle;
  }
  for (Index i = 0; i < system.blocks(); ++i) {
    const RowLaw& law = system.laws[at(i)];
    const double load = median > 0.0 ? std::clamp(size_of_block(i) / median, 1e-3, 1e3) : 1.0;
    const double m = std::max(law.mu, 0.05);
    A_(3 * i) = law.is_contact() ? alpha / load : kBoxWeight;
    A_(3 * i + 1) = A_(3 * i + 2) = law.is_contact() ? A_(3 * i) / (m * m) : kBoxWeight;
  }
}

/// phi, b, d0 and blocks_ at x_ around centre_; returns |phi|.
double SafeguardedTimeStep::natural_map(const System& system, double& proximity) {
  dual_.apply(x_, v_);
  double sum = 0.0;
  double near = 0.0;
  for (Index i = 0; i < system.blocks(); ++i) {
    double u[3];
    for (Index k = 3 * i; k < 3 * i + 3; ++k) {
      const double pull = A_(k) * (x_(k) - centre_(k));
      near += pull * pull;
      u[k - 3 * i] = v_(k) + q_scaled_(k) + pull;
    }
    BlockLinearization& block = blocks_[at(i)];
    if (system.laws[at(i)].is_contact()) {
      linearise_contact(&x_(3 * i), u, system.laws[at(i)].mu, &phi_(3 * i), &d0_(3 * i), &b_(3 * i),
                        block);
      if (lagged_) block.coupling = 0.0;  // the friction bound of the last iterate
    } else {
      block = {};
      for (Index k = 3 * i; k < 3 * i + 3; ++k) {
        const double X = x_(k) - u[k - 3 * i];
        const double clipped = std::clamp(X, bound_lo_(k), bound_hi_(k));
        phi_(k) = x_(k) - clipped;
        const bool inside = clipped == X;
        if (inside) block.active = static_cast<std::uint8_t>(block.active | 1U << (k - 3 * i));
        b_(k) = inside ? -u[k - 3 * i] : 0.0;
        d0_(k) = inside ? 0.0 : clipped - x_(k);
      }
    }
    for (Index k = 3 * i; k < 3 * i + 3; ++k) sum += phi_(k) * phi_(k);
  }
  proximity = std::sqrt(near);
  return std::sqrt(sum);
}

void SafeguardedTimeStep::newton(const System& system, NewtonResult& result) {
  double alpha = 1e-3;
  copy(x_, centre_);
  set_weights(system, alpha);
  int inner = 0;
  double phi_start = 0.0;
  const auto restart = [&](double new_alpha) {
    alpha = new_alpha;
    copy(centre_, x_);
    set_weights(system, alpha);
    inner = 0;
  };
  while (result.iterations < options_.max_iterations && safe_error_ > kGoal) {
    double proximity = 0.0;
    double phi = natural_map(system, proximity);
    if (inner > 0 && phi <= 0.5 * proximity) {
      const double fall = inner == 1 ? 0.02 : (inner <= 3 ? 0.2 : 0.5);
      copy(x_, centre_);
      restart(std::max(fall * alpha, 1e-10));
      phi = natural_map(system, proximity);
    } else if (inner >= 3 && phi > 10.0 * phi_start) {
      restart(std::min(3.0 * alpha, 10.0));
      phi = natural_map(system, proximity);
    }
    if (inner <= 1) phi_start = std::max(inner == 0 ? 0.0 : phi_start, phi);
    // b - R^T W_A d0
    dual_.apply(d0_, trial_);
    for (Index k = 0; k < system.rows(); ++k) trial_(k) += A_(k) * d0_(k);
    for (Index i = 0; i < system.blocks(); ++i) {
      double down[3];
      restrict_to(blocks_[at(i)], &trial_(3 * i), down);
      for (int k = 0; k < 3; ++k) b_(3 * i + k) -= down[k];
    }
    dual_.prepare(blocks_, A_);
    const NewtonSolve solve = dual_.solve(b_, z_);
    ++result.iterations;
    ++inner;
    result.linear_iterations += solve.linear_iterations;
    for (Index i = 0; i < system.blocks(); ++i) expand(blocks_[at(i)], &z_(3 * i), &d0_(3 * i));
    const double step = norm2(d0_);
    if (!solve.ok || !(step <= 1e8 * (norm2(x_) + norm2(q_scaled_)))) {
      restart(std::min(100.0 * std::max(alpha, 1e-7), 10.0));
    } else {
      axpby(1.0, d0_, 1.0, x_);
      copy(x_, z_);
      clip(system, z_);
      offer(system, z_, 4);
    }
    NewtonIteration entry;
    entry.alpha = alpha;
    entry.factorizations = 1;
    entry.step_length = 1.0;
    entry.linear_iterations = solve.linear_iterations;
    entry.linear_status = solve.status;
    entry.linear_residual = solve.relative_residual;
    entry.error.total = safe_error_;
    history_.push_back(entry);
  }
}

/// Block Gauss-Seidel: each contact takes a few steps of the projection x = P_K(x - u - mu |u_T|
/// e_N).
void SafeguardedTimeStep::sweep(const System& system, Vector x, int sweeps) const {
  const BlockCsr& W = dual_.scaled();
  for (int pass = 0; pass < sweeps; ++pass) {
    for (Index i = 0; i < W.rows; ++i) {
      double rest[3] = {q_scaled_(3 * i), q_scaled_(3 * i + 1), q_scaled_(3 * i + 2)};
      const double* D = nullptr;
      for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) {
        const double* w = &W.value(kBlockSize * k);
        if (W.column(k) == i) {
          D = w;
          continue;
        }
        const double* x_j = &x(3 * W.column(k));
        for (int r = 0; r < 3; ++r) {
          rest[r] += w[3 * r] * x_j[0] + w[3 * r + 1] * x_j[1] + w[3 * r + 2] * x_j[2];
        }
      }
      double* x_i = &x(3 * i);
      const RowLaw& law = system.laws[at(i)];
      for (int local = 0; local < 4; ++local) {
        double u[3];
        for (int r = 0; r < 3; ++r) {
          u[r] = rest[r] + D[3 * r] * x_i[0] + D[3 * r + 1] * x_i[1] + D[3 * r + 2] * x_i[2];
        }
        double map[3];
        if (law.is_contact()) {
          nsn::natural_map(x_i, u, law.mu, 1.0, map);
        } else {
          for (int r = 0; r < 3; ++r) {
            map[r] =
                nsn::natural_map(x_i[r], u[r], bound_lo_(3 * i + r), bound_hi_(3 * i + r), 1.0);
          }
        }
        for (int r = 0; r < 3; ++r) x_i[r] -= map[r];
      }
    }
  }
}

/// The work of the impulses, r.v_free + r^T W r / 2 less what gravity gives, may not exceed that of
/// gravity itself over one step; r (kg m/s) is shortened where it does. True if it was.
bool SafeguardedTimeStep::limit_energy(const System& system, Vector r) {
  at_.apply(system.u_free, scratch_r_);
  at_.apply_transposed(r, scratch_u_);
  double B = -dot(system.weight, scratch_u_);
  for (Index i = 0; i < system.blocks(); ++i) {
    const bool contact = system.laws[at(i)].is_contact();
    for (Index k = 3 * i; k < 3 * i + 3; ++k) {
      const bool normal = contact && k == 3 * i;
      B += r(k) * (normal ? std::min(scratch_r_(k), q_(k)) : q_(k));
    }
  }
  multiply(delassus_.matrix(), r, scratch_r_);
  const double w = dot(r, scratch_r_);
  multiply_blocks(system.M, system.weight, scratch_u_);
  const double c0 = 0.5 * dot(system.weight, scratch_u_);
  if (!(0.5 * w + B > c0) || !(w > 0.0)) return false;
  const double shorter = std::clamp((-B + std::sqrt(B * B + 2.0 * w * c0)) / w, 0.0, 1.0);
  if (shorter >= 1.0) return false;
  axpby(0.0, r, shorter, r);
  return true;
}

NewtonResult SafeguardedTimeStep::solve(StepEquations& equations, State& state, bool warm) {
  const System& system = equations.system();
  fit(system);
  history_.clear();
  NewtonResult result;
  linearise(equations);
  for (Index k = 0; k < system.rows(); ++k) safe_(k) = warm ? state.r(k) / s_(k) : 0.0;
  clip(system, safe_);
  dual_.apply(safe_, v_safe_);
  axpby(1.0, q_scaled_, 1.0, v_safe_);
  safe_error_ = error(system, safe_, v_safe_);
  copy(safe_, x_);
  if (!warm && safe_error_ > kGoal) {
    sweep(system, x_, 2 * kSweeps);
    offer(system, x_, 4);
  }
  newton(system, result);
  if (safe_error_ > kGoal) {
    clip(system, x_);
    for (const bool from_safe : {false, true}) {
      if (from_safe) copy(safe_, x_);
      if (!all_finite(x_)) continue;
      sweep(system, x_, kSweeps);
      offer(system, x_, 2);
    }
  }
  for (Index k = 0; k < system.rows(); ++k) state.r(k) = s_(k) * safe_(k);
  result.energy_limited = limit_energy(system, state.r);
  at_.apply_transposed(state.r, scratch_u_);
  multiply_blocks(system.M_inverse, scratch_u_, state.u);
  axpby(1.0, system.u_free, 1.0, state.u);
  at_.evaluate(equations, state.u);
  result.error = at_.error(system, state.u, state.r);
  result.linear_solver = std::string(dual_.solver().name());
  result.status = result.error.relative <= options_.tolerance ? NewtonStatus::kConverged
                                                              : NewtonStatus::kBudgetReached;
  if (!options_.hand_over || result.error.total <= kHandOver) return result;
  const int spent = result.iterations;
  result = accurate_.solve(equations, state, true);
  result.iterations += spent;
  result.handed_over = true;
  return result;
}

}  // namespace nsn
