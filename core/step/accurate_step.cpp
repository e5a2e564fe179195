#include "nsn/core/step/accurate_step.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsn/core/base/math3.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/linear/linear_chain.h"
#include "nsn/core/linear/observed_solver.h"
#include "nsn/core/step/law_rows.h"

namespace nsn {
namespace {

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

AccurateStep::AccurateStep(const NewtonOptions& options, const SolverRegistry& registry,
                           const Overtime& overtime)
    : options_(options),
      policy_(options.accurate().policy),
      overtime_(overtime),
      registry_(&registry) {
  history_.reserve(at(std::min(options.max_iterations, policy_.longest_history)) + 16);
  dual_ = std::make_unique<DualSystem>(make_linear_chain(options.linear, registry));
}

/// The proximal engine solves inside; a solver that looks in shows what it solves.
void AccurateStep::observe(NewtonObserver observer) {
  observer_ = std::move(observer);
  auto solver = make_linear_chain(options_.linear, *registry_);
  if (observer_) {
    const auto show = [this](const LinearOperator& op, ConstVector b) {
      NewtonSystemView view;
      view.iteration = observed_++;
      view.S = op.blocks();
      view.b = b;
      view.symmetric = op.symmetric();
      view.J = &at_.J;
      view.H = H_;
      view.C = at_.E;
      view.form = "proximal";
      view.W = mass_.sparse() ? &mass_.delassus() : &delassus_.matrix();
      view.q = q_;
      if (view.S != nullptr) observer_(view);
    };
    solver = make_observed_solver(std::move(solver), show);
  }
  sweeps_.reset();
  newton_.reset();
  ready_ = false;
  dual_ = std::make_unique<DualSystem>(std::move(solver));
}

void AccurateStep::fit(const System& system) {
  at_.fit(system);
  const bool known = ready_ && pattern_id_ == system.pattern_id;
  if (!known) mass_.analyze(system, at_.J, options_.accurate());
  set_rows(system, mass_.sparse() ? &mass_.kept() : nullptr, rows_);
  if (known && (!has_unknowns() || newton_->rows().kind == rows_.kind)) {
    if (has_unknowns()) newton_->change_rows(rows_);
  } else {
    build(system);
  }
}

void AccurateStep::build(const System& system) {
  pattern_id_ = system.pattern_id;
  ready_ = true;
  if (!mass_.sparse()) delassus_.analyze(at_.J);
  sweeps_.reset();
  newton_.reset();
  proximal_ = {};
  // The step's own error decides; the linear problem only must not claim to be solved before.
  proximal_.tolerance = std::max(1e-4 * options_.tolerance, 1e-14);
  proximal_.unit_free_factor = 1.0;
  proximal_.goal = 0.3;
  proximal_.max_factorizations = std::min(options_.max_iterations, policy_.longest_history) *
                                 (mass_.sparse() ? policy_.small_systems : 1);
  proximal_.normal_map = options_.accurate().ncp == NcpKind::kFischerBurmeister
                             ? NormalMap::kFischerBurmeister
                             : NormalMap::kMinimum;
  if (has_unknowns()) {
    dual_->analyze(mass_.sparse() ? mass_.delassus() : delassus_.matrix());
    newton_ = std::make_unique<ProximalNewton>(*dual_, rows_, proximal_);
  }
  find_cost();
  for (Vector* v : {&u_f_, &base_step_, &scratch_, &start_u_, &best_u_, &step_u_})
    *v = Vector("u", at(system.dofs()));
  for (Vector* v : {&start_r_, &warm_r_, &best_r_, &linear_r_}) *v = Vector("r", at(system.rows()));
  for (Vector* v : {&kept_r_, &linear_kept_r_, &change_kept_r_})
    *v = Vector("kept r", at(mass_.sparse() ? mass_.kept_rows() : 0));
  q_ = Vector("q", at(system.rows()));
  for (Vector* v : {&H_, &H_inverse_}) *v = Vector("H", kBlockSize * at(system.nodes()));
}

/// Makes the sweeps where a factorisation is dear.
void AccurateStep::find_cost() {
  longest_ = options_.max_iterations;
  if (mass_.sparse() || rows_.blocks() < policy_.expensive_blocks) return;
  const double flops = dual_->factorization_flops();
  if (flops < kDearFactorization) return;
  const double ratio = sweeps_per_factorization(flops, dual_->scaled().blocks(), rows_.blocks());
  longest_ = std::max(policy_.longest_expensive, static_cast<int>(policy_.most_work / flops));
  num_sweeps_ = static_cast<int>(std::min(policy_.sweeps_worth * ratio, policy_.most_sweeps));
  sweeps_ = std::make_unique<ContactGaussSeidel>(dual_->scaled(), newton_->rows(),
                                                 newton_->scaled_lower(), newton_->scaled_upper());
}

/// Gauss-Seidel on the present linear problem; state.r is where it ends.
void AccurateStep::sweep(State& state) {
  sweeps_->refresh();
  newton_->scaled_centre(linear_r_);
  for (int k = 0; k < num_sweeps_ && !out_of_time(); ++k) {
    if (sweeps_->sweep(newton_->scaled_q(), linear_r_) < policy_.settled) break;
  }
  newton_->set_scaled_centre(linear_r_);
  newton_->set_alpha(policy_.alpha_after_sweeps);
  newton_->reactions(state.r);
}

/// at_ holds the rows at u.
bool AccurateStep::linearise(StepEquations& equations, ConstVector u, ConstVector r) {
  if (mass_.sparse()) return linearise_sparse(equations, u, r);
  const System& system = equations.system();
  if (options_.accurate().stiffness == GeometricStiffness::kExact ||
      options_.accurate().stiffness == GeometricStiffness::kFull) {
    equations.stiffness(u, r, H_);
    invert_blocks(H_, H_inverse_);
  } else {
    copy(system.M, H_);
    copy(system.M_inverse, H_inverse_);
  }
  for (Index n = 0; n < system.nodes(); ++n) {
    const Vec3 change = load3(&u(kBlock * n)) - load3(&system.u_free(kBlock * n));
    const Vec3 back =
        load9(&H_inverse_(kBlockSize * n)) * (load9(&system.M(kBlockSize * n)) * change);
    store3(&u_f_(kBlock * n), load3(&u(kBlock * n)) - back);
    store3(&scratch_(kBlock * n), -back);
  }
  at_.apply(scratch_, q_);
  axpby(1.0, at_.value, 1.0, q_);
  delassus_.assemble(at_.J, H_inverse_, at_.E);
  dual_->set_values(delassus_.matrix(), true);
  newton_->update(q_);
  return true;
}

bool AccurateStep::linearise_sparse(StepEquations& equations, ConstVector u, ConstVector r) {
  const System& system = equations.system();
  if (keeps_factor_) {
    mass_.keep_factor(at_);
  } else {
    if (!mass_.assemble(equations, at_, u, r, options_.accurate().stiffness)) return false;
    ++linearisations_;
  }
  copy(u, u_f_);
  axpby(-1.0, system.u_free, 1.0, u_f_);
  multiply_blocks(system.M, u_f_, scratch_);
  mass_.add_elastic_impulse(at_, scratch_);
  mass_.gather(r, linear_kept_r_);
  add_kept_impulse(-1.0, linear_kept_r_, scratch_);
  mass_.solve(scratch_);
  axpby(0.0, u_f_, -1.0, scratch_);
  copy(scratch_, base_step_);
  // q without the impulses of now: value + J (u_f - u), u_f - u = base - H^-1 J^T r.
  const BlockRows J(at_.J);
  const BlockRows W(mass_.delassus());
  for (std::size_t k = 0; k < mass_.kept().size(); ++k) {
    const Index i = mass_.kept()[k];
    double moved[3];
    double pushed[3];
    J.multiply(i, scratch_.data(), moved);
    W.multiply(static_cast<Index>(k), linear_kept_r_.data(), pushed);
    const Vec3 yielded = load9(&at_.E(kBlockSize * i)) * load3(&linear_kept_r_(kBlock * k));
    store3(&q_(kBlock * k), load3(&at_.value(kBlock * i)) + load3(moved) - load3(pushed) + yielded);
  }
  if (!has_unknowns()) return true;
  dual_->set_values(mass_.delassus(), true);
  newton_->update(ConstVector(q_.data(), at(mass_.kept_rows())));
  return true;
}

/// f += factor J_k^T r over the kept rows.
void AccurateStep::add_kept_impulse(double factor, ConstVector r, Vector f) const {
  for (std::size_t k = 0; k < mass_.kept().size(); ++k) {
    const Index i = mass_.kept()[k];
    const Vec3 r_i = factor * load3(&r(kBlock * k));
    for (Index e = at_.J.row_begin(i); e < at_.J.row_begin(i + 1); ++e) {
      double* const out = &f(kBlock * at_.J.column(e));
      store3(out, load3(out) + transpose_times(load9(&at_.J.value(kBlockSize * e)), r_i));
    }
  }
}

void AccurateStep::velocity(const System& system, ConstVector r, Vector u) {
  if (mass_.sparse()) {
    // From the impulses of the linearisation on: H^-1 of all of them is a large velocity that the
    // elastic forces take back, to rounding of its own size.
    for (std::size_t k = 0; k < mass_.kept().size(); ++k) {
      const Vec3 change = load3(&r(kBlock * mass_.kept()[k])) - load3(&linear_kept_r_(kBlock * k));
      store3(&change_kept_r_(kBlock * k), change);
    }
    fill(scratch_, 0.0);
    add_kept_impulse(1.0, change_kept_r_, scratch_);
    mass_.solve(scratch_);
    copy(base_step_, step_u_);
    axpby(1.0, scratch_, 1.0, step_u_);
    copy(start_u_, u);
    axpby(1.0, step_u_, 1.0, u);
    return;
  }
  at_.apply_transposed(r, scratch_);
  for (Index n = 0; n < system.nodes(); ++n) {
    const Vec3 push = load9(&H_inverse_(kBlockSize * n)) * load3(&scratch_(kBlock * n));
    store3(&u(kBlock * n), load3(&u_f_(kBlock * n)) + push);
  }
}

/// step_u_ . (M (u - u_free) - J^T r)
double AccurateStep::slope(const System& system, const State& state) {
  at_.apply_transposed(state.r, scratch_);
  double sum = 0.0;
  for (Index n = 0; n < system.nodes(); ++n) {
    const Vec3 change = load3(&state.u(kBlock * n)) - load3(&system.u_free(kBlock * n));
    const Vec3 g = load9(&system.M(kBlockSize * n)) * change - load3(&scratch_(kBlock * n));
    sum += dot(g, load3(&step_u_(kBlock * n)));
  }
  return sum;
}

StepError AccurateStep::evaluate(StepEquations& equations, State& state) {
  const System& system = equations.system();
  step_length_ = 1.0;
  if (mass_.eliminated_blocks() == 0 || !mass_.sparse()) {
    at_.evaluate(equations, state.u);
    return at_.error(system, state.u, state.r);
  }
  multiply(mass_.H(), step_u_, scratch_);
  const double start = dot(scratch_, step_u_);  // the slope at the start, with the other sign
  copy(state.r, linear_r_);
  mass_.linear_impulses(at_, step_u_, linear_r_);
  for (int k = 0; k <= policy_.max_shortenings; ++k) {
    at_.evaluate(equations, state.u);
    mass_.elastic_impulses(at_, state.r);
    const double end = slope(system, state);
    if (end <= policy_.curvature * start || k == policy_.max_shortenings) break;
    step_length_ *= std::clamp(start / (start + end), 0.1, 0.7);
    copy(start_u_, state.u);
    axpby(step_length_, step_u_, 1.0, state.u);
  }
  // Near the solution the linearised impulses balance to rounding; those of the elements carry the
  // rounding of u times their stiffness (so step_u_ is the step itself, not a difference of u).
  const StepError own = at_.error(system, state.u, state.r);
  if (step_length_ < 1.0 || own.relative > policy_.far_from_rounding) return own;
  const StepError linear = at_.error(system, state.u, linear_r_);
  if (!(linear.total < own.total)) return own;
  copy(linear_r_, state.r);
  return linear;
}

/// Evaluates the rows at state.u and keeps the best iterate. True where the step is solved.
bool AccurateStep::measure(StepEquations& equations, State& state) {
  error_ = evaluate(equations, state);
  smallest_ = std::min(smallest_, error_.total);
  if (error_.total < best_error_.total) {
    best_error_ = error_;
    copy(state.u, best_u_);
    copy(state.r, best_r_);
  }
  return error_.relative <= options_.tolerance;
}

void AccurateStep::record(const StepError& error, const ProximalStep& step, NewtonResult& result) {
  NewtonIteration entry;
  entry.error = error;
  entry.step_length = step.outcome == StepOutcome::kRejected ? 0.0 : step_length_;
  entry.alpha = step.alpha;
  entry.factorizations = step.newton_steps;
  entry.linear_iterations = step.linear_iterations;
  if (has_unknowns() && !newton_->history().empty()) {
    entry.linear_status = newton_->history().back().linear_status;
    entry.linear_residual = newton_->history().back().linear_residual;
  }
  if (history_.size() < history_.capacity()) history_.push_back(entry);
  result.linear_iterations += step.linear_iterations;
}

bool AccurateStep::out_of_time() const {
  if (options_.cancel && options_.cancel()) return true;
  if (options_.time_budget <= 0.0) return false;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started_;
  return spent.count() > options_.time_budget;
}

/// Factorisations of this attempt.
int AccurateStep::spent() const {
  return linearisations_ + (has_unknowns() ? newton_->factorizations() : 0);
}

bool AccurateStep::exhausted(int budget, int linearisations) const {
  // A system of the few rows that stay is cheap next to H.
  const int small = mass_.sparse() ? policy_.small_systems * budget : budget;
  return linearisations >= budget || (has_unknowns() && newton_->factorizations() >= small);
}

ProximalStep AccurateStep::advance(State& state) {
  ProximalStep step;
  step.outcome = StepOutcome::kAccepted;
  if (!has_unknowns()) return step;
  step = newton_->step();
  if (step.outcome == StepOutcome::kBudget || step.outcome == StepOutcome::kRejected) return step;
  if (mass_.sparse()) {
    newton_->reactions(kept_r_);
    mass_.scatter(kept_r_, state.r);
  } else {
    newton_->reactions(state.r);
  }
  return step;
}

bool AccurateStep::linearises(Linearise rule, const ProximalStep& step) const {
  switch (rule) {
    case Linearise::kAlways:
      return true;
    case Linearise::kNearBest:
      return error_.total <= policy_.restart_band * smallest_;
    case Linearise::kWhenSolved:
      break;
  }
  return step.outcome == StepOutcome::kSolved ||
         step.error.unit_free < policy_.solved_well * error_.relative;
}

/// Proximal steps from start_u_, start_r_ until solved or the attempt's factorisations are spent.
NewtonStatus AccurateStep::iterate(StepEquations& equations, State& state, const Attempt& attempt,
                                   NewtonResult& result) {
  const System& system = equations.system();
  const int budget = attempt.budget;
  const int overtime = (overtime_.factor - 1) * options_.max_iterations;
  const int patience = std::min(policy_.patience, budget);
  const double alpha = attempt.warm ? proximal_.alpha_warm : proximal_.alpha_cold;
  copy(start_u_, state.u);
  copy(start_r_, state.r);
  linearisations_ = 0;
  keeps_factor_ = false;
  at_.evaluate(equations, state.u);
  if (mass_.sparse()) error_ = at_.error(system, state.u, state.r);
  if (!linearise(equations, state.u, state.r)) return NewtonStatus::kNonFinite;
  if (!mass_.sparse()) {
    newton_->start(state.r, alpha);
  } else if (has_unknowns()) {
    mass_.gather(state.r, kept_r_);
    newton_->start(kept_r_, alpha);
  }
  if (has_unknowns())
    newton_->set_budget((mass_.sparse() ? policy_.small_systems : 1) * (budget + overtime));
  if (attempt.sweeps) sweep(state);
  const int before_all = result.iterations;
  // A guess may be exact already; of soft bodies only where little changes.
  if (has_unknowns() && (!mass_.sparse() || error_.relative <= policy_.calm)) {
    velocity(system, state.r, state.u);
    if (measure(equations, state)) {
      result.iterations = before_all + spent();
      return NewtonStatus::kConverged;
    }
    if (!std::isfinite(error_.total)) copy(start_u_, state.u);
    at_.evaluate(equations, start_u_);  // the linearisation's own rows
  }
  int idle = 0;
  double halved = smallest_;
  int halved_at = spent();
  const int all = options_.max_iterations - before_all;
  const auto may_go_on = [&](int linearisations) {
    const int more = best_error_.total > overtime_.error ? overtime : 0;
    return !exhausted(all + more, linearisations) &&
           (!exhausted(budget + more, linearisations) || spent() <= halved_at + patience);
  };
  while (may_go_on(linearisations_ - 1)) {  // a step from the last linearisation too
    if (out_of_time()) return NewtonStatus::kCancelled;
    const int before = spent();
    const double error_before = error_.total;
    const ProximalStep step = advance(state);
    const bool cheap = has_unknowns() && spent() == before;
    result.iterations = before_all + spent();
    if (step.outcome == StepOutcome::kBudget) break;
    if (step.outcome == StepOutcome::kRejected) {
      idle = cheap ? idle + 1 : 0;
      record(error_, step, result);
      if (idle > policy_.max_idle_steps) return NewtonStatus::kLinearFailure;
      continue;
    }
    velocity(system, state.r, state.u);
    const bool solved = measure(equations, state);
    record(error_, step, result);
    if (solved) return NewtonStatus::kConverged;
    const bool gained = mass_.sparse() && error_.total < policy_.least_gain * error_before;
    const bool idles = mass_.sparse() ? !gained && (cheap || !has_unknowns()) : cheap;
    idle = idles ? idle + 1 : 0;
    if (idle > (has_unknowns() ? policy_.max_idle_steps : 4 * policy_.max_idle_steps))
      return NewtonStatus::kStalled;
    if (smallest_ < 0.5 * halved) {
      halved = smallest_;
      halved_at = spent();
    }
    if (best_error_.total <= policy_.fine && spent() > halved_at + policy_.fine_patience)
      return NewtonStatus::kConverged;
    if (linearises(attempt.linearise, step)) {
      keeps_factor_ = mass_.sparse() && !keeps_factor_ && error_.relative <= policy_.hardly_moved;
      if (!keeps_factor_ && !may_go_on(linearisations_)) break;
      copy(state.u, start_u_);
      if (!linearise(equations, state.u, state.r)) return NewtonStatus::kLinearFailure;
      result.iterations = before_all + spent();
    } else {
      at_.evaluate(equations, start_u_);  // back to the rows of the linearisation
    }
  }
  return NewtonStatus::kBudgetReached;
}

NewtonResult AccurateStep::solve(StepEquations& equations, State& state, bool warm) {
  const System& system = equations.system();
  started_ = std::chrono::steady_clock::now();
  fit(system);
  history_.clear();
  observed_ = 0;
  if (!warm) fill(state.r, 0.0);
  NewtonResult result;
  const double infinity = std::numeric_limits<double>::infinity();
  best_error_ = {};
  best_error_.total = smallest_ = infinity;
  copy(system.u_free, best_u_);
  fill(best_r_, 0.0);
  copy(state.r, warm_r_);
  // A warm start can lie on the wrong side of every cone (a body that has just stopped): soon cold.
  const bool dear = sweeps_ != nullptr;
  const bool rigid = !mass_.sparse();
  const int all = std::min(options_.max_iterations, rigid ? longest_ : policy_.longest_expensive);
  const int restart = options_.accurate().restart_after;
  const Attempt attempts[] = {
      {warm, warm ? restart / 2 : restart, Linearise::kAlways, dear},
      {false, warm && !dear ? restart : 0, Linearise::kAlways},
      {rigid ? false : warm, all, rigid ? Linearise::kWhenSolved : Linearise::kNearBest, dear}};
  for (Attempt attempt : attempts) {
    attempt.budget = std::min(attempt.budget, all - result.iterations);
    if (attempt.budget <= 0) continue;
    result.restarted = result.iterations > 0;
    smallest_ = infinity;
    copy(system.u_start, start_u_);
    copy(warm_r_, start_r_);
    if (!attempt.warm) fill(start_r_, 0.0);
    result.status = iterate(equations, state, attempt, result);
    if (result.status != NewtonStatus::kCancelled && best_error_.total <= policy_.fine)
      result.status = NewtonStatus::kConverged;
    if (result.status == NewtonStatus::kConverged || result.status == NewtonStatus::kCancelled)
      break;
  }
  copy(best_u_, state.u);
  copy(best_r_, state.r);
  result.error = best_error_;
  result.linear_solver = std::string(dual_->solver().name());
  if (!std::isfinite(best_error_.total)) result.status = NewtonStatus::kNonFinite;
  return result;
}

}  // namespace nsn
