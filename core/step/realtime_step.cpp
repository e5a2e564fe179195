#include "nsn/core/step/realtime_step.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "nsn/core/base/math3.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/contact/friction_cone.h"
#include "nsn/core/linear/linear_chain.h"
#include "nsn/core/step/law_rows.h"

namespace nsn {
namespace {

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

/// The same tolerance, budget and solvers for the accurate method: elastic elements, with as many
/// linearisations as there are factorisations.
NewtonOptions elastic_options(NewtonOptions options) {
  const RealtimeOptions& own = options.realtime();
  AccurateOptions accurate;
  accurate.ncp = own.ncp;
  accurate.elimination = own.elimination;
  options.method = accurate;
  return options;
}

/// What a step that is handed over is solved with.
NewtonOptions accurate_options(const NewtonOptions& options) {
  NewtonOptions accurate = elastic_options(options);
  accurate.max_iterations = std::max(options.max_iterations, 400);
  return accurate;
}

/// An iterative solver gets a budget and a loose tolerance: iterations in place of a factorisation.
DualSystemOptions dual_options(const RealtimeOptions& options) {
  DualSystemOptions dual;
  dual.trust = true;  // the error of an iterate decides
  if (options.linear_iterations > 0) {
    dual.rtol = 1e-3;
    dual.max_iterations = options.linear_iterations;
    dual.max_gmres_iterations = options.linear_iterations;
    dual.single_precision = true;
  }
  return dual;
}

/// Largest mass of a rigid body over the smallest.
double mass_ratio(const System& system) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0.0;
  for (Index n = 0; n < system.rigid_nodes; n += 2) {
    least = std::min(least, system.M(kBlockSize * n));
    most = std::max(most, system.M(kBlockSize * n));
  }
  return most / least;
}

/// How far bodies turn in a step at their first velocity, rad: root of the mean square, weighted by
/// inertia, so that light pieces which rattle do not count.
double turn(const System& system) {
  double energy = 0.0;
  double inertia = 0.0;
  for (Index n = 1; n < system.rigid_nodes; n += 2) {
    const Mat3 I = load9(&system.M(kBlockSize * n));
    const Vec3 spin = load3(&system.u_start(kBlock * n));
    energy += dot(spin, I * spin);
    inertia += trace(I) / 3.0;
  }
  return inertia > 0.0 ? system.h * std::sqrt(energy / inertia) : 0.0;
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

RealtimeStep::RealtimeStep(const NewtonOptions& options, const SolverRegistry& registry)
    : options_(options),
      policy_(options.realtime().policy),
      accurate_(accurate_options(options), registry),
      elastic_(elastic_options(options), registry, {policy_.hand_over_error, policy_.overtime}),
      dual_(make_linear_chain(options.linear, registry), dual_options(options.realtime())) {
  const Capabilities& can = dual_.solver().capabilities();
  direct_ = can.direct;
  lagged_ = !can.direct && !can.handles_unsymmetric;
  history_.reserve(at(policy_.overtime * options.max_iterations) + 2);
}

bool RealtimeStep::shareable(const System& system) const {
  if (options_.realtime().hand_over || system.compliance_varies ||
      system.blocks() > policy_.shared_blocks)
    return false;
  return std::any_of(system.laws.begin(), system.laws.end(),
                     [](const RowLaw& law) { return law.unbounded(); });
}

void RealtimeStep::fit(StepEquations& equations, ConstVector r) {
  const System& system = equations.system();
  at_.fit(system);
  at_.evaluate(equations, system.u_start);
  if (linear_pattern_ != system.pattern_id) {
    linear_pattern_ = system.pattern_id;
    linear_values_.resize(at_.J.value.extent(0));
    linear_ = at_.J;
    linear_.value = Vector(linear_values_.data(), linear_values_.size());
  }
  const bool moved = find_far(system, r);
  const bool same = newton_ != nullptr && pattern_id_ == system.pattern_id && laws_fit(system) &&
                    !(condensed_ && moved);
  if (!same) {
    jointed_.analyze(system, at_.J, far_);
    condensed_ =
        options_.realtime().elimination != Elimination::kNever && !jointed_.equations().empty() &&
        (options_.realtime().elimination == Elimination::kAlways || worth_condensing(system));
  }
  set_rows(system, condensed_ ? &jointed_.kept() : nullptr, rows_);
  if (same && newton_->rows().kind == rows_.kind) {
    newton_->change_rows(rows_);
  } else {
    build(system);
  }
  find_deep(system);
}

bool RealtimeStep::worth_condensing(const System& system) const {
  const bool cheap = jointed_.flops() <= policy_.cheap_elimination ||
                     jointed_.flops() <= policy_.worth_eliminating * least_rows_flops(at_.J);
  return cheap && mass_ratio(system) <= policy_.widest_masses;
}

/// Which blocks need not be looked at; at_ has the rows at the first velocity. True: not as before.
bool RealtimeStep::find_far(const System& system, ConstVector r) {
  const auto is_far = [&](Index i) {
    const RowLaw& law = system.laws[at(i)];
    const double* const v = &at_.value(3 * i);
    const double* const r_i = &r(3 * i);
    if (law.is_contact()) return r_i[0] == 0.0 && v[0] > policy_.far_contact;
    for (int k = 0; k < 3; ++k) {
      const bool empty = std::isinf(law.lo[k]) && std::isinf(law.hi[k]);
      const bool limit = law.lo[k] == 0.0 && std::isinf(law.hi[k]);
      if (!empty && !(limit && r_i[k] == 0.0 && v[k] > policy_.far_limit)) return false;
    }
    return !law.unbounded();
  };
  last_far_.swap(far_);
  far_.resize(system.laws.size());
  for (Index i = 0; i < system.blocks(); ++i) far_[at(i)] = is_far(i) ? 1 : 0;
  return far_ != last_far_;
}

/// Far blocks that the present motion would break take part from now on; at_ has the rows there.
/// True: there are some.
bool RealtimeStep::meet_far(const System& system) {
  bool any = false;
  for (Index i = 0; i < system.blocks(); ++i) {
    if (far_[at(i)] == 0) continue;
    const int rows = system.laws[at(i)].is_contact() ? 1 : 3;
    const double* const v = &at_.value(3 * i);
    if (*std::min_element(v, v + rows) >= 0.0) continue;
    far_[at(i)] = 0;
    any = true;
  }
  if (!any) return false;
  jointed_.analyze(system, at_.J, far_);
  set_rows(system, &jointed_.kept(), rows_);
  build(system);
  find_deep(system);
  return true;
}

/// Penetration at the start, C / h.
void RealtimeStep::find_deep(const System& system) {
  for (Index k = 0; k < unknowns(); ++k) {
    const Index i = row_of(k);
    const RowLaw& law = system.laws[at(i)];
    const bool keeps = law.is_contact() && !law.rebounds;
    const double gap = system.value_start(3 * i) - system.prescribed(3 * i);
    deep_(3 * k) = keeps ? std::min(0.0, gap) : 0.0;
  }
}

/// Condensed rows are still without bounds.
bool RealtimeStep::laws_fit(const System& system) const {
  if (!condensed_) return true;
  const auto& equations = jointed_.equations();
  return std::all_of(equations.begin(), equations.end(),
                     [&](Index i) { return system.laws[at(i)].unbounded(); });
}

void RealtimeStep::build(const System& system) {
  pattern_id_ = 0;  // an exception below must not leave half a problem behind
  if (!condensed_) delassus_.analyze(at_.J);
  dual_.analyze(condensed_ ? jointed_.delassus() : delassus_.matrix());
  if (newton_ != nullptr) {
    newton_->refit(rows_);
    sweeps_->refit(dual_.scaled(), newton_->scaled_lower(), newton_->scaled_upper());
  } else {
    ProximalOptions proximal;
    proximal.max_factorizations = policy_.overtime * options_.max_iterations;
    proximal.lagged_coupling = lagged_;
    newton_ = std::make_unique<ProximalNewton>(dual_, rows_, proximal);
    sweeps_ = std::make_unique<ContactGaussSeidel>(
        dual_.scaled(), newton_->rows(), newton_->scaled_lower(), newton_->scaled_upper());
    if (direct_) {
      admm_ = std::make_unique<AndersonAdmm>(*newton_, AndersonAdmmOptions{.max_iterations = 12});
    }
  }
  Vector* const unknown[] = {&r_zero_, &q_,      &deep_,  &x_,       &v_, &z_,
                             &safe_,   &v_safe_, &trial_, &v_trial_, &r_};
  Vector* const rows[] = {&free_r_, &all_r_};
  Vector* const nodes[] = {&origin_, &base_, &push_, &impulse_};
  Vector* const blocks[] = {&H_, &H_inverse_};
  const std::size_t num_unknown = at(rows_.rows());
  const std::size_t num_nodes = at(system.nodes());
  arena_.resize(std::size(unknown) * num_unknown + std::size(rows) * at(system.rows()) +
                (std::size(nodes) * kBlock + std::size(blocks) * kBlockSize) * num_nodes);
  double* next = arena_.data();
  const auto lay = [&](auto& vectors, std::size_t n) {
    for (Vector* v : vectors) {
      *v = Vector(next, n);
      next += n;
    }
  };
  lay(unknown, num_unknown);
  lay(rows, at(system.rows()));
  lay(nodes, kBlock * num_nodes);
  lay(blocks, kBlockSize * num_nodes);
  fill(r_zero_, 0.0);
  fill(free_r_, 0.0);  // stays so but for condensed rows
  pattern_id_ = system.pattern_id;
}

/// How far the rows of joints turn within the step, by what their last impulses would do then.
void RealtimeStep::find_turn(const System& system, ConstVector r) {
  turned_ = 0.0;
  if (condensed_) return;  // impulses of condensed rows follow from the others
  copy(r, all_r_);
  forget(system, all_r_, Kind::kContacts);
  at_.apply_transposed(all_r_, impulse_);
  add_transposed(system.J_start, -1.0, all_r_, impulse_);
  multiply_blocks(system.M_inverse, impulse_, push_);
  turned_ = norm_max(push_);
}

/// At the first velocity, where at_ has the rows; where bodies turn far, the stiffness of the last
/// impulses says little about this step.
bool RealtimeStep::linearise(StepEquations& equations, ConstVector r, bool warm) {
  const System& system = equations.system();
  find_turn(system, r);
  ConstVector H = system.M;
  if (condensed_ && warm && !turns_) {
    equations.stiffness(system.u_start, r, H_);
    H = H_;
  }
  if (!set_problem(system, system.u_start, r, H, system.M_inverse)) return false;
  if (warm) pay_for_recovery(system, r);
  start_problem();
  return true;
}

/// At state.u, where at_ has the rows, with geometric stiffness.
bool RealtimeStep::linearise_again(StepEquations& equations, const State& state) {
  const System& system = equations.system();
  equations.stiffness(state.u, state.r, H_);
  if (!condensed_) invert_blocks(H_, H_inverse_);
  if (!set_problem(system, state.u, state.r, H_, H_inverse_)) return false;
  start_problem();
  return true;
}

/// A linear problem around u: base_ = M (u_free - u) so far.
void RealtimeStep::start_at(const System& system, ConstVector u) {
  copy(u, origin_);
  copy(system.u_free, push_);
  axpby(-1.0, u, 1.0, push_);
  multiply_blocks(system.M, push_, base_);
}

/// W, q and base_ for the rows in at_, evaluated at u:
///   base = H^-1 (M (u_free - u) + J_e^T free_r),   q = value + J base
bool RealtimeStep::set_problem(const System& system, ConstVector u, ConstVector r, ConstVector H,
                               ConstVector H_inverse) {
  start_at(system, u);
  inverse_ = H_inverse;
  if (condensed_) {
    if (!jointed_.assemble(system, at_, H)) return false;
    jointed_.free_impulses(at_, r, free_r_);
    add_transposed(at_.J, 1.0, free_r_, base_);  // zero but for the condensed rows
    jointed_.solve(base_);
    dual_.set_values(jointed_.delassus(), true);
  } else {
    copy(base_, impulse_);
    multiply_blocks(H_inverse, impulse_, base_);
    delassus_.assemble(at_.J, H_inverse, at_.E);
    dual_.set_values(delassus_.matrix(), true);
  }
  std::swap(at_.J.value, linear_.value);  // at_ is to be evaluated anew before its J is used
  set_q();
  return true;
}

/// q and base_ for the rows in at_, evaluated and measured at state, with the matrices of the last
/// linearisation. Condensed.
void RealtimeStep::linearise_values(const System& system, const State& state) {
  start_at(system, state.u);
  axpby(1.0, at_.impulse(), 1.0, base_);
  jointed_.free_impulses(at_, state.r, free_r_);
  copy(free_r_, all_r_);
  axpby(-1.0, state.r, 1.0, all_r_);
  add_transposed(linear_, 1.0, all_r_, base_);
  jointed_.solve(base_);
  set_q();
  keep_penetration();
  newton_->update_q(q_);
}

void RealtimeStep::set_q() {
  const BlockRows J(linear_);
  for (Index k = 0; k < unknowns(); ++k) {
    const Index i = row_of(k);
    J.multiply(i, base_.data(), &q_(3 * k));
    for (Index c = 0; c < 3; ++c) q_(3 * k + c) += at_.value(3 * i + c);
  }
}

void RealtimeStep::keep_penetration() {
  for (Index k = 0; k < unknowns(); ++k) q_(3 * k) -= deep_(3 * k);
}

/// Penetration is kept; the engine takes W and q.
void RealtimeStep::start_problem() {
  keep_penetration();
  newton_->update(q_);
  sweeps_fit_ = false;
}

/// Lowers what is kept by as much as friction pays for: the work of pushing it out at no more than
/// policy_.recovery_speed may not exceed a share of -sum r_T v_T, both of last step's impulses.
void RealtimeStep::pay_for_recovery(const System& system, ConstVector r) {
  const auto speed = [&](Index k) { return std::min(-deep_(3 * k), policy_.recovery_speed); };
  const auto is_contact = [&](Index k) { return system.laws[at(row_of(k))].is_contact(); };
  double price = 0.0;
  for (Index k = 0; k < unknowns(); ++k) {
    std::copy_n(&r(3 * row_of(k)), 3, &r_(3 * k));
    if (is_contact(k)) price += r_(3 * k) * speed(k);
  }
  if (!(price > 0.0)) return;
  multiply(condensed_ ? jointed_.delassus() : delassus_.matrix(), r_, v_);
  double friction = 0.0;
  for (Index k = 0; k < unknowns(); ++k) {
    if (!is_contact(k)) continue;
    for (Index t = 3 * k + 1; t < 3 * k + 3; ++t) friction -= r_(t) * (v_(t) + q_(t));
  }
  if (!(friction > 0.0)) return;
  const double paid = std::min(1.0, policy_.recovery_share * friction / price);
  for (Index k = 0; k < unknowns(); ++k) deep_(3 * k) += paid * speed(k);
}

/// r_N >= 0, |r_T| <= mu r_N radially; box rows within their bounds.
void RealtimeStep::clip(Vector x) const {
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
    const double size = std::sqrt(x_i[1] * x_i[1] + x_i[2] * x_i[2]);
    const double shrink = size > bound ? bound / size : 1.0;
    x_i[1] *= shrink;
    x_i[2] *= shrink;
  }
}

double RealtimeStep::error(ConstVector x, ConstVector v) const {
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

void RealtimeStep::offer(ConstVector z, int tries) {
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

/// The Newton iterate in x_, inside its cones.
void RealtimeStep::offer_iterate() {
  copy(x_, z_);
  clip(z_);
  offer(z_, 4);
}

void RealtimeStep::start_safe(ConstVector r) {
  for (Index k = 0; k < unknowns(); ++k) {
    for (Index c = 0; c < 3; ++c) {
      safe_(3 * k + c) = r(3 * row_of(k) + c) / newton_->scaling()(3 * k + c);
    }
  }
  measure_safe();
  centre_on_safe();
}

void RealtimeStep::measure_safe() {
  clip(safe_);
  dual_.apply(safe_, v_safe_);
  axpby(1.0, newton_->scaled_q(), 1.0, v_safe_);
  safe_error_ = error(safe_, v_safe_);
}

/// The Newton iterate, which was just measured.
void RealtimeStep::make_iterate_safe() {
  newton_->scaled_iterate(x_);
  copy(x_, safe_);
  clip(safe_);
  if (std::equal(x_.data(), x_.data() + x_.extent(0), safe_.data())) {
    copy(newton_->scaled_velocity(), v_safe_);
    safe_error_ = error(safe_, v_safe_);
  } else {
    measure_safe();
  }
}

void RealtimeStep::centre_on_safe() {
  newton_->start(r_zero_, policy_.alpha_start);
  newton_->set_scaled_centre(safe_);
}

/// True where contacts without impulse are much better than the safe point: they are the safe point
/// then. Joints keep theirs.
bool RealtimeStep::drop_contact_impulses() {
  for (Index i = 0; i < rows_.blocks(); ++i) {
    const bool box = rows_.kind[at(i)] == BlockKind::kBox;
    for (Index k = 3 * i; k < 3 * i + 3; ++k) z_(k) = box ? safe_(k) : 0.0;
  }
  dual_.apply(z_, v_);
  axpby(1.0, newton_->scaled_q(), 1.0, v_);
  const double without = error(z_, v_);
  if (!(without < policy_.cold_is_better * safe_error_)) return false;
  safe_error_ = without;
  copy(z_, safe_);
  copy(v_, v_safe_);
  newton_->set_scaled_centre(safe_);
  return true;
}

/// Gauss-Seidel on the present problem, which many steps do without.
void RealtimeStep::sweep(Vector x, int passes) {
  if (!sweeps_fit_) {
    if (condensed_) {
      sweeps_->refresh();
    } else {
      sweeps_->refresh(linear_, delassus_.factor(), newton_->scaling());
    }
    sweeps_fit_ = true;
  }
  sweeps_->sweep(newton_->scaled_q(), x, passes);
}

/// No impulse is known: a cheap first guess.
void RealtimeStep::start_cold(NewtonResult& result) {
  copy(safe_, z_);
  if (admm_ != nullptr) {
    result.iterations += admm_->run().factorized ? 1 : 0;
    newton_->scaled_centre(z_);
    clip(z_);
    offer(z_, 4);
  }
  sweep(z_, 2 * policy_.sweeps);
  offer(z_, 4);
  newton_->set_scaled_centre(z_);
}

void RealtimeStep::newton(int budget, NewtonResult& result) {
  int inner = 0;
  double phi_start = 0.0;
  const auto restart = [&](double alpha) {
    newton_->set_alpha(alpha);
    newton_->begin();
    inner = 0;
  };
  restart(policy_.alpha_start);
  while (result.iterations < budget && safe_error_ > goal_) {
    const double alpha = newton_->alpha();
    ProximalNewton::Residual at = newton_->measure();
    if (inner > 0 && at.phi <= 0.5 * at.proximity) {
      const double fall = inner == 1 ? 0.02 : (inner <= 3 ? 0.2 : 0.5);
      newton_->move_centre();
      restart(std::max(fall * alpha, policy_.alpha_min));
      at = newton_->measure();
    } else if (inner >= 3 && at.phi > 10.0 * phi_start) {
      restart(std::min(3.0 * alpha, policy_.alpha_max));
      at = newton_->measure();
    }
    if (inner <= 1) phi_start = std::max(inner == 0 ? 0.0 : phi_start, at.phi);
    const NewtonSolve solve = newton_->newton_step();
    ++inner;
    newton_->scaled_iterate(x_);
    if (!solve.ok || !all_finite(x_)) {
      restart(std::min(100.0 * std::max(newton_->alpha(), 1e-7), policy_.alpha_max));
    } else {
      offer_iterate();
    }
    record(newton_->alpha(), solve, result);
  }
  newton_->scaled_iterate(x_);
}

/// Two proximal steps of weight policy_.soft from no impulse at all: the first problem has one solution,
/// near the smallest of the impulses that do, the second takes what error that leaves. Impulses
/// that only balance each other do not live on from step to step. What is solved is the safe point.
bool RealtimeStep::newton_from_zero(int budget, NewtonResult& result) {
  newton_->start(r_zero_, policy_.soft);
  newton_->begin();
  newton_->set_scaled_iterate(safe_);
  ProximalNewton::Residual at = newton_->measure();
  bool solved = false;
  bool stepped = false;
  for (int centre = 0; centre < 2;) {
    if (at.phi <= std::max(policy_.solved_soft * at.proximity, policy_.tiny)) {
      solved = true;
      make_iterate_safe();
      if (++centre == 2 || safe_error_ <= goal_) break;
      newton_->move_centre();
      at = newton_->measure();
    }
    if (result.iterations >= budget) break;
    const NewtonSolve solve = newton_->newton_step();
    newton_->scaled_iterate(x_);
    stepped = solve.ok && all_finite(x_);
    if (!stepped) break;
    record(policy_.soft, solve, result);
    at = newton_->measure();
  }
  if (!solved && stepped) {
    offer_iterate();
  }
  return solved;
}

/// The present linear problem where nothing but contacts, limits and drives is left in it. Few of
/// them are solved from zero first; many, as in a jam, need the impulses they had.
void RealtimeStep::solve_condensed(NewtonResult& result) {
  const int share = options_.max_iterations - options_.max_iterations / 3;
  const int budget = std::min(budget_, result.iterations + share);
  if (unknowns() <= policy_.few_blocks) {
    const int from_zero = std::min(budget, result.iterations + policy_.steps_from_zero);
    if (newton_from_zero(from_zero, result)) return;
  } else if (rounds_ == 1 && drop_contact_impulses() && safe_error_ > goal_) {
    start_cold(result);
  }
  centre_on_safe();
  newton(budget, result);
  if (safe_error_ > goal_) polish();
}

/// Gauss-Seidel from the Newton iterate and from the safe point.
void RealtimeStep::polish() {
  clip(x_);
  const bool together = std::equal(x_.data(), x_.data() + x_.extent(0), safe_.data());
  for (const bool from_safe : {false, true}) {
    if (from_safe) copy(safe_, x_);
    if (!all_finite(x_) || (together && !from_safe)) continue;
    sweep(x_, policy_.sweeps);
    offer(x_, 2);
  }
}

void RealtimeStep::record(double alpha, const NewtonSolve& solve, NewtonResult& result) {
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

/// r_ = the safe impulses, push_ = H^-1 J^T r.
void RealtimeStep::take_safe() {
  clip(safe_);
  fill(all_r_, 0.0);
  for (Index k = 0; k < unknowns(); ++k) {
    for (Index c = 0; c < 3; ++c) {
      r_(3 * k + c) = newton_->scaling()(3 * k + c) * safe_(3 * k + c);
      all_r_(3 * row_of(k) + c) = r_(3 * k + c);
    }
  }
  fill(impulse_, 0.0);
  add_transposed(linear_, 1.0, all_r_, impulse_);
  if (condensed_) {
    copy(impulse_, push_);
    jointed_.solve(push_);
  } else {
    multiply_blocks(inverse_, impulse_, push_);
  }
}

/// The energy a step gains beyond the work of applied forces, of bodies whose motion is given and
/// of box rows is, with impulses s r on the motion b = origin + base without them, d = H^-1 J^T r,
///   w s^2 / 2 + B s - c0,    w = d M d,    c0 = what the motion b loses,
///   B = (b - a) M d + r prescribed (contacts) + r (q - J b) (box rows),
/// a = h M^-1 f: what applied forces do. r is shortened to where it is zero; true if it was.
bool RealtimeStep::limit_energy(const System& system) {
  copy(origin_, impulse_);
  axpby(1.0, base_, 1.0, impulse_);
  const BlockRows J(linear_);
  double B = 0.0;
  double w = 0.0;
  double c0 = 0.0;
  for (Index n = 0; n < system.nodes(); ++n) {
    const Mat3 M = load9(&system.M(kBlockSize * n));
    const Vec3 b = load3(&impulse_(kBlock * n));
    const Vec3 a = load3(&system.weight(kBlock * n));
    const Vec3 d = load3(&push_(kBlock * n));
    const Vec3 start = load3(&system.u_start(kBlock * n));
    const Vec3 Md = M * d;
    B += dot(b - a, Md);
    w += dot(d, Md);
    c0 += dot(a - 0.5 * b, M * b) + 0.5 * dot(start, M * start);
  }
  for (Index k = 0; k < unknowns(); ++k) {
    const Index i = row_of(k);
    const bool contact = system.laws[at(i)].is_contact();
    double moved[3] = {0.0, 0.0, 0.0};
    if (!contact) J.multiply(i, impulse_.data(), moved);
    for (Index c = 0; c < 3; ++c) {
      B += r_(3 * k + c) * (contact ? system.prescribed(3 * i + c) : q_(3 * k + c) - moved[c]);
    }
  }
  const double budget = std::max(c0, 0.0);
  if (!(0.5 * w + B > budget) || !(w > 0.0)) return false;
  const double shorter = std::clamp((-B + std::sqrt(B * B + 2.0 * w * budget)) / w, 0.0, 1.0);
  if (shorter >= 1.0) return false;
  axpby(0.0, r_, shorter, r_);
  axpby(0.0, push_, shorter, push_);
  return true;
}

/// u = origin + base + push, r from r_, those of the condensed rows from the motion.
void RealtimeStep::set_state(State& state) {
  if (condensed_) fill(state.r, 0.0);  // those of far blocks
  for (Index k = 0; k < unknowns(); ++k) std::copy_n(&r_(3 * k), 3, &state.r(3 * row_of(k)));
  axpby(1.0, base_, 1.0, push_);
  if (condensed_) jointed_.impulses(linear_, free_r_, push_, state.r);
  copy(origin_, state.u);
  axpby(1.0, push_, 1.0, state.u);
}

/// The same measure for u of the last linearisation: r in safe_ and state.r.
double RealtimeStep::energy_gain(const System& system, const State& state) {
  double gain = 0.5 * inner(system.M, state.u, state.u) -
                0.5 * inner(system.M, system.u_start, system.u_start) -
                inner(system.M, system.weight, state.u);
  const BlockRows J(linear_);
  dual_.apply(safe_, v_trial_);
  for (Index k = 0; k < unknowns(); ++k) {
    const Index i = row_of(k);
    const bool contact = system.laws[at(i)].is_contact();
    double moved[3];
    J.multiply(i, state.u.data(), moved);
    for (Index c = 0; c < 3; ++c) {
      const double row = v_trial_(3 * k + c) / newton_->scaling()(3 * k + c) + q_(3 * k + c);
      gain += state.r(3 * i + c) * (contact ? system.prescribed(3 * i + c) : row - moved[c]);
    }
  }
  if (!condensed_) return gain;
  for (const Index i : jointed_.equations()) {
    double moved[3];
    J.multiply(i, state.u.data(), moved);
    for (Index c = 0; c < 3; ++c) gain -= state.r(3 * i + c) * moved[c];
  }
  return gain;
}

void RealtimeStep::finish(StepEquations& equations, State& state, NewtonResult& result) {
  const System& system = equations.system();
  take_safe();
  result.energy_limited = limit_energy(system);
  set_state(state);
  at_.evaluate(equations, state.u);
  result.error = at_.error(system, state.u, state.r);
  result.linear_solver = std::string(dual_.solver().name());
}

/// The error but for penetration that is kept; all: with it, at_ has the rows at state.u. In m/s
/// alone where bodies turn far: spins of light limbs are no measure of the step's speed.
double RealtimeStep::own_error(const System& system, const State& state, const StepError& all) {
  if (!std::isfinite(all.total)) return all.total;
  const double motion = turns_ ? all.motion : all.momentum;
  const bool none =
      std::all_of(deep_.data(), deep_.data() + deep_.extent(0), [](double d) { return d == 0.0; });
  if (none) return std::max({all.normal / system.h, all.friction, all.box, motion});
  for (Index k = 0; k < unknowns(); ++k) at_.value(3 * row_of(k)) -= deep_(3 * k);
  const double own = std::max({at_.contact_error(system, state.r), all.box, motion});
  for (Index k = 0; k < unknowns(); ++k) at_.value(3 * row_of(k)) += deep_(3 * k);
  return own;
}

/// Further linearisations, each at the result of the one before; the best result is the step's.
void RealtimeStep::improve(StepEquations& equations, State& state, NewtonResult& result) {
  const System& system = equations.system();
  double best = own_error(system, state, result.error);
  bool at_best = true;
  const double large = (turns_ ? policy_.large_motion : policy_.large_error) * system.speed_scale;
  bool fast = best <= large;
  for (int misses = 0; misses <= policy_.misses;) {
    const bool few = condensed_ && unknowns() <= policy_.few_blocks;
    const double good =
        condensed_ ? good_ : (safe_error_ > goal_ ? policy_.goal : policy_.worth_a_round);
    if (few && best > large) {
      budget_ = policy_.overtime * options_.max_iterations;
    }
    const bool spent = condensed_ && 2 * rounds_ >= budget_;
    if (best <= good || spent || result.iterations >= budget_) break;
    if (at_best) {
      best_u_.assign(state.u.data(), state.u.data() + state.u.extent(0));
      best_r_.assign(state.r.data(), state.r.data() + state.r.extent(0));
    }
    const bool met = condensed_ && meet_far(system);
    if (few && at_best && fast && !met) {
      linearise_values(system, state);
    } else {
      ++rounds_;
      at_best = false;
      if (!linearise_again(equations, state)) break;
    }
    start_safe(state.r);
    if (condensed_) {
      solve_condensed(result);
    } else {
      newton(budget_, result);
      if (safe_error_ > goal_) polish();
    }
    take_safe();
    set_state(state);
    const double gain = energy_gain(system, state);
    at_.evaluate(equations, state.u);
    const StepError error = at_.error(system, state.u, state.r);
    const double own = own_error(system, state, error);
    at_best = gain <= 0.0 && own < best;
    fast = own <= policy_.falls_fast * best;
    if (at_best) {
      best = own;
      result.error = error;
      result.energy_limited = false;
    } else if (few && std::isfinite(own)) {
      ++misses;  // Newton's method need not fall from step to step
    } else {
      break;
    }
  }
  if (at_best) return;
  std::copy(best_u_.begin(), best_u_.end(), state.u.data());
  std::copy(best_r_.begin(), best_r_.end(), state.r.data());
  at_.evaluate(equations, state.u);
}

/// A step of joints that has failed may not be faster than without joints and contacts: it is
/// slowed down to that, and its impulses are forgotten. Such steps would else feed each other.
void RealtimeStep::calm(StepEquations& equations, State& state, NewtonResult& result) {
  const System& system = equations.system();
  if (!condensed_ || result.error.total <= policy_.failed * system.speed_scale) return;
  const double energy = inner(system.M, state.u, state.u);
  const double most = std::max(inner(system.M, system.u_free, system.u_free),
                               inner(system.M, system.u_start, system.u_start));
  if (!(energy > most) || !std::isfinite(energy)) return;
  axpby(0.0, state.u, std::sqrt(most / energy), state.u);
  fill(state.r, 0.0);
  at_.evaluate(equations, state.u);
  result.error = at_.error(system, state.u, state.r);
}

/// A large error, or a cold start ("load time") that is not solved.
bool RealtimeStep::hands_over(const NewtonResult& result, bool warm) const {
  if (!options_.realtime().hand_over) return false;
  return result.error.total > policy_.hand_over_error || (!warm && !result.converged());
}

/// One linearisation is not enough where elements turn and stretch: the proximal step within the
/// budget, its best iterate.
NewtonResult RealtimeStep::solve_elastic(StepEquations& equations, State& state, bool warm) {
  NewtonResult result = elastic_.solve(equations, state, warm);
  history_ = elastic_.history();
  if (!options_.realtime().hand_over || result.error.total <= policy_.hand_over_error)
    return result;
  const int spent = result.iterations;
  result = accurate_.solve(equations, state, true);
  result.iterations += spent;
  result.handed_over = true;
  return result;
}

/// No linear problem: the free motion, and what that is worth.
NewtonResult RealtimeStep::give_up(StepEquations& equations, State& state) {
  NewtonResult result;
  copy(equations.system().u_free, state.u);
  fill(state.r, 0.0);
  at_.evaluate(equations, state.u);
  result.error = at_.error(equations.system(), state.u, state.r);
  result.linear_solver = std::string(dual_.solver().name());
  result.status = NewtonStatus::kNonFinite;
  return result;
}

NewtonResult RealtimeStep::solve(StepEquations& equations, State& state, bool warm) {
  history_.clear();
  if (equations.system().compliance_varies) return solve_elastic(equations, state, warm);
  if (!warm) fill(state.r, 0.0);
  fit(equations, state.r);
  NewtonResult result;
  const double turned = policy_.worth_turn * turn(equations.system());
  turns_ = condensed_ && turned > policy_.worth_joints;
  good_ = std::max(policy_.worth_joints, turned) * equations.system().speed_scale;
  goal_ = condensed_ ? std::max(policy_.goal, policy_.linear_share * good_) : policy_.goal;
  if (!linearise(equations, state.r, warm)) return give_up(equations, state);
  if (turned_ > policy_.turned * equations.system().speed_scale) {
    forget(equations.system(), state.r, Kind::kJoints);
  }
  start_safe(state.r);
  rounds_ = 1;
  budget_ = options_.max_iterations;
  if (condensed_) {
    solve_condensed(result);
  } else {
    const bool cold = !warm || drop_contact_impulses();
    if (cold && safe_error_ > goal_) start_cold(result);
    // A warm step keeps one in six back for the second linearisation.
    newton(budget_ - (cold ? 0 : budget_ / 6), result);
    if (safe_error_ > goal_) polish();
  }
  finish(equations, state, result);
  improve(equations, state, result);
  calm(equations, state, result);
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
