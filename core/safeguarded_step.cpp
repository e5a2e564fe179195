#include "core/safeguarded_step.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/friction_cone.h"
#include "core/law_rows.h"
#include "core/linear_chain.h"
#include "core/math3.h"
#include "core/vector_kernels.h"

namespace nsn {
namespace {

constexpr double kGoal = 1e-7;      // m/s: good enough, spend no more
constexpr double kHandOver = 1e-2;  // m/s: the accurate method takes over where that is allowed
constexpr double kRecoverySpeed = 0.05;  // m/s: of penetration that is pushed out
constexpr double kRecoveryShare = 0.5;   // of the friction work that may pay for it
constexpr double kAlphaStart = 1e-3;
constexpr double kAlphaMin = 1e-10;
constexpr double kAlphaMax = 10.0;
constexpr int kSweeps = 10;
constexpr double kColdIsBetter = 0.5;  // of the warm start's error: contacts start without impulse
// Last impulses of joints whose directions turn by so much momentum within the step, over the
// step's speed, balance each other and no load: they are forgotten. A grip keeps those of its
// contacts.
constexpr double kTurned = 10.0;
constexpr double kWorthARound = 1e-4;  // m/s: error that is worth another linearisation
constexpr int kElasticOvertime = 3;  // times the factorisations, where the error is above kHandOver

enum class Kind { kContacts, kJoints };

/// Zeroes the impulses of one kind.
void forget(const System& system, Vector r, Kind kind) {
  for (Index i = 0; i < system.blocks(); ++i) {
    const bool contact = system.laws[static_cast<std::size_t>(i)].is_contact();
    if (contact == (kind == Kind::kContacts)) std::fill_n(r.data() + 3 * i, 3, 0.0);
  }
}

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

/// What a step that is handed over is solved with.
NewtonOptions accurate_options(NewtonOptions options) {
  options.max_iterations = std::max(options.max_iterations, 400);
  options.stiffness = GeometricStiffness::kFull;
  return options;
}

/// Elastic elements: as many linearisations as there are factorisations.
NewtonOptions elastic_options(NewtonOptions options) {
  options.stiffness = GeometricStiffness::kFull;
  options.linear_iterations = 0;
  return options;
}

/// An iterative solver gets a budget and a loose tolerance: iterations in place of a factorisation.
DualSystemOptions dual_options(const NewtonOptions& options) {
  DualSystemOptions dual;
  if (options.linear_iterations > 0) {
    dual.rtol = 1e-3;
    dual.max_iterations = options.linear_iterations;
    dual.max_gmres_iterations = options.linear_iterations;
    dual.single_precision = true;
  }
  return dual;
}

/// a . B b for 3x3 block diagonal B, 9 per node.
double inner(ConstVector blocks, ConstVector a, ConstVector b) {
  double sum = 0.0;
  for (Index n = 0; n < size_of(blocks) / kBlockSize; ++n) {
    sum += dot(load3(&a(kBlock * n)), load9(&blocks(kBlockSize * n)) * load3(&b(kBlock * n)));
  }
  return sum;
}

}  // namespace

SafeguardedTimeStep::SafeguardedTimeStep(const NewtonOptions& options,
                                         const SolverRegistry& registry)
    : options_(options),
      accurate_(accurate_options(options), registry),
      elastic_(elastic_options(options), registry, {kHandOver, kElasticOvertime}),
      dual_(make_linear_chain(options.linear, registry), dual_options(options)) {
  const Capabilities& can = dual_.solver().capabilities();
  direct_ = can.direct;
  lagged_ = !can.direct && !can.handles_unsymmetric;
  history_.reserve(at(options.max_iterations) + 2);
}

void SafeguardedTimeStep::fit(const System& system) {
  at_.fit(system);
  set_rows(system, nullptr, rows_);
  const bool same =
      newton_ != nullptr && pattern_id_ == system.pattern_id && newton_->rows().kind == rows_.kind;
  if (same) {
    newton_->change_rows(rows_);
  } else {
    build(system);
  }
}

void SafeguardedTimeStep::build(const System& system) {
  pattern_id_ = system.pattern_id;
  delassus_.analyze(at_.J);
  sweeps_.reset();
  admm_.reset();
  newton_.reset();
  dual_.analyze(delassus_.matrix());
  ProximalOptions proximal;
  proximal.max_factorizations = options_.max_iterations;
  proximal.lagged_coupling = lagged_;
  newton_ = std::make_unique<ProximalNewton>(dual_, rows_, proximal);
  sweeps_ = std::make_unique<ContactGaussSeidel>(dual_.scaled(), newton_->rows(),
                                                 newton_->scaled_lower(), newton_->scaled_upper());
  if (direct_) {
    admm_ = std::make_unique<AndersonAdmm>(*newton_, AndersonAdmmOptions{.max_iterations = 12});
  }
  for (Vector* v : {&r_zero_, &q_, &kept_, &x_, &v_, &z_, &safe_, &v_safe_, &trial_, &v_trial_}) {
    *v = Vector("row vector", at(system.rows()));
  }
  for (Vector* v : {&impulse_, &change_, &zero_, &best_u_}) {
    *v = Vector("node vector", at(system.dofs()));
  }
  best_r_ = Vector("row vector", at(system.rows()));
  for (Vector* v : {&H_, &H_inverse_}) *v = Vector("H", kBlockSize * at(system.nodes()));
}

void SafeguardedTimeStep::linearise(StepEquations& equations, ConstVector r, bool warm) {
  const System& system = equations.system();
  at_.evaluate(equations, zero_);
  copy(r, trial_);
  forget(system, trial_, Kind::kContacts);
  at_.apply_transposed(trial_, best_u_);
  for (Index i = 0; i < system.blocks(); ++i) {  // C / h at the start
    const RowLaw& law = system.laws[at(i)];
    const bool keeps = law.is_contact() && !law.rebounds;
    kept_(3 * i) = keeps ? std::min(0.0, at_.value(3 * i) - system.prescribed(3 * i)) : 0.0;
  }
  at_.evaluate(equations, system.u_start);
  at_.apply_transposed(trial_, impulse_);
  axpby(-1.0, best_u_, 1.0, impulse_);
  multiply_blocks(system.M_inverse, impulse_, change_);
  turned_ = norm_max(change_);
  copy(system.u_free, change_);
  axpby(-1.0, system.u_start, 1.0, change_);
  set_problem(system.M_inverse);
  if (warm) pay_for_recovery(system, r);
  for (Index i = 0; i < system.blocks(); ++i) q_(3 * i) -= kept_(3 * i);
  newton_->update(q_);
  sweeps_->refresh();
}

/// At state.u, where at_ has the rows: u_f = u - H^-1 M (u - u_free), v = J H^-1 J^T r + ...
void SafeguardedTimeStep::linearise_again(StepEquations& equations, const State& state) {
  const System& system = equations.system();
  equations.stiffness(state.u, state.r, H_);
  invert_blocks(H_, H_inverse_);
  copy(system.u_free, change_);
  axpby(-1.0, state.u, 1.0, change_);
  multiply_blocks(system.M, change_, impulse_);
  multiply_blocks(H_inverse_, impulse_, change_);
  set_problem(H_inverse_);
  for (Index i = 0; i < system.blocks(); ++i) q_(3 * i) -= kept_(3 * i);
  newton_->update(q_);
  sweeps_->refresh();
}

/// W and q for rows in at_ and a free motion that changes their velocity by change_.
void SafeguardedTimeStep::set_problem(ConstVector inverse_mass) {
  at_.apply(change_, q_);
  axpby(1.0, at_.value, 1.0, q_);
  delassus_.assemble(at_.J, inverse_mass, at_.E);
  dual_.set_values(delassus_.matrix(), true);
}

/// Lowers what is kept by as much as friction pays for: the work of pushing it out at no more than
/// kRecoverySpeed may not exceed a share of -sum r_T v_T, both of last step's impulses.
void SafeguardedTimeStep::pay_for_recovery(const System& system, ConstVector r) {
  multiply(delassus_.matrix(), r, v_);
  const auto speed = [&](Index i) { return std::min(-kept_(3 * i), kRecoverySpeed); };
  double price = 0.0;
  double friction = 0.0;
  for (Index i = 0; i < system.blocks(); ++i) {
    if (!system.laws[at(i)].is_contact()) continue;
    price += r(3 * i) * speed(i);
    for (Index k = 3 * i + 1; k < 3 * i + 3; ++k) friction -= r(k) * (v_(k) + q_(k));
  }
  if (!(price > 0.0) || !(friction > 0.0)) return;
  const double paid = std::min(1.0, kRecoveryShare * friction / price);
  for (Index i = 0; i < system.blocks(); ++i) kept_(3 * i) += paid * speed(i);
}

/// r_N >= 0, |r_T| <= mu r_N radially; box rows within their bounds.
void SafeguardedTimeStep::clip(Vector x) const {
  for (Index i = 0; i < rows_.blocks(); ++i) {
    double* x_i = &x(3 * i);
    if (rows_.kind[at(i)] == BlockKind::kBox) {
      for (int k = 0; k < 3; ++k) {
        x_i[k] = std::clamp(x_i[k], newton_->scaled_lower()(3 * i + k),
                            newton_->scaled_upper()(3 * i + k));
      }
      continue;
    }
    x_i[0] = std::max(x_i[0], 0.0);
    const double bound = rows_.mu[at(i)] * x_i[0];
    const double size = std::hypot(x_i[1], x_i[2]);
    const double shrink = size > bound ? bound / size : 1.0;
    x_i[1] *= shrink;
    x_i[2] *= shrink;
  }
}

double SafeguardedTimeStep::error(ConstVector x, ConstVector v) const {
  double worst = 0.0;
  for (Index i = 0; i < rows_.blocks(); ++i) {
    double map[3];
    if (rows_.kind[at(i)] == BlockKind::kBox) {
      for (Index k = 3 * i; k < 3 * i + 3; ++k) {
        map[k - 3 * i] =
            natural_map(x(k), v(k), newton_->scaled_lower()(k), newton_->scaled_upper()(k), 1.0) /
            newton_->scaling()(k);
      }
    } else {
      natural_map(&x(3 * i), &v(3 * i), rows_.mu[at(i)], 1.0, map);
      for (double& e : map) e /= newton_->scaling()(3 * i);
    }
    const double size = std::sqrt(map[0] * map[0] + map[1] * map[1] + map[2] * map[2]);
    if (!(size <= worst)) worst = size;
  }
  return std::isfinite(worst) ? worst : std::numeric_limits<double>::infinity();
}

void SafeguardedTimeStep::offer(ConstVector z, int tries) {
  if (!all_finite(z)) return;
  dual_.apply(z, v_);
  axpby(1.0, newton_->scaled_q(), 1.0, v_);
  constexpr double kSteps[] = {1.0, 0.5, 0.25, 0.1};
  for (int k = 0; k < tries; ++k) {
    const double t = kSteps[k];
    copy(safe_, trial_);
    copy(v_safe_, v_trial_);
    axpby(t, z, 1.0 - t, trial_);
    axpby(t, v_, 1.0 - t, v_trial_);
    const double e = error(trial_, v_trial_);
    if (!(e < safe_error_)) continue;
    safe_error_ = e;
    copy(trial_, safe_);
    copy(v_trial_, v_safe_);
    return;
  }
}

void SafeguardedTimeStep::start_safe(ConstVector r) {
  for (Index k = 0; k < rows_.rows(); ++k) safe_(k) = r(k) / newton_->scaling()(k);
  clip(safe_);
  dual_.apply(safe_, v_safe_);
  axpby(1.0, newton_->scaled_q(), 1.0, v_safe_);
  safe_error_ = error(safe_, v_safe_);
  newton_->start(r_zero_, kAlphaStart);
  newton_->set_scaled_centre(safe_);
}

/// True where contacts without impulse are much better than the safe point: they are the safe point
/// then. Joints keep theirs.
bool SafeguardedTimeStep::drop_contact_impulses() {
  for (Index i = 0; i < rows_.blocks(); ++i) {
    const bool box = rows_.kind[at(i)] == BlockKind::kBox;
    for (Index k = 3 * i; k < 3 * i + 3; ++k) z_(k) = box ? safe_(k) : 0.0;
  }
  dual_.apply(z_, v_);
  axpby(1.0, newton_->scaled_q(), 1.0, v_);
  const double without = error(z_, v_);
  if (!(without < kColdIsBetter * safe_error_)) return false;
  safe_error_ = without;
  copy(z_, safe_);
  copy(v_, v_safe_);
  newton_->set_scaled_centre(safe_);
  return true;
}

/// No impulse is known: a cheap first guess.
void SafeguardedTimeStep::start_cold(NewtonResult& result) {
  copy(safe_, z_);
  if (admm_ != nullptr) {
    result.iterations += admm_->run().factorized ? 1 : 0;
    newton_->scaled_centre(z_);
    clip(z_);
    offer(z_, 4);
  }
  for (int k = 0; k < 2 * kSweeps; ++k) sweeps_->sweep(newton_->scaled_q(), z_);
  offer(z_, 4);
  newton_->set_scaled_centre(z_);
}

void SafeguardedTimeStep::newton(int budget, NewtonResult& result) {
  int inner = 0;
  double phi_start = 0.0;
  const auto restart = [&](double alpha) {
    newton_->set_alpha(alpha);
    newton_->begin();
    inner = 0;
  };
  restart(kAlphaStart);
  while (result.iterations < budget && safe_error_ > kGoal) {
    const double alpha = newton_->alpha();
    ProximalNewton::Residual at = newton_->measure();
    if (inner > 0 && at.phi <= 0.5 * at.proximity) {
      const double fall = inner == 1 ? 0.02 : (inner <= 3 ? 0.2 : 0.5);
      newton_->move_centre();
      restart(std::max(fall * alpha, kAlphaMin));
      at = newton_->measure();
    } else if (inner >= 3 && at.phi > 10.0 * phi_start) {
      restart(std::min(3.0 * alpha, kAlphaMax));
      at = newton_->measure();
    }
    if (inner <= 1) phi_start = std::max(inner == 0 ? 0.0 : phi_start, at.phi);
    const NewtonSolve solve = newton_->newton_step();
    ++inner;
    newton_->scaled_iterate(x_);
    if (!solve.ok || !all_finite(x_)) {
      restart(std::min(100.0 * std::max(newton_->alpha(), 1e-7), kAlphaMax));
    } else {
      copy(x_, z_);
      clip(z_);
      offer(z_, 4);
    }
    record(newton_->alpha(), solve, result);
  }
  newton_->scaled_iterate(x_);
}

/// Gauss-Seidel from the Newton iterate and from the safe point.
void SafeguardedTimeStep::polish() {
  clip(x_);
  for (const bool from_safe : {false, true}) {
    if (from_safe) copy(safe_, x_);
    if (!all_finite(x_)) continue;
    for (int k = 0; k < kSweeps; ++k) sweeps_->sweep(newton_->scaled_q(), x_);
    offer(x_, 2);
  }
}

void SafeguardedTimeStep::record(double alpha, const NewtonSolve& solve, NewtonResult& result) {
  ++result.iterations;
  result.linear_iterations += solve.linear_iterations;
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

/// The energy a step gains beyond the work of applied forces, of bodies whose motion is given and
/// of box rows is, with impulses s r,
///   w s^2 / 2 + B s - c0,    w = r J M^-1 J^T r,    c0 = what the free motion loses,
///   B = r (J u_free + prescribed) - a J^T r,        a = h M^-1 f: what applied forces do.
/// r is shortened to where it is zero; True if it was.
bool SafeguardedTimeStep::limit_energy(const System& system, Vector r) {
  at_.apply(system.u_free, v_);
  at_.apply_transposed(r, impulse_);
  double B = -dot(system.weight, impulse_);
  for (Index i = 0; i < system.blocks(); ++i) {
    const bool contact = system.laws[at(i)].is_contact();
    for (Index k = 3 * i; k < 3 * i + 3; ++k) {
      B += r(k) * (contact ? v_(k) + system.prescribed(k) : q_(k));
    }
  }
  const double w = inner(system.M_inverse, impulse_, impulse_);
  const double c0 = inner(system.M, system.weight, system.u_free) +
                    0.5 * inner(system.M, system.u_start, system.u_start) -
                    0.5 * inner(system.M, system.u_free, system.u_free);
  const double budget = std::max(c0, 0.0);
  if (!(0.5 * w + B > budget) || !(w > 0.0)) return false;
  const double shorter = std::clamp((-B + std::sqrt(B * B + 2.0 * w * budget)) / w, 0.0, 1.0);
  if (shorter >= 1.0) return false;
  axpby(0.0, r, shorter, r);
  return true;
}

/// The same measure for u of the last linearisation: r in safe_ and state.r, rows still in at_.
double SafeguardedTimeStep::energy_gain(const System& system, const State& state) {
  double gain = 0.5 * inner(system.M, state.u, state.u) -
                0.5 * inner(system.M, system.u_start, system.u_start) -
                inner(system.M, system.weight, state.u);
  at_.apply(state.u, v_);
  dual_.apply(safe_, v_trial_);
  for (Index i = 0; i < system.blocks(); ++i) {
    const bool contact = system.laws[at(i)].is_contact();
    for (Index k = 3 * i; k < 3 * i + 3; ++k) {
      const double row = v_trial_(k) / newton_->scaling()(k) + q_(k);
      gain += state.r(k) * (contact ? system.prescribed(k) : row - v_(k));
    }
  }
  return gain;
}

void SafeguardedTimeStep::finish(StepEquations& equations, State& state, NewtonResult& result) {
  const System& system = equations.system();
  clip(safe_);
  for (Index k = 0; k < system.rows(); ++k) state.r(k) = newton_->scaling()(k) * safe_(k);
  result.energy_limited = limit_energy(system, state.r);
  at_.apply_transposed(state.r, impulse_);
  multiply_blocks(system.M_inverse, impulse_, state.u);
  axpby(1.0, system.u_free, 1.0, state.u);
  at_.evaluate(equations, state.u);
  result.error = at_.error(system, state.u, state.r);
  result.linear_solver = std::string(dual_.solver().name());
}

/// The error but for penetration that is kept; at_ has the rows at state.u.
double SafeguardedTimeStep::own_error(const System& system, const State& state) {
  for (Index i = 0; i < system.blocks(); ++i) at_.value(3 * i) -= kept_(3 * i);
  const double own = at_.error(system, state.u, state.r).total;
  for (Index i = 0; i < system.blocks(); ++i) at_.value(3 * i) += kept_(3 * i);
  return own;
}

/// Another linearisation at the present result. True where it brought a better one.
bool SafeguardedTimeStep::improve(StepEquations& equations, State& state, NewtonResult& result) {
  const System& system = equations.system();
  const double error_before = own_error(system, state);
  const double good = safe_error_ > kGoal ? kGoal : kWorthARound;
  if (error_before <= good || result.iterations >= options_.max_iterations) return false;
  copy(state.u, best_u_);
  copy(state.r, best_r_);
  linearise_again(equations, state);
  start_safe(state.r);
  newton(options_.max_iterations, result);
  if (safe_error_ > kGoal) polish();
  clip(safe_);
  for (Index k = 0; k < system.rows(); ++k) state.r(k) = newton_->scaling()(k) * safe_(k);
  at_.apply_transposed(state.r, impulse_);
  multiply_blocks(H_inverse_, impulse_, state.u);
  axpby(1.0, best_u_, 1.0, state.u);
  axpby(1.0, change_, 1.0, state.u);
  const double gain = energy_gain(system, state);
  at_.evaluate(equations, state.u);
  if (gain <= 0.0 && own_error(system, state) < error_before) {
    result.error = at_.error(system, state.u, state.r);
    result.energy_limited = false;
    return true;
  }
  copy(best_u_, state.u);
  copy(best_r_, state.r);
  at_.evaluate(equations, state.u);
  return false;
}

/// A large error, or a cold start ("load time") that is not solved.
bool SafeguardedTimeStep::hands_over(const NewtonResult& result, bool warm) const {
  if (!options_.hand_over) return false;
  return result.error.total > kHandOver || (!warm && !result.converged());
}

/// One linearisation is not enough where elements turn and stretch: the proximal step within the
/// budget, its best iterate.
NewtonResult SafeguardedTimeStep::solve_elastic(StepEquations& equations, State& state, bool warm) {
  NewtonResult result = elastic_.solve(equations, state, warm);
  history_ = elastic_.history();
  if (!options_.hand_over || result.error.total <= kHandOver) return result;
  const int spent = result.iterations;
  result = accurate_.solve(equations, state, true);
  result.iterations += spent;
  result.handed_over = true;
  return result;
}

NewtonResult SafeguardedTimeStep::solve(StepEquations& equations, State& state, bool warm) {
  history_.clear();
  if (equations.system().compliance_varies) return solve_elastic(equations, state, warm);
  fit(equations.system());
  NewtonResult result;
  if (!warm) fill(state.r, 0.0);
  linearise(equations, state.r, warm);
  if (turned_ > kTurned * equations.system().speed_scale) {
    forget(equations.system(), state.r, Kind::kJoints);
  }
  start_safe(state.r);
  const bool cold = !warm || drop_contact_impulses();
  if (cold && safe_error_ > kGoal) start_cold(result);
  // A warm step keeps one in six back for the second linearisation.
  newton(options_.max_iterations - (cold ? 0 : options_.max_iterations / 6), result);
  if (safe_error_ > kGoal) polish();
  finish(equations, state, result);
  while (improve(equations, state, result)) {
  }
  result.status = result.error.relative <= options_.tolerance ? NewtonStatus::kConverged
                                                              : NewtonStatus::kBudgetReached;
  if (!hands_over(result, warm)) return result;
  const int spent = result.iterations;
  result = accurate_.solve(equations, state, true);
  result.iterations += spent;
  result.handed_over = true;
  return result;
}

}  // namespace nsn
