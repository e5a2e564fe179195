#include "nsn/core/step/paper_step.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsn/core/base/math3.h"
#include "nsn/core/base/vector_kernels.h"

namespace nsn {
PaperStep::PaperStep(const NewtonOptions& options, const SolverRegistry& registry,
                     StepMonitor& monitor)
    : options_(options),
      own_(options.paper()),
      monitor_(monitor),
      laws_(own_),
      linear_system_(own_, options.linear, registry, monitor) {
  monitor_.reserve_history(options.max_iterations + 1);
}

void PaperStep::fit(const System& system) {
  at_.fit(system);
  if (pattern_id_ == system.pattern_id && linear_system_.ready()) return;
  pattern_id_ = system.pattern_id;
  laws_.fit(system);
  linear_system_.fit(system, at_.J);
  for (Vector* v : {&g_, &du_, &scratch_, &old_u_, &u_try_, &impulse_old_, &quasi_}) {
    *v = Vector("node vector", to_size(system.dofs()));
  }
  for (Vector* v : {&dr_, &row_scratch_, &r_try_}) {
    *v = Vector("row vector", to_size(system.rows()));
  }
}

void PaperStep::start(const System& system, State& state, bool warm) {
  if (!warm || !options_.warm_start) fill(state.r, 0.0);
  switch (own_.start) {
    case StartingIterate::kZero:
      fill(state.u, 0.0);
      break;
    case StartingIterate::kPrevious:
      copy(system.u_start, state.u);
      break;
    case StartingIterate::kPredicted:
      copy(system.u_free, state.u);
      break;
  }
  forcing_ = 0.1;
  fill(quasi_, 0.0);
  best_.reset(system);
  search_ = {.t = own_.step_length, .watch_merit = std::numeric_limits<double>::infinity()};
}

/// Forms g on the way.
double PaperStep::merit(const System& system, ConstVector u) {
  double sum = 0.0;
  for (Index i = 0; i < system.blocks(); ++i) {
    const PaperRow& row = laws_.rows()[to_size(i)];
    store3(&row_scratch_(kBlock * i), row.force);
    sum += dot(row.phi, row.phi);
  }
  at_.apply_transposed(row_scratch_, scratch_);
  for (Index n = 0; n < system.nodes(); ++n) {
    const Vec3 change = load3(&u(kBlock * n)) - load3(&system.u_free(kBlock * n));
    const Vec3 g = load9(&system.M(kBlockSize * n)) * change - load3(&scratch_(kBlock * n));
    store3(&g_(kBlock * n), g);
    const Vec3 e = load9(&system.M_inverse(kBlockSize * n)) * g;
    sum += dot(e, e);
  }
  return std::sqrt(sum);
}

void PaperStep::advance(const State& state, double t) {
  copy(state.u, u_try_);
  copy(state.r, r_try_);
  axpby(t, du_, 1.0, u_try_);
  axpby(t, dr_, 1.0, r_try_);
}

double PaperStep::trial_merit(StepEquations& equations, const State& state, double t) {
  advance(state, t);
  at_.evaluate(equations, u_try_);
  laws_.scale(equations.system(), at_, r_try_);
  return merit(equations.system(), u_try_);
}

double PaperStep::step_length(StepEquations& equations, const State& state,
                              const NewtonIteration& last) {
  const std::vector<NewtonIteration>& history = monitor_.history();
  const bool has_history = history.size() > 1;
  const double before = has_history ? history[history.size() - 2].error.total : last.error.total;
  switch (own_.damping) {
    case Damping::kConstant:
      return own_.step_length;
    case Damping::kAdaptive:
      if (has_history) {
        search_.t = last.error.total <= before ? std::min(1.0, 1.5 * search_.t)
                                               : std::max(0.4, 0.6 * search_.t);
      }
      return search_.t;
    case Damping::kWatchdog:
      return watchdog(equations, state);
    case Damping::kLineSearch:
      return line_search(equations, state);
  }
  return 1.0;
}

double PaperStep::line_search(StepEquations& equations, const State& state) {
  double t = 1.0;
  for (int k = 0; k < 8; ++k, t *= 0.5) {
    if (trial_merit(equations, state, t) <= (1.0 - 1e-4 * t) * merit_) return t;
  }
  return t;
}

/// Full steps as long as the merit falls below its best within a few of them; else a line search.
double PaperStep::watchdog(StepEquations& equations, const State& state) {
  constexpr int kPatience = 4;
  if (merit_ < search_.watch_merit) {
    search_.watch_merit = merit_;
    search_.watched = 0;
    return 1.0;
  }
  if (++search_.watched < kPatience) return 1.0;
  search_.watched = 0;
  return line_search(equations, state);
}

/// u = u_free + M^-1 J^T r, J at the newest velocity, in two passes; of the three velocities the
/// one of least error stays (if h r_N L / I > 1 the passes diverge: a light body under a heavy
/// stack).
void PaperStep::project_momentum(StepEquations& equations, State& state) {
  const System& system = equations.system();
  copy(state.u, u_try_);
  at_.evaluate(equations, u_try_);
  double least = at_.error(system, u_try_, state.r).total;
  for (int pass = 0; pass < 2; ++pass) {
    at_.apply_transposed(state.r, scratch_);
    multiply_blocks(system.M_inverse, scratch_, u_try_);
    axpby(1.0, system.u_free, 1.0, u_try_);
    at_.evaluate(equations, u_try_);
    const double error = at_.error(system, u_try_, state.r).total;
    if (!(error <= least)) continue;
    least = error;
    copy(u_try_, state.u);
  }
}

/// c_k = [(J_new - J_old)^T r]_k / du_k with r held at its newest value; H_kk = M_kk - min(0, c_k).
void PaperStep::update_quasi_newton(const System& system) {
  at_.apply_transposed(row_scratch_, scratch_);  // row_scratch_: newest r
  const double floor = 1e-9 * std::max(norm_max(u_try_), 1e-12);
  const bool all = own_.stiffness == GeometricStiffness::kDiagonalAll;
  for (Index k = all ? 0 : kBlock * system.rigid_nodes; k < system.dofs(); ++k) {
    const double moved = u_try_(k) - old_u_(k);
    if (std::abs(moved) < floor) continue;  // keep the last value
    quasi_(k) = -std::min(0.0, (scratch_(k) - impulse_old_(k)) / moved);
  }
}

/// Rows, errors and merit at the present iterate; keeps the best. Returns true at the end of the iteration.
bool PaperStep::measure(StepEquations& equations, State& state, NewtonIteration& record,
                        NewtonResult& result) {
  const System& system = equations.system();
  at_.evaluate(equations, state.u);
  record.error = at_.error(system, state.u, state.r);
  laws_.scale(system, at_, state.r);
  merit_ = record.merit = merit(system, state.u);
  monitor_.record(record);
  best_.offer(state, record.error);
  result.status = NewtonStatus::kNonFinite;
  if (!std::isfinite(merit_)) return true;
  result.status = NewtonStatus::kConverged;
  if (record.error.relative <= options_.tolerance) return true;
  result.status = NewtonStatus::kBudgetReached;
  if (result.iterations == options_.max_iterations) return true;
  result.status = NewtonStatus::kCancelled;
  return monitor_.out_of_time();
}

/// Forcing term of Eisenstat and Walker: how far the merit fell tells how well to solve.
void PaperStep::set_forcing() {
  const std::size_t n = monitor_.history().size();
  if (!own_.eisenstat_walker || n < 2) return;
  const double ratio = merit_ / monitor_.history()[n - 2].merit;
  forcing_ = std::clamp(0.9 * ratio * ratio, 1e-8, 0.5);
}

void PaperStep::update(StepEquations& equations, State& state, double t) {
  advance(state, t);
  if (own_.stiffness == GeometricStiffness::kDiagonalAll ||
      (own_.stiffness == GeometricStiffness::kDiagonal &&
       equations.system().rigid_nodes < equations.system().nodes())) {
    copy(state.u, old_u_);
    copy(r_try_, row_scratch_);
    at_.evaluate(equations, state.u);
    at_.apply_transposed(row_scratch_, impulse_old_);
    at_.evaluate(equations, u_try_);
    update_quasi_newton(equations.system());
  }
  copy(u_try_, state.u);
  copy(r_try_, state.r);
}

void PaperStep::finish(StepEquations& equations, State& state, NewtonResult& result) {
  if (own_.best_iterate && std::isfinite(best_.error().total)) best_.restore(state);
  if (own_.final_projection && all_finite(state.r)) project_momentum(equations, state);
  at_.evaluate(equations, state.u);
  result.error = at_.error(equations.system(), state.u, state.r);
  result.linear_solver = std::string(linear_system_.solver_name());
}

NewtonResult PaperStep::solve(StepEquations& equations, State& state, bool warm) {
  fit(equations.system());
  start(equations.system(), state, warm);
  NewtonResult result;
  NewtonIteration record;
  while (!measure(equations, state, record, result)) {  // evaluate, measure, scale
    set_forcing();
    linear_system_.linearise(equations, state, at_, g_, quasi_, laws_.rows());
    const double rtol = own_.eisenstat_walker ? forcing_ : own_.linear_tolerance;
    const LinearReport report = linear_system_.solve(at_, g_, laws_.rows(), rtol, du_, dr_);
    result.linear_iterations += report.iterations;
    ++result.iterations;
    if (!all_finite(du_) || !all_finite(dr_)) {
      result.status = NewtonStatus::kLinearFailure;
      break;
    }
    const double t = step_length(equations, state, record);
    update(equations, state, t);
    record = {};
    record.step_length = t;
    record.step = t * largest_speed(equations.system(), du_);
    record.factorizations = 1;
    record.linear_iterations = report.iterations;
    record.linear_status = report.status;
    record.linear_residual = report.relative_residual();
  }
  finish(equations, state, result);
  return result;
}

}  // namespace nsn
