/// The loop of DeviceStep, on the host: damping, forcing terms, the end. Part of
/// core/step/paper/device_step_impl.h.
#pragma once

#include <limits>
#include <stdexcept>

#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/step/paper/device_step.h"

namespace nsn {

/// u = u_free + M^-1 J^T r, J at the newest velocity, in two passes; of the three velocities the
/// one of least error stays (if h r_N L / I > 1 the passes diverge: a light body under a heavy
/// stack). Nothing where r is not finite.
template <class D, class Real>
void DeviceStep<D, Real>::project_momentum() {
  using namespace paper;
  const StepBodies<D, Real> s = memory_.bodies;
  const Span<D, StepFlags> flags = memory_.flags;
  const Span<D, double> row_part = memory_.row_part;
  const Span<D, double> node_part = memory_.node_part;
  const Span<D, Real> kept = memory_.best_u;
  queue_.for_each(
      "keep u", kBlock * s.at.nodes, KOKKOS_LAMBDA(const Index k) { kept(k) = s.u(k); });
  for (int pass = 0; pass < 3; ++pass) {
    if (pass > 0) {
      queue_.for_each(
          "project", s.at.nodes, KOKKOS_LAMBDA(const Index n) { s.project_node(n); }, 16);
      queue_.for_each(
          "move", kBlock * s.at.nodes, KOKKOS_LAMBDA(const Index k) { s.u(k) = s.u_try(k); });
    }
    evaluate(s.u);
    sum_rows(s.u, s.r, false);
    const Index rows = row_chunks_;
    const Index nodes = node_chunks_;
    const bool first = pass == 0;
    queue_.for_each(
        "least", 1, KOKKOS_LAMBDA(const Index) {
          StepStatus now;
          collect(row_part, rows, node_part, nodes, s.at.h, now);
          flags(0).take = first || now.total <= flags(0).best ? 1 : 0;
          if (flags(0).take != 0) flags(0).best = now.total;
        });
    queue_.for_each(
        "keep u", kBlock * s.at.nodes, KOKKOS_LAMBDA(const Index k) {
          if (flags(0).take != 0) kept(k) = s.u(k);
        });
  }
  queue_.for_each(
      "take u", kBlock * s.at.nodes, KOKKOS_LAMBDA(const Index k) { s.u(k) = kept(k); });
}

/// The answer and its error, in the last slot of the history.
template <class D, class Real>
void DeviceStep<D, Real>::finish() {
  const paper::StepBodies<D, Real> s = memory_.bodies;
  const Span<D, paper::StepFlags> flags = memory_.flags;
  const Span<D, Real> best_u = memory_.best_u;
  const Span<D, Real> best_r = memory_.best_r;
  if (own_.best_iterate) {
    queue_.for_each(
        "best nodes", kBlock * s.at.nodes, KOKKOS_LAMBDA(const Index k) {
          if (flags(0).best < RowLaw::kInfinity) s.u(k) = best_u(k);
        });
    queue_.for_each(
        "best rows", kBlock * s.at.rows, KOKKOS_LAMBDA(const Index k) {
          if (flags(0).best < RowLaw::kInfinity) s.r(k) = best_r(k);
        });
  }
  if (own_.final_projection) project_momentum();
  evaluate(s.u);
  sum_rows(s.u, s.r, false);
  const Span<D, Status> history = memory_.history;
  const Span<D, double> row_part = memory_.row_part;
  const Span<D, double> node_part = memory_.node_part;
  const Index rows = row_chunks_;
  const Index nodes = node_chunks_;
  const Index slot = size_of(history) - 1;
  queue_.for_each(
      "answer", 1, KOKKOS_LAMBDA(const Index) {
        Status now;
        paper::collect(row_part, rows, node_part, nodes, s.at.h, now);
        now.stop = flags(0).stop;
        history(slot) = now;
      });
}

template <class D, class Real>
NewtonIteration DeviceStep<D, Real>::record_of(const Status& status, int k) const {
  NewtonIteration record;
  record.error = paper::error_of(status, memory_.bodies.at.speed_scale);
  record.merit = status.merit;
  if (k == 0) return record;
  record.step_length = last_t_;
  record.step = last_t_ * status.step;
  record.factorizations = 1;
  record.linear_iterations = status.linear_iterations;
  record.linear_status = static_cast<LinearStatus>(status.linear_status);
  record.linear_residual = status.residual;
  return record;
}

/// Forcing term of Eisenstat and Walker: how far the merit fell tells how well to solve.
template <class D, class Real>
KrylovGoal DeviceStep<D, Real>::linear_goal() {
  const std::vector<NewtonIteration>& history = monitor_.history();
  if (own_.eisenstat_walker && history.size() >= 2) {
    const double ratio = last_.merit / history[history.size() - 2].merit;
    forcing_ = std::clamp(0.9 * ratio * ratio, 1e-8, 0.5);
  }
  constexpr int kMost = 10000;
  KrylovGoal goal;
  goal.rtol = own_.eisenstat_walker ? forcing_ : own_.linear_tolerance;
  goal.budget = own_.linear_iterations > 0 && own_.linear_iterations <= kMost;
  goal.limit = goal.budget ? own_.linear_iterations : kMost;
  return goal;
}

template <class D, class Real>
double DeviceStep<D, Real>::step_length(const Status& last) {
  const std::vector<NewtonIteration>& history = monitor_.history();
  const bool has_history = history.size() > 1;
  const double before = has_history ? history[history.size() - 2].error.total : last.total;
  switch (own_.damping) {
    case Damping::kConstant:
      return own_.step_length;
    case Damping::kAdaptive:
      if (has_history) {
        search_.t =
            last.total <= before ? std::min(1.0, 1.5 * search_.t) : std::max(0.4, 0.6 * search_.t);
      }
      return search_.t;
    case Damping::kWatchdog:
      return watchdog();
    case Damping::kLineSearch:
      return line_search();
  }
  return 1.0;
}

template <class D, class Real>
double DeviceStep<D, Real>::line_search() {
  double t = 1.0;
  for (int k = 0; k < 8; ++k, t *= 0.5) {
    if (trial_merit(t) <= (1.0 - 1e-4 * t) * last_.merit) return t;
  }
  return t;
}

/// Full steps as long as the merit falls below its best within a few of them; else a line search.
template <class D, class Real>
double DeviceStep<D, Real>::watchdog() {
  constexpr int kPatience = 4;
  if (last_.merit < search_.watch_merit) {
    search_.watch_merit = last_.merit;
    search_.watched = 0;
    return 1.0;
  }
  if (++search_.watched < kPatience) return 1.0;
  search_.watched = 0;
  return line_search();
}

/// After measure(k): true at the end of the iteration. A device that is not asked goes on; its
/// flags keep the iterate.
template <class D, class Real>
bool DeviceStep<D, Real>::ends(int k, NewtonResult& result) {
  const bool last = k == options_.max_iterations;
  if (asks()) {
    last_ = read_status(k);
    if (last_.stop < 0) {
      result.status = static_cast<NewtonStatus>(-last_.stop - 1);
      return true;
    }
    monitor_.record(record_of(last_, k));
    result.linear_iterations += last_.linear_iterations;
    if (last_.stop > 0) {
      result.status = static_cast<NewtonStatus>(last_.stop - 1);
      return true;
    }
  }
  result.status = NewtonStatus::kBudgetReached;
  if (last) return true;
  result.status = NewtonStatus::kCancelled;
  if (!monitor_.work().fits(Work::kIteration, 1.0)) return true;
  if (linear_.may_factorize(queue_)) return false;
  result.detail = "no time for a factorisation";
  return true;
}

template <class D, class Real>
void DeviceStep<D, Real>::iterate(StepEquations& equations) {
  const Span<D, const int> stop(&memory_.flags.data()->stop,
                                1);  // an address of the device, not read here
  linear_.linearise(queue_, *rows_, equations);
  linear_.solve(queue_, linear_goal(), asks() ? 8 : 0, stop);
  check_change();
  last_t_ = step_length(last_);
  advance(last_t_);
  const System& system = equations.system();
  if (own_.stiffness == GeometricStiffness::kDiagonalAll ||
      (own_.stiffness == GeometricStiffness::kDiagonal && system.rigid_nodes < system.nodes())) {
    update_quasi_newton();
  }
  accept();
}

/// What the device holds becomes the answer.
template <class D, class Real>
void DeviceStep<D, Real>::conclude(State& state, NewtonResult& result) {
  const double speed = memory_.bodies.at.speed_scale;
  if (!asks()) {  // the history, in one piece
    std::vector<Status> all(memory_.history.extent(0));
    queue_.copy(HostSpan<Status>(all.data(), all.size()), memory_.history);
    const int given = result.iterations;
    for (int k = 0; k <= given; ++k) {
      const Status& one = all[to_size(k)];
      if (one.stop < 0) {
        result.status = static_cast<NewtonStatus>(-one.stop - 1);
        break;
      }
      monitor_.record(record_of(one, k));
      result.iterations = k;
      result.linear_iterations += one.linear_iterations;
      if (one.stop == 0) continue;
      result.status = static_cast<NewtonStatus>(one.stop - 1);
      break;
    }
    if (result.status == NewtonStatus::kLinearFailure) ++result.iterations;
    last_ = all.back();
  } else {
    last_ = read_status(static_cast<int>(memory_.history.extent(0)) - 1);
  }
  result.error = paper::error_of(last_, speed);
  result.linear_solver = std::string(linear_.solver().name());
  if (options_.paper().formulation == Formulation::kStiffness) result.form = "nodes";
  copy(ConstVector(u_host_.read(queue_, memory_.bodies.u)), state.u);
  copy(ConstVector(r_host_.read(queue_, memory_.bodies.r)), state.r);
}

/// What the device said; the state is that of the start.
inline NewtonResult device_failure(const char* words, const System& system, State& state) {
  NewtonResult result;
  result.status = NewtonStatus::kDeviceFailure;
  result.detail = words;
  copy(system.u_start, state.u);
  fill(state.r, 0.0);
  return result;
}

/// The caller has a safe iterate.
inline NewtonResult no_time_to_form() {
  NewtonResult result;
  result.status = NewtonStatus::kCancelled;
  result.error.total = std::numeric_limits<double>::infinity();
  result.detail = "no time to form matrices";
  return result;
}

template <class D, class Real>
NewtonResult DeviceStep<D, Real>::solve(StepEquations& equations, State& state, bool warm) {
  try {
    return solve_step(equations, state, warm);
  } catch (const std::runtime_error& error) {  // what Kokkos throws where a device fails
    memory_.forget();
    return device_failure(error.what(), equations.system(), state);
  }
}

template <class D, class Real>
void DeviceStep<D, Real>::solve_all(std::span<IslandStep> islands) {
  std::vector<IslandStep*> factored, assembled;
  for (IslandStep& one : islands) {
    if (batch_ == nullptr || monitor_.observed() || !batch_takes(*one.equations)) {
      one.result = solve(*one.equations, *one.state, one.warm);
      continue;
    }
    const System& system = one.equations->system();
    const paper::NodeLists lists = paper::node_lists(paper::pattern_of_J(system));
    (linear_.forms_entries(system, lists) ? assembled : factored).push_back(&one);
  }
  for (auto* const group : {&factored, &assembled}) {
    try {
      if (batch_ != nullptr) batch_->solve(*group, group == &assembled);
    } catch (const std::runtime_error& error) {
      batch_->forget();
      for (IslandStep* const one : *group) {
        one->result = device_failure(error.what(), one->equations->system(), *one->state);
      }
    }
  }
}

template <class D, class Real>
NewtonResult DeviceStep<D, Real>::solve_step(StepEquations& equations, State& state, bool warm) {
  const Traffic before = queue_.traffic;
  const System& system = equations.system();
  const bool fresh = memory_.start(queue_, system, own_, options_.max_iterations);
  if (fresh && !linear_.may_start(system, memory_.lists())) {
    memory_.forget();
    return no_time_to_form();
  }
  rows_ = &known_rows_.of(queue_, equations);
  linear_.start(queue_, system, memory_, fresh);
  start_iterate(state, warm);
  const Traffic started = queue_.traffic;
  NewtonResult result;
  for (int k = 0;; ++k) {
    measure(k);
    if (ends(k, result)) break;
    const WorkClock::Unit unit(monitor_.work(), Work::kIteration, 1.0);
    iterate(equations);
    ++result.iterations;
  }
  result.iteration_traffic = queue_.traffic - started;
  finish();
  conclude(state, result);
  result.evaluate_on = rows_->runs_on();
  result.solve_on = linear_.solver().runs_on();
  result.traffic = queue_.traffic - before;
  return result;
}

}  // namespace nsn
