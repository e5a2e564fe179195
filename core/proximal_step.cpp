#include "core/proximal_step.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/linear_chain.h"
#include "core/math3.h"
#include "core/observed_solver.h"
#include "core/vector_kernels.h"

namespace nsn {
namespace {

constexpr double kRestartBand = 10.0;  // after the restart: linearise only where e <= 10 x smallest
constexpr int kMaxIdleSteps = 4;       // proximal steps in a row that cost no factorisation

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

/// Rows of the proximal engine from the laws of a system.
void set_rows(const System& system, ContactRows& rows) {
  const std::size_t n = system.laws.size();
  rows.kind.resize(n);
  rows.mu.resize(n);
  rows.lower.resize(3 * n);
  rows.upper.resize(3 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const RowLaw& law = system.laws[i];
    rows.kind[i] = law.is_contact() ? BlockKind::kContact : BlockKind::kBox;
    rows.mu[i] = law.mu;
    for (std::size_t k = 0; k < 3; ++k) {
      rows.lower[3 * i + k] = law.lo[k];
      rows.upper[3 * i + k] = law.hi[k];
    }
  }
}

}  // namespace

ProximalTimeStep::ProximalTimeStep(const NewtonOptions& options, const SolverRegistry& registry)
    : options_(options), registry_(&registry) {
  history_.reserve(at(options.max_iterations) + 16);
  dual_ = std::make_unique<DualSystem>(make_linear_chain(options.linear, registry));
}

/// The proximal engine solves inside; a solver that looks in shows what it solves.
void ProximalTimeStep::observe(NewtonObserver observer) {
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
      view.C = E_;
      view.form = "proximal";
      view.W = &delassus_.matrix();
      view.q = q_;
      if (view.S != nullptr) observer_(view);
    };
    solver = make_observed_solver(std::move(solver), show);
  }
  newton_.reset();
  dual_ = std::make_unique<DualSystem>(std::move(solver));
}

void ProximalTimeStep::fit(const System& system) {
  at_.fit(system);
  set_rows(system, rows_);
  const bool same =
      newton_ != nullptr && pattern_id_ == system.pattern_id && newton_->rows().kind == rows_.kind;
  if (same) {
    newton_->change_rows(rows_);
  } else {
    build(system);
  }
}

void ProximalTimeStep::build(const System& system) {
  pattern_id_ = system.pattern_id;
  delassus_.analyze(at_.J);
  newton_.reset();
  dual_->analyze(delassus_.matrix());
  ProximalOptions proximal;
  // The step's own error decides; the linear problem only must not claim to be solved before.
  proximal.tolerance = std::max(1e-4 * options_.tolerance, 1e-14);
  proximal.unit_free_factor = 1.0;
  proximal.goal = 0.3;
  proximal.max_factorizations = options_.max_iterations;
  proximal.normal_map = options_.ncp == NcpKind::kFischerBurmeister ? NormalMap::kFischerBurmeister
                                                                    : NormalMap::kMinimum;
  newton_ = std::make_unique<ProximalNewton>(*dual_, rows_, proximal);
  for (Vector* v : {&u_f_, &scratch_, &start_u_, &best_u_}) *v = Vector("u", at(system.dofs()));
  for (Vector* v : {&q_, &start_r_, &warm_r_, &best_r_}) *v = Vector("r", at(system.rows()));
  for (Vector* v : {&H_, &H_inverse_}) *v = Vector("H", kBlockSize * at(system.nodes()));
}

/// at_ holds the rows at u.
void ProximalTimeStep::linearise(StepEquations& equations, ConstVector u, ConstVector r) {
  const System& system = equations.system();
  if (options_.stiffness == GeometricStiffness::kExact) {
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
  delassus_.assemble(at_.J, H_inverse_, system.E);
  dual_->set_values(delassus_.matrix(), true);
  newton_->update(q_);
}

void ProximalTimeStep::velocity(const System& system, ConstVector r, Vector u) {
  at_.apply_transposed(r, scratch_);
  for (Index n = 0; n < system.nodes(); ++n) {
    const Vec3 push = load9(&H_inverse_(kBlockSize * n)) * load3(&scratch_(kBlock * n));
    store3(&u(kBlock * n), load3(&u_f_(kBlock * n)) + push);
  }
}

/// Evaluates the rows at state.u and keeps the best iterate. True where the step is solved.
bool ProximalTimeStep::measure(StepEquations& equations, const State& state) {
  at_.evaluate(equations, state.u);
  error_ = at_.error(equations.system(), state.u, state.r);
  smallest_ = std::min(smallest_, error_.total);
  if (error_.total < best_error_.total) {
    best_error_ = error_;
    copy(state.u, best_u_);
    copy(state.r, best_r_);
  }
  return error_.relative <= options_.tolerance;
}

void ProximalTimeStep::record(const StepError& error, const ProximalStep& step,
                              NewtonResult& result) {
  NewtonIteration entry;
  entry.error = error;
  entry.step_length = step.outcome == StepOutcome::kRejected ? 0.0 : 1.0;
  entry.alpha = step.alpha;
  entry.factorizations = step.newton_steps;
  entry.linear_iterations = step.linear_iterations;
  if (!newton_->history().empty()) {
    entry.linear_status = newton_->history().back().linear_status;
    entry.linear_residual = newton_->history().back().linear_residual;
  }
  if (history_.size() < history_.capacity()) history_.push_back(entry);
  result.linear_iterations += step.linear_iterations;
}

bool ProximalTimeStep::out_of_time() const {
  if (options_.cancel && options_.cancel()) return true;
  if (options_.time_budget <= 0.0) return false;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started_;
  return spent.count() > options_.time_budget;
}

/// Proximal steps from start_u_, start_r_ until solved or `budget` factorisations are spent.
NewtonStatus ProximalTimeStep::iterate(StepEquations& equations, State& state, double alpha,
                                       int budget, bool guarded, NewtonResult& result) {
  const System& system = equations.system();
  copy(start_u_, state.u);
  copy(start_r_, state.r);
  at_.evaluate(equations, state.u);
  linearise(equations, state.u, state.r);
  newton_->start(state.r, alpha);
  // A guess may be exact already.
  velocity(system, state.r, state.u);
  if (measure(equations, state)) return NewtonStatus::kConverged;
  if (!std::isfinite(error_.total)) copy(start_u_, state.u);
  at_.evaluate(equations, start_u_);  // the linearisation's own rows
  int idle = 0;
  while (newton_->factorizations() < budget) {
    if (out_of_time()) return NewtonStatus::kCancelled;
    const int before = newton_->factorizations();
    const ProximalStep step = newton_->step();
    result.iterations += newton_->factorizations() - before;
    idle = newton_->factorizations() == before ? idle + 1 : 0;
    if (step.outcome == StepOutcome::kBudget) break;
    if (step.outcome == StepOutcome::kRejected) {
      record(error_, step, result);
      if (idle > kMaxIdleSteps) return NewtonStatus::kLinearFailure;
      continue;
    }
    newton_->reactions(state.r);
    velocity(system, state.r, state.u);
    const bool solved = measure(equations, state);
    record(error_, step, result);
    if (solved) return NewtonStatus::kConverged;
    if (idle > kMaxIdleSteps) return NewtonStatus::kStalled;
    if (!guarded || error_.total <= kRestartBand * smallest_) {
      linearise(equations, state.u, state.r);
      copy(state.u, start_u_);
    } else {
      at_.evaluate(equations, start_u_);  // back to the rows of the linearisation
    }
  }
  return NewtonStatus::kBudgetReached;
}

NewtonResult ProximalTimeStep::solve(StepEquations& equations, State& state, bool warm) {
  const System& system = equations.system();
  started_ = std::chrono::steady_clock::now();
  fit(system);
  history_.clear();
  observed_ = 0;
  E_ = system.E;
  if (!warm) fill(state.r, 0.0);
  NewtonResult result;
  const double infinity = std::numeric_limits<double>::infinity();
  best_error_ = {};
  best_error_.total = smallest_ = infinity;
  copy(system.u_free, best_u_);
  fill(best_r_, 0.0);
  copy(state.r, warm_r_);
  const ProximalOptions& proximal = newton_->options();
  struct Attempt {
    bool warm;
    int budget;
    bool guarded;
  };
  // A warm start can lie on the wrong side of every cone (a body that has just stopped): soon cold.
  const int all = options_.max_iterations;
  const Attempt attempts[] = {
      {warm, warm ? options_.restart_after / 2 : options_.restart_after, false},
      {false, warm ? options_.restart_after : 0, false},
      {warm, all, true}};
  for (const Attempt& attempt : attempts) {
    const int budget = std::min(attempt.budget, all - result.iterations);
    if (budget <= 0) continue;
    result.restarted = result.iterations > 0;
    smallest_ = infinity;
    copy(system.u_start, start_u_);
    copy(warm_r_, start_r_);
    if (!attempt.warm) fill(start_r_, 0.0);
    const double alpha = attempt.warm ? proximal.alpha_warm : proximal.alpha_cold;
    result.status = iterate(equations, state, alpha, budget, attempt.guarded, result);
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
